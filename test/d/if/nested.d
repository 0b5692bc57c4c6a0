/*
 * @quiet
 * @fire: t:::a arg0=1 arg1=1 arg2=0
 * @fire: t:::a arg0=1 arg1=0 arg2=1
 * @fire: t:::a arg0=0 arg1=1 arg2=1
 */
t:::a
{
	this->s = "";
	if (arg0) {
		this->s = strjoin(this->s, "a");
		if (arg1) { this->s = strjoin(this->s, "b"); if (arg2) this->s = strjoin(this->s, "c"); }
		else { this->s = strjoin(this->s, "-"); }
		this->s = strjoin(this->s, "A");
	} else if (arg1) { if (arg2) { this->s = "xy"; } else this->s = "x"; }
	printf("%s\n", this->s);
}
