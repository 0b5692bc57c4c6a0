/* A fault ends its clause and loses its records; other clauses run; ERROR fires.
 * @fire: dtrace:::BEGIN arg0=0
 */
BEGIN { trace("lost"); trace(*(int *)arg0); trace("not reached"); }
BEGIN { trace("other"); }
BEGIN /1 / arg0/ { trace("no"); }
ERROR { printf("epid %d action %d offset %d fault %d addr %x", arg1, arg2, arg3, arg4, arg5); }
