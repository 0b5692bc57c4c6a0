#pragma D attributes Evolving/Evolving/Common translator
BEGIN { trace(1); }
