/* After . any word is a member's name, even a keyword. */
struct k { int a; };
BEGIN { trace((*(struct k *)0).self); }
