# SPDX-License-Identifier: BSD-2-Clause
# The command line itself: modes, statuses, messages.
. test/cli/helpers.inc

echo 'BEGIN { trace($1); }' >"$tmp/arg.d"
echo 'BEGIN { trace(exename); }' >"$tmp/bad.d"
printf 'BEGIN { exit(0); }\n' >"$tmp/good.d"
printf '#pragma D option quiet\n#pragma D option strsize=64\nBEGIN { exit(0); }\n' >"$tmp/pragma.d"
printf '#pragma D option bufsiz=1m\nBEGIN { exit(0); }\n' >"$tmp/badpragma.d"
printf '#include "n.h"\nBEGIN { trace(N); }\n' >"$tmp/cpp.d"
echo '#define N 42' >"$tmp/n.h"

run
is "no arguments" 2 "usage: dtrace"
is "--help" 0 "usage: dtrace" --help
is "--help of a script: its head" 0 "QUESTION	processes: " -s dtools/execsnoop --help
is "--tool is the first word" 2 "--tool x must come first" -q --tool x
is "--tool without a script" 2 "--tool requires a script" --tool
is "--tool of a file that is not there" 1 "cannot read /nosuch/tool: No such file or directory" --tool /nosuch/tool
echo 'BEGIN { exit(0); }' >"$tmp/headless.d"
is "--tool of a script without a head" 1 "has no head that says how it is called" --tool "$tmp/headless.d"
is "--help of a script without a head" 0 "usage: dtrace" -s "$tmp/headless.d" --help
is "-V" 0 "dtrace: D 1." -V
is "--version" 0 "dtrace: D 1." --version
is "-V: of the program too (P9)" 0 "This is DTrace for Linux" -V
is "two modes" 2 "only one of the [-AGhlV] options can be specified at a time" -l -V
is "one mode twice" 0 "dtrace: D 1." -V -V
is "unknown letter" 2 "illegal option -- Q" -Q
[ "$(cat "$tmp/err")" = "dtrace: illegal option -- Q
dtrace --help lists the options" ] && echo "ok - and one line more (P7)" || echo "not ok - and one line more (P7): $(head -n 4 "$tmp/err")"
is "unknown long option" 2 "illegal option -- --nosuch" --nosuch
is "missing argument" 2 "option requires an argument -- b" -b
is "-3x" 2 "illegal option -- 3x" -3x
is "-B with -l" 2 "-B not valid" -B -l
is "-B with -o" 2 "-B not valid" -B -o "$tmp/o" -n BEGIN
is "bad pid" 1 "invalid pid: 12x" -e -p 12x -n BEGIN
is "-e -p, whether the process is there or not" 0 "" -e -p 4194305 -n 'BEGIN { trace($target); }'
is "-e -c starts nothing" 0 "" -e -c /nonexistent -n 'BEGIN { trace($target); }'
is "-x target" 1 "failed to set -x target: Invalid value" -e -x target=some -n BEGIN
is "no programs, only options to check" 0 "" -b 1g -e	# S B7
is "and they are checked" 1 "Invalid value" -b 1x -e
is "words of switches in any case" 0 "" -x quiet=YES -x flowindent=UnSeT -e	# S B8
is "in a pragma too" 0 "" -e -n '#pragma D option quiet=Enabled
BEGIN { }'
is "a colon before a description that is full" 0 "" -e -Z -f '::read:'	# P 4.17
is "operands only" 1 "no probes specified" a b c
is "-e" 0 "" -e -n 'BEGIN { exit(0); }'
is "-64" 0 "" -64 -e -n 'BEGIN { exit(0); }'
is "-P" 0 "" -e -P 'dtrace { exit(0); }'
is "script" 0 "" -e -s "$tmp/good.d"
is "several programs" 0 "" -e -s "$tmp/good.d" -n 'END { trace(1); }'
is "operand before an option" 0 "" 17 -e -s "$tmp/arg.d"
is "operand after options" 0 "" -e -s "$tmp/arg.d" 17
is "operand after --" 0 "" -e -s "$tmp/arg.d" -- -17
is "unused operand" 1 "D_MACRO_UNUSED" -e -x errtags -s "$tmp/good.d" extra
is "-x argref" 0 "" -e -x argref -s "$tmp/good.d" extra
is "missing operand" 1 "failed to compile script $tmp/arg.d: " -e -s "$tmp/arg.d"
is "-x defaultargs" 0 "" -e -x defaultargs -s "$tmp/arg.d"
is "missing script" 1 "failed to open $tmp/none.d: No such file or directory" -e -s "$tmp/none.d"
is "script error" 1 "failed to compile script $tmp/bad.d: [D_IDENT_UNDEF] line 1: failed to resolve exename" -e -x errtags -s "$tmp/bad.d"
is "script hint" 1 'did you mean `execname`?' -e -s "$tmp/bad.d"
is "text error" 1 "dtrace: invalid probe specifier BEGIN { x }: " -e -n 'BEGIN { x }'
is "-b" 0 "" -e -b 1m -n 'BEGIN { exit(0); }'
is "bad -b" 1 "failed to set -b: Invalid value for specified option" -e -b 1x -n BEGIN
is "bad -x name" 1 "failed to set -x bufsiz: Invalid option name" -e -x bufsiz=4m -n BEGIN
is "bad -x name's hint" 1 'did you mean `bufsize`?' -e -x bufsiz=4m -n BEGIN
is "bad -x value" 1 "failed to set -x bufpolicy: Invalid value for specified option" -e -x bufpolicy=round -n BEGIN
is "-O json" 0 "" -e -O json -n 'BEGIN { exit(0); }'
is "bad -O" 1 "failed to set -O: Invalid value" -e -O smoke -n BEGIN
is "-t -q -w -F -Z" 0 "" -e -t -q -w -F -Z -n 'BEGIN { exit(0); }'
is "pragma options" 0 "" -e -s "$tmp/pragma.d"
is "bad pragma option" 1 "bufsiz" -e -s "$tmp/badpragma.d"
is "-C -I" 0 "" -e -C -I "$tmp" -s "$tmp/cpp.d"
is "without -C" 1 "failed to compile script" -e -s "$tmp/cpp.d"
is "-C -D" 0 "" -e -C -D 'N=1' -n 'BEGIN { exit(0); }'
is "-S" 0 "DIFO 0x" -S -e -n 'BEGIN { trace(pid); }'
is "-v" 0 "Minimum Statement Attributes" -e -v -n 'BEGIN { trace(pid); }'
is "-v names the text" 0 "Stability attributes for description BEGIN:" -e -v -n BEGIN

"$dtrace" -e -v -n BEGIN >/dev/full 2>"$tmp/err"
if [ $? -eq 1 ] && grep -q 'failed to write output' "$tmp/err"; then echo "ok - full disk"; else echo "not ok - full disk"; fi
exit 0
