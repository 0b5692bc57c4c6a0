# SPDX-License-Identifier: BSD-2-Clause
# cpc: events a machine without counters has too (page faults, context switches), against what a process knows of itself;
# and what is said of names and counts that cannot be.
# alone
. test/cli/helpers.inc
may_trace "cpc probes"

cat >"$tmp/touch.c" <<'END'
#include <sys/mman.h>
int main(void)
{
	volatile char *p = mmap(0, 4000 * 65536ul, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	madvise((void *)p, 4000 * 65536ul, MADV_NOHUGEPAGE);
	for (unsigned long i = 0; i < 4000; i++)
		p[i * 65536] = 1;
	return 0;
}
END
cc -o "$tmp/touch" "$tmp/touch.c"
run -q -c "$tmp/touch" -n 'cpc:::page_faults-user-1 /pid == $target/ { @ = count(); } END { printa("%@d\n", @); }'
n=$(tr -d ' \n' <"$tmp/out")
[ "$status" -eq 0 ] && [ "$n" -ge 4000 ] && [ "$n" -lt 4400 ]
check $? "page_faults-user-1: 4000 pages touched, $n faults"
# The count runs on for each CPU, whoever faults: of 4000 every hundredth, one more or less for each CPU.
run -q -c "$tmp/touch" -n 'cpc:::page_faults-user-100 /pid == $target/ { @ = count(); } END { printa("%@d\n", @); }'
n=$(tr -d ' \n' <"$tmp/out")
[ "$status" -eq 0 ] && [ "$n" -ge $((40 - $(nproc))) ] && [ "$n" -le $((44 + $(nproc))) ]
check $? "page_faults-user-100: $n times"
run -q -c "$tmp/touch" -n 'cpc:::page_faults-user-1 /pid == $target && arg1 == 0/ { @ = count(); } END { printa("%@d\n", @); }'
[ "$status" -eq 0 ] && ! grep -q '[1-9]' "$tmp/out"
check $? "arg1 is where the program was"
run -ln 'cpc:::page_faults*'
is "what the machine counts is listed" 0 "page_faults-all-1000000000"
run -n 'cpc:::page_fautls-user-100'
is "an event that is none" 1 "did you mean page_faults?"
run -n 'cpc:::page_faults-usr-100'
is "a mode that is none" 1 "is user, kernel or all"
run -n 'cpc:::page_faults-user-x'
is "a count that is none" 1 "a number of events"
run -n 'cpc:::cpu_clock-all-10'
is "a count that is too small" 1 "at least 200000"
# N13: the provider need not be written
for name in cpu_clock-all-1000000 'c*:::cpu_clock-all-1000000' ':::cpu_clock-user-1000000'; do
	run -ln "$name"
	is "$name" 0 "       cpc "
done
run -qc "$tmp/touch" -n 'page_faults-user-1 /pid == $target/ { @ = count(); } END { printa("%@d\n", @); }'
[ "$status" -eq 0 ] && [ "$(tr -d ' \n' <"$tmp/out")" -ge 4000 ]
check $? "page_faults-user-1 without cpc:::"
run -n 'page_fautls-all-100'
is "an event that is none, without the provider" 1 "did you mean page_faults?"
run -n 'cpc:::cycles-all-100000 { exit(0); }'
if [ "$status" -eq 0 ]; then
	ok "cycles"
else
	is "without counters of the processor" 1 "this machine does not count cycles"
fi
