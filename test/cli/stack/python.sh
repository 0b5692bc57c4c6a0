# SPDX-License-Identifier: BSD-2-Clause
# Frames of Python in user stacks: a program writes the frames that Python says it has, before a system call at the end of each of
# 1,000 random ways through Python and C; the trace of those calls must have the same, with names, files and lines.
. test/cli/helpers.inc
may_trace "frames of Python"
trigger=test/trigger/python_stacks.py
tick='`'
ends='syscall::close_range:entry,syscall::close:entry'
kill_python() { [ -z "$python_pid" ] || kill "$python_pid" 2>/dev/null; }
trap 'kill_python; rm -rf "$tmp"' EXIT
python_pid=

# begin PYTHON COUNT: the program, which waits
begin() {
	rm -rf "$tmp/py"
	mkdir "$tmp/py"
	"$1" $trigger make "$2" "${SEED:-7}" "$tmp/py" >"$tmp/log" 2>&1 &
	python_pid=$!
	waits test -e "$tmp/py/waits"
}

end() {
	touch "$tmp/py/end"
	wait "$python_pid"
	python_pid=
}

# same_frames PYTHON COUNT WHAT
same_frames() {
	begin "$1" "$2"
	start -q -x bufsize=64m -p "$python_pid" -n "BEGIN { printf(\"ready\n\"); }
	    $ends /pid == \$target && arg0 >= 1000000 && arg0 < 2000000/ { printf(\"@%d\n\", arg0 - 1000000); ustack(900); }
	    $ends /pid == \$target && arg0 == 999999/ { exit(0); }"
	touch "$tmp/py/go"
	wait "$tracer"
	"$1" $trigger compare "$tmp/py/frames" "$tmp/out" >"$tmp/log" 2>&1
	end
	grep -qx "$2 stacks, 0 wrong" "$tmp/log" || grep -q "^[0-9]* stacks, 0 wrong" "$tmp/log"
	check $? "$3: frames are those of sys._getframe()"
}

python= known=
for each in ${PYTHONS:-python3.8 python3.9 python3.10 python3.11 python3.12 python3.13 python3 /usr/bin/python3}; do
	case $(command -v "$each") in */shims/*) continue ;; esac
	"$each" -c 'import sys; sys.exit(not (3, 8) <= sys.version_info < (3, 14))' 2>/dev/null || continue
	version=$("$each" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
	[ "$version" != "$known" ] || continue
	known=$version python=$each
	same_frames "$each" 1000 "Python $version"
done
if [ -z "$python" ]; then
	ok "frames of Python # SKIP no python3 from 3.8 to 3.13"
	exit 0
fi

# a program with one way in, which runs until it is told to end
cat >"$tmp/chain.py" <<'END'
import os, sys
def leaf(x):
    os.getppid()
    return sum(i * i for i in range(50)) and x
def middle(x):
    return sorted([3, 1, 2], key=leaf)
class Top:
    def __init__(self):
        list(map(middle, [1, 2]))
def main():
    while not os.path.exists(sys.argv[1]):
        Top()
main()
END
"$python" "$tmp/chain.py" "$tmp/stop" &
python_pid=$!
target="-p $python_pid"

# on another CPU, at any instruction: each stack is a part of the way, from its outermost end
# shellcheck disable=SC2086
run -q $target -n 'profile-997 /pid == $target/ { @[jstack(20)] = count(); } profile-997 /pid == $target && n++ > 600/ { exit(0); }'
sed 's/ (.*//; s/^ *//' "$tmp/out" | awk '
	NF == 0 { next }
	/^[0-9]+$/ { all += $1; if (!(stack in good)) { bad += $1; print "wrong:" stack } stack = ""; next }
	{ stack = stack " " $0 }
	BEGIN { way = " main <module>"; good[way]; good[" <module>"]
		init = " Top.__init__" way; old = " __init__" way; middle = " middle"; leaf = " leaf middle"
		good[" exists" way]; good[init]; good[old]; good[middle init]; good[middle old]; good[leaf init]; good[leaf old]
		good[" leaf.<locals>.<genexpr>" leaf init]; good[" <genexpr>" leaf old] }
	END { print all + 0, bad + 0; exit !(all > 300 && bad * 100 <= all) }' >"$tmp/log"
check $? "samples: whole stacks of Python, wherever they are taken"

# shellcheck disable=SC2086
run -q $target -n 'syscall::getppid:entry /pid == $target/ { ustack(30); exit(0); }'
tr '\n' ' ' <"$tmp/out" | tr -s ' ' >"$tmp/log"
grep -q "leaf ([^ ]*chain.py:3) [^ ]*${tick}.* middle ([^ ]*chain.py:6) [^ ]*${tick}.* Top.__init__ .* main ([^ ]*:12) <module>" "$tmp/log" ||
	grep -q "leaf ([^ ]*chain.py:3) [^ ]*${tick}.* middle ([^ ]*chain.py:6) [^ ]*${tick}.* __init__ .* main ([^ ]*:12) [^ ]*${tick}.*<module>" "$tmp/log"
check $? "ustack() has both, in their order"
# shellcheck disable=SC2086
run -q -x stacklang=native $target -n 'syscall::getppid:entry /pid == $target/ { ustack(30); exit(0); }'
grep -q "$tick" "$tmp/out" && ! grep -q 'chain\.py' "$tmp/out"
check $? "-x stacklang=native"
# shellcheck disable=SC2086
run -q -O json $target -n 'syscall::getppid:entry /pid == $target/ { jstack(2); exit(0); }'
grep -q '"frames":\[{"language":"python","address":"0x[0-9a-f]*","symbol":"leaf ([^"]*chain.py:3)"},{"language":"python"' "$tmp/out"
check $? "JSON says the language"
# shellcheck disable=SC2086
run -q -O folded $target -n 'syscall::getppid:entry /pid == $target/ { @[jstack(3)] = count(); } tick-100ms { exit(0); }'
grep -q '^[^ ]*__init__ ([^ ]*chain.py);middle ([^ ]*chain.py);leaf ([^ ]*chain.py) [0-9]*$' "$tmp/out"
check $? "folded stacks have functions, without lines"
# shellcheck disable=SC2086
run -q $target -n 'syscall::getppid:entry /pid == $target/ { @[jstack(3)] = count(); } tick-100ms { exit(0); }'
check "$(($(grep -c 'leaf (' "$tmp/out") != 1))" "one row for one stack"
touch "$tmp/stop"
wait "$python_pid"
python_pid=
