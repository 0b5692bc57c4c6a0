/*
 * The longest token wins.
 * @quiet
 */
BEGIN
{
	x = 5;
	y=x+++1;printf("%d %d\n",x,y);
	y=x---1;printf("%d %d\n",x,y);
	y=- -x;printf("%d\n",y);
	y=~-x;printf("%d\n",y);
	y=!-x;printf("%d\n",y);
	x<<=1;x>>=2;printf("%d\n",x);
	y=x<<1<=4;printf("%d\n",y);
	y=1^^0;printf("%d\n",y);
	y=6&3&&1;printf("%d\n",y);
	y=4|1||0;printf("%d\n",y);
}
