/* @flags: -x amin=Stable/Stable/Common */
#pragma D attributes Unstable/Unstable/Common x
inline int x = 1;
BEGIN { trace(x); }
