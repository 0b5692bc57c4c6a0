#pragma D attributes Evolving/Evolving/Common provider nosuch args
BEGIN { trace(1); }
