# SPDX-License-Identifier: BSD-2-Clause
# P6: each option and operand of each tool is run, and its output read. A tool whose head or --help has one that is not in
# the lists here fails. What the numbers mean is tested in tools_GROUP.sh; here, that the words do what --help says.
# slow: 58 tools, some ten runs each
. test/trigger/tools.sh
may_trace "options of tools"
known="-C -O -Z -c -h -n -o -p -t -x --live --web"
operands="COUNT DEVICE GROUP MILLISECONDS PORT ROWS SECONDS SIGNAL STACKS"
day='[0-2][0-9]:[0-5][0-9]:[0-6][0-9]\.[0-9]{6} '
cp "$(command -v sleep)" "$tmp/tool_victim" && cp "$tmp/tool_victim" "$tmp/web_victim" || exit 2
formats=$("$dtrace" --list options | sed -n 's/^oformat=\([a-z]*\).*/\1/p')
container=$("$dtrace" --list options | grep -c '^container')

# pass and fail are summed up: 58 tools with a dozen options are one line each, unless something is wrong
wrong() { echo "$*" >>"$tmp/wrong"; sed 's/^/    /' "$tmp/out" "$tmp/err" 2>/dev/null | head -n 6 >>"$tmp/wrong"; }
# expect WHAT STATUS PATTERN ARGS…: of the tool; the pattern (ERE) is in its output or messages
expect() {
	what=$1 want=$2 pattern=$3
	shift 3
	tool "$name" "$@"
	[ "$status" -eq "$want" ] && cat "$tmp/out" "$tmp/err" | grep -qE -e "$pattern" && return
	wrong "$what: status $status, wanted $want and $pattern"
}
# refused WHAT PATTERN ARGS…: status 2, one sentence that points at --help, and no D
refused() {
	what=$1 pattern=$2
	shift 2
	tool "$name" "$@"
	[ "$status" -eq 2 ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -qE -e "^$name: .*$pattern" "$tmp/err" &&
	    grep -q "$name --help\$" "$tmp/err" && return
	wrong "$what: status $status, wanted one sentence with $pattern"
}
# The words of --help, and those of the head, are the ones that are run below.
help_is_known() {
	expect "-h" 0 "^usage: $name" -h
	cp "$tmp/out" "$tmp/help"
	expect "--help" 0 "^  $name( |\$)" --help
	cmp -s "$tmp/out" "$tmp/help" || wrong "-h and --help differ"
	for option in $(sed -n 's/^  \(--*[A-Za-z]*\).*/\1/p' "$tmp/help"); do
		case " $known " in *" $option "*) ;; *) wrong "$option is not tested" ;; esac
	done
	for option in $known; do
		grep -q "^  $option\>" "$tmp/help" || wrong "$option is not in --help"
	done
	for word in $(sed -n 's/^ \* OPERAND	\([A-Z]*\).*/\1/p' "$file"); do
		case " $operands " in *" $word "*) ;; *) wrong "$word is not tested" ;; esac
		grep -q "^  $word " "$tmp/help" && grep "^ \* USAGE" "$file" | grep -q "\[$word\>" || wrong "$word is not in --help and USAGE"
	done
}
# Each operand: what is no number in its limits is refused, and names it. $values: one of each that is right.
operands_are_checked() {
	values=
	sed -n 's/^ \* OPERAND	\([A-Z]*\) *\([0-9]*\)-*\([0-9]*\):.*/\1 \2 \3/p' "$file" >"$tmp/operands"
	while read -r word least most; do
		if [ -n "$most" ]; then
			for bad in abc 1x '' $((most + 1)) -- ; do
				[ "$bad" != -- ] || continue
				# shellcheck disable=SC2086
				refused "$word $bad" "$word must be a number from $least to $most, not $bad" $values "$bad"
			done
			[ "$least" -gt 0 ] || least=1
			values="$values $least"
		else
			values="$values none"
		fi
	done <"$tmp/operands"
	# shellcheck disable=SC2086
	refused "one operand too many" "operand extra" $values extra
}
what_is_wrong_is_refused() {
	refused "an option that there is not" "-Q is no option" -Q
	refused "a long one" "--nosuch is no option" --nosuch
	refused "an option without its argument" "-o requires an argument" -o
	refused "a process that is no number" "-p x is no number of a process" -p x
	refused "a name that is empty" "-n requires a name" -n ''
	refused "two processes" "-c is one too many" -p 1 -c true
	expect "-x that there is not" 1 "failed to set -x nosuch" -x nosuch -c true
	expect "-O that there is not" 1 "failed to set -O" -O nosuch -c true
	expect "--live without a terminal" 1 "--live draws on a terminal" --live -Z -c true
}
# -t -o -x -Z and operands, with a command: every line of the file begins with the time of day.
times_are_shown() {
	# shellcheck disable=SC2086
	tool "$name" -Z -t -x switchrate=20ms -o "$tmp/lines" -c "sh -c 'ls / >/dev/null; exit 0'" $values
	[ "$status" -eq 0 ] && [ ! -s "$tmp/out" ] && grep -qE "^$day" "$tmp/lines" && ! grep -vE "^($day|\$)" "$tmp/lines" >"$tmp/out" ||
		wrong "-t, -o, -c: status $status"
}
# -n: there is no such process, so nothing is counted. All numbers that are printed are 0.
names_choose() {
	if grep -q '^ \* USAGE.* -p PID | -c COMMAND | -n' "$file"; then
		refused "-n of nobody" "no process is called nosuchname" -n nosuchname
		refused "no process" "-p PID, -c COMMAND or -n NAME is needed"
		return
	fi
	tool "$name" -Z -n nosuchname -c "sh -c 'ls / >/dev/null; exit 0'"
	[ "$status" -eq 0 ] && ! grep -vE '^[0-9]{4} [A-Z][a-z]{2}' "$tmp/out" | tr -cs '0-9\n' ' ' | grep -q '[1-9]' || wrong "-n of nobody"
}
# -p (or -n where it finds the process) and -O: a process that runs, and ends while it is watched. JSON says when it began.
processes_are_chosen() {
	"$tmp/tool_victim" 1000 &
	victim=$!
	: >"$tmp/out"
	if grep -q '^ \* USAGE.* -p PID | -c COMMAND | -n' "$file"; then way="-n tool_victim"; else way="-p $victim"; fi
	# shellcheck disable=SC2086
	timeout 240 "$dtrace" --tool "$file" -Z $way -O json -o "$tmp/out" >"$tmp/err" 2>&1 </dev/null &
	tracer=$!
	waits sh -c "grep -q '\"type\":\"start\"' '$tmp/out' || ! kill -0 $tracer 2>/dev/null"
	kill $victim
	wait $victim 2>/dev/null
	wait $tracer
	status=$?
	[ "$status" -eq 0 ] && head -n 1 "$tmp/out" | grep -q '^{"type":"start"' && tail -n 1 "$tmp/out" | grep -q '^{.*}$' || wrong "$way -O json: status $status"
}
# -C is -x container=NAME: where this dtrace has none, it says so.
containers_are_chosen() {
	tool "$name" -Z -C nosuch-container -c true
	if [ "$container" -eq 0 ]; then
		[ "$status" -eq 1 ] && grep -q 'failed to set -x container' "$tmp/err"
	else
		[ "$status" -eq 0 ] || grep -q nosuch-container "$tmp/err"
	fi || wrong "-C: status $status"
}
# --web: another command takes over, if it was built. It says where the page is.
page_is_served() {
	timeout 60 "$dtrace" --tool "$file" -Z --web -c "$tmp/web_victim 1000" >"$tmp/out" 2>"$tmp/err" </dev/null &
	tracer=$!
	waits sh -c "grep -q http:// '$tmp/out' '$tmp/err' || ! kill -0 $tracer 2>/dev/null"
	grep -q 'http://\|is the command dtrace-web, which is not here' "$tmp/out" "$tmp/err" || wrong "--web"
	kill $tracer 2>/dev/null
	wait $tracer
	# the process of -c ends with the page, a moment after dtrace
	waits sh -c "! grep -qsx web_victim /proc/[0-9]*/comm" || wrong "--web leaves its process"
}

[ "$formats" = text ]
check $? "what --list says of -O"
for file in dtools/*; do
	name=${file##*/}
	[ -x "$file" ] && [ -f "$file" ] || continue
	: >"$tmp/wrong"
	help_is_known
	operands_are_checked
	what_is_wrong_is_refused
	times_are_shown
	names_choose
	processes_are_chosen
	containers_are_chosen
	page_is_served
	cp "$tmp/wrong" "$tmp/out"
	: >"$tmp/err"
	[ ! -s "$tmp/wrong" ]
	check $? "$name: options and operands"
done

# SECONDS COUNT: two tables, and the end; all such tools at a time.
for file in $(grep -ls "^ \* OPERAND	COUNT" dtools/*); do
	timeout 240 "$dtrace" --tool "$file" 1 2 >"$tmp/tables.${file##*/}" 2>"$tmp/messages.${file##*/}" </dev/null &
done
wait
for file in "$tmp"/tables.*; do
	name=${file##*.}
	cp "$file" "$tmp/out"
	cp "$tmp/messages.$name" "$tmp/err"
	if [ "$name" = dvmstat ]; then seen=$(grep -c '^ *[0-9]' "$file"); else seen=$(grep -c '^20[0-9][0-9] ' "$file"); fi
	[ "$seen" -eq 2 ]
	check $? "$name: SECONDS COUNT ($seen)"
done
[ "$(find "$tmp" -name 'tables.*' | wc -l)" -ge 7 ]
check $? "tools with SECONDS and COUNT"

# A head of one's own: a tool without -p and -n refuses them; what is wrong with a head is reported.
name=mine file=$tmp/mine
printf '#!/usr/sbin/dtrace --tool\n/*\n * mine - say a word\n *\n * USAGE\tmine [WORD]\n * OPERAND\tWORD: what is\n *\t\tsaid\n */\n#pragma D option quiet\n#pragma D option defaultargs\nBEGIN { printf("%%s|%%s\\n", $$1, $$2); exit(0); }\n' >"$file"
own() { run --tool "$file" "$@"; }
own "a word"
is "a tool of one's own" 0 "|a word"
own -h
is "its help" 0 "what is said"
own -n x
is "-n, which it has not" 2 "mine: -n cannot be used: what this tool shows belongs to no process; see mine --help"
own -p 1
is "-p, which it has not" 2 "mine: -p cannot be used: what this tool shows belongs to no process; see mine --help"
sed -i 's/WORD: what/WORD 1-x: what/' "$file"
own
is "limits that are none" 1 "has no head that says how it is called"
printf '#!/x\n/*\n * mine - x\n' >"$file"
own
is "a head that ends too early" 1 "has no head that says how it is called"
# A tool that cannot run says what is missing, and shows no D.
printf '#!/x\n/*\n * mine - x\n *\n * USAGE\tmine\n * NEEDS\ta probe that there is not\n */\nnosuch:::probe { }\n' >"$file"
own
is "what it needs" 1 "it needs a probe that there is not"
! grep -q '|' "$tmp/err" && grep -q '^mine: cannot run here: ' "$tmp/err"
check $? "and no D"
exit 0
