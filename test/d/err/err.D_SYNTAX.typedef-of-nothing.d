/* N16: in a typedef a name that is no type is a syntax error */
typedef pint new_int;
BEGIN { exit(0); }
