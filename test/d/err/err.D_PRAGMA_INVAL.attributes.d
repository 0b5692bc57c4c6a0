#pragma D attributes Nosuch/Evolving/Common x
inline int x = 1;
