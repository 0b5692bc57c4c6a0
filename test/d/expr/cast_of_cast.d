/* A cast of a cast gives what C gives, whether the inner one is wider, narrower or of another sign.
 * @quiet
 * @fire: dtrace:::BEGIN arg0=0x1234567890abcdef arg1=-1
 */
BEGIN
{
	this->c = (char)arg1;
	this->u = (unsigned char)arg1;
	printf("%d %d %d %d\n", (char)(short)arg0, (unsigned char)(int)arg0, (short)(char)arg0, (int)(unsigned char)arg0);
	printf("%d %d %d %d\n", (unsigned short)(int)this->c, (int)(unsigned short)this->c, (long)(unsigned char)this->c, (long)(int)this->u);
	printf("%d %d %d\n", (char)(void *)arg0, (unsigned int)(int)(char)arg0, (long)(int)(unsigned int)(short)arg0);
	printf("%d %d\n", (short)(int)(this->c + this->u), (unsigned char)(short)(arg0 * 3));
}
