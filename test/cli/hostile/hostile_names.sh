# SPDX-License-Identifier: BSD-2-Clause
# H 8: names of files, functions, providers and probes that would clear the screen or write lines of their own. What
# reaches a terminal has '?' instead, whoever prints it.
. test/trigger/bounded.sh
. test/trigger/hostile.sh
may_trace "names that a terminal would obey"
evil=$(printf 'e\033[2Jvil\n1')
cp "${BUILD:-build}/test/hostile_names" "$tmp/$evil"
chmod 755 "$tmp/$evil"

# tame WHAT PATTERN: the output has a line like this, and neither it nor the messages have control bytes
tame() {
	grep -aq -e "$2" "$tmp/out" "$tmp/err"
	check $? "$1"
	! cat "$tmp/out" "$tmp/err" | tr -d '\n\t' | LC_ALL=C grep -aq '[[:cntrl:]]' &&
	    ! LC_ALL=C grep -aq "$(printf '\302\233')\|$(printf '\377')" "$tmp/out" "$tmp/err"
	check $? "$1: nothing for a terminal to obey"
}

: >"$tmp/said"
"$tmp/$evil" stay >"$tmp/said" &
victim=$!
attackers=$victim
waits grep -q ready "$tmp/said"
tick=$(printf '\140')
for action in 'ustack()' 'trace(umod(uregs[R_PC]))' '@[ustack()] = count()' '@[umod(uregs[R_PC])] = count()' \
    'printf("%A", uregs[R_PC])'; do
	case $action in
	*R_PC*) probe="pid\$target:a.out:main:entry" ;;
	*) probe="syscall::getppid:entry /pid == \$target/" ;;
	esac
	run -qn "$probe { $action; }" -c "'$tmp/$evil'"
	tame "$action" 'e?\[2Jvil?1'
done
run -ln 'pid$target:e*vil*:main:entry' -p "$victim"
tame "-l of a pid probe" 'e?\[2Jvil?1'
run -n 'pid$target:a.out:main:entry' -c "'$tmp/$evil'"
tame "a probe that fires" 'main:entry'
run -ln 'ev*:::' -p "$victim"
tame "-l of a static probe" "ev?\[2Jil$victim  *e?\[2Jvil?1  *[a-z]* pro?be???"
run -qn 'ev*$target::: { trace(probeprov); trace(probemod); trace(probename); @[probename] = count(); }' -c "'$tmp/$evil'"
tame "its names in a program" 'pro?be???'
run -ln 'evi$target:::nosuch' -p "$victim"
tame "what may have been meant" 'evi'
run -x oformat=json -qn 'ev*$target::: { ustack(); }' -c "'$tmp/$evil'"
tame "JSON" 'e?\[2Jvil?1'
# a function's name: left out, as ever (its file and address are shown)
run -qn 'pid$target:a.out:nosuch:entry' -p "$victim"
tame "a function that is not there" 'nosuch'
kill "$victim"

# commands that draw, and that show what they trace in their own words
ln -s "$(realpath "$dtrace")" "$tmp/dtruss"
timeout 240 "$tmp/dtruss" "$tmp/$evil" >"$tmp/out" 2>"$tmp/err" </dev/null
tame "dtruss" 'execve("[^"]*/e\\33\[2Jvil\\n1"'
if command -v script >/dev/null; then
	mkfifo "$tmp/keys"
	exec 7<>"$tmp/keys"
	TERM=xterm script -qec "stty cols 80 rows 24; $dtrace --live -x aggrate=20ms -qn 'syscall::getppid:entry /pid == \$target/ {
	    @[execname] = count(); } END { trunc(@); }' -c \"'$tmp/$evil' stay\"" /dev/null <"$tmp/keys" >"$tmp/out" 2>"$tmp/err" &
	screen=$!
	waits grep -aq 'e.\[2Jvil.1' "$tmp/out"
	printf q >&7
	wait $screen
	grep -aq 'e.\[2Jvil.1' "$tmp/out" && ! grep -aq "e$(printf '\033')\[2J" "$tmp/out"
	check $? "--live draws no name that a terminal would obey"
else
	echo "ok - --live # SKIP no script(1)"
fi
