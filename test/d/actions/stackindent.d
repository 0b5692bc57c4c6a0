/* -x stackindent and the default numbers of frames.
 * @opt: stackindent=2 stackframes=2 ustackframes=1 jstackframes=2
 * @fire: dtrace:::BEGIN stack=0x1000,0x2000,0x3000 ustack=0x4000,0x5000,0x6000
 */
BEGIN { stack(); ustack(); jstack(); }
