provider p { probe q(); };
#pragma D attributes Evolving/Evolving/Common provider p nosuch
