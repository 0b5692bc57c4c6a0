# SPDX-License-Identifier: BSD-2-Clause
# Random typed D programs in the interpreter and in the kernel: the same records, values, aggregations and faults.
# DIFFER_PROGRAMS says how many, DIFFER_SEED where to begin. Most of the time is the kernel's, waiting until nobody uses
# what is taken away: many at a time take little longer than one.
# slow: left out of `make check`
# alone
differ=${BUILD:-build}/test/differ
. test/cli/helpers.inc

"$differ" -s "${DIFFER_SEED:-0}" -n "${DIFFER_PROGRAMS:-20000}" -j 48 >"$tmp/out" 2>"$tmp/err"
case $? in
0) echo "ok - $(tail -n 1 "$tmp/out")" ;;
77) echo "ok - random programs # SKIP $(cat "$tmp/out")" ;;
*)
	grep -h -A 3 '^line\|does not compile\|refuses\|^seed' "$tmp/err" | cut -c 1-300 | head -n 40 | sed 's/^/  /'
	echo "not ok - $(tail -n 1 "$tmp/out"): differ -p SEED prints the program"
	;;
esac
