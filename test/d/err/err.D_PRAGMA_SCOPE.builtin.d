#pragma D attributes Evolving/Evolving/Common pid
BEGIN { trace(pid); }
