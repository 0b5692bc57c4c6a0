# SPDX-License-Identifier: BSD-2-Clause
# Nothing is lost and nothing is counted twice: what printa() shows of a busy aggregation, interval by interval, adds up to
# the calls that were made. EXACT_RUNS and EXACT_CALLS make it longer (the long form: 20 and 5000000).
# slow: left out of `make check`
# alone
. test/trigger/exact_run.sh
runs=${EXACT_RUNS:-3} calls_each=${EXACT_CALLS:-500000}
may_trace "exact sums"

# sum FIELD: of the last fields of lines that begin with FIELD
sum() { awk -v f="$1" '$1 == f { n += $NF } END { printf "%.0f\n", n }' "$tmp/out"; }
last() { awk -v f="$1" '$1 == f { n = $NF } END { printf "%.0f\n", n }' "$tmp/out"; }
bars() { awk '/ \|/ { n += $NF } END { printf "%.0f\n", n }' "$tmp/out"; }
# the same in three parts: calls below 1e9, and firings of others above
low() { echo $(($(sum S) % 1000000000)); }

# exactly WHAT HOW KEYS PROGRAM: HOW prints the number that must be the calls
exactly() {
	what=$1 how=$2 keys=$3 d=$4 i=0 bad=0 shown=0
	while [ $i -lt "$runs" ]; do
		i=$((i + 1))
		if ! traced 4 "$calls_each" "$keys" -n "$d"; then
			bad "$what: dtrace did not start"
			return
		fi
		got=$($how)
		shown=$((shown + $(grep -c '[0-9]' "$tmp/out")))
		lost=$(drops "aggregation drop")
		if [ "$got" != "$calls" ] || [ "$status" -ne 0 ] || [ "$lost" -ne 0 ]; then
			bad=$((bad + 1))
			echo "  run $i: $calls calls, $got shown, $lost drops, status $status"
		fi
	done
	[ -z "$EXACT_CALLS" ] || echo "  $what: $((runs - bad)) of $runs exact, $calls_each calls each, $shown lines"
	if [ $bad -eq 0 ]; then ok "$what"; else bad "$what: $bad of $runs runs are not exact"; fi
}

G='syscall::getppid:entry /pid == $1/'
K='syscall::getpgid:entry /pid == $1/'
P='printa("S %@d\n", @);'
PK='printa("S %d %@d\n", @);'

exactly "plain count" "last S" "" "$G { @ = count(); } END { $P }"
exactly "printa each ms" "last S" "" "$G { @ = count(); } tick-1ms { $P } END { $P }"
exactly "printa and clear each ms" "sum S" "" "$G { @ = count(); } tick-1ms { $P clear(@); } END { $P }"
exactly "printa and trunc each ms" "sum S" "" "$G { @ = count(); } tick-1ms { $P trunc(@); } END { $P }"
exactly "keys, plain" "sum S" 100 "$K { @[arg0] = count(); } END { $PK }"
exactly "keys, printa and clear each ms" "sum S" 100 "$K { @[arg0] = count(); } tick-1ms { $PK clear(@); } END { $PK }"
exactly "keys, printa and trunc each ms" "sum S" 100 "$K { @[arg0] = count(); } tick-1ms { $PK trunc(@); } END { $PK }"
exactly "two keys, sum, printa and trunc each ms" "sum S" 10 \
    "$K { @[arg0, probefunc] = sum(1); } tick-1ms { printa(\"S %d %s %@d\n\", @); trunc(@); } END { printa(\"S %d %s %@d\n\", @); }"
exactly "quantize, printa and trunc each ms" bars "" "$G { @ = quantize(tid); } tick-1ms { printa(@); trunc(@); } END { printa(@); }"
exactly "lquantize by key, printa and clear each ms" bars 5 \
    "$K { @[arg0] = lquantize(tid & 7, 0, 8, 1); } tick-1ms { printa(@); clear(@); } END { printa(@); }"
exactly "two clauses that show" "sum S" "" \
    "$G { @ = count(); } tick-1ms { $P trunc(@); } tick-3ms { $P clear(@); } syscall::getppid:return /pid == \$1 && (i++ & 0xfff) == 0/ { $P trunc(@); } END { $P }"
exactly "two aggregations" "sum S" "" \
    "$G { @ = count(); @b[cpu] = count(); } tick-1ms { $P trunc(@); } tick-2ms { trunc(@b); } END { $P }"
# others on the same aggregation, from a timer's interrupt and from the scheduler: 1e9 for each
others='profile-4999 { @ = sum(1000000000); } sdt:::sched_switch { @ = sum(1000000000); }'
exactly "with profile-4999 and sched, plain" "low" "" "$G { @ = sum(1); } $others END { $P }"
exactly "with profile-4999 and sched, printa and clear each ms" "low" "" "$G { @ = sum(1); } $others tick-1ms { $P clear(@); } END { $P }"
exactly "with profile-4999 and sched, printa and trunc each ms" "low" "" "$G { @ = sum(1); } $others tick-1ms { $P trunc(@); } END { $P }"

# counted WHAT CALLS ARGS…: lines and told drops together are the calls
counted() {
	what=$1 n=$2
	shift 2
	if ! traced 4 "$n" "" "$@"; then
		bad "$what: dtrace did not start"
		return
	fi
	lines=$(grep -c '^R$' "$tmp/out")
	lost=$(drops "drop")
	if [ $((lines + lost)) -eq "$calls" ] && [ "$status" -eq 0 ]; then
		ok "$what"
	else
		bad "$what: $calls calls, $lines lines, $lost drops, status $status"
	fi
}

counted "records" 200000 -n "$G { printf(\"R\n\"); }"
counted "records, small buffer" 200000 -x bufsize=4k -n "$G { printf(\"R\n\"); }"
counted "records, switchrate 1s" 400000 -x bufsize=64k -x switchrate=1s -n "$G { printf(\"R\n\"); }"
