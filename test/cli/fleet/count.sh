# SPDX-License-Identifier: BSD-2-Clause
# Three hosts with agents, a bus with TLS and nkeys: what dtrace --hosts shows of a known load is what one dtrace shows that sees
# all of it, for every aggregating function, with and without keys.
. test/cli/helpers.inc
. test/trigger/fleet.sh
fleet_begin "counts of three hosts"

# program PREDICATE: write() of each load is counted by its size, which differs from host to host
program() {
	cat <<-DONE
		BEGIN { printf("ready\n"); }
		syscall::write:entry /$1/
		{
			@c = count(); @s = sum(arg2); @mi = min(arg2); @ma = max(arg2); @av = avg(arg2); @sd = stddev(arg2);
			@q = quantize(arg2); @l = lquantize(arg2, 0, 400, 20); @ll = llquantize(arg2, 10, 0, 3, 10);
			@p = percentiles(arg2);
			@kc[execname, arg2] = count(); @ks[arg2] = sum(arg2); @kmi[execname] = min(arg2); @kma[execname] = max(arg2);
			@kav[execname] = avg(arg2); @ksd[execname] = stddev(arg2); @kq[execname] = quantize(arg2);
			@kl[execname] = lquantize(arg2, 0, 400, 20); @kll[arg2] = llquantize(arg2, 10, 0, 3, 10);
			@joined1[execname] = min(arg2); @joined2[execname] = max(arg2);
			@neg = min(-1 * (int)arg2); @top[arg2] = count();
		}
		END
		{
			printa("%-10s %@8d %@8d\n", @joined1, @joined2); trunc(@top, 2); printa("top %d %@d\n", @top);
			normalize(@ks, 10);
		}
	DONE
}

load() { "$tmp/$ld$1" if=/dev/zero of=/dev/null "bs=$2" "count=$3" 2>/dev/null; }
for host in web1 web2 db1; do cp "$(command -v dd)" "$tmp/$ld$host"; done
program "execname == strjoin(\"$ld\", hostname)" >"$tmp/fleet.d"
program "execname == \"${ld}web1\" || execname == \"${ld}web2\" || execname == \"${ld}db1\"" >"$tmp/one.d"

begin_ask alice 3 --hosts 'web*,db1' -qs "$tmp/fleet.d"
check $? "three hosts begin"
cp "$tmp/err" "$tmp/fleet.err"
"$dtrace" -qs "$tmp/one.d" >"$tmp/one" 2>"$tmp/one.err" </dev/null &
one=$!
fleet_pids="$fleet_pids $one"
waits grep -q ready "$tmp/one"
load web1 1 300; load web1 7 11; load web2 5 200; load web2 300 9; load db1 64 128; load db1 7 1; load db1 390 2
kill -INT $one
wait $one
end_ask INT
check "$status" "status 0 when all hosts have answered"
sed '/ready/d; /^$/d' "$tmp/one" >"$tmp/one.text"
sed '/ready/d; /^$/d' "$tmp/out" >"$tmp/fleet.text"
diff "$tmp/one.text" "$tmp/fleet.text" >"$tmp/log"
check $? "every aggregating function, bucket by bucket, as one machine counts"
[ "$(wc -l <"$tmp/one.text")" -gt 100 ]
check $? "there was something to compare"
grep -q '3 of 3 hosts answered$' "$tmp/err"
check $? "it is said of how many hosts it is"

# hosts as keys, JSON, exit(), options of the program
ask alice --hosts role=web -O json -n 'BEGIN { @[hostname] = count(); exit(4); }'
is "labels choose hosts" 4 '"keys":["web2"]'
grep -q db1 "$tmp/out"
[ $? -ne 0 ]
check $? "and no other"
ask alice --hosts 'db*' -n '#pragma D option quiet
BEGIN { printf("%s %d\n", hostname, $1); exit(0); }' 7
is "operands and options of a program" 0 "db1 7"
same "its output" "$(cat "$tmp/out")" "db1 7"

# printa() in a tick probe is one of all hosts, clear() begins anew
ask alice --hosts '*' -qn 'tick-10ms { @ = count(); n++; } tick-10ms /n == 20/ { printa("sum %@d\n", @); clear(@); }
    tick-10ms /n == 40/ { printa("sum %@d\n", @); clear(@); } tick-10ms /n == 80/ { exit(0); }'
same "printa() of a tick probe" "$(grep -c '^sum 60$' "$tmp/out") $(grep -c ^sum "$tmp/out")" "2 2"
ask alice --hosts '*' -qn 'tick-100ms { @[pid] = count(); trunc(@, 2); printa(@); n++; } tick-100ms /n == 3/ { exit(0); }'
is "trunc() to a number goes on counting on hosts" 1 "with several hosts it is possible in END"
ask alice --hosts '*' -qn 'syscall:::entry { @ = count(); printa(@); exit(0); }'
is "printa() in a probe of one host" 1 "with several hosts this is possible in BEGIN, END and tick- probes"

# records in the order of time, whatever host they are of
ask alice --hosts '*' -qn 'tick-20ms { printf("%d\n", walltimestamp / 1000000); n++; } tick-20ms /n == 20/ { exit(0); }'
grep . "$tmp/out" | sort -n -c 2>"$tmp/log"
check $? "records are in the order of time"

ask alice --hosts '*' -v -qn 'BEGIN { exit(0); }'
is "-v shows the clocks" 0 "web1: its clock is"
ask alice --hosts '*' -ln 'syscall::write:entry'
grep -q '^    3 *syscall .*write entry$' "$tmp/out"
check $? "-l says how many hosts have a probe"
