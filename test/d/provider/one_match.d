/*
 * T 7, P 4.10: no provider is named, or a pattern of them, but one probe matches, or probes with the same arguments.
 * @tool: dtrace
 * @skip-unless: test "$(id -u)" = 0
 */
getpid:return { trace(args[0]); }
io*:::start { trace(args[0]->b_flags); }
s*:::on-cpu, *:::exec-success { trace(pid); }
