/* agghist: counts and sums as bars of one histogram over the keys. */
#pragma D option agghist
BEGIN { @n["SOAP/XML"] = sum(1); @n["XACML store"] = sum(5); @n["other"] = sum(6); @i[1, "x"] = count(); @i[2, "y"] = count(); @q = quantize(3); }
