/* Enumerators by name, other values as numbers. */
enum colour { RED = 3, GREEN };
typedef enum colour colour_t;
BEGIN { print((enum colour)3); print((colour_t)4); print((enum colour)9); print(RED); }
