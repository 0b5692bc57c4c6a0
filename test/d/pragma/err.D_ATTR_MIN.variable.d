/* @flags: -x amin=Stable/Stable/Common */
#pragma D attributes Private/Private/Unknown x
inline int x = 1;
dtrace:::BEGIN { trace(x); }
