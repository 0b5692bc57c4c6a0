# SPDX-License-Identifier: BSD-2-Clause
# -O pprof: gzip reads the file, and `go tool pprof` finds types, units, stacks and counts in it.
. test/cli/helpers.inc
if [ "$(id -u)" -ne 0 ]; then
	echo "ok - profiles # SKIP tracing needs root"
	exit 0
fi

"$dtrace" -qO pprof -o "$tmp/p" -n 'BEGIN { @n["a b", stack(1)] = count(); @t_ns["a b", stack(1)] = sum(3000000); @t_ns["c", stack(1)] = sum(1000000); stack(1); exit(0); }'
"$dtrace" -qO pprof -o "$tmp/empty" -n 'BEGIN { exit(0); }'
for file in p empty; do
	same "gzip reads it: $file" "$(gzip -t <"$tmp/$file" 2>&1) $(gzip -dc <"$tmp/$file" | wc -c | sed 's/^[1-9].*/some/')" " some"
done
if ! go tool pprof -h >"$tmp/help" 2>&1 && ! grep -q sample_index "$tmp/help"; then
	echo "ok - go tool pprof reads it # SKIP no go tool pprof"
	exit 0
fi
export PPROF_TMPDIR="$tmp"
# top TYPE
top() {
	go tool pprof -top -sample_index="$1" "$tmp/p" 2>"$tmp/err" | awk '/^ *[0-9]/ { printf "%s %s %s;", $1, $4, $6 }' | sed 's/vmlinux`[^;]*_\[k\]/K/'
}
same "counts" "$(top n)" "1 1 K;0 1 a;"
same "another aggregation, in its unit" "$(top t_ns)" "4ms 4ms K;0 3ms a;0 1ms c;"
same "firings" "$(top samples)" "1 1 K;"
same "types and samples" "$(go tool pprof -raw "$tmp/p" 2>"$tmp/err" | sed -n '/^Samples/,/^Locations/p' | sed '1d;$d' | tr -s ' \n' ' ')" \
    "samples/count n/count t_ns/nanoseconds 0 1 3000000: 1 2 0 0 1000000: 1 3 1 0 0: 1 "
same "an empty one" "$(go tool pprof -raw "$tmp/empty" 2>&1 | grep -c samples/count)" 1
