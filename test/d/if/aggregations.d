/*
 * @quiet
 * @fire: t:::a arg0=1
 * @fire: t:::a arg0=2
 * @fire: t:::a arg0=3
 */
t:::a { if (arg0 & 1) { @odd = sum(arg0); @n["odd"] = count(); } else { @even = sum(arg0); @n["even"] = count(); } }
dtrace:::END { printa("odd %@d\n", @odd); printa("even %@d\n", @even); printa("%s %@d\n", @n); }
