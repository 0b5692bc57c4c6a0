# SPDX-License-Identifier: BSD-2-Clause
# ./check and ./check all in a tree of their own, whose make, suite and machines answer at once: the plan, progress,
# failures of what runs beside, counts, status, signals.
. test/cli/helpers.inc
tree=$tmp/tree
mkdir -p "$tree/tools" "$tree/test/vm" "$tree/test/unit" "$tree/bench" "$tree/include" "$tree/bin"
cp check "$tree" && cp tools/tally.sh "$tree/tools" && cp include/dtrace.h "$tree/include" && mkdir "$tree/.ci" && cp .ci/run "$tree/.ci"
: >"$tree/test/unit/one_test.c"
script() {	# script PATH: of lines in its input
	{ echo '#!/bin/sh'; cat; } >"$tree/$1"
	chmod 755 "$tree/$1"
}
# nothing is installed
echo 'need() { :; }; need_build() { :; }; need_web() { :; }; need_fleet() { :; }; need_vm() { :; }; need_other() { :; }; need_victims() { :; }
install_missing() { :; }' >"$tree/tools/packages.sh"
script bin/make <<'END'
for word; do case $word in B=*) mkdir -p "${word#B=}"; cp bin/valgrind "${word#B=}/dtrace" ;; MODE=*) mkdir -p "build-${word#MODE=}"; cp bin/valgrind "build-${word#MODE=}/dtrace" ;; esac; done
echo "make $*" >>calls
END
echo 'exit 0' | script bin/valgrind
for program in tools/suite tools/fuzz test/vm/suite test/vm/other; do
	echo "echo '$program' \"\$@\" >>calls; echo \"5 \$1\" >>\"\$TIMES\"; echo '10 passed, 0 failed, 1 skipped'" | script $program
done
for figure in compile trace uprobe records; do echo "echo figure $figure" | script bench/$figure.sh; done
PATH=$tree/bin:$PATH
export PATH
checks() {	# checks COMMAND…
	rm -f "$tree/calls"
	timeout 240 "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
}
ends() { [ "$(tail -n 1 "$tmp/out")" = "$2" ]; check $? "$1: $(tail -n 1 "$tmp/out")"; }

checks "$tree/check"
check $status "./check"
ends "its last line" "25 passed, 0 failed, 2 skipped"
awk '/ min$/ { n++ } /about [0-9]+ minutes in all/ { ok = $2 <= 15 && n > 3 } END { exit !ok }' "$tmp/out"
check $? "it says what it will do, in at most 15 minutes: $(grep 'in all' "$tmp/out")"
! grep -q 'vm\|fuzz' "$tree/calls" && grep -qx 'tools/suite -q -j 2 build-gcc' "$tree/calls" &&
    grep -qx 'tools/suite -j 2 build-asan one_test' "$tree/calls"
check $? "the quick tests, and unit tests under the sanitizers"
checks "$tree/.ci/run"
check $status ".ci/run"
ends "its last line" "89 passed, 0 failed, 8 skipped"
vm_seconds=$(sed -n 's/.*VM_SECONDS:-\([0-9]*\).*/\1/p' .ci/run)
for call in 'tools/suite -j 3 build-gcc' 'tools/suite -q -j 2 build-clang one_test engine language test/d/' 'tools/suite -q -j 2 build-asan one_test engine hostile format fleet stack usdt test/d/' 'tools/fuzz build-fuzz' \
    "test/vm/suite -t $vm_seconds build-gcc" "test/vm/other -t $vm_seconds" 'test/vm/suite -t 900 -k latest build-gcc provider_fbt.sh' \
    'test/vm/suite -t 900 -c 16 build-gcc session_rings_test cpus.sh'; do
	grep -qx -e "$call" "$tree/calls"
	check $? ".ci/run: $call"
done
grep -A 3 'the slowest tests' "$tmp/out" | grep -q ' 5 s '
check $? "the slowest tests are listed"
CHECK_MINUTES=0 checks "$tree/.ci/run"
[ $status -eq 0 ] && ! grep -q . "$tree/calls" 2>/dev/null && [ "$(grep -c '^skip .*: no time was left$' "$tmp/out")" -eq 13 ]
check $? "no time left: each step is named and skipped, status $status"
CHECK_MINUTES=10 checks "$tree/.ci/run"
awk '$1 == "test/vm/other" { ok = $3 > 0 && $3 <= 600 } END { exit !ok }' "$tree/calls"
check $? "the emulated machines end with the time that is left"
checks "$tree/check" everything
is "a word that it does not know" 2 "usage: ./check [all]"

# A machine that fails beside the rest is reported while the rest still runs.
mkfifo "$tree/gate"
echo "echo 'FAIL over there'; echo '1 passed, 1 failed, 0 skipped'" | script test/vm/other
echo 'read -r x <gate; echo "1 passed, 0 failed, 0 skipped"' | script tools/fuzz
"$tree/check" all >"$tmp/out" 2>"$tmp/err" &
pid=$!
waits grep -qx 'other architecture: FAIL over there' "$tmp/out"
check $? "a failure of an emulated machine is shown at once"
kill -0 $pid
check $? "while the rest runs"
echo >"$tree/gate"
wait $pid
[ $? -eq 1 ]
check $? "the status of a failure"
ends "counted once" "71 passed, 1 failed, 6 skipped"

# A part that dies, a build that fails
echo 'exit 3' | script tools/suite
checks "$tree/check"
grep -q 'FAIL tests: it did not get to its end' "$tmp/out" && [ $status -eq 1 ]
check $? "a part that dies is a failure"

# Signals
printf 'echo $$ >pids; timeout 1001 sleep 1002 & echo $! >>pids; : >begun; wait\n' | script tools/suite
printf 'echo $$ >>pids.vm; timeout 1003 sleep 1004\n' | script test/vm/suite
for signal in INT TERM; do
	rm -f "$tree/begun" "$tree/pids.vm"
	env --default-signal=INT "$tree/check" all >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	waits test -e "$tree/begun" && waits test -s "$tree/pids.vm"
	kill -$signal $pid
	wait $pid
	status=$? left=0
	for p in $(cat "$tree/pids" "$tree/pids.vm"); do kill -0 "$p" 2>/dev/null && left=$((left + 1)); done
	[ $left -eq 0 ] && [ $status -gt 128 ]
	check $? "SIG$signal ends all of it: status $status, $left processes left"
done
