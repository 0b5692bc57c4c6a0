# SPDX-License-Identifier: BSD-2-Clause
# Benchmarks print what they measured or refuse: without a build, with a dtrace that fails, and with one that does nothing.
. test/cli/helpers.inc
build=${BUILD:-build}
unset DTRACE BUILD

# refuses WHAT STATUS TEXT COMMAND…: it ends with this status, a sentence that has the text, and prints no figure
refuses() {
	what=$1 want=$2 text=$3
	shift 3
	timeout 240 "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	if [ "$status" -eq "$want" ] && grep -q -e "^bench/.*$text" "$tmp/err" && ! grep -q '[0-9] ns\|[0-9] ms' "$tmp/out"; then
		echo "ok - $what"
	else
		echo "not ok - $what: status $status, not $want: $(cat "$tmp/out" "$tmp/err" | head -n 3)"
	fi
}

for script in bench/*.sh; do
	[ -x "$script" ] || echo "not ok - $script has no run bit"
	case $script in
	*/web.sh) refuses "$script: without a build" 1 "first" "$script" "$tmp/none" ;;
	*/dtruss.sh) refuses "$script: without a build" 2 "is not built: make" "$script" 1000 "$tmp/none" ;;
	*/probes.sh) refuses "$script: without a build" 2 "is not built: make" env DTRACE="$tmp/none/dtrace" "$script" ;;
	*) refuses "$script: without a build" 2 "is not built: make" "$script" "$tmp/none" ;;
	esac
done
# half a build: dtrace is there, the programs of the tests are not
mkdir -p "$tmp/half" "$tmp/idle/test" "$tmp/idle/bench" "$tmp/broken/test"
ln -s "$(realpath "$build")/dtrace" "$tmp/half/dtrace"
refuses "bench/dtruss.sh: without the tests' programs" 2 "test/calls is not built: make" bench/dtruss.sh 1000 "$tmp/half"

printf '#!/bin/sh\nexit 0\n' >"$tmp/idle/dtrace"
printf '#!/bin/sh\n[ "$1" != -qn ] || exit 0\necho "dtrace: a message" >&2\nexit 1\n' >"$tmp/broken/dtrace"
chmod +x "$tmp/idle/dtrace" "$tmp/broken/dtrace"
for program in measure calls; do
	ln -s "$(realpath "$build")/test/$program" "$tmp/idle/test/$program"
	ln -s "$(realpath "$build")/test/$program" "$tmp/broken/test/$program"
done
refuses "bench/compile.sh: a dtrace that fails" 1 "dtrace failed: dtrace: a message" bench/compile.sh "$tmp/broken"
refuses "bench/probes.sh: a dtrace that fails" 1 "dtrace failed: dtrace: a message" env DTRACE="$tmp/broken/dtrace" bench/probes.sh 100
refuses "bench/probes.sh: a dtrace that does nothing" 1 "no figure" env DTRACE="$tmp/idle/dtrace" bench/probes.sh 100
refuses "bench/records.sh: a dtrace that does nothing" 1 "dtrace recorded nothing" bench/records.sh "$tmp/idle" 1 1000
refuses "bench/ustack.sh: a dtrace that does nothing" 1 "no samples" bench/ustack.sh "$tmp/idle" 1

# dtruss: what runs untraced is measured, and is the only figure
timeout 240 bench/dtruss.sh 100 "$tmp/idle" >"$tmp/out" 2>"$tmp/err" </dev/null
status=$?
if [ $status -eq 1 ] && grep -q 'dtruss -c failed' "$tmp/err" && ! grep -q '^dtruss' "$tmp/out"; then
	echo "ok - bench/dtruss.sh: a dtruss that does nothing"
else
	echo "not ok - bench/dtruss.sh: a dtruss that does nothing: status $status: $(cat "$tmp/out" "$tmp/err" | head -n 3)"
fi
