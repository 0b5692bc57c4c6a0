/* aggsortkey: by key; integers compared without sign, strings by bytes. */
#pragma D option aggsortkey
BEGIN { @["b"] = sum(1); @["a"] = sum(3); @["ab"] = sum(2); @["B"] = sum(2); @i[-1] = count(); @i[1] = count(); @i[0] = count(); }
