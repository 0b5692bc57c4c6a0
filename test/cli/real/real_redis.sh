#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# redis: how often its functions are called and how long they take, beside what the server itself counts (INFO commandstats), and beside bpftrace
# at the same time. Nothing here depends on how fast the machine is: a part is never longer than the whole, a sleep never shorter than asked for.
# slow: left out of `make check`
# alone
. test/cli/helpers.inc
may_trace "redis"
if ! command -v redis-server >/dev/null || ! command -v redis-benchmark >/dev/null; then
	ok "redis # SKIP no redis here"
	exit 0
fi
server= peer=
stop() { [ -n "$1" ] && kill "$1" 2>/dev/null && wait "$1" 2>/dev/null; }
trap 'stop "$peer"; stop "$server"; rm -rf "$tmp"' EXIT
cli() { redis-cli -s "$tmp/s" "$@"; }
answers() { cli ping 2>/dev/null | grep -q PONG; }
# stat COMMAND FIELD: calls or usec
stat() { cli INFO commandstats | tr -d '\r' | sed -n "s/^cmdstat_$1:/,/p" | tr , '\n' | sed -n "s/^$2=//p"; }

redis-server --port 0 --unixsocket "$tmp/s" --save '' --dir "$tmp" --enable-debug-command yes >"$tmp/log" 2>&1 &
server=$!
if ! waits answers; then
	cat "$tmp/log" >"$tmp/err"
	bad "redis: a server of our own"
	exit 1
fi

# Counts and times of an ordinary load. getCommand ends with a jump to getGenericCommand: it is left first (N B2).
start -q -p "$server" -n '
pid$target:a.out:getCommand:entry { @get = count(); self->in = 1; }
pid$target:a.out:getCommand:return { @left = count(); @order = sum(self->in == 1); self->in = 0; }
pid$target:a.out:getGenericCommand:entry { self->g = timestamp; }
pid$target:a.out:getGenericCommand:return /self->g/ { @gtime = sum(timestamp - self->g); @gn = count(); self->g = 0; }
pid$target:a.out:setCommand:entry { @set = count(); self->s = timestamp; }
pid$target:a.out:setCommand:return /self->s/ { @stime = sum(timestamp - self->s); @sn = count(); self->s = 0; }
END { printa("get %@d\n", @get); printa("left %@d\n", @left); printa("order %@d\n", @order); printa("generic %@d\n", @gn); printa("gtime %@d\n", @gtime);
	printa("set %@d\n", @set); printa("sets %@d\n", @sn); printa("stime %@d\n", @stime); }
tick-10ms /!live_/ { live_ = 1; printf("ready\n"); }'
cli CONFIG RESETSTAT >/dev/null
redis-benchmark -s "$tmp/s" -q -n 20000 -c 8 -t set,get >"$tmp/bench" 2>&1
gets=$(stat get calls) sets=$(stat set calls) gusec=$(stat get usec) susec=$(stat set usec)
kill -INT "$tracer"
wait "$tracer"
got() { sed -n "s/^$1 //p" "$tmp/out"; }
[ "${gets:-0}" -ge 20000 ] && [ "$(got get)" = "$gets" ] && [ "$(got left)" = "$gets" ] && [ "$(got generic)" = "$gets" ]
check $? "redis: GET is entered and left as often as the server counts, $gets"
[ "$(got order)" = "$gets" ]
check $? "redis: a function that ends with a jump is entered before it is left"
[ "${sets:-0}" -ge 20000 ] && [ "$(got set)" = "$sets" ] && [ "$(got sets)" = "$sets" ]
check $? "redis: SET is entered and left as often as the server counts, $sets"
# the server's clock is around the function, and cuts each call to whole microseconds
[ "$(got gtime)" -gt 0 ] && [ $(($(got gtime) / 1000)) -le $((gusec + gets)) ]
check $? "redis: time in GET, $(($(got gtime) / 1000)) us, is in the server's own, $gusec"
[ "$(got stime)" -gt 0 ] && [ $(($(got stime) / 1000)) -le $((susec + sets)) ]
check $? "redis: time in SET, $(($(got stime) / 1000)) us, is in the server's own, $susec"

# A command that takes its time: the same to the server, to us and to a peer.
if command -v bpftrace >/dev/null; then
	: >"$tmp/peer"
	bpftrace -e "BEGIN { printf(\"ready\\n\"); } uprobe:$(readlink -f /proc/$server/exe):debugCommand /pid == $server/ { @s[tid] = nsecs; }
	uretprobe:$(readlink -f /proc/$server/exe):debugCommand /@s[tid]/ { @t = sum(nsecs - @s[tid]); @n = count(); delete(@s[tid]); }" >"$tmp/peer" 2>&1 &
	peer=$!
	waits grep -q ready "$tmp/peer"
fi
start -q -p "$server" -n '
pid$target:a.out:debugCommand:entry { self->t = timestamp; }
pid$target:a.out:debugCommand:return /self->t/ { @t = sum(timestamp - self->t); @min = min(timestamp - self->t); @n = count(); self->t = 0; }
END { printa("n %@d\n", @n); printa("time %@d\n", @t); printa("min %@d\n", @min); }
tick-10ms /!live_/ { live_ = 1; printf("ready\n"); }'
cli CONFIG RESETSTAT >/dev/null
for i in 1 2 3 4 5 6 7 8 9 10; do cli DEBUG SLEEP 0.03 >/dev/null; done
usec=$(stat debug usec) n=$(stat debug calls)
kill -INT "$tracer"
wait "$tracer"
[ "$(got n)" = "$n" ] && [ "$n" -eq 10 ]
check $? "redis: DEBUG is called 10 times"
[ "$(got min)" -ge 30000000 ] && [ $(($(got time) / 1000)) -le $((usec + n)) ]
check $? "redis: DEBUG SLEEP 0.03 takes 30 ms at least, and not longer than the server's own time"
if [ -n "$peer" ]; then
	kill -INT "$peer"
	wait "$peer" 2>/dev/null
	peer=
	theirs=$(sed -n 's/^@t: //p' "$tmp/peer") times=$(sed -n 's/^@n: //p' "$tmp/peer")
	if [ "${times:-0}" -eq 10 ]; then
		# both are inside the server's own time and not below the sleep: what is between is what both can differ by
		low=$((30000 * 10)) ours=$(($(got time) / 1000)) theirs=$((theirs / 1000))
		[ "$theirs" -ge "$low" ] && [ "$theirs" -le $((usec + 10)) ] && [ "$ours" -le $((theirs * 2)) ] && [ "$theirs" -le $((ours * 2)) ]
		check $? "redis: $ours us here, $theirs us in bpftrace"
	else
		ok "redis: bpftrace's time # SKIP it has seen ${times:-0} calls of 10"
	fi
else
	ok "redis: bpftrace's time # SKIP no bpftrace here"
fi
kill -0 "$server" && answers
check $? "redis: the server lives"
exit 0
