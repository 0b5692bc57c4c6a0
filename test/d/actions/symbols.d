/* Symbol actions record addresses; without symbols they print as numbers.
 * @fire: dtrace:::BEGIN arg0=0xffff800000001000 arg1=0x4000
 */
BEGIN { sym(arg0); func(arg0); mod(arg0); }
BEGIN { usym(arg1); ufunc(arg1); umod(arg1); uaddr(arg1); }
