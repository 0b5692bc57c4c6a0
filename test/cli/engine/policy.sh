# SPDX-License-Identifier: BSD-2-Clause
# Buffers: what -x bufpolicy, bufsize, bufresize, cpu, specsize, nspec, aggsize and dynvarsize do. The workload is one thread on
# one CPU that makes a known number of calls; nothing here depends on how fast anything is.
# alone
. test/cli/helpers.inc
may_trace "buffer policies"

one=$(taskset -cp $$ 2>/dev/null | sed 's/.*: *\([0-9]*\).*/\1/')
: "${one:=0}"
pinned="$calls"
command -v taskset >/dev/null 2>&1 && pinned="taskset -c $one $calls"

P='syscall::getppid:entry'
G="$P /pid == \$target/"
# numbers: those of lines "R n", which are one more each; prints the first, the last, how many
numbers() { awk '$1 == "R" { if (n && $2 != last + 1) { print "gap after", last; exit } if (!n) first = $2; last = $2; n++ } END { print first + 0, last + 0, n + 0 }' "$tmp/out"; }
last_line() { grep -v '^$' "$tmp/out" | tail -n 1; }
no_drops() { ! grep -q ' drop' "$tmp/err"; }

# ---- ring: the newest, in order, up to the last ----
for size in 4k 8k 64k; do
	for more in '' 'printf("%s", "");' 'trace(timestamp); printf("\n");' 'tracemem(curthread, 100);'; do
		run -q -x bufpolicy=ring -x bufsize=$size -c "$pinned 20000" -n "$G { printf(\"R %d\n\", ++n); $more } END { printf(\"end\n\"); }"
		set -- $(numbers)
		[ "$status" -eq 0 ] && [ "$2" = 20000 ] && [ "$3" -gt 10 ] && [ "$3" -lt 20000 ] && [ "$(last_line)" = end ] && no_drops
		check $? "ring of $size: a number${more:+ and ${more%%(*}()}"
	done
done
run -q -x bufpolicy=ring -x bufsize=4k -c "$pinned 20000" \
    -n "$G { printf(\"R %d\n\", ++n); } $P /pid == \$target && n % 3 == 0/ { tracemem(curthread, 40); } $P /pid == \$target && n % 7 == 0/ { printf(\"%s\n\", execname); }"
set -- $(numbers)
[ "$2" = 20000 ] && [ "$3" -gt 5 ]
check $? "ring: records of several sizes"
run -q -x bufpolicy=ring -c "$pinned 100" -n "$G { printf(\"R %d\n\", ++n); }"
set -- $(numbers)
[ "$1" = 1 ] && [ "$2" = 100 ]
check $? "ring that is never full has all"
run -q -x bufpolicy=ring -c "$pinned 50" -n "$G { trace(*(int *)0); } ERROR { printf(\"R %d\n\", ++n); }"
set -- $(numbers)
[ "$2" = 50 ] && grep -q 'invalid address' "$tmp/err"
check $? "ring: faults and ERROR"
run -q -x bufpolicy=ring -c "$pinned 50" \
    -n "BEGIN { s = speculation(); } $G { speculate(s); printf(\"R %d\n\", ++n); } syscall::getpgid:entry /pid == \$target/ { commit(s); }"
set -- $(numbers)
[ "$1" = 1 ] && [ "$2" = 50 ]
check $? "ring: a speculation committed"
run -q -x bufpolicy=ring -c "$pinned 5000" -n "$G { @ = count(); trace(pid); } END { printa(\"sum %@d\n\", @); }"
is "ring: aggregations count on" 0 "sum 5000"

# ---- fill: from the first until it is full, then the end ----
run -q -x bufpolicy=fill -x bufsize=8k -c "$pinned 20000 hang" -n "$G { printf(\"R %d\n\", ++n); } END { printf(\"end\n\"); }"
set -- $(numbers)
[ "$status" -eq 0 ] && [ "$1" = 1 ] && [ "$2" -lt 20000 ] && [ "$3" -gt 50 ] && [ "$(last_line)" = end ] && no_drops
check $? "fill: ends by itself when full, END is kept"
run -q -x bufpolicy=fill -x bufsize=4k -c "$pinned 20000 hang" -n "$G { printf(\"R %d\n\", ++n); } END { tracemem(curthread, 3000); printf(\"end\n\"); }"
[ "$status" -eq 0 ] && [ "$(last_line)" = end ]
check $? "fill: END has the whole buffer"
run -q -x bufpolicy=fill -c "$pinned 100" -n "$G { printf(\"R %d\n\", ++n); }"
set -- $(numbers)
[ "$status" -eq 0 ] && [ "$1" = 1 ] && [ "$2" = 100 ]
check $? "fill that is never full has all"
run -q -x bufpolicy=fill -x bufsize=4k -n 'BEGIN { printf("R %d\n", ++n); } tick-1ms { printf("R %d\n", ++n); } END { printf("end\n"); }'
set -- $(numbers)
[ "$status" -eq 0 ] && [ "$1" = 1 ] && [ "$3" -gt 20 ] && [ "$(last_line)" = end ]
check $? "fill: ticks stop too"
run -q -x bufpolicy=fill -x bufsize=4k -n 'BEGIN { exit(3); } END { tracemem(curthread, 2000); } END { tracemem(curthread, 2100); }'
is "fill: END does not fit" 1 "END enablings exceed size of principal buffer"

# Nothing is printed while the target runs: it looks for itself.
for policy in fill ring; do
	printf 'sleep 0.3\nwc -c <"%s/out" >"%s/seen"\n' "$tmp" "$tmp" >"$tmp/look"
	run -q -x bufpolicy=$policy -x switchrate=10ms -c "sh $tmp/look" -n 'BEGIN { printf("begun\n"); } tick-1ms { @ = count(); } tick-10ms { printa(@); }'
	[ "$status" -eq 0 ] && [ "$(tr -d ' ' <"$tmp/seen")" = 0 ] && grep -q begun "$tmp/out"
	check $? "$policy: nothing is printed before the end"
done

# ---- one CPU ----
for policy in switch fill ring; do
	run -q -x cpu="$one" -x bufpolicy=$policy -c "$pinned 1000" -n 'BEGIN { printf("B %d\n", cpu); } profile-997 { @[cpu] = count(); }
	    syscall:::entry { @[cpu] = count(); } tick-1ms { printf("T %d\n", cpu); } END { printf("E %d\n", cpu); printa("C %d\n", @); }'
	[ "$status" -eq 0 ] && [ "$(grep -v '^T' "$tmp/out" | grep . | tr '\n' ' ')" = "B $one E $one C $one " ] &&
	    [ "$(awk 'NF { print $2 }' "$tmp/out" | sort -u)" = "$one" ]
	check $? "cpu=$one alone, $policy"
done
run -q -x cpu=8191 -n 'BEGIN { exit(3); }'
is "a CPU that is not there" 1 "CPU 8191 is not online"

# ---- sizes ----
# What is there counts, which is a page at least (S E1).
run -q -x bufsize=16 -n 'BEGIN { trace(1); exit(3); }'
is "a record larger than bufsize, in a page" 3 "1"
run -q -x bufsize=4k -n 'BEGIN { tracemem(curthread, 5000); exit(3); }'
is "a large record in a small buffer" 1 "Enabling exceeds size of buffer"
# Sizes history refuses (S E2)
for size in bufsize=0 bufsize=7 specsize=0 specsize=2 aggsize=0; do
	run -q -x $size -n 'BEGIN { @ = count(); exit(3); }'
	is "$size" 1 "a buffer has at least 8"
done
for size in specsize=100t aggsize=100t; do
	run -q -x $size -x bufresize=manual -n 'BEGIN { @[1] = count(); exit(3); }'
	is "$size, bufresize=manual" 1 "there is no memory for"
	run -q -x $size -n 'BEGIN { @[1] = count(); exit(3); }'
	is "$size is lowered" 3 "lowered to"
done
# N17: options of other systems are accepted; where nothing here does what they ask for, that is said
for opt in printsize=4 zone=1 core=/x ctypes=/x dtypes=/x; do
	run -q -x $opt -n 'BEGIN { exit(3); }'
	is "-x $opt is accepted with a notice" 3 "dtrace: option ${opt%=*}: "
done
printf '#pragma D option printsize=8k\n#pragma D option maxframes=30\n#pragma D option noresolve\nBEGIN { exit(3); }\n' >"$tmp/other.d"
run -qs "$tmp/other.d"
is "in a script" 3 "dtrace: option printsize: "
for opt in maxframes=3 aggpercpu noresolve; do
	run -q -x $opt -n 'BEGIN { exit(3); }'
	[ "$status" -eq 3 ] && [ ! -s "$tmp/err" ]
	check $? "-x $opt works"
done
run -q -x maxframes=2 -n 'syscall::getppid:entry /pid == $target/ { stack(5); exit(3); }' -c "$calls 5"
[ "$status" -eq 3 ] && [ "$(grep -c 'vmlinux`' "$tmp/out")" -eq 2 ]
check $? "maxframes limits stack(5)"
run -q -x maxframes=0 -n 'BEGIN { exit(3); }'
is "maxframes=0" 1 "at least 1"

# ---- every drop line names the option and a value that would have been enough ----
# enough WHAT OPTION SIZE MORE D: with SIZE something is lost, with what the line names nothing is
enough() {
	what=$1 opt=$2 size=$3 more=$4 d=$5
	# shellcheck disable=SC2086
	run -q -x "$opt=$size" $more -c "$pinned 3000" -n "$d"
	named=$(sed -n "s/.*(-x $opt=\([0-9]*[kmg]*\) would have been enough).*/\1/p" "$tmp/err" | tail -n 1)
	# shellcheck disable=SC2086
	run -q -x "$opt=${named:-$size}" $more -c "$pinned 3000" -n "$d"
	[ -n "$named" ] && no_drops && ! grep -q 'failed speculation' "$tmp/err"
	check $? "$what: $opt=$named is enough"
}
enough "drops" bufsize 4k "-x switchrate=1h" "$G { printf(\"%d %s\n\", ++n, execname); }"
enough "aggregation drops" aggsize 2k "-x aggrate=1h" "$G { n++; @[n] = quantize(n); } END { trunc(@); }"
enough "dynamic variable drops" dynvarsize 4k "" "$G { a[++n] = execname; }"
enough "speculative drops" specsize 1k "" "BEGIN { s = 0; } $G { s = s != 0 ? s : speculation(); } $G { speculate(s); printf(\"%d\n\", ++n); } END { commit(s); }"
enough "no speculation" nspec 1 "" "$P /pid == \$target && n++ < 20/ { s = speculation(); }"
run -q -x bufsize=4k -n 'BEGIN { trace(1); exit(3); }'
is "a small buffer that is enough" 3 "1"

# Addresses are limited, so that buffers of 64 MiB cannot be had; sanitizers need more than that for themselves.
limited() { (ulimit -v 100000 && run "$@" && exit $status); status=$?; }
limited -q -x bufsize=64k -n 'BEGIN { exit(3); }'
if [ $status -ne 3 ]; then
	ok "bufresize # SKIP the command needs more than 100 MB of addresses"
else
	limited -q -x cpu="$one" -x bufsize=64m -n 'BEGIN { exit(3); }'
	is "bufresize=auto" 3 "dtrace: buffer size lowered to "
	limited -q -x cpu="$one" -x bufsize=64m -x bufresize=manual -n 'BEGIN { exit(3); }'
	is "bufresize=manual" 1 "cannot make a buffer of 67108864 bytes"
fi
run -q -x bufsize=8g -x bufresize=manual -n 'BEGIN { exit(3); }'
is "a size no kernel has" 1 "the kernel cannot have a buffer of 8589934592 bytes for each CPU"

run -q -x specsize=512 -c "$pinned 50" \
    -n "BEGIN { s = speculation(); } $G { speculate(s); printf(\"R %d\n\", ++n); } syscall::getpgid:entry /pid == \$target/ { commit(s); }"
set -- $(numbers)
lost=$(awk '/speculative drop/ { n += $2 } END { print n + 0 }' "$tmp/err")
[ "$1" = 1 ] && [ "$3" -gt 5 ] && [ $(($3 + lost)) -eq 50 ]
check $? "specsize: what fits is shown, the rest are speculative drops"
run -q -x specsize=512 -c "$pinned 40" -n "int n; $P /pid == \$target && n % 10 == 0/ { s = speculation(); } $G { speculate(s); printf(\"R %d\n\", ++n); } $P /pid == \$target && n % 10 == 0/ { commit(s); }"
set -- $(numbers)
[ "$1" = 1 ] && [ "$2" = 40 ] && no_drops
check $? "specsize: a new speculation has all its room"
run -q -x nspec=2 -n 'BEGIN { printf("%d %d %d", speculation(), speculation(), speculation()); exit(0); }'
is "nspec" 0 "1 2 0"
is "nspec: the third is told" 0 "1 failed speculation (no speculative buffer available)"

run -q -x aggsize=4k -c "$pinned 2000" -n "$G { @[n++] = count(); } END { printa(\"K %d %@d\n\", @); }"
lost=$(awk '/aggregation drop/ { n += $2 } END { print n + 0 }' "$tmp/err")
[ "$status" -eq 0 ] && [ $(($(grep -c '^K' "$tmp/out") + lost)) -eq 2000 ]
check $? "aggsize: keys and drops are all calls"
run -q -x dynvarsize=4k -c "$pinned 2000" -n "$G { a[n++] = 1; }"
is "dynvarsize" 0 " dynamic variable drop"
run -q -x dynvarsize=4m -c "$pinned 2000" -n "$G { a[n++] = 1; }"
no_drops
check $? "dynvarsize: enough"
