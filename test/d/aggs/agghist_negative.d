/* agghist with values below zero. */
#pragma D option agghist
BEGIN { @n["up"] = sum(3); @n["down"] = sum(-2); @m["only"] = sum(-4); }
