# SPDX-License-Identifier: BSD-2-Clause
# The engine inside the process and filters of system calls (seccomp) that kill: the agent makes no call that they do not allow, and
# what cannot be done is said before anything is tried. The process always comes to its own end.
. test/cli/helpers.inc
build=${BUILD:-build}
"$dtrace" -x engine=process -qn 'BEGIN { exit(0); }' >"$tmp/out" 2>"$tmp/err" </dev/null || { echo "ok - filters # SKIP $(head -n 1 "$tmp/err")"; exit 0; }
if [ "$(id -u)" -ne 0 ] || grep -q '^Seccomp:.*[12]' /proc/self/status; then
	echo "ok - filters # SKIP only root, without a filter of its own, can read those of others"
	exit 0
fi
if [ -n "$(nm "$dtrace" 2>/dev/null | grep -m1 __asan_init)" ]; then
	echo "ok - filters # SKIP the sanitizer in the program makes calls that its filter kills for"
	exit 0
fi
chmod 755 "$tmp"
cp "$dtrace" "$build/test/inproc_filter" "$tmp/" && chmod 755 "$tmp/dtrace" "$tmp/inproc_filter"
victim=
trap '[ -z "$victim" ] || kill -KILL $victim 2>/dev/null; rm -rf "$tmp"' EXIT
as=
# begins MODE: the program is there, traced if it can be; next: a line for it; ends: all come to their end
begins() {
	rm -f "$tmp/go" && mkfifo "$tmp/go"
	: >"$tmp/said"
	$as "$tmp/inproc_filter" "$1" 4 1000 <"$tmp/go" >"$tmp/said" 2>&1 &
	victim=$!
	exec 5>"$tmp/go"
	waits grep -q up "$tmp/said"
	: >"$tmp/out"
	$as "$tmp/dtrace" -x engine=process -x switchrate=20ms -qn 'BEGIN { printf("ready\n"); } tick-1s { printf("tick\n"); }
	    pid$1::work:entry { @ = count(); @who[uid, execname, tid != 0] = count(); } pid$1::work:return { @r = count(); }
	    pid$1::work:entry /arg0 == 7/ { trace(copyinstr(arg1)); } ERROR { @e = count(); }
	    END { printa("work %@d\n", @); printa("returns %@d\n", @r); printa("who %d %s %d %@d\n", @who); printa("errors %@d\n", @e); }' $victim \
	    >"$tmp/out" 2>"$tmp/err" </dev/null 5>&- &
	tracer=$!
	begun() { grep -q ready "$tmp/out" || ended $tracer; }
	waits begun
}
next() { echo >&5; }
ends() {
	over() { grep -q '^work' "$tmp/said" || ended $victim; }
	waits over
	kill -INT $tracer 2>/dev/null
	wait $tracer
	status=$?
	next
	exec 5>&-
	wait $victim
	victim_status=$?
	victim=
}

for mode in probes later; do
	begins $mode
	next
	if [ $mode = later ]; then
		waits grep -q filtered "$tmp/said"
		# a second later the agent makes no calls any more: dtrace says how often it has looked
		waits sh -c '[ "$(grep -c ^tick "$1")" -ge $2 ]' sh "$tmp/out" $(($(grep -c ^tick "$tmp/out") + 3))
		next
	fi
	ends
	same "$mode: the program ends as it does alone" "$victim_status $(tail -n 1 "$tmp/said")" "7 work 4000"
	[ $status -eq 0 ] && grep -qx 'work 4000' "$tmp/out" && grep -qx 'returns 4000' "$tmp/out" && grep -qx 'who 0 inproc_filter 1 4000' "$tmp/out"
	check $? "$mode: all is counted, without a system call"
	grep -qx 'errors 4' "$tmp/out"
	check $? "$mode: reading memory is an error of the clause"
done
for mode in all errors; do
	begins $mode
	next
	ends
	same "$mode: the program ends as it does alone" "$victim_status $(tail -n 1 "$tmp/said")" "7 work 4000"
	[ $status -eq 1 ] && grep -q 'its filter of system calls (seccomp) does not allow mmap()' "$tmp/err"
	check $? "$mode: it is not traced, and that is said"
done
if setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps -all --bounding-set -all "$tmp/dtrace" -V >/dev/null 2>&1; then
	as='setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps -all --bounding-set -all'
	begins all
	next
	ends
	same "an ordinary user: the program ends as it does alone" "$victim_status $(tail -n 1 "$tmp/said")" "7 work 4000"
	[ $status -eq 1 ] && grep -q 'it has a filter of system calls (seccomp), which may kill it for mmap(): run dtrace as root' "$tmp/err"
	check $? "an ordinary user, who cannot read filters: a clear line"
fi
true
