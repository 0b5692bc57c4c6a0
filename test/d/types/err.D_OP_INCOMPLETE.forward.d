/* A struct that is only named has no members. */
struct fwd;
BEGIN { trace(((struct fwd *)8)->a); }
