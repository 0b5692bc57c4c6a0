/* Each key of one aggregation keeps the size of its own type, and all its bits (S D6). */
BEGIN
{
	@[1, "s"] = count(); @[0x123456789ab, "s"] = count(); @[(char)-3, "s"] = count(); @[(int)-1, "s"] = count();
	@[(int64_t)-1, "s"] = count(); @[(unsigned int)1, "s"] = count(); @[(short)1, "s"] = count();
}
