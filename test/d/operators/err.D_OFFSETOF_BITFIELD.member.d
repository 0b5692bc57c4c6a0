/* A bit-field has no offset in bytes. */
struct s { int a:3; };
BEGIN { trace(offsetof(struct s, a)); }
