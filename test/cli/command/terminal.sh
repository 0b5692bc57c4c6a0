# SPDX-License-Identifier: BSD-2-Clause
# What a terminal shows and a file does not: columns that fit, block characters, colours (N 7, N 9.12); and the time of
# day of each firing. Scripts that read a pipe find the historic layout to the last blank.
. test/cli/helpers.inc
may_trace "terminals"
command -v script >/dev/null || { echo "ok - terminals # SKIP no script(1)"; exit 0; }
unset NO_COLOR COLUMNS

cat >"$tmp/prog.d" <<'END'
#pragma D option quiet
BEGIN
{
	@a["short", 1] = sum(7); @a["/usr/lib/somewhere/libfoo.so", 20000] = sum(12);
	@q["x"] = quantize(1); @q["x"] = quantize(4);
	@l = llquantize(1, 10, 0, 6, 10); @l = llquantize(500000, 10, 0, 6, 10);
	exit(0);
}
END
# typed COLUMNS LOCALE ARGS…: on a terminal
typed() {
	columns=$1 locale=$2
	shift 2
	TERM=xterm LC_ALL=$locale script -qec "stty cols $columns; $dtrace $*" /dev/null </dev/null 2>"$tmp/err" | tr -d '\r' >"$tmp/out"
}
lines() {	# lines WHAT: the output has these lines, one behind the other
	cat >"$tmp/want"
	if grep -qxF -f "$tmp/want" "$tmp/out" && awk 'NR == FNR { want[++n] = $0; next } $0 == want[k + 1] { k++ }
	    END { exit k < n }' "$tmp/want" "$tmp/out"; then ok "$1"; else bad "$1"; fi
}
esc=$(printf '\033')

run -s "$tmp/prog.d"
cp "$tmp/out" "$tmp/historic"
lines "a pipe has the historic layout" <<'END'
  short                                                     1                7
  /usr/lib/somewhere/libfoo.so                          20000               12
           value  ------------- Distribution ------------- count    
               1 |@@@@@@@@@@@@@@@@@@@@                     1        
END
typed 60 C.UTF-8 -x layout=historic -x encoding=ascii -x color=never -s "$tmp/prog.d"
cmp -s "$tmp/out" "$tmp/historic"
check $? "a terminal has it too where it is asked for"
typed 60 C -x color=never -s "$tmp/prog.d"
lines "columns are as wide as what stands in them, bars take the rest of the line" <<'END'
  short                             1   7
  /usr/lib/somewhere/libfoo.so  20000  12
value  ---------------- Distribution ----------------- count
    0 |                                                0
    1 |@@@@@@@@@@@@@@@@@@@@@@@@                        1
    2 |                                                0
    4 |@@@@@@@@@@@@@@@@@@@@@@@@                        1
END
[ "$(grep -c . "$tmp/out")" -lt 20 ] && grep -qx ' *\.\.\.' "$tmp/out"
check $? "many empty rows are one line"
typed 24 C -x color=never -s "$tmp/prog.d"
lines "a text that is too long moves what follows on its line alone" <<'END'
  short             1   7
  /usr/lib/somewhere/libfoo.so  20000  12
END
typed 60 C.UTF-8 -x color=never -s "$tmp/prog.d"
grep -q '    1 |███████████████████████▌  *1$' "$tmp/out" && ! grep -q @ "$tmp/out"
check $? "block characters in a locale that has them"
! grep -q "$esc" "$tmp/out"
check $? "-x color=never"
typed 60 C -s "$tmp/prog.d"
grep -qF "$esc[36m|@" "$tmp/out" && grep -qF "$esc[1mvalue" "$tmp/out"
check $? "bars and headings have colours"
NO_COLOR=1 typed 60 C -s "$tmp/prog.d"
grep -q '@' "$tmp/out" && ! grep -q "$esc" "$tmp/out"
check $? "NO_COLOR is honoured"
NO_COLOR=1 run -x color=always -s "$tmp/prog.d"
grep -qF "$esc[36m|@" "$tmp/out"
check $? "-x color=always, also to a pipe"
typed 60 C.UTF-8 -O json -x color=always -s "$tmp/prog.d"
grep -q '"type"' "$tmp/out" && ! grep -q "$esc" "$tmp/out"
check $? "structured formats have no colours"
run -x layout=fit -x agghist -qn 'BEGIN { @["a", 1] = sum(4); @["bcd", 2] = sum(12); exit(0); }'
lines "agghist fits too" <<'END'
    key  ------------- Distribution ------------- count
   a  1 |@@@@@@@@@@                               4
 bcd  2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@           12
END
typed 60 C -w -qn "'BEGIN { @[\"key\"] = count(); freopen(\"$tmp/file\"); printa(@); exit(0); }'"
[ "$(awk 'NF { print length($0) }' "$tmp/file" 2>/dev/null)" = 69 ]
check $? "a file that freopen() opens has the historic layout"

# the columns of firings
typed 80 C -x color=never -n "'dtrace:::BEGIN { trace(\"x\"); exit(0); }'"
lines "the column of names fits" <<'END'
CPU     ID FUNCTION:NAME
END
run -n 'BEGIN { exit(0); }'
lines "and is historic in a pipe" <<'END'
CPU     ID                    FUNCTION:NAME
END
typed 80 C -en "'BEGIN { trace(nosuch); }'"
grep -qF "$esc[31m^~~~~~$esc[0m" "$tmp/out"
check $? "the caret of an error has a colour"
run -en 'BEGIN { trace(nosuch); }'
grep -qF '^~~~~~' "$tmp/err" && ! grep -q "$esc" "$tmp/err"
check $? "not in a file"

# walltime: of the firing, not of printing it, a second later
TZ=XXX-5 run -x walltime -x switchrate=1h -n 'BEGIN { trace(walltimestamp); } tick-1s { exit(0); }'
awk '$NF ~ /^1[0-9]+$/ && $(NF - 1) == ":BEGIN" { split($1, t, "[:.]"); s = int($NF / 1e9); us = int(($NF % 1e9) / 1e3)
	want = ((s + 5 * 3600) % 86400) + us / 1e6; got = t[1] * 3600 + t[2] * 60 + t[3] + t[4] / 1e6
	d = got - want; found = d < 0.5 && d > -0.5 } END { exit !found }' "$tmp/out"
check $? "walltime is the local time of the firing"
grep -q '^       WALLTIME CPU' "$tmp/out"
check $? "it has a heading"
run -x walltime -qn 'BEGIN { printf("here\n"); exit(0); }'
grep -q '^[0-2][0-9]:[0-5][0-9]:[0-6][0-9]\.[0-9]\{6\} here$' "$tmp/out"
check $? "also with -q"
run -x walltime -qn 'BEGIN { x = 1; } BEGIN { printf("one "); } BEGIN { printf("line\n\ntwo\nlines\n"); @[7] = count(); exit(0); }'
[ "$(sed -E 's/^[0-2][0-9]:[0-5][0-9]:[0-6][0-9]\.[0-9]{6} /T /' "$tmp/out" | tr -s ' \n' ' ;')" = "T one line;T two;T lines;T 7 1;" ]
check $? "P6: once before each line, however many clauses print it: $(tr '\n' ';' <"$tmp/out")"
