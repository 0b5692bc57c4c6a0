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
	[ -x "$file" ] && head -n 1 "$file" | grep -q '^#!/usr/sbin/dtrace -s$\|^#!/bin/sh$' || echo "is no script" >>"$tmp/err"
	grep -q "^ \* $name - " "$file" || echo "its head does not say its name" >>"$tmp/err"
	for key in QUESTION USAGE NEEDS; do
		grep -q "^ \* $key	" "$file" || echo "no $key" >>"$tmp/err"
	done
	head -n 1 "dtools/examples/$name.txt" 2>/dev/null | grep -q "^# $name" || echo "no example" >>"$tmp/err"
	grep -q "\[$name\]" doc/TOOLS.md || echo "not in doc/TOOLS.md" >>"$tmp/err"
	grep -l "^[	 ]*\(tool\|watch\) $name\>" test/cli/tools_*.sh >/dev/null || echo "no test" >>"$tmp/err"
	tools/tool-man "$tmp/man" "$file" 2>>"$tmp/err"
	grep -q '^\.SH EXAMPLE' "$tmp/man/$name.8" || echo "no manual page" >>"$tmp/err"
	[ "$(awk 'length > 110' "$file" | wc -l)" -eq 0 ] || echo "lines of more than 110 columns" >>"$tmp/err"
	[ ! -s "$tmp/err" ]
	check $? "$name: head, example, manual page, row, test"
done
# Those that trace all of the system: what they print at the beginning and at the end is in their table's order.
for file in dtools/*; do
	name=${file##*/}
	[ -x "$file" ] && [ -f "$file" ] || continue
	grep -q '\$target:\|^ \* NEEDS	-p\|^ \* NEEDS	a program\|^#!/bin/sh' "$file" && continue
	watch "$name"
	finish
	[ "$status" -eq 0 ] && [ ! -s "$tmp/err" ] && [ "$(grep -vc '^ready$' "$tmp/out")" -gt 0 ]
	check $? "$name: starts, and ends by a signal"
done
exit 0
