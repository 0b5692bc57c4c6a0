/* After -> any word is a member's name, even a keyword: here of a struct that has none of that name. */
struct k { int a; };
BEGIN { trace(((struct k *)0)->string); }
