#pragma D attributes Evolving/Evolving/Common nosuch
BEGIN { trace(1); }
