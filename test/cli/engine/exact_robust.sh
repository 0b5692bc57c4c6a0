# SPDX-License-Identifier: BSD-2-Clause
# Too much of everything: clauses, keys, long strings, small buffers, faults in ERROR, several at once, a killed dtrace. It
# works, or is counted, or is refused by a sentence of ours; nothing stays behind.
# slow: left out of `make check`
# alone
. test/trigger/exact_run.sh
may_trace "robustness"

# runs WHAT TEXT ARGS…: status 0 and the text in stdout
runs() {
	what=$1 text=$2
	shift 2
	"$dtrace" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	if [ $status -eq 0 ] && grep -qF -e "$text" "$tmp/out"; then
		ok "$what"
	else
		bad "$what: status $status: $(head -c 300 "$tmp/out")"
	fi
}

# many N PROBE: as many clauses there
many() { awk -v n="$1" -v p="$2" 'BEGIN { for (i = 0; i < n; i++) printf "%s /pid == %d/ { x%d = %d; }\n", p, i % 7, i % 50, i }'; }

{ many 500 BEGIN; echo 'BEGIN { trace("end"); exit(0); }'; } >"$tmp/500.d"
runs "500 clauses at one probe" end -qs "$tmp/500.d"

# ---- more clauses than one program holds ----
{ many 10000 BEGIN; echo 'BEGIN { trace("end"); exit(0); }'; } >"$tmp/10000.d"
runs "10000 clauses" end -qs "$tmp/10000.d"

# clauses N TEXT: TEXT as many times, % in it the number
clauses() { awk -v n="$1" -v t="$2" 'BEGIN { for (i = 0; i < n; i++) { s = t; gsub(/%/, i, s); print s } }'; }

{ clauses 10000 'syscall::getpgid:entry /pid == $1/ { @[%] = count(); }'; cat <<'D'; } >"$tmp/each.d"
END { printa("S %d %@d\n", @); }
D
if traced 2 1000 1 -s "$tmp/each.d"; then
	got=$(awk '$1 == "S" { n += $NF } END { printf "%d\n", n }' "$tmp/out")
	lost=$(drops "aggregation drop")	# 10000 new keys at once are more than the kernel has memory at hand for
	# issue 11: and that is what the message says, as all of them fit into aggsize
	if [ $((got + lost)) -eq $((calls * 10000)) ] && [ "$status" -eq 0 ] && ! grep -q 'aggregation drop.*-x aggsize' "$tmp/err"; then
		ok "10000 clauses at a system call, each counts each call"
	else
		bad "10000 clauses: $calls calls, counted $got, dropped $lost, status $status"
	fi
else
	bad "10000 clauses at a system call: dtrace did not start"
fi

{ clauses 10000 'syscall::getpgid:entry /pid == $1/ { @ = sum(%); }'; cat <<'D'; } >"$tmp/sum.d"
END { printa("S %@d\n", @); }
D
if traced 2 1000 1 -s "$tmp/sum.d" && [ "$status" -eq 0 ] && grep -qx "S $((calls * 49995000))" "$tmp/out"; then
	ok "10000 clauses at a system call, the sum is exact"
else
	bad "10000 clauses, sum: status $status: $(tail -n 1 "$tmp/out")"
fi

{ echo 'this int n;'; clauses 10000 'BEGIN { this->n += %; }'; echo 'BEGIN { trace(this->n); exit(0); }'; } >"$tmp/this.d"
runs "this-> in 10000 clauses" 49995000 -qs "$tmp/this.d"

{ echo 'this int n;'; clauses 3000 'BEGIN { this->t = strtok(% ? NULL : "a-b-c", "-"); this->n += this->t != NULL; }'
echo 'BEGIN { printf("tokens %d", this->n); exit(0); }'; } >"$tmp/tok.d"
runs "strtok() in 3000 clauses" 'tokens 3' -qs "$tmp/tok.d"

awk 'BEGIN { for (i = 0; i < 1000; i++) printf "BEGIN { this->s = strjoin(strjoin(execname, \"-\"), substr(\"x%d\", 1)); printf(\"%%s %%s\\n\", this->s, probename); }\n", i
	print "BEGIN { exit(0); }" }' >"$tmp/text.d"
runs "1000 clauses of strings" 'dtrace-999 BEGIN' -qs "$tmp/text.d"
if [ "$(grep -c '^dtrace-[0-9]* BEGIN' "$tmp/out")" -eq 1000 ]; then ok "each wrote its line"; else bad "lines: $(wc -l <"$tmp/out")"; fi

# ---- one clause alone that is too much ----
# refused WHAT TEXT ARGS…: status 1, and the text is in the message
refused() {
	what=$1 text=$2
	shift 2
	"$dtrace" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	if [ $status -eq 1 ] && grep -qF -e "$text" "$tmp/err"; then ok "$what"; else bad "$what: status $status: $(head -c 300 "$tmp/err")"; fi
}
one() { echo 'string s[int];'; echo 'BEGIN {'; clauses "$1" "$2"; echo 'exit(0); }'; }
# N15: very many aggregations share their maps; arrays do not
one 200 '@a%[pid] = count();' | sed 's/^exit(0)/printa("%@d ", @a0, @a199); exit(0)/; s/printa("%@d "/printa("%d %@d %@d "/' >"$tmp/maps.d"
"$dtrace" -qs "$tmp/maps.d" >"$tmp/out" 2>"$tmp/err"
if [ $? -eq 0 ] && grep -q '[0-9] 1 1 ' "$tmp/out"; then ok "200 aggregations in one clause"; else bad "200 aggregations in one clause: $(head -c 300 "$tmp/err")"; fi
one 70 'm%[pid] = 1;' >"$tmp/maps.d"
refused "70 arrays in one clause" "one program may use 64: make several clauses of it" -qs "$tmp/maps.d"
# N15: branches over 32,767 instructions go by way of islands
one 300 's[%] = strjoin(execname, "%");' | sed 's/^exit(0)/printf("%s %s\\n", s[0], s[299]); exit(0)/' >"$tmp/stores.d"
runs "300 strings stored in one clause" "dtrace0 dtrace299" -qs "$tmp/stores.d"

# the last clauses stand in the last program
{ echo 'this int n;'; clauses 3000 'BEGIN { this->n += 1; }'; cat <<'D'; } >"$tmp/late.d"
BEGIN { trace(*(int *)0); } BEGIN { printf("behind %d\n", this->n); exit(3); } BEGIN { printf("and on\n"); } BEGIN { trace(1 / (this->n - 3000)); }
ERROR { printf("fault %d of clause %d\n", arg4, arg1); } END { printf("end\n"); }
D
"$dtrace" -qs "$tmp/late.d" >"$tmp/out" 2>"$tmp/err"
status=$?
if [ $status -eq 3 ] && [ "$(grep . "$tmp/out" | tr '\n' '|')" = 'fault 1 of clause 3001|behind 3000|end|' ]; then
	ok "a fault, ERROR and exit() in the last of many clauses"
else
	bad "late: status $status: $(head -c 300 "$tmp/out")"
fi

for probe in sdt:::sched_switch profile-997 tick-100ms; do
	{ echo 'this int n;'; clauses 1500 "$probe { this->n += %; }"; echo "$probe { @[this->n] = count(); } tick-1s { exit(0); }"; } >"$tmp/kinds.d"
	"$dtrace" -qs "$tmp/kinds.d" >"$tmp/out" 2>"$tmp/err"
	status=$?
	if [ $status -eq 0 ] && [ "$(awk 'NF { print $1 }' "$tmp/out")" = 1124250 ]; then
		ok "1500 clauses at $probe"
	else
		bad "1500 clauses at $probe: status $status: $(head -c 300 "$tmp/out")"
	fi
done

# Places of processes: programs may be preempted, so that a slot is taken by comparing and exchanging, and the next program of
# a chain finds it by its thread.
pid_this() {
	"$dtrace" -qs "$2" -c "${BUILD:-build}/test/provider_pid 5000 8" >"$tmp/out" 2>"$tmp/err"
	status=$?
	got=$(awk 'NF == 2 && /^ /' "$tmp/out" | tr -s ' \t' ' ')
	if [ $status -eq 0 ] && [ "${got% *}" = " $3" ] && [ $((${got##* } + $(drops drop))) -eq 40000 ]; then
		ok "$1"
	elif grep -q 'failed to match\|does not match any' "$tmp/err"; then
		ok "$1 # SKIP $(head -n 1 "$tmp/err")"
	else
		bad "$1: status $status: $(head -c 300 "$tmp/out")"
	fi
}
cat >"$tmp/pid.d" <<'D'
pid$target::work:entry { this->n = arg0; }
pid$target::work:entry { this->s = stringof(strjoin("a", "b")); }
pid$target::work:entry { @[(this->n == arg0 && this->s == "ab") * 7] = count(); }
D
pid_this "this-> of 8 threads at one place" "$tmp/pid.d" 7
{ echo 'this int n;'; clauses 1500 'pid$target::work:entry { this->n += (int)arg0 + %; }'
echo 'pid$target::work:entry { @[this->n - 1500 * (int)arg0] = count(); }'; } >"$tmp/pid.d"
pid_this "1500 clauses at one place, 8 threads" "$tmp/pid.d" 1124250

# ---- more keys than there is room for ----
if traced 2 1000000 1000000 -n 'syscall::getpgid:entry /pid == $1/ { @[arg0] = count(); } END { printa("S %d %@d\n", @); }'; then
	got=$(awk '$1 == "S" { n += $NF } END { printf "%d\n", n }' "$tmp/out")
	lost=$(drops "aggregation drop")
	if [ $((got + lost)) -eq "$calls" ] && [ "$status" -eq 0 ]; then
		ok "1000000 keys: shown and dropped are the calls"
	else
		bad "1000000 keys: $calls calls, $got shown, $lost dropped, status $status"
	fi
else
	bad "1000000 keys: dtrace did not start"
fi

# ---- sizes ----
runs "strsize=4096" '2048' -q -x strsize=4096 -n 'BEGIN { s = "0123456789abcdef"; s = strjoin(s, s); s = strjoin(s, s);
	s = strjoin(s, s); s = strjoin(s, s); s = strjoin(s, s); s = strjoin(s, s); s = strjoin(s, s);
	printf("%d\n", strlen(s)); exit(0); }'
runs "strsize=4096, keys" '4095' -q -x strsize=4096 -n 'BEGIN { a["k"] = "v"; @[execname, a["k"]] = count(); printf("%d\n", 4095); exit(0); }'
"$dtrace" -q -x bufsize=8 -n 'BEGIN { printf("one\n"); exit(0); }' >"$tmp/out" 2>"$tmp/err"
if grep -q '^one' "$tmp/out" || grep -q 'exceeds size of buffer' "$tmp/err"; then ok "bufsize=8"; else bad "bufsize=8"; fi
runs "aggsize=8" '1' -q -x aggsize=8 -n 'BEGIN { @[pid] = count(); exit(0); }'

# ---- ERROR that faults ----
"$dtrace" -qn 'BEGIN { trace(*(int *)0); } BEGIN { exit(0); } ERROR { trace(*(int *)8); }' >"$tmp/out" 2>"$tmp/err"
status=$?
if [ $status -eq 0 ] && grep -q '1 error in ERROR probe enabling' "$tmp/err"; then
	ok "a fault in ERROR is counted"
else
	bad "a fault in ERROR: status $status"
fi

# ---- several at once ----
"$exact" 2 200000 <"$tmp/go" >"$tmp/calls" &
worker=$!
exec 3>"$tmp/go"
tracers=
for i in 1 2 3 4; do
	"$dtrace" -q -x switchrate=20ms -n 'syscall::getppid:entry /pid == $1/ { @ = count(); } tick-10ms /!r/ { r = 1; printf("ready\n"); }
	    tick-5ms { printa("S %@d\n", @); trunc(@); } END { printa("S %@d\n", @); }' "$worker" >"$tmp/out$i" 2>"$tmp/err$i" &
	tracer=$!
	tracers="$tracers $tracer"
	waits grep -q '^ready' "$tmp/out$i" || bad "several at once: number $i did not start: $(head -n 1 "$tmp/err$i")"
done
echo go >&3
exec 3>&-
wait "$worker"
kill -TERM $tracers
wait
sums=$(for i in 1 2 3 4; do awk '$1 == "S" { n += $NF } END { printf "%d ", n }' "$tmp/out$i"; done)
if [ "$sums" = "200000 200000 200000 200000 " ]; then ok "several at once"; else bad "several at once: $sums"; fi

# ---- killed ----
"$dtrace" -q -x switchrate=20ms -n 'syscall:::entry { @[execname] = count(); printf("x"); } profile-97 { @["p"] = count(); } tick-10ms { printf("ready\n"); }' \
    >"$tmp/out" 2>"$tmp/err" &
tracer=$!
if waits grep -q 'ready' "$tmp/out"; then
	for kind in prog map link; do
		awk -v k="${kind}_id:" '$1 == k { print $2 }' /proc/"$tracer"/fdinfo/* 2>/dev/null | sort -u >"$tmp/$kind"
	done
	kill -KILL "$tracer"
	wait "$tracer" 2>/dev/null
	n=0
	while
		left=$(for kind in prog map link; do "${BUILD:-build}/test/exact_ids" $kind $(cat "$tmp/$kind"); done)
		[ -n "$left" ] && [ $n -lt 1200 ]
	do
		n=$((n + 1))
		sleep 0.05
	done
	if [ ! -s "$tmp/prog" ] || [ ! -s "$tmp/map" ]; then
		bad "killed: no eBPF objects were found in the process"
	elif [ -n "$left" ]; then
		bad "killed: these stay: $left"
	else
		ok "kill -9 leaves none of $(cat "$tmp/prog" "$tmp/map" "$tmp/link" | wc -l) eBPF objects"
	fi
else
	bad "killed: dtrace did not start"
fi
