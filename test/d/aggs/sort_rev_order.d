/* aggsortrev prints the last aggregation first (S D4). */
#pragma D option aggsortrev
BEGIN { @first["a"] = count(); @second["b"] = sum(2); @second["c"] = sum(3); }
