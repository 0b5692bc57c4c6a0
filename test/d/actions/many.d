/* Several actions of every kind in one clause keep their order.
 * @fire: dtrace:::BEGIN stack=0x1000
 */
BEGIN { trace(1); printf("[%d]", 2); trace("three"); stack(1); printf("[%s]", "four"); trace(5); }
