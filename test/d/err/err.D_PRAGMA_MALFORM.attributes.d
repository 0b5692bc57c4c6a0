#pragma D attributes Evolving/Evolving/Common
