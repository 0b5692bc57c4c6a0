/* @flags: -x amin=Stable */
#pragma D attributes Unstable/Unstable/Common x
inline int x = 1;
BEGIN { trace(x); }
