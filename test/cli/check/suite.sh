# SPDX-License-Identifier: BSD-2-Clause
# tools/suite in a tree of its own: which tests a name means, what is counted, when it is printed, and what is left.
. test/cli/helpers.inc
tree=$tmp/tree
mkdir -p "$tree/tools" "$tree/test/unit" "$tree/test/cli/one" "$tree/test/cli/two" "$tree/test/d/area" "$tree/build/test"
cp tools/suite tools/tally.sh "$tree/tools"
script() {	# script PATH: a script of the tree
	cat >"$tree/$1"
	chmod 755 "$tree/$1"
}
for rule in include-check style-check commit-check link-check; do echo true | script tools/$rule; done
: >"$tree/test/unit/plain_test.c"
: >"$tree/test/d/area/first.d"
printf '#!/bin/sh\necho "plain: 3 passed, 0 failed"\n' | script build/test/plain_test
printf '#!/bin/sh\necho "D $*"; echo "2 passed, 0 failed, 1 skipped"\n' | script test/run
echo 'echo "ok - a"; echo "ok - b # SKIP why"' | script test/cli/one/good.sh
printf '# slow\necho "ok - slow"\n' | script test/cli/one/slow.sh
printf '# alone\n[ -z "$(ls running)" ] && echo "ok - alone"\n' | script test/cli/two/by_itself.sh
mkdir "$tree/running"
suite() { timeout 120 "$tree/tools/suite" "$@" >"$tmp/out" 2>"$tmp/err"; status=$?; }
ends() { [ "$(tail -n 1 "$tmp/out")" = "$2" ]; check $? "$1: $(tail -n 1 "$tmp/out")"; }

suite build
ends "all of it" "12 passed, 0 failed, 2 skipped"
check $status "and the status is 0"
suite -q -j 2 build
ends "without the slow ones, two at a time" "11 passed, 0 failed, 2 skipped"
grep -qx 'left to ./check all: test/cli/one/slow.sh' "$tmp/out"
check $? "what is left out is said"
for name in plain plain_test; do
	suite build $name
	ends "a unit test: $name" "3 passed, 0 failed, 0 skipped"
done
for name in good good.sh one/good; do
	suite build $name
	ends "a script: $name" "1 passed, 0 failed, 1 skipped"
done
suite build one
ends "a folder" "2 passed, 0 failed, 1 skipped"
suite build area/fir
ends "D tests" "2 passed, 0 failed, 1 skipped"
grep -qx 'D area/fir' "$tmp/out"
check $? "by a part of their path"
suite build nowhere good
ends "a name that no test has is a failure" "1 passed, 1 failed, 1 skipped"
[ $status -eq 1 ]
check $? "and the status is 1"
TIMES=$tmp/times
export TIMES
suite build good plain
unset TIMES
[ "$(awk '{ print $2 }' "$tmp/times" | sort | tr '\n' ' ')" = "good.sh plain_test " ]
check $? "how long each took"

# No time left: nothing begins, and what is left out is named.
UNTIL=1 suite build good plain
ends "after the moment that was given nothing begins" "0 passed, 0 failed, 2 skipped"
grep -qx 'skip test/cli/one/good.sh: no time was left' "$tmp/out"
check $? "what is left out has its name"
echo 'echo "ok - UNTIL=$UNTIL"' | script test/cli/two/inner.sh
UNTIL=9999999999 suite build inner good
ends "before that moment all is as ever" "2 passed, 0 failed, 1 skipped"
printf 'echo "not ok - UNTIL=$UNTIL"\n' | script test/cli/two/inner.sh
UNTIL=9999999999 suite build inner
grep -q 'not ok - UNTIL=$' "$tmp/out"
check $? "tests do not see the moment"
rm "$tree/test/cli/two/inner.sh"

# A failure is printed while others still run.
printf 'echo "not ok - broken"\n' | script test/cli/two/broken.sh
mkfifo "$tree/gate"
printf 'read -r x <gate; echo "ok - waited"\n' | script test/cli/two/waits.sh
"$tree/tools/suite" -j 2 build broken waits >"$tmp/out" 2>"$tmp/err" &
pid=$!
waits grep -qx 'FAIL test/cli/two/broken.sh: not ok - broken' "$tmp/out"
check $? "a failure is printed at once"
echo >"$tree/gate"
wait $pid
status=$?
ends "and counted" "1 passed, 1 failed, 0 skipped"
[ $status -eq 1 ]
check $? "the status of a failure"
printf 'echo "ok - x"; exit 3\n' | script test/cli/two/broken.sh
suite build broken
ends "a script that fails after good results" "1 passed, 1 failed, 0 skipped"
printf ': \n' | script test/cli/two/broken.sh
suite build broken
ends "a script without results" "0 passed, 1 failed, 0 skipped"
printf '[ -e again ] && echo "ok - x" || { : >again; echo "not ok - x"; }\n' | script test/cli/two/broken.sh
AGAIN=1
export AGAIN
suite build broken
unset AGAIN
ends "AGAIN: unsteady" "1 passed, 0 failed, 0 skipped"
grep -q '^unsteady: test/cli/two/broken.sh: not ok - x' "$tmp/out"
check $? "and it is reported"

# A signal ends all that was started: a test, what it runs within a time limit, what it left in the background.
cat >"$tree/test/cli/two/waits.sh" <<'END'
sleep 1001 &
echo $! >pids
timeout 1002 sh -c 'echo $$ >>pids; : >begun; exec sleep 1003'
echo "ok - x"
END
for signal in INT TERM; do
	rm -f "$tree/begun"
	env --default-signal=INT "$tree/tools/suite" -j 2 build waits >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	waits test -e "$tree/begun"
	kill -$signal $pid
	wait $pid
	status=$?
	left=0
	for p in $(cat "$tree/pids"); do kill -0 "$p" 2>/dev/null && left=$((left + 1)); done
	[ $left -eq 0 ] && [ $status -gt 128 ]
	check $? "SIG$signal ends all of it: status $status, $left processes left"
done
