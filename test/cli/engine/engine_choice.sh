# SPDX-License-Identifier: BSD-2-Clause
# -x engine: which engine runs a trace and why (-v), and what the engine in the process refuses: each sentence names the probe, the
# built-in or the option, and what to do.
. test/cli/helpers.inc
may_trace "the choice of an engine"
hits=${BUILD:-build}/test/hits
there='engine process: not in this build'	# what is permitted says so, while the engine is not there
run -x engine=process -qn 'BEGIN { exit(0); }'
grep -q "$there" "$tmp/err" || there=

is "a word that is no engine" 1 "auto, kernel or process" -x engine=bpf -n BEGIN
run --list options
grep -q '^engine=auto|kernel|process ' "$tmp/out"
check $? "the option is listed with its words"

# ---- -v says which, and why ----
is "with rights" 0 "dtrace: engine kernel: there are rights to trace the kernel" -vqn 'BEGIN { exit(0); }'
is "auto is the default" 0 "dtrace: engine kernel: there are rights" -vqx engine=auto -n 'BEGIN { exit(0); }'
is "engine=kernel" 0 "dtrace: engine kernel: asked for by -x engine" -vqx engine=kernel -n 'BEGIN { exit(0); }'
is "in a program" 0 "dtrace: engine kernel: asked for by -x engine" -vqn '#pragma D option engine=kernel
BEGIN { exit(0); }'
run -qn 'BEGIN { exit(0); }'
[ ! -s "$tmp/err" ]
check $? "without -v nothing is said"

# ---- auto, with rights: the process for places of given processes, the kernel for all else ----
counts='{ @ = count(); } END { printa("counted %@d\n", @); }'
has() {	# has WHAT N TEXT ARGS…: N hits were counted, by the engine that TEXT tells
	what=$1 n=$2 text=$3
	shift 3
	run -vq "$@"
	grep -qF "$text" "$tmp/err" && grep -qx "counted $n" "$tmp/out"
	check $? "$what"
}
if [ -z "$there" ]; then
	has "places of a given process" 1010 "dtrace: engine process: all probes are in given processes" -c "$hits call 10" -n "pid\$target:hits:hits_call:entry $counts"
	has "with returns" 2020 "dtrace: engine process: all probes are in given processes" -c "$hits call 10" -n "pid\$target:hits:hits_call:entry, pid\$target:hits:hits_call:return $counts"
	has "other probes beside them" 1010 "dtrace: engine kernel: sdt:sched::sched_switch" -c "$hits call 10" -n "pid\$target:hits:hits_call:entry $counts sdt:::sched_switch { @s = count(); }"
	has "what reads the kernel" 1010 "dtrace: engine kernel: starttime, a variable of the kernel alone" -c "$hits call 10" -n "pid\$target:hits:hits_call:entry /starttime/ $counts"
	has "what may come later" 1010 "dtrace: engine kernel: pid" -c "$hits call 10" -n "pid\$target:h*:hits_call:entry $counts"
	is "system calls are those of all processes" 0 "dtrace: engine kernel: syscall:" -vq -c "$hits call 10" -n 'syscall::write:entry { @ = count(); }'
	vectors=${BUILD:-build}/test/vectors
	if [ "$("$vectors")" = none ]; then
		ok "a place that cannot be in the process # SKIP this machine has all"
	else
		has "a place that cannot be in the process: the kernel has all" 1 "dtrace: engine kernel: 1 of 2 probes cannot be in the process, e.g. vectors:vector_none" \
		    -c "$vectors" -n "BEGIN { printf(\"begin\n\"); } pid\$target:vectors:vector_none:entry, pid\$target:vectors:vector_fe:entry $counts"
		[ "$(grep -c 'begin$' "$tmp/out")" -eq 1 ] && ! grep -q 'could not be enabled' "$tmp/err"
		check $? "BEGIN runs once, and nothing is left out"
		run -x engine=process -q -c "$vectors" -n "pid\$target:vectors:vector_none:entry, pid\$target:vectors:vector_fe:entry $counts"
		grep -q '1 of 2 probes could not be enabled, e.g. vectors:vector_none' "$tmp/err" && grep -qx 'counted 1' "$tmp/out"
		check $? "the process by name leaves it out"
	fi
fi
echo '1 syscall::read:entry pid=1 3' >"$tmp/events"
is "a replay" 0 "dtrace: engine replay: asked for by -x replay" --replay "$tmp/events" -vqn 'syscall::read:entry { trace(arg0); }'
is "a replay in another engine" 1 "leave out -x engine" --replay "$tmp/events" -qx engine=kernel -n 'syscall::read:entry { trace(arg0); }'
is "what a replay does not have" 1 "is not available in the engine replay" --replay "$tmp/events" -qn 'syscall::read:entry { stack(); }'

# ---- what the process does not have ----
no() {	# no WHAT TEXT ARGS…
	what=$1 text=$2
	shift 2
	is "$what" 1 "engine process: $text" -qx engine=process "$@"
	grep -q '; use -x engine=kernel' "$tmp/err"
	check $? "$what: the fix"
}
no "a system call" "syscall:vmlinux:read:entry fires in any process (name some with -p or -c)" -n 'syscall::read:entry { exit(0); }'
no "a profile" "profile:::profile-97 fires on all CPUs" -n 'profile-97 { exit(0); }'
no "a tracepoint" "sdt:sched::sched_switch fires in the kernel" -n 'sdt:::sched_switch { exit(0); }'
no "one of several probes" "sdt:sched::sched_switch fires in the kernel" -c "$hits call 1" -n 'pid$target:hits:hits_call:entry, sdt:::sched_switch { }'
no "a return probe of the kernel" "-x uretprobe asks for return probes of the kernel" -x uretprobe -c "$hits call 1" -n 'pid$target:hits:hits_call:return { }'
no "a probe of any process" "pid:hits:hits_call:entry fires in any process (name one, by its number or as \$target" -n "pid*:$(readlink -f "$hits"):hits_call:entry { exit(0); }"
no "a CPU" "-x cpu limits" -x cpu=0 -n 'BEGIN { exit(0); }'
no "control groups" "-x container and -x cgroup select" -x cgroup=/none -n 'BEGIN { exit(0); }'
for row in 'curthread->pid|curthread, a variable of the kernel' 'curpsinfo->pr_pid|curthread, a variable' 'root|root, a variable' \
    'starttime|starttime, a variable' 'cgroup|cgroup, a variable' 'caller|caller, a variable' \
    'stackdepth|stackdepth, a variable' 'getf(0)|getf( ), a subroutine'; do
	no "${row%%|*}" "${row#*|}" -n "BEGIN { trace(${row%%|*}); exit(0); }"
done
no "stack()" "stack( ), an action of the kernel alone" -n 'BEGIN { stack(); exit(0); }'
no "a row in a predicate" "starttime, a variable of the kernel" -n 'BEGIN /starttime != 0/ { } tick-1s { exit(0); }'

# ---- what it has ----
yes() {	# yes WHAT ARGS…: nothing stands against it
	what=$1
	shift
	run -qx engine=process "$@"
	if [ -n "$there" ]; then
		grep -q "$there; use -x engine=kernel" "$tmp/err"
		check $? "$what: permitted"
	else
		check "$status" "$what"
	fi
}
yes "BEGIN, END, tick, ERROR" -n 'BEGIN { trace(pid); } tick-10ms { exit(0); } END { } ERROR { }'
yes "entry, return, an offset" -c "$hits call 10" -n 'pid$target:hits:hits_call:entry, pid$target:hits:hits_call:return, pid$target:hits:hits_call:0 { @[probename] = count(); }'
yes "policy fill" -b 64k -x bufpolicy=fill -n 'BEGIN { trace(1); } tick-10ms { exit(0); }'
yes "policy ring" -b 64k -x bufpolicy=ring -n 'BEGIN { trace(1); } tick-10ms { exit(0); }'
yes "a static probe" -c "$hits site 10" -n 'hits$target:::site { @[arg0] = count(); }'
yes "its variables" -c "$hits call 10" -n 'pid$target:hits:hits_call:entry { @[pid, tid, uid, gid, execname, cpu, probefunc, uregs[0], ucaller] = count(); self->t = timestamp; self->a[arg0] = walltimestamp; } pid$target:hits:hits_call:return /self->t/ { @t = quantize(timestamp - self->t); @s[ustack(2)] = count(); self->a[arg1] = 0; }'
yes "a static probe of any process, with a command" -c "$hits site 10" -n 'hits*:::site { @[arg0] = count(); }'
yes "what it asks the kernel for" -c "$hits call 10" -n 'pid$target:hits:hits_call:entry { @[ppid, progenyof(1), execargs, execenv, cwd, nspid, vtimestamp & 0] = count(); }'
yes "its subroutines" -c "$hits text 10" -n 'pid$target:hits:hits_text:entry { @[strjoin("a", lltostr(arg0)), strlen("abc"), basename("/a/b"), rand() & 0] = count(); } pid$target:hits:hits_address:entry { @t[copyinstr(arg0)] = count(); }'
