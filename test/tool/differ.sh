# SPDX-License-Identifier: BSD-2-Clause
# Sourced by test/cli/language/cexpr.sh, fold.sh and layout.sh: for each of $seeds compares what $count random expressions (or types) are
# in D and in C.
build=$(dirname "${DTRACE:-build/dtrace}")
cc=${CC:-gcc}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
generate() {
	case $differ in
	layout) "$build/test/layoutgen" "$1" "$count" "$2" "$3" ;;
	*) "$build/test/exprgen" "$1" "$count" "$differ" "$2" "$3" ;;
	esac
}
for seed in $seeds; do
	name="$what, seed $seed"
	if ! command -v "$cc" >/dev/null; then
		echo "ok - $name # SKIP no C compiler"
		continue
	fi
	generate "$seed" "$tmp/e.d" "$tmp/e.c" &&
	    "$cc" -w -O0 -fno-strict-aliasing -fwrapv -fsigned-char -o "$tmp/e" "$tmp/e.c" && "$tmp/e" >"$tmp/c.out" &&
	    "$build/test/difrun" "$tmp/e.d" >"$tmp/d.out" 2>&1
	if [ -s "$tmp/c.out" ] && cmp -s "$tmp/c.out" "$tmp/d.out"; then
		echo "ok - $name"
	else
		echo "not ok - $name: C < and D >: $(diff "$tmp/c.out" "$tmp/d.out" 2>&1 | sed -n '2p;4p' | tr '\n' ' ')"
	fi
done
