# SPDX-License-Identifier: BSD-2-Clause
# --replay: a program on the events of a file, without any right; all of records, aggregations, clocks, faults and drops goes the
# way that a trace of the kernel goes. A file that is wrong is refused with its line.
. test/cli/helpers.inc
chmod 755 "$tmp"
cp "$dtrace" "$tmp/dtrace" && chmod 755 "$tmp/dtrace"
dtrace="$tmp/dtrace"

# events: the file, from standard input
events() { cat >"$tmp/events" && chmod 644 "$tmp/events"; }
# replay ARGS…: as a user without rights where that is possible
replay() {
	if [ "$(id -u)" -eq 0 ]; then
		timeout 60 setpriv --reuid 65534 --regid 65534 --clear-groups "$dtrace" --replay "$tmp/events" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	else
		timeout 60 "$dtrace" --replay "$tmp/events" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	fi
	status=$?
}
# prints WHAT: the output is what standard input has
prints() {
	cat >"$tmp/want"
	[ $status -eq 0 ] && [ "$(cat "$tmp/out")" = "$(cat "$tmp/want")" ]	# without empty lines at the end
	check $? "$1"
}

events <<'END'
# two processes
1000000000 syscall::openat:entry pid=42 execname="cat" -100 "/etc/passwd" 0
1100000000 syscall::openat:return pid=42 execname="cat" 3 3
1200000000 syscall::read:entry pid=42 cpu=1 execname="cat" 3 0x1000 4096
1300000000 syscall::read:return pid=42 cpu=1 execname="cat" errno=5 -1 -1
3500000000 syscall::read:entry pid=43 tid=44 cpu=1 ppid=7 uid=1000 gid=100 execname="dd" 3 0x1000 512	# a comment
3500000001 a:b:c:d "quote \" tab \t" "second"
END

replay -qn 'BEGIN { printf("begin %d\n", timestamp); }
    syscall::openat:entry { printf("%s %d opens %s\n", execname, pid, copyinstr(arg1)); self->t = timestamp; }
    syscall::openat:return /self->t/ { printf("%d ns, %d\n", timestamp - self->t, (int)arg0); self->t = 0; }
    syscall::read:return { printf("errno %d\n", errno); }
    syscall::read:entry /pid == 43/ { printf("%d %d %d %d %d %s\n", tid, cpu, ppid, uid, gid, probefunc); }
    a:b:c:d { printf("<%s> <%s>\n", copyinstr(arg0), copyinstr(arg1)); }
    END { printf("end %d\n", timestamp); }'
prints "records, variables, strings" <<'END'
begin 1000000000
cat 42 opens /etc/passwd
100000000 ns, 3
errno 5
44 1 7 1000 100 read
<quote " tab 	> <second>
end 3500000001
END

replay -qn 'syscall::read:entry { @s[execname, pid, probefunc] = sum(arg2); @n = count(); @m = min(arg2); @x = max(arg2); @a = avg(arg2); @q = quantize(arg2); }
    syscall::read:entry { @mixed[(char)1] = count(); } syscall::read:return { @mixed[(uint64_t)1] = count(); }
    END { printa("%s %d %s %@d\n", @s); printa("n %@d min %@d max %@d avg %@d\n", @n, @m, @x, @a); printa(@q); printa("%d %@d\n", @mixed); }'
prints "aggregations" <<'END'
dd 43 read 512
cat 42 read 4096
n 2 min 512 max 4096 avg 2304


           value  ------------- Distribution ------------- count    
             256 |                                         0        
             512 |@@@@@@@@@@@@@@@@@@@@                     1        
            1024 |                                         0        
            2048 |                                         0        
            4096 |@@@@@@@@@@@@@@@@@@@@                     1        
            8192 |                                         0        

1 1
1 2
END

# the clock of the events; printa() and clear() mean their moment
replay -qn 'syscall::read:entry { @ = count(); } tick-1s { printf("%d:", timestamp / 1000000000); printa(" %@d\n", @); clear(@); }
    profile-1hz { printf("p %d\n", timestamp / 1000000000); }'
prints "tick and profile by the time of events" <<'END'
2: 1
p 2
3: 0
p 3
END
replay -qn 'syscall:::entry /n++ == 1/ { printf("%s\n", execname); exit(3); } END { printf("end\n"); }'
[ $status -eq 3 ] && [ "$(cat "$tmp/out")" = "$(printf 'cat\nend')" ]
check $? "exit()"
replay -qn 'syscall::read:entry { trace(copyinstr(arg1)); printf("not reached\n"); } dtrace:::ERROR { printf("fault %d at 0x%x\n", arg4, arg5); }'
[ $status -eq 0 ] && [ "$(grep -c 'fault 1 at 0x1000' "$tmp/out")" -eq 2 ] && grep -q 'read:entry): invalid address (0x1000)' "$tmp/err" && ! grep -q reached "$tmp/out"
check $? "faults"
replay -qn 'syscall::openat:entry { self->s = speculation(); speculate(self->s); printf("kept\n"); } syscall::openat:return { commit(self->s); }
    a:b:c:d { t = speculation(); speculate(t); printf("gone\n"); }'
[ $status -eq 0 ] && [ "$(cat "$tmp/out")" = kept ]
check $? "speculations"
replay -x dynvarsize=200 -qn 'syscall::: { a[timestamp] = 1; b[timestamp, 1] = 2; }'
[ $status -eq 0 ] && grep -q 'dynamic variable drop' "$tmp/err"
check $? "drops are reported: $(head -n 1 "$tmp/err")"
replay -O json -n 'a:b:c:d { trace(arg9); }'
[ $status -eq 0 ] && grep -q '"name":"d"' "$tmp/out"
check $? "other formats"
replay -F -n 'syscall:::'
[ $status -eq 0 ] && grep -q '  1  <= read' "$tmp/out"
check $? "-F"
replay -ln 'a:::'
[ $status -eq 0 ] && grep -q 'a *b *c d' "$tmp/out" && [ "$(wc -l <"$tmp/out")" -eq 2 ]
check $? "-l lists the probes of the file"

# refused WHAT TEXT ARGS…: status 1 or 2, and the text in the message
refused() {
	what=$1 text=$2
	shift 2
	replay "$@"
	[ $status -ne 0 ] && [ $status -lt 3 ] && grep -q -e "$text" "$tmp/err"
	check $? "$what"
}
refused "a probe that is not in the file" "the file of -x replay has no event of that name" -n 'io:::start'
refused "what only the kernel has" "stack is not available in the engine replay" -n 'a:b:c:d { stack(); }'
refused "a variable of the kernel" "curthread is not available" -n 'a:b:c:d { trace(curthread->pid); }'
refused "two programs" "put all clauses into one script" -n 'a:b:c:d { trace(1); }' -n 'a:b:c:d { trace(2); }'
refused "a policy" "leave out -x bufpolicy" -x bufpolicy=ring -n 'a:b:c:d { trace(1); }'
refused "with a process" "not valid in combination" -c true -n 'a:b:c:d'

# wrong LINE TEXT: an event that is none, after one that is
wrong() {
	printf '1 a:b:c:d\n%s\n' "$1" | events
	refused "line 2: $2" "line 2: .*$2" -n 'a:b:c:d'
}
wrong 'x a:b:c:d' 'the time is not a number'
wrong '99999999999999999999 a:b:c:d' 'the time is not a number of 64 bits'
wrong '0 a:b:c:d' 'earlier than that of the event before'
wrong '2' 'is not the full name of a probe'
wrong '2 a:b:c' 'is not the full name of a probe'
wrong '2 a:b:c:d:e' 'is not the full name of a probe'
wrong '2 a:b:c:*' 'is not the full name of a probe'
wrong '2 a:b:c:d colour=1' 'colour=1 is no attribute'
wrong '2 a:b:c:d cpu=9000' 'cpu=9000 is more than 8191'
wrong '2 a:b:c:d pid=x' 'pid= is not a number'
wrong '2 a:b:c:d "no end' 'it lacks a quote'
wrong '2 a:b:c:d "bad \x"' 'an escape other than'
wrong '2 a:b:c:d "x"1' 'a blank has to follow'
wrong '2 a:b:c:d 1 2 3 4 5 6 7 8 9 10 11' 'at most 10 arguments'
printf '1 a:b:c:d\n\0' | events
refused "a NUL" "is not text" -n 'a:b:c:d'
: | events
replay -qn 'BEGIN { printf("b\n"); } END { printf("e\n"); }'
[ $status -eq 0 ] && [ "$(cat "$tmp/out")" = "$(printf 'b\ne')" ]
check $? "a file without events"
