/*
 * P10: no more than strsize, at every place where the text can be cut.
 * @quiet
 * @opt: strsize=12
 * @mem: user 0x5000 u64 0x6000 0x6006 0x600b 0x6010 0
 * @mem: user 0x5100 u64 0x6020 0x6006 0
 * @mem: user 0x5200 u64 0x6030 0x6006 0
 * @mem: user 0x5300 u64 0x6040 0x1000 0
 * @mem: user 0x6000 "first"
 * @mem: user 0x6006 "-abc"
 * @mem: user 0x600b "xyz"
 * @mem: user 0x6010 ""
 * @mem: user 0x6020 "elevenchars"
 * @mem: user 0x6030 "twelve chars and more"
 * @mem: user 0x6050 "0123456789"
 * @mem: user 0x5400 u64 0x6050 0x6006 0
 * @mem: user 0x5500 u64 0x6051 0x1000 0x6006 0
 * @fire: t:::a arg0=0x5000 arg1=0x5100 arg2=0x5200 arg3=0x5400 arg4=0x5500
 */
t:::a
{
	printf("[%s] [%s] [%s] [%s] [%s]\n", copyinargv(arg0), copyinargv(arg1), copyinargv(arg2), copyinargv(arg3), copyinargv(arg4));
}
