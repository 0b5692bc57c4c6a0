# SPDX-License-Identifier: BSD-2-Clause
# Faults on purpose (issue 11, item 5): calls of the system fail in turn, signals come at every step, SIGKILL at random moments. After each
# run nothing is left: no process (running or stopped), no program in the kernel, no file; what was written ends with a whole line.
# FAULT_STEP N: each N-th call (2), signals at each 4 N-th. FAULT_KILLS N: as many moments in all (200).
# slow: left out of `make check`
# alone
. test/cli/helpers.inc
may_trace "faults"
build=$(realpath "${BUILD:-build}")
dtrace=$(realpath "$dtrace")
step=${FAULT_STEP:-2} kills=$(((${FAULT_KILLS:-200} + 5) / 6))
if [ "$(id -u)" -ne 0 ]; then
	ok "faults # SKIP only root can be somebody else"
	exit 0
fi
if nm -D "$dtrace" 2>/dev/null | grep -q __asan || ! ${CC:-cc} -shared -fPIC -O1 -w -o "$tmp/shim.so" test/fault/shim.c -ldl 2>"$tmp/err"; then
	ok "faults # SKIP no shared library can be put before this dtrace"
	exit 0
fi
chmod 755 "$tmp"
# somebody else must be able to run it
mkdir "$tmp/bin" && cp "$dtrace" "$build/test/calls" "$build/test/usdt_sites" "$tmp/bin"
bin=$tmp/bin

# faults MODE STEP [-l] [-o FILE] NAME ARGS…: see test/tool/faults.c
faults() {
	mode=$1 every=$2 flags="-s $2"
	shift 2
	while :; do
		case $1 in
		-l) flags="$flags -l"; shift ;;
		-o) flags="$flags -o $2"; shift 2 ;;
		*) break ;;
		esac
	done
	name=$1
	shift
	"$build/test/faults" $flags "$name" "$tmp/shim.so" "$mode" "$bin/dtrace" "$@"
}

# with MODE STEP: the runs that each kind of fault meets
with() {
	case $1 in
	kill=*) ;;
	*)
		faults $1 $2 "BEGIN" -qn 'BEGIN { printf("hi\n"); exit(0); }'
		faults $1 $2 "aggregation" -qn 'syscall::getppid:entry /pid == $target/ { @[execname] = count(); }
			END { printa("%s %@d\n", @); }' -x childstatus -c "$bin/calls 50"
		faults $1 $2 -l -o file "JSON" -O json -o file -qn 'BEGIN { i = 0; } tick-1ms { printf("line %d\n", i++); } tick-1ms /i >= 20/ { exit(0); }'
		faults $1 $2 -l -o file "CSV" -O csv -o file -qn 'BEGIN { i = 0; } tick-1ms { trace(i++); } tick-1ms /i >= 20/ { exit(0); }'
		;;
	esac
	faults $1 $2 "function" -qn 'pid$target:a.out:main:entry { printf("main\n"); } pid$target:libc.so.6:exit:entry { printf("exit\n"); }' \
		-x childstatus -c "$bin/calls 50"
	faults $1 $2 "static probes" -qn 'usdtsites$target:::start { @[arg0] = count(); } usdtsites$target:::costly { @c = count(); }
		END { printa("%d %@d\n", @); printa("%@d\n", @c); }' -x childstatus -c "$bin/usdt_sites 3"
	faults $1 $(($2 * 40)) -l "user stacks" -qn 'syscall::getppid:entry /pid == $target/ { @[ustack()] = count(); }' -x childstatus -c "$bin/calls 5"
	# held at their start by whoever waits for them, then probed
	faults $1 $(($2 * 40)) -l "programs that start later" -Zqn 'usdtsites*:::start { @[arg0] = count(); } END { printa(@); }' -x childstatus \
		-c "/bin/sh -c '$bin/usdt_sites 3'"
	faults $1 $(($2 * 40)) -l "timers and families" -x follow -qn 'profile-997 { @[ustack(), stack()] = count(); } pid$target:a.out::entry { @n = count(); }' \
		-c "$bin/calls 20"
	faults $1 $2 -o file "a file" -o file -qn 'tick-1ms { printf("line %d\n", n++); } tick-1ms /n >= 50/ { exit(0); }'
}
# floods: more than a buffer holds between two readings, in every format
flood='BEGIN { n = 0; } tick-1ms { printf("%200d\n%200d\n%200d\n%200d\n%200d\n%200d\n", n, n, n, n, n, n); n++; } tick-1ms /n >= 300/ { exit(0); }'
for format in text json csv; do
	faults 9 $((step * 4)) -l -o file "a flood as $format" -O $format -o file -x switchrate=100ms -qn "$flood"
done
with fail "$step"
# files that are one whole, and the recording, whose end is no line
stacks='syscall::getppid:entry /pid == $target/ { @[execname, ustack()] = count(); trace(pid); }'
faults fail $((step * 12)) -l -o file "a recording" -O record=file -qn "$stacks" -c "$bin/calls 20"
for format in flame pprof trace-event openmetrics; do
	faults fail $((step * 24)) -l -o file "$format" -O $format -o file -qn "$stacks" -c "$bin/calls 20"
done
for signal in 2 15 1 13 10 19 9; do	# INT TERM HUP PIPE USR1 STOP KILL
	with $signal $((step * 4))
done
with "kill=$kills" 1
