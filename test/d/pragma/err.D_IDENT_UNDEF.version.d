/* @flags: -x version=1.2 */
#pragma D binding "1.5" later
inline int later = 1;
dtrace:::BEGIN { trace(later); }
