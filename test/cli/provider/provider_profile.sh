# SPDX-License-Identifier: BSD-2-Clause
# profile: names, units and limits; what arg0 and arg1 are; ticks on a machine that has nothing to do.
. test/cli/helpers.inc
may_trace "profile probes"

rates='200000ns 200000nsec 200us 200usec 10ms 10msec 1s 1sec 1m 1min 1h 1hour 1d 1day 5000hz 5000 1HZ 10MSEC'
for rate in $rates; do echo "tick-$rate,"; done >"$tmp/rates.d"
echo 'END { }' >>"$tmp/rates.d"
run -ls "$tmp/rates.d"
for rate in $rates; do
	grep -q " tick-$rate\$" "$tmp/out" && continue
	bad "tick-$rate"
	units=bad
done
[ -n "$units" ] || ok "every unit, and names as they were given"
for rate in 199us 5001 0s 1day2 106752d; do
	run -n "profile:::profile-$rate"
	[ "$status" -eq 1 ] && grep -q 'does not match any probes: ' "$tmp/err" && continue
	bad "profile-$rate"
	limits=bad
done
[ -n "$limits" ] || ok "what is too fast, too long or no rate has no probe, and says why"
i=0
while [ $i -lt 988 ]; do i=$((i + 1)); echo "tick-${i}s,"; done >"$tmp/many.d"
echo 'tick-1h { }' >>"$tmp/many.d"
run -s "$tmp/many.d"
is "at most 1000 probes" 1 "1000 profile and tick probes already"
run -ln 'profile:::profile-*'
grep -c ' profile-[0-9]*$' "$tmp/out" | grep -qx 7
check $? "patterns match what is listed"

run -qn 'tick-10ms { n++; } tick-10ms /n == 5/ { printf("n %d args %d %d\n", n, arg0, arg1); exit(3); }'
is "ticks" 3 "n 5 args 0 0"
run -qn 'profile:::tick-200us /++n == 1000/ { trace("thousand"); exit(0); }'
is "the fastest" 0 "thousand"

# a process that never stops: most samples find it running, in user mode or in the kernel, never in both
printf '#!/bin/sh\nwhile :; do :; done\n' >"$tmp/busy"
chmod +x "$tmp/busy"
run -q -c "$tmp/busy" -n '
int wrong;
profile-997 { wrong += (arg0 != 0) == (arg1 != 0); wrong += arg2 != 0; }
profile-997 /arg0 != 0/ { wrong += (int64_t)arg0 >= 0; }
profile-997 /arg1 != 0/ { wrong += (int64_t)arg1 < 0; }
profile-997 /pid == $target && arg1 != 0 && ++n == 50/ { printf("wrong %d\n", wrong); exit(0); }'
is "arg0 is in the kernel or arg1 in the program" 0 "wrong 0"
