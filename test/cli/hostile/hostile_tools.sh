# SPDX-License-Identifier: BSD-2-Clause
# dtruss, plockstat, lockstat and --live on a process whose file, arguments and strings would be obeyed by a terminal
# (issue 13): what they print of them is tame. What the process itself prints is its own.
. test/cli/helpers.inc
may_trace "tools on names that a terminal would obey"
evil=$(printf 'e\033[2Jv;"\n\302\233\377')
for name in dtruss plockstat lockstat; do ln -s "$(realpath "$dtrace")" "$tmp/$name"; done
locks=$(printf 'e\033[2Jv;"\302\233\377')	# it reads its own /proc/self/stat, by lines
cp "${BUILD:-build}/test/provider_locks" "$tmp/$locks" && cp "${BUILD:-build}/test/calls" "$tmp/calls$evil" || exit 2

# tame WHAT: there is output, and nothing of it moves a cursor
tame() {
	[ -s "$tmp/out" ] && [ "$(LC_ALL=C tr -d '\n\t -~\200-\377' <"$tmp/out" | wc -c)" -eq 0 ] &&
	    ! LC_ALL=C grep -aq "$(printf '\302\233')\|$(printf '\377')" "$tmp/out"
	check $? "$1"
}
timeout 240 "$tmp/dtruss" -o "$tmp/out" "$tmp/calls$evil" 3 "$evil" </dev/null >/dev/null 2>&1
grep -q 'execve(.*\\33\[2J' "$tmp/out"
check $? "dtruss shows the names"
tame "and they are tame"
timeout 240 "$tmp/plockstat" -A "$tmp/$locks" </dev/null >"$tmp/out" 2>&1
grep -q 'e?\[2Jv' "$tmp/out"
check $? "plockstat shows the names"
tame "and they are tame"
timeout 240 "$tmp/lockstat" -n 10000 "$tmp/calls$evil" 3 </dev/null >"$tmp/out" 2>&1
tame "lockstat"

# a terminal of its own: codes of ours are there, those of the name are not
if command -v script >/dev/null; then
	cat >"$tmp/run" <<END
stty rows 24 cols 80
'$dtrace' --live -n 'BEGIN { s = "e\\033[2Jv\\n\\302\\233"; @[s] = sum(4711); } tick-1s { exit(0); }'
END
	TERM=xterm timeout 240 script -qec "sh '$tmp/run'" /dev/null </dev/null >"$tmp/out" 2>&1
	# what is behind the end of the screen is text, where strings of a program are as they are
	grep -aq 4711 "$tmp/out" && ! sed '/1049l/q' "$tmp/out" | LC_ALL=C grep -aq "$(printf 'e\033\[2Jv')\|$(printf '\302\233')"
	check $? "--live: a key moves no cursor"
else
	echo "ok - --live # SKIP no script(1)"
fi
