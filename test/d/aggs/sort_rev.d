/* aggsortrev: largest first. */
#pragma D option aggsortrev
BEGIN { @["a"] = sum(1); @["b"] = sum(3); @["c"] = sum(2); @["d"] = sum(2); }
