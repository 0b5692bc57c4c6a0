/* N16: the second body of a struct is refused where it begins */
struct input_struct { int i; } *uvar;
struct output_struct { int myi; };
translator struct output_struct { struct input_struct *uvar } { myi = uvar->i; }
BEGIN { exit(0); }
