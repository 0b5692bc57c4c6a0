/* setopt() acts when its record is read: quiet from the next firing's columns on. */
BEGIN { setopt("quiet"); trace(1); }
BEGIN { trace("bare"); setopt("aggsortrev", "1"); @[1] = sum(1); @[2] = sum(2); }
BEGIN { setopt("nosuch"); setopt("bufsize", "bad"); }
