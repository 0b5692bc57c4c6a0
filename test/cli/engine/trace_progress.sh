# SPDX-License-Identifier: BSD-2-Clause
# Enabling that takes long tells so on a terminal, on a line that is gone afterwards; nowhere else.
. test/cli/helpers.inc
may_trace "progress"
command -v script >/dev/null || { echo "ok - progress # SKIP no script(1)"; exit 0; }

n=0
while [ $n -lt 800 ]; do
	n=$((n + 1))
	echo "syscall::read:entry { @a[execname, copyinstr(arg1)] = quantize(arg0 + $n); }"
done >"$tmp/many.d"
echo 'BEGIN { trace("begun"); exit(0); }' >>"$tmp/many.d"

# typed WHAT ARGS…: with a terminal; $ms is how long it took
typed() {
	from=$(date +%s%N)
	script -qec "$dtrace $*" /dev/null </dev/null >"$tmp/out" 2>"$tmp/err"
	ms=$((($(date +%s%N) - from) / 1000000))
	tr '\r' '\n' <"$tmp/out" >"$tmp/lines"
}
typed -s "$tmp/many.d"
grep -q begun "$tmp/out"
check $? "the program runs"
if grep -q 'dtrace: enabling probes: 1 s' "$tmp/lines"; then
	ok "progress is told"
	printf '\033[K' >"$tmp/erase"
	tail -n +"$(grep -n 'enabling probes' "$tmp/lines" | tail -n 1 | cut -d : -f 1)" "$tmp/lines" | sed -n 2p | grep -qF -f "$tmp/erase"
	check $? "and its line is erased before anything else"
elif [ "$ms" -lt 1500 ]; then
	echo "ok - progress is told # SKIP it was all done in $ms ms"
else
	bad "no progress in $ms ms"
fi
typed -q -s "$tmp/many.d"
! grep -q 'enabling probes' "$tmp/out"
check $? "not with -q"
run -s "$tmp/many.d"
! grep -q 'enabling probes' "$tmp/out" "$tmp/err"
check $? "not without a terminal"
typed -n "'BEGIN { exit(0); }'"
! grep -q 'enabling probes' "$tmp/out" || [ "$ms" -gt 1000 ]
check $? "not in the first second"
