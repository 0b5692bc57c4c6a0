# SPDX-License-Identifier: BSD-2-Clause
# The same on 2 CPUs and on 64 (E4, E5, E6): starting makes as many system calls and takes as much kernel memory, and records of
# all CPUs come in order, every one or told as lost in one line. ./check runs this on the host and on 16 emulated CPUs.
# alone
. test/trigger/exact_run.sh
may_trace "many CPUs"
cpus=$(nproc)

# Those of a dtrace that does nothing are not counted: the loader's, and the sanitizers'. A sanitizer that looks for leaks waits
# with sched_yield(), as often as the machine is busy; dtrace itself never calls it.
calls_of() {	# calls_of ARGS: how many system calls a dtrace with them makes
	"$dtrace" -qn 'syscall:::entry /pid == $target && probefunc != "sched_yield"/ { @ = count(); } END { printa("N %@d\n", @); }' -c "$dtrace $1" 2>"$tmp/err" | awk '$1 == "N" { print $2 }'
}
base=$(calls_of -V)
few() {		# few WHAT D MOST
	printf '%s\nBEGIN { exit(0); }\n' "$2" >"$tmp/one.d"
	n=$(calls_of "-qs $tmp/one.d")
	[ "${base:-0}" -gt 0 ] && [ "${n:-999999}" -gt "$base" ] && [ $((n - base)) -le "$3" ]
	if [ $? -eq 0 ]; then ok "$1 begins with few system calls"; else bad "$1 begins with $n system calls on $cpus CPUs, $3 and $base at most"; fi
}
few "BEGIN" "" 145
few "a record of three fields" 'syscall:::entry /pid == 0/ { printf("%s %d %d\n", execname, pid, tid); }' 350
few "an aggregation with keys" 'syscall:::entry { @[execname] = count(); }' 300

memory_of() {	# memory_of D: KiB of its maps, as the kernel counts them; BEGIN says when all are there
	: >"$tmp/out"
	"$dtrace" -qn "$1 BEGIN { printf(\"there\n\"); }" >"$tmp/out" 2>"$tmp/err" &
	tracer=$!
	waits grep -q there "$tmp/out"
	cat /proc/$tracer/fdinfo/* 2>/dev/null | awk '$1 == "map_type:" { map = 1 } $1 == "memlock:" && map { n += $2; map = 0 } END { printf "%d\n", n / 1024 }'
	kill -TERM $tracer
	wait $tracer
}
small() {	# small WHAT D KIB
	n=$(memory_of "$2")
	[ "${n:-0}" -gt 0 ] && [ "$n" -le "$3" ]
	if [ $? -eq 0 ]; then ok "$1 takes little kernel memory"; else bad "$1 takes $n KiB of maps on $cpus CPUs, $3 at most"; fi
}
# the ring, and a little for each CPU (slots, drops)
small "BEGIN" "" $((4 * 1024 + 256 + cpus * 8))
small "a record of three fields" 'syscall::getpgid:entry { printf("%s %d %d\n", execname, pid, tid); }' $((16 * 1024 + 1024 + cpus * 64))
small "an aggregation with keys" 'syscall::getpgid:entry { @[execname] = count(); }' $((24 * 1024))

R='{ printf("R %d %d %d\n", timestamp, tid, cpu); }'
# told WHAT TOTAL: the times of all lines go up; what is there and what was told are all of them. Leaves $lost, $lines.
told() {
	what=$1 total=$2
	set -- $(awk '$1 == "R" { n++; late += $2 < t; t = $2 } END { print n + 0, late + 0 }' "$tmp/out")
	lost=$(drops drop) lines=$(grep -c 'drops\{0,1\} on ' "$tmp/err")
	[ $(($1 + lost)) -eq "$total" ] && [ "$2" -eq 0 ]
	if [ $? -eq 0 ]; then ok "$what: all of $total records are there or told, in order"; else bad "$what: $1 of $total, $lost told, $2 out of order"; fi
}
for threads in "$cpus" $((2 * cpus)); do
	total=$((threads * 4000))
	traced "$threads" "$total" "$total" -n 'syscall::getpgid:entry /pid == $1/ '"$R" || bad "$threads threads: not live"
	told "$threads threads on $cpus CPUs" "$total"
	[ "$lost" -eq 0 ]
	if [ $? -eq 0 ]; then ok "with default options none is lost"; else bad "with default options $lost are lost"; fi
done
# E5: small buffers, and nobody reads what is printed before they are full
total=$((cpus * 20000))
mkfifo "$tmp/pipe" && exec 4<>"$tmp/pipe"	# what the workload prints goes elsewhere
echo go | "$dtrace" -q -b 8k -x statusrate=10s -o "$tmp/pipe" -n 'syscall::getpgid:entry /pid == $target/ '"$R"' END { printf("end\n"); }' \
	-c "$exact $cpus $total $total" 2>"$tmp/err" >/dev/null &
tracer=$!
sleep 1
sed '/^end$/q' "$tmp/pipe" >"$tmp/out"
wait $tracer
exec 4<&-
told "small buffers" "$total"
[ "$lost" -gt 0 ] && [ "$lines" -le 2 ] && grep -q 'drops on [^(]* (-x bufsize=[^ ]* would have been enough' "$tmp/err"
if [ $? -eq 0 ]; then ok "what is lost on several CPUs is told in one line"; else bad "$lost lost, told in $lines lines"; fi
