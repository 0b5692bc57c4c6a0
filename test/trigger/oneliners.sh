# SPDX-License-Identifier: BSD-2-Clause
# For tests of kernels that lack something: the first ten one-liners of the guide and some of other kinds, with a load that
# makes each show something. Needs test/cli/helpers.inc.
chmod 755 "$tmp"
cp "$dtrace" "$tmp/dtrace"
cat >"$tmp/load" <<'END'
#!/bin/sh
/bin/true marker
cat /nowhere/none
sleep 1000 &
kill -TERM $!
wait $!
sh -c 'exit 3'
exit 0
END
chmod 755 "$tmp/dtrace" "$tmp/load"
awk -F ' \\| ' '/^\| [A-Z].* \| `dtrace / {
	sub(/^\| /, "", $1); sub(/^`dtrace /, "", $2); sub(/` \|$/, "", $2)
	if (n++ < 10 || $1 ~ /^(Who writes to what|Who does I.O, to|What runs|Who leaves a CPU|What does malloc give|Who takes memory of|What does one ret)/)
		print $2
}' doc/guide/13-one-liners.md >"$tmp/oneliners"
lines=$(wc -l <"$tmp/oneliners")

# What a working one shows, in the order of the list; the empty pattern: whatever there is in so short a time. Without the kernel,
# $inside, system calls are those of the command itself, and not of its children.
shows() {
	case $inside$1 in
	yes7) echo 'load  *[0-9]' ;;
	yes8) echo 'wait4  *[0-9]' ;;
	yes6|yes9) ;;
	*) shows_of_kernel "$1" ;;
	esac
}
shows_of_kernel() {
	case $1 in
	1) echo 'true marker' ;;
	2) echo '[0-9]  *true  *[0-9]' ;;
	3|10|17) echo '@@' ;;
	4) echo 'load -> \(load\|sleep\) SIGTERM' ;;	# before or after the child has become sleep(1)
	5) echo 'load  *[0-9]' ;;
	6) echo 'sh 3' ;;
	7) echo 'true  *[0-9]' ;;
	8) echo 'execve  *[0-9]' ;;
	9) echo 'cat  *openat  *ENOENT  *[0-9]' ;;
	11) echo 'cat  .*  [0-9]' ;;
	14) echo 'load' ;;
	15) echo 'malloc' ;;
	16) echo 'load  *[0-9]' ;;
	esac
}

# lack WHAT ROW ANSWER REFUSAL WORKING COMMAND…: on a kernel that lacks WHAT, which is what running dtrace by COMMAND… makes of
# this one. ROW of --doctor has the ANSWER; each one-liner works, or is refused with status 1 and a reason that matches REFUSAL;
# those whose numbers are in WORKING have to work.
lack() {
	what=$1 row=$2 answer=$3 refusal=$4 working=$5 wrong=0 works=0
	shift 5
	timeout 120 "$@" "$tmp/dtrace" --doctor >"$tmp/out" 2>"$tmp/err" </dev/null
	doctor=$?
	if [ $doctor -eq 125 ]; then
		ok "$what # SKIP $(head -n 1 "$tmp/err")"
		return
	fi
	timeout 120 "$@" "$tmp/dtrace" -vqn 'BEGIN { exit(0); }' >"$tmp/engine" 2>&1 </dev/null
	grep -q '^dtrace: engine process' "$tmp/engine" && inside=yes || inside=
	[ $doctor -lt 2 ] && [ ! -s "$tmp/err" ] && grep -q "^$row  *$answer " "$tmp/out"
	check $? "$what: --doctor: $row: $answer"
	number=0
	while IFS= read -r line; do
		number=$((number + 1))
		oneliner "$@"
		case "$status $(grep -c -e "$(shows $number)" "$tmp/shown")" in
		"0 "[1-9]*)	works=$((works + 1)) ;;
		"0 0")	[ -z "$(shows $number)" ] && works=$((works + 1)) || { bad "$what: shows nothing: dtrace $line"; wrong=1; } ;;
		1*)	case " $working " in *" $number "*) bad "$what: refused: dtrace $line"; wrong=1 ;; esac
			[ -n "$refusal" ] && grep -q -e "$refusal" "$tmp/err" || { bad "$what: no reason: dtrace $line"; wrong=1; } ;;
		*)	bad "$what: status $status: dtrace $line"; wrong=1 ;;
		esac
	done <"$tmp/oneliners"
	[ $works -eq 0 ] || [ $doctor -eq 0 ]
	check $? "$what: --doctor says whether something can be traced"
	[ $wrong -eq 0 ]
	check $? "$what: $works of $lines one-liners work, the others say why not"
}

# oneliner COMMAND…: one of them, by COMMAND…; what dtrace shows is in $tmp/shown, what it says in $tmp/err
oneliner() {
	: >"$tmp/shown"
	chmod 666 "$tmp/shown"
	case $line in *" -c "*) load= ;; *) load="-c $tmp/load" ;; esac
	eval "timeout 120 \"\$@\" \"$tmp/dtrace\" $line $load -o \"$tmp/shown\"" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
}
