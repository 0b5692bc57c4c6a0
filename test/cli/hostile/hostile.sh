# SPDX-License-Identifier: BSD-2-Clause
# Programs nobody writes by hand: each compiles or gets a short clear message, soon. TIMES=1 prints the seconds taken.
# slow: left out of `make check`
. test/trigger/bounded.sh
. test/cli/helpers.inc
dtrace=$(realpath "$dtrace")
cd "$tmp" || exit 2

rep() { TEXT=$2 awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) printf "%s", ENVIRON["TEXT"] }'; }
# counted N FORMAT: the format once for each number from 1
counted() { TEXT=$2 awk -v n="$1" 'BEGIN { k = split(ENVIRON["TEXT"], part, "#"); for (i = 1; i <= n; i++) { s = part[1]; for (j = 2; j <= k; j++) s = s i part[j]; printf "%s", s } }'; }

# is WHAT STATUS TEXT [ARGS…]: t.d gives that status and a message that holds the text; no flood, no crash, no endless run
is() {
	what=$1 want=$2 text=$3
	shift 3
	[ $# -gt 0 ] || set -- -s t.d
	start=$(date +%s%N)
	timeout 20 "$dtrace" -e "$@" >out 2>&1 </dev/null
	status=$?
	[ -z "$TIMES" ] || echo "# $(awk -v a="$start" -v b="$(date +%s%N)" 'BEGIN { printf "%.2f", (b - a) / 1e9 }') s: $what"
	if [ "$status" -ne "$want" ]; then
		echo "not ok - $what: status $status, not $want: $(head -c 300 out | tr '\0\n' '  ')"
	elif [ "$(wc -c <out)" -gt 4096 ]; then
		echo "not ok - $what: $(wc -c <out) bytes of messages"
	elif [ -n "$text" ] && ! grep -aqF -e "$text" out; then
		echo "not ok - $what: no \"$text\" in: $(head -c 300 out | tr '\0\n' '  ')"
	elif LC_ALL=C grep -aq '[[:cntrl:]]' out && tr -d '\n\t' <out | LC_ALL=C grep -aq '[[:cntrl:]]'; then
		echo "not ok - $what: control bytes in the message"
	else
		echo "ok - $what"
	fi
}

# what is no program
is "a folder" 1 "Is a directory" -s .
is "no such file" 1 "No such file or directory" -s nosuch.d
: >t.d
is "an empty file" 1 "empty D program"
head -c 100000 "$dtrace" >t.d
is "a program for the machine" 1 "line 1: "
rep 5000 "$(printf '\001\377\033[2J')" >t.d
is "bytes that move the cursor" 1 "line 1: "
printf 'BEGIN { trace(1); \000 }\n' >t.d
is "a NUL" 1 "line 1: "
head -c 1000000 /dev/zero >t.d
is "a million NULs" 1 "line 1: "
printf '\357\273\277BEGIN { trace(1); }\n' >t.d
is "a byte order mark" 1 "line 1: "

# what is unusual, but right
printf '#pragma D option quiet\r\nBEGIN\r\n/1/\r\n{\r\n\ttrace("a");\r\n}\r\n' >t.d
is "lines that end in CR and LF" 0 ""
printf 'BEGIN { trace("\303\244 \342\202\254 \360\237\220\247"); } /* \303\266 */\n// \303\274\n' >t.d
is "UTF-8 in strings and comments" 0 ""
printf 'BEGIN { trace("\377\376"); } /* \377 */\n' >t.d
is "bytes that are no UTF-8 in strings and comments" 0 ""
printf 'BEGIN { \303\244 = 1; }\n' >t.d
is "UTF-8 in a name" 1 "line 1: "
printf 'BEGIN { trace(1); }' >t.d
is "no newline at the end" 0 ""
printf '#!/usr/sbin/dtrace -s\n\n\n\n\tBEGIN\n\n{\n\n\n}\n\n' >t.d
is "empty lines" 0 ""

# depth
deep=100000
for pair in "()" "[]" "{}"; do
	open=${pair%?} close=${pair#?}
	{ printf 'BEGIN { trace('; rep $deep "$open"; printf 1; rep $deep "$close"; printf '); }\n'; } >t.d
	is "$deep of $pair" 1 "line 1: "
	{ printf 'BEGIN { trace('; rep $deep "$open"; } >t.d
	is "$deep of $open and nothing more" 1 "line 1: "
	{ printf 'BEGIN { trace(1'; rep $deep "$close"; } >t.d
	is "$deep of $close and nothing more" 1 "line 1: "
done
for op in '- ' '~' '!' '*' '&' '(int)' 'sizeof ' 'stringof ' '++' '1+(' '1?2:' '1?(' '1,' 'a[' 'strlen(' 'x=' 'self->x.'; do
	{ printf 'BEGIN { trace('; rep $deep "$op"; printf '1); }\n'; } >t.d
	is "$deep of $op" 1 "line 1: "
done
for op in + - '*' '&' '|' '^' '&&' '||' '^^' '<<' '==' '<'; do
	{ printf 'BEGIN { trace(1'; rep $deep "$op 1"; printf '); }\n'; } >t.d
	is "$deep of $op 1" 1 "line 1: "
done
{ printf 'BEGIN { trace('; counted 1000 'pid == # ? # : '; printf '0); }\n'; } >t.d
is "1000 of ?:" 1 "nested too deeply"
{ printf 'BEGIN { '; rep $deep 'if (1) '; printf 'trace(1); }\n'; } >t.d
is "$deep of if" 1 "line 1: "
{ printf 'BEGIN { '; rep $deep 'if (1) { '; } >t.d
is "$deep of if {" 1 "line 1: "
{ printf 'BEGIN { '; rep $deep 'if (pid) trace(1); else '; printf 'trace(1); }\n'; } >t.d
is "$deep of else if" 1 "line 1: "
{ printf 'int '; rep $deep '*'; printf 'x;\n'; } >t.d
is "a pointer to $deep pointers" 1 "line 1: "
{ printf 'int '; rep $deep '('; printf x; rep $deep ')'; printf ';\n'; } >t.d
is "a declarator in $deep parentheses" 1 "line 1: "
{ printf 'int x'; rep $deep '[2]'; printf ';\n'; } >t.d
is "an array of $deep dimensions" 1 "line 1: "
{ rep $deep 'struct { '; printf 'int x; '; rep $deep '} x; '; } >t.d
is "$deep structs in each other" 1 "line 1: "
{ printf 'inline int x0 = pid;\n'; counted 3000 'inline int x# = x0 + x0;\n' | awk '{ print }' RS='\\\\n'; printf 'BEGIN { trace(x3000); }\n'; } >t.d
is "3000 inlines" 0 ""
{ printf 'inline int x0 = pid;\n'; awk 'BEGIN { for (i = 1; i <= 60; i++) printf "inline int x%d = x%d + x%d;\n", i, i - 1, i - 1 }'
	printf 'BEGIN { trace(x60); }\n'; } >t.d
is "inlines that double 60 times" 1 "line "

# size
rep 10000000 x >t.d
is "10 MB of one letter" 1 "at most 8 MB"
rep 500000 '/* twenty bytes */ ' >t.d
is "10 MB of comments" 1 "at most 8 MB"
{ printf 'BEGIN { '; rep 1000000 x; printf ' = 1; }\n'; } >t.d
is "a name of a million letters" 1 "line 1: identifier is longer than"
{ printf 'BEGIN { trace("'; rep 1000000 x; printf '"); }\n'; } >t.d
is "a string of a million letters" 1 "string table limit exceeded"
{ printf 'BEGIN { trace('; rep 1000000 7; printf '); }\n'; } >t.d
is "a number of a million digits" 1 "line 1: integer constant 77"
{ printf '/*'; rep 1000000 ' '; printf '*/ BEGIN { trace(nosuch); }\n'; } >t.d
is "a comment of a million blanks, then an error" 1 "line 1: failed to resolve nosuch"
{ rep 1000000 x; printf ' { trace(1); }\n'; } >t.d
is "a description of a million letters" 1 "line 1: invalid probe description"
{ printf 'BEGIN { trace($'; rep 1000000 1; printf '); }\n'; } >t.d
is "a macro of a million digits" 1 "line 1: macro argument"
{ printf '#pragma D option '; rep 1000000 x; printf '\nBEGIN { trace(1); }\n'; } >t.d
is "an option of a million letters" 1 "line 1: failed to set option"
{ printf '#error '; rep 100000 'words and '; printf '\n'; } >t.d
is "an error of a million letters" 1 "line 1: #error: words"
{ printf 'BEGIN { printf("'; rep 300000 '%d '; printf '", 1); }\n'; } >t.d
is "300000 conversions" 1 "line 1: printf( ) prototype mismatch"

# number
{ counted 99999 'BEGIN, '; printf 'BEGIN { trace(1); }\n'; } >t.d
is "100000 descriptions of one clause" 0 ""
counted 70000 'int x#; ' >t.d
is "70000 variables" 1 "more than 64255 variables"
{ printf 'BEGIN { '; counted 70000 'self->x# = 1; '; printf '}\n'; } >t.d
is "70000 variables of a thread, in one clause" 1 "self->"
{ printf 'BEGIN { '; counted 10000 'x = #; '; printf '}\n'; } >t.d
is "10000 statements" 0 ""
{ printf 'BEGIN { '; counted 10000 'trace("#"); '; printf '}\n'; } >t.d
is "10000 actions" 0 ""
counted 20000 'BEGIN { trace(#); } ' >t.d
is "20000 clauses" 0 ""
{ printf 'struct s { '; counted 50000 'int m#; '; printf '};\nBEGIN { trace(sizeof (struct s)); }\n'; } >t.d
is "50000 members" 0 ""
{ printf 'enum e { '; counted 50000 'E#, '; printf '};\nBEGIN { trace(E50000); }\n'; } >t.d
is "50000 enumerators" 0 ""
counted 20000 'typedef int t#; ' >t.d
is "20000 typedefs" 0 ""
{ printf 'BEGIN { @['; counted 5000 '#, '; printf '0] = count(); }\n'; } >t.d
is "5000 keys" 0 ""
{ printf 'BEGIN { strjoin('; counted 100000 '"#", '; printf '""); }\n'; } >t.d
is "100000 arguments" 1 "prototype mismatch"
{ printf 'BEGIN { printf("%%d", 1'; counted 100000 ', #'; printf '); }\n'; } >t.d
is "100000 arguments of printf()" 1 "prototype mismatch"
rep 100000 '#line 1 "x"
' >t.d
is "100000 line marks" 1 "empty D program"
rep 100000 '#pragma D option quiet
' >t.d
is "100000 options" 1 "empty D program"
