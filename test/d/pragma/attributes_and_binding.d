/*
 * Pragmas may come before or after what they name.
 * @quiet
 */
#pragma D attributes Evolving/Private/ISA later
inline int later = 3;
inline int earlier = 4;
#pragma D attributes Stable earlier
#pragma D binding "1.0" late2
inline int late2 = 5;
int glob;
#pragma D attributes Unstable/Unstable/Common glob
struct o { int w; };
#pragma D binding "1.1" translator
#pragma D attributes Evolving/Evolving/Common translator
translator struct o < int x > { w = x; };
provider zp { probe a(int); };
#pragma D attributes Evolving/Evolving/Common provider zp provider
#pragma D attributes Private/Private/Unknown provider zp module
#pragma D attributes Private/Private/Unknown provider zp function
#pragma D attributes Evolving/Evolving/Common provider zp name
#pragma D attributes Evolving/Evolving/Common provider zp args
dtrace:::BEGIN { glob = 6; printf("%d %d %d %d %d\n", later, earlier, late2, glob, xlate <struct o>(7).w); }
