/* aggsortkey with aggsortrev. */
#pragma D option aggsortkey
#pragma D option aggsortrev
BEGIN { @["b"] = sum(1); @["a"] = sum(3); @["ab"] = sum(2); }
