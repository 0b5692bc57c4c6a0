/* A clause without a body, or with an empty one, records the firing; one with only expressions records nothing.
 * @fire: syscall::read:entry
 * @fire: dtrace:::BEGIN
 */
BEGIN { }
syscall::read:entry { }
syscall::read:entry { this->x = 1; }
syscall::read:entry /0/ { trace(1); }
