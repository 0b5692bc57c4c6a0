# SPDX-License-Identifier: BSD-2-Clause
# The tools of dtools/, all of them: head, example, manual page, table, test; each starts, ends by a signal, and says nothing on stderr.
. test/trigger/tools.sh
may_trace "tools"
: >"$tmp/out"
tools/tools-doc | diff doc/TOOLS.md - >"$tmp/err" 2>&1
check $? "doc/TOOLS.md is what tools/tools-doc writes"
mkdir "$tmp/man"
for file in dtools/*; do
	name=${file##*/}
	[ -f "$file" ] && [ "$name" != README.md ] || continue
	: >"$tmp/err"
	[ -x "$file" ] && head -n 1 "$file" | grep -q '^#!/usr/sbin/dtrace --tool$' || echo "is no script" >>"$tmp/err"
	grep -q "^ \* $name - " "$file" || echo "its head does not say its name" >>"$tmp/err"
	for key in QUESTION USAGE EXAMPLE NEEDS; do
		grep -q "^ \* $key	" "$file" || echo "no $key" >>"$tmp/err"
	done
	head -n 1 "dtools/examples/$name.txt" 2>/dev/null | grep -q "^# $name" || echo "no example" >>"$tmp/err"
	grep -q "\[$name\]" doc/TOOLS.md || echo "not in doc/TOOLS.md" >>"$tmp/err"
	grep -l "^[	 ]*\(tool\|watch\|script\) $name\>" test/cli/tool/tools_*.sh >/dev/null || echo "no test" >>"$tmp/err"
	tools/tool-man "$tmp/man" "$file" 2>>"$tmp/err"
	grep -q '^\.SH EXAMPLE' "$tmp/man/$name.8" || echo "no manual page" >>"$tmp/err"
	! command -v groff >/dev/null || groff -man -ww -z -Tutf8 "$tmp/man/$name.8" >>"$tmp/err" 2>&1
	[ "$(expand "$file" | awk 'length > 110' | wc -l)" -eq 0 ] || echo "lines of more than 110 columns" >>"$tmp/err"
	[ ! -s "$tmp/err" ]
	check $? "$name: head, example, manual page, row, test"
done
# Each starts and ends by a signal. One that cannot start here says why, and that it needs something is in its head.
for file in dtools/*; do
	name=${file##*/}
	[ -x "$file" ] && [ -f "$file" ] || continue
	run -e -s "$file"
	if [ "$status" -eq 0 ]; then
		watch "$name"
		finish
		# a busy machine may drop something, and that is told; so is code of other processes that cannot be named
		[ "$status" -eq 0 ] && ! grep -qv -e ' drops\{0,1\} on ' -e 'ha[sv]e* no names' "$tmp/err" && [ "$(grep -vc '^ready$' "$tmp/out")" -gt 0 ]
		check $? "$name: starts, and ends by a signal"
	else
		grep -q 'does not match any probes: \|there is no process' "$tmp/err" && ! grep -q '^ \* NEEDS	no more' "$file"
		check $? "$name: says why it cannot be here: $(head -n 1 "$tmp/err" | cut -c 1-100)"
	fi
done
exit 0
