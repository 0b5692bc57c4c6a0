# SPDX-License-Identifier: BSD-2-Clause
# Floods of records are formatted by several threads: what is written is the same as without them, in each format that can, also where
# other statements stand among the records; errors of the file are reported; few records start no thread.
. test/cli/helpers.inc
may_trace "formatthreads"

flood() { run -x debug -x bufpolicy=fill -x bufsize=8m -c "$calls 20000" "$@"; }	# all is read at the end, in one go
threads() { sed -n 's/.*records are formatted by \([0-9]*\) more thread.*/\1/p' "$tmp/err" | tail -n 1; }
# Times, numbers of CPUs and processes are others in each run.
plain() { sed -E 's/^( *)[0-9]+ ( *[0-9]+ )/\1C \2/; s/"(time|walltime|cpu|pid)":[0-9]+/"\1":0/g; s/^[0-9]+,[0-9]+,/T,C,/' "$tmp/out"; }

# same WHAT ARGS…: one thread and three write the same, and with three there were more than one
same() {
	what=$1
	shift
	flood -x formatthreads=1 "$@"
	first=$status
	plain >"$tmp/one"
	alone=$(threads)
	flood -x formatthreads=3 "$@"
	plain >"$tmp/three"
	[ "$first" -eq 0 ] && [ "$status" -eq 0 ] && [ "$(wc -l <"$tmp/one")" -gt 20000 ] && cmp "$tmp/one" "$tmp/three" &&
	    [ -z "$alone" ] && [ -n "$(threads)" ]
	check $? "$what: $(wc -l <"$tmp/three") lines, $(threads) more threads"
}

count='syscall::getppid:entry /pid == $target/ { printf("%d %s %x\n", ++n, execname, n * 7); }'
same "printf" -qn "$count"
same "columns" -n "$count"
same "trace" -n 'syscall::getppid:entry /pid == $target/ { trace(++n); trace(execname); }'
same "branches" -qn 'syscall::getppid:entry /pid == $target/ { n++; if (n % 3 == 0) { printf("three %d\n", n); } else { trace(n); printf("\n"); } }'
same "the default action" -n 'syscall::getppid:entry /pid == $target/ { } syscall::getppid:return /pid == $target/ { printf("r"); }'
same "other statements in between" -qn "$count syscall::getppid:return /n % 2500 == 0 && pid == \$target/ { print(n); }
    syscall::getppid:return /n % 3000 == 0 && pid == \$target/ { @[n] = sum(n); printa(\"agg %d %@d\\n\", @); trunc(@); }"
same "setopt() in between" -n "$count syscall::getppid:return /n == 9000 && pid == \$target/ { setopt(\"quiet\"); printf(\"quiet\\n\"); }
    syscall::getppid:return /n == 15000 && pid == \$target/ { setopt(\"quiet\", \"no\"); printf(\"not\\n\"); }"
same "errors in between" -qn "$count syscall::getppid:return /n % 5000 == 0 && pid == \$target/ { trace(*(int *)8); }"
same "JSON" -O json -n "$count"
same "CSV" -O csv -n "$count"

# ---- by need ----
flood -qn "$count"
if [ "$(nproc)" -gt 1 ]; then
	[ "$(threads)" ]
	check $? "a flood starts threads where there are CPUs for them"
fi
run -x debug -x switchrate=20ms -qn 'tick-1ms { printf("%d\n", ++n); } tick-1ms /n == 300/ { exit(0); }'
[ $status -eq 0 ] && [ -z "$(threads)" ]
check $? "few records start no thread"

# ---- a file that cannot be written ----
for n in 1 3; do
	timeout 240 "$dtrace" -x formatthreads=$n -x bufpolicy=fill -x bufsize=8m -c "$calls 20000" -qn "$count" >/dev/full 2>"$tmp/err" </dev/null
	status=$?
	mv "$tmp/err" "$tmp/err$n"
	echo "status $status" >>"$tmp/err$n"
done
cmp "$tmp/err1" "$tmp/err3" && grep -q 'No space left on device' "$tmp/err3" && grep -q 'status 1' "$tmp/err3"
check $? "a full disk is reported as without threads"
timeout 240 "$dtrace" -x formatthreads=3 -x bufpolicy=fill -x bufsize=8m -c "$calls 20000" -qn "$count" 2>"$tmp/err" </dev/null | head -n 5000 | tail -n 1 >"$tmp/out"
grep -q '^5000 ' "$tmp/out"
check $? "a reader that ends early gets its lines"
run -x formatthreads=65 -n 'BEGIN { exit(0); }'
[ $status -ne 0 ] && grep -q formatthreads "$tmp/err"
check $? "too many threads are refused"
