# SPDX-License-Identifier: BSD-2-Clause
# A program that says it is Python, and whose frames, names and tables lie, loop or change while they are read: it costs its own
# names, and neither the trace nor the names of another.
. test/cli/helpers.inc
may_trace "a program that lies about its frames"
liar=${BUILD:-build}/test/python_liar
cp "$liar" "$tmp/python3liar"
tick='`'
pids=
trap 'touch "$tmp/stop"; for p in $pids; do kill "$p" 2>/dev/null; done; rm -rf "$tmp"' EXIT

# lies WAY: a trace of it, in $tmp/out
lies() {
	rm -f "$tmp/stop"
	"$tmp/python3liar" "$1" "${2:-1}" "$tmp/stop" &
	pids=$!
	run -q -p "$pids" -n "syscall::getppid:entry /pid == \$target/ { ustack(40); n++; }
	    syscall::getppid:entry /pid == \$target && n > ${3:-50}/ { exit(0); }"
	touch "$tmp/stop"
	wait "$pids" 2>/dev/null || status=99
	pids=
}

# goes_on WAY: each stack still begins and ends with what is native, unless the lie is as long as the stack
goes_on() {
	lies "$@"
	[ "$status" -eq 0 ] && [ ! -s "$tmp/err" ] && grep -q "python3liar${tick}main" "$tmp/out" &&
		! LC_ALL=C grep -q "$(printf '\033')" "$tmp/out" && ! grep -q '^ *liar (liar.py:[^7]' "$tmp/out"
	check $? "$1: the trace goes on, and has no name that is wrong"
}

lies honest
grep -q '^ *liar (liar.py:7)' "$tmp/out" && grep -q "python3liar${tick}main" "$tmp/out"
check $? "what it says is believed where it can be"

for way in length kind control lines varint freed nowhere wild table; do
	goes_on $way
done
goes_on many 300 5000

# more functions than anybody has: they are counted, and that is said
"$tmp/python3liar" many 4000 "$tmp/stop2" &
pids=$!
start -q -p "$pids" -n 'BEGIN { printf("ready\n"); } syscall::getppid:entry /pid == $target/ { depth = ustackdepth; }'
waits grep -q "stacks of process $pids have more functions than are kept" "$tmp/err"
check $? "functions without end"
kill -INT "$tracer"
wait "$tracer"
touch "$tmp/stop2"
wait "$pids"
pids=
for way in loop self race; do
	lies $way
	[ "$status" -eq 0 ] && [ ! -s "$tmp/err" ] && [ "$(grep -c . "$tmp/out")" -le $((60 * 41)) ]
	check $? "$way: a stack has no more frames than it may have"
done

# the same, while another is Python
python=/usr/bin/python3
if "$python" -c 'import sys; sys.exit(not (3, 8) <= sys.version_info < (3, 14))' 2>/dev/null; then
	rm -f "$tmp/stop"
	"$tmp/python3liar" race 20 "$tmp/stop" &
	pids=$!
	cat >"$tmp/true.py" <<'END'
import os, sys, time
def honest():
    os.getppid()
while not os.path.exists(sys.argv[1]):
    honest()
    time.sleep(0.01)
END
	"$python" "$tmp/true.py" "$tmp/stop" &
	honest=$!
	pids="$pids $honest"
	run -q -n "syscall::getppid:entry /pid == $honest/ { @[jstack(5)] = count(); n++; }
	    syscall::getppid:entry /pid == ${pids% *}/ { @[jstack(5)] = count(); }
	    syscall::getppid:entry /pid == $honest && n > 20/ { exit(0); }"
	touch "$tmp/stop"
	grep -A1 'honest (.*true.py:3)' "$tmp/out" | grep -q '<module> (.*true.py:5)'
	check $? "names of another program"
else
	ok "names of another program # SKIP no python3 from 3.8 to 3.13"
fi
