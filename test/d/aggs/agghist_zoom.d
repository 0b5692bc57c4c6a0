/* agghist with aggzoom: the total is cut to an integer, so the longest of small counts fills the width (S D8). */
#pragma D option agghist
#pragma D option aggzoom
BEGIN { @["one"] = sum(1); @["five"] = sum(5); @["six"] = sum(6); }
