/* Actions under if and else, nested; skipped ones record nothing.
 * @fire: dtrace:::BEGIN arg0=1
 * @fire: dtrace:::BEGIN arg0=2
 * @fire: dtrace:::BEGIN arg0=3
 */
BEGIN
{
	if (arg0 == 1) { trace("one"); @a["one"] = count(); }
	else if (arg0 == 2) { printf("two %d", 2); @b["two"] = sum(2); }
	else { stack(1); trace("many"); }
	trace("always");
}
