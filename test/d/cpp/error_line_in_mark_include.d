/*
 * @tool: interp
 */
# 1 "inner.h" 1
typedef int ok_t;
struct bad { nosuch_t x; };
# 9 "script.d" 2
dtrace:::BEGIN { }
