/* sizeof of a struct that is only named. */
struct fwd;
BEGIN { trace(sizeof (struct fwd)); }
