#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# pid*: functions of a file in every process, by the module's name or its path, also in processes that start later (N B6); what watches names,
# TLS and shells on the whole machine elsewhere. A function with two names is one to a pattern (T 13, P 4.8).
. test/cli/helpers.inc
may_trace "pid*"
case $dtrace in /*) ;; *) dtrace=$PWD/$dtrace ;; esac
run -qn 'pid*:::entry' -c true
is "a module has to be named" 1 "pid* means every process that runs a module"
run -qn 'pid*:no-such-module.so:f:entry' -c true
is "a module that nobody has" 1 "no process runs a module no-such-module.so"
cp "$calls" "$tmp/nobodys"
run -ln "pid*:$tmp/nobodys:main:entry"
is "-l, and nobody runs the module: what to do (issue 11)" 0 "no process that runs now has a module $tmp/nobodys"
run -ln 'pid:libc:malloc:entry'
is "a provider without a process" 0 "the pid provider is named with a process: pid123"
run -qn 'pid12*:libc:malloc:entry' -c true
is "other patterns of processes are none" 1 "does not match any probes"

if ! command -v cc >/dev/null || ! echo 'int main(void) { return 0; }' | cc -x c -o "$tmp/a.out" - 2>/dev/null || ! "$tmp/a.out"; then
	ok "programs of our own # SKIP no compiler that works here"
	exit 0
fi
cat >"$tmp/dns.c" <<'END'
#include <netdb.h>
int main(int argc, char **argv)
{
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST }, *found;

	return argc < 2 || getaddrinfo(argv[1], 0, &hints, &found) != 0;
}
END
cat >"$tmp/tls.c" <<'END'
int my_write(void *conn, const char *text, int len) { return conn ? len : (int)sizeof(text); }
END
cat >"$tmp/talk.c" <<'END'
#include <string.h>
int my_write(void *, const char *, int);
int main(int argc, char **argv)
{
	volatile char seen = argc > 1 ? argv[1][0] : 0;	/* what has never been touched may not be in memory yet */

	(void)seen;
	return argc > 1 ? my_write(&argc, argv[1], (int)strlen(argv[1])) != (int)strlen(argv[1]) : 1;
}
END
cat >"$tmp/copy.c" <<'END'
#include <stdlib.h>
#include <string.h>
int main(void)
{
	char *a = malloc(100), *b = malloc(100);
	volatile int n = 40;

	for (int i = 0; i < 7; i++)
		memcpy(a, b, n);
	return 0;
}
END
cc -O2 -o "$tmp/dns" "$tmp/dns.c" && cc -O2 -fPIC -shared -o "$tmp/libmytls.so.3" "$tmp/tls.c" &&
    cc -O2 -o "$tmp/talk" "$tmp/talk.c" "$tmp/libmytls.so.3" && cc -O0 -fno-builtin -Wl,-z,now -o "$tmp/copy" "$tmp/copy.c" ||
    { bad "programs of our own"; exit 1; }

# gethostlatency: names that any process asks for
start -qn 'BEGIN { printf("ready\n"); } pid*:libc.so.6:getaddrinfo:entry { self->name = arg0; self->begin = timestamp; }
pid*:libc.so.6:getaddrinfo:return /self->name && execname == "dns"/ {
	printf("%s %s %d %d\n", probemod, copyinstr(self->name), timestamp > self->begin, probeprov == strjoin("pid", lltostr(pid)));
	self->name = 0; n++; }
pid*:libc.so.6:getaddrinfo:return /n == 2/ { exit(0); }'
"$tmp/dns" 127.0.0.1
"$tmp/dns" 127.0.0.2
waits ended $tracer
wait $tracer
printf 'ready\nlibc.so.6 127.0.0.1 1 1\nlibc.so.6 127.0.0.2 1 1\n\n' | cmp -s - "$tmp/out"
check $? "names that are looked up, by entry and return"

# sslsnoop: a library by its path that nobody runs when tracing begins
start -qn 'BEGIN { printf("ready\n"); } pid*:'"$tmp/libmytls.so.3"':my_write:entry { printf("wrote %s\n", copyinstr(arg1, arg2 + 1)); exit(0); }'
"$tmp/talk" secret
waits ended $tracer
wait $tracer
status=$?
is "a library by its path" 0 "wrote secret"

# bashreadline: a program by its name
if command -v script >/dev/null && bash -c true 2>/dev/null; then
	start -qn 'BEGIN { printf("ready\n"); } pid*:bash:readline:return /copyinstr(arg1) == "true seen"/ { printf("read %s\n", copyinstr(arg1)); exit(0); }'
	says() { printf 'true seen\nexit\n' | script -qc 'bash --norc --noprofile -i' /dev/null >/dev/null 2>&1; ended $tracer; }
	if ended $tracer && grep -q 'no function readline' "$tmp/err"; then
		ok "what shells read # SKIP this bash has no readline of its own"
	else
		waits says
		wait $tracer
		status=$?
		is "what shells read" 0 "read true seen"
	fi
else
	ok "what shells read # SKIP no script or bash here"
fi

# -p alone is for that process
run -qn 'pid*:libc.so.6:getaddrinfo:entry { n++; } END { printf("n=%d\n", n); }' -c "sh -c '$tmp/dns 127.0.0.1'" -x target=only
is "-x target=only is for that process" 0 "n=0"

# every offset of a function too
run -qn 'pid*:'"$tmp/dns"':main:0 { n++; } END { printf("n=%d\n", n); }' -c "sh -c '$tmp/dns 127.0.0.1; $tmp/dns 127.0.0.1'"
is "an offset" 0 "n=2"

run -x evaltime=main -qn 'pid$target:libc::entry /probefunc == "memcpy" || probefunc == "__GI_memcpy" || probefunc == "__memcpy_generic"/ { @[probefunc] = count(); }
END { printa("%s=%@d ", @); }' -c "$tmp/copy"
is "one function of two names is counted once" 0 "memcpy=7"
[ "$(grep -o '=7' "$tmp/out" | wc -l)" -eq 1 ]
check $? "and by one name"
run -x evaltime=main -qn 'pid$target:libc:memcpy:entry { @[probefunc] = count(); } END { printa("%s=%@d ", @); }' -c "$tmp/copy"
is "by a name that is given" 0 "memcpy=7"

# a link's name is what the program is called
ln -s copy "$tmp/copylink"
run -qn 'pid$target:copylink:main:entry { printf("in %s", probemod); }' -c "$tmp/copylink"
is "a program that is started by a link" 0 "in copy"
