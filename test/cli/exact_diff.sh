# SPDX-License-Identifier: BSD-2-Clause
# Random typed D programs in the interpreter and in the kernel: the same records, values, aggregations
# and faults. DIFFER_PROGRAMS says how many (the whole: 20000, without a limit of time), DIFFER_SEED where to begin.
# slow: left out of `make check`
differ=${BUILD:-build}/test/differ
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

if [ -n "$DIFFER_PROGRAMS" ]; then limit=""; else limit="-t 40"; fi
# shellcheck disable=SC2086
"$differ" -s "${DIFFER_SEED:-0}" -n "${DIFFER_PROGRAMS:-20000}" $limit >"$tmp/out" 2>"$tmp/err"
case $? in
0) echo "ok - $(tail -n 1 "$tmp/out")" ;;
77) echo "ok - random programs # SKIP $(cat "$tmp/out")" ;;
*)
	grep -h -A 3 '^line\|does not compile\|refuses\|^seed' "$tmp/err" | cut -c 1-300 | head -n 40 | sed 's/^/  /'
	echo "not ok - $(tail -n 1 "$tmp/out"): differ -p SEED prints the program"
	;;
esac
