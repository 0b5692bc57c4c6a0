/* aggsortkeypos: comparing starts with that key, and goes round. */
#pragma D option aggsortkey
#pragma D option aggsortkeypos=1
BEGIN { @["a", 3] = count(); @["b", 1] = count(); @["c", 2] = count(); @["a", 2] = count(); @["b", 2] = count(); }
