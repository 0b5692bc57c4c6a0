/*
 * The declared type rules: the value is converted to it, parameters to theirs.
 * @quiet
 */
inline char c = 0x1ff;
inline uint8_t u = -1;
inline uint64_t big = -1;
inline int low[char x] = x;
inline uint16_t half[int x] = x;
dtrace:::BEGIN { printf("%d %d %u %d %d %d\n", c, u, big, low[0x1ff], half[0x12345], sizeof (half[1])); }
