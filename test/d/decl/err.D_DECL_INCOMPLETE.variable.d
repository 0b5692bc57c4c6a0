/* No variable of a struct that is only named. */
struct fwd x;
BEGIN { trace(1); }
