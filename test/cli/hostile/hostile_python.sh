# SPDX-License-Identifier: BSD-2-Clause
# An untrusted process that claims to be Python, with frames, names and tables that are invalid, form cycles or change
# while they are read: only its own names are lost, and no other process loses any.
. test/cli/helpers.inc
may_trace "invalid frames of Python"
. test/cli/hostile/liar.inc
use_liar python_liar python3liar
right() { ! grep -q '^ *liar (liar.py:[^7]' "$tmp/out"; }

lies honest
grep -q '^ *liar (liar.py:7)' "$tmp/out" && native main
check $? "valid frames are shown"

for way in length kind control lines varint freed nowhere wild table; do
	goes_on $way
done
goes_on many 300 5000

# more functions than are kept: dtrace says so
"$liar" many 4000 "$tmp/stop2" &
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
	is_limited $way
done

# the same beside a real Python
python=/usr/bin/python3
if "$python" -c 'import sys; sys.exit(not (3, 8) <= sys.version_info < (3, 14))' 2>/dev/null; then
	rm -f "$tmp/stop"
	"$liar" race 20 "$tmp/stop" &
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
