# SPDX-License-Identifier: BSD-2-Clause
# -O csv: firings as one table with a column for each value of any clause, aggregations as tables of their own; and what
# readers of CSV make of it (R 3 (g): a format is one file and one row).
. test/cli/helpers.inc
if [ "$(id -u)" -ne 0 ]; then
	echo "ok - CSV # SKIP tracing needs root"
	exit 0
fi


# expect NAME PROGRAM TEXT: the output, with T for times and C for CPUs.
expect() {
	"$dtrace" -qO csv -n "$2" >"$tmp/out" 2>"$tmp/err"
	status=$?
	sed 's/^[0-9]\{6,\},[0-9]*,dtrace/T,C,dtrace/; s/^[0-9]\{6,\},/T,/' "$tmp/out" >"$tmp/got"
	same "$1" "$status $(cat "$tmp/err")$(cat "$tmp/got")" "0 $3"
}

probe=time,cpu,provider,module,function,name
expect "one clause" 'BEGIN { s = "abc"; x = -1; printf("%s has %d\n", s, 6 * 7); trace(x); exit(0); }' \
"$probe,s,value2,x
T,C,dtrace,,,BEGIN,abc,42,-1"

expect "clauses share columns of one name" 'BEGIN { x = 3; trace(x); trace(x + 1); } BEGIN { trace(x); exit(0); } END { trace(x); trace(x); }' \
"$probe,x,x + 1,x_2
T,C,dtrace,,,BEGIN,3,4,
T,C,dtrace,,,BEGIN,3,,
T,C,dtrace,,,END,3,,3"

expect "a branch not taken leaves its cell empty" 'BEGIN { x = 0; if (x) { trace(x + 1); } else { trace(x + 2); } exit(0); }' \
"$probe,x + 1,x + 2
T,C,dtrace,,,BEGIN,,2"

expect "quotes, commas and lines" 'BEGIN { s = "a,\"b\"\nc"; trace(s); exit(0); }' \
"$probe,s
T,C,dtrace,,,BEGIN,\"a,\"\"b\"\"
c\""

expect "bytes that are no UTF-8" 'BEGIN { s = "x\377y"; trace(s); exit(0); }' \
"$probe,s
T,C,dtrace,,,BEGIN,x�y"

expect "memory and objects" 'BEGIN { i = 0x01020304; m = (char *)alloca(4); *(int *)m = 0x01010101; tracemem(m, 4); exit(0); }' \
"$probe,m
T,C,dtrace,,,BEGIN,01010101"

expect "an aggregation" 'BEGIN { @a["x", 1] = sum(5); @a["y", -2] = sum(-7); exit(0); }' \
'key1,key2,a
y,-2,-7
x,1,5'

expect "no name and no keys" 'BEGIN { @ = avg(4); @ = avg(8); exit(0); }' \
'avg
6'

expect "several: an empty line between them" 'BEGIN { @a[1] = count(); @b[2] = max(3); exit(0); }' \
'key1,a
1,1

key1,b
2,3'

expect "a histogram has a row for each bucket" 'BEGIN { @h["k"] = quantize(5); @h["k"] = quantize(17); @l = lquantize(3, 0, 10, 5); @l = lquantize(99, 0, 10, 5); exit(0); }' \
'key1,min,max,h
k,4,7,1
k,8,15,0
k,16,31,1

min,max,l
0,4,1
5,9,0
10,,1'

expect "printa() has the time of its firing and is done before clear()" \
    'BEGIN { @a["x"] = count(); @b["x"] = sum(9); printa(@a, @b); clear(@a); printa(@a, @b); exit(0); }' \
'time,key1,a,b
T,x,1,9
T,x,0,9'

expect "rows and tables in turn" 'BEGIN { x = 1; trace(x); @a[x] = count(); printa(@a); } END { trace(x); } BEGIN { exit(0); }' \
"$probe,x
T,C,dtrace,,,BEGIN,1

time,x,a
T,1,1

$probe,x
T,C,dtrace,,,END,1"

# ---- beside the table ----
"$dtrace" -qO csv -n 'BEGIN { x = 1; trace(x); trace(*(int *)8); } BEGIN { trace(x); exit(0); }' >"$tmp/out" 2>"$tmp/err"
same "errors go to standard error" "$(wc -l <"$tmp/out") $(grep -c 'invalid address (0x8)' "$tmp/err")" "2 1"
"$dtrace" -O csv -n 'BEGIN { trace(1); exit(0); }' >"$tmp/out" 2>"$tmp/err"
same "no columns and blank lines of text" "$(wc -l <"$tmp/out") $(head -n 1 "$tmp/out")" "2 $probe,value1"
"$dtrace" -wqO csv -n 'BEGIN { freopen("'"$tmp/other"'"); trace(1); } BEGIN { freopen(""); trace(2); exit(0); }' >"$tmp/out"
same "freopen() begins another table" "$(sed 's/^[0-9]*,[0-9]*/T,C/' "$tmp/other" "$tmp/out" | tr '\n' ' ')" \
    "$probe,value1 T,C,dtrace,,,BEGIN,1 $probe,value1 T,C,dtrace,,,BEGIN,2 "

# ---- a reader ----
if command -v python3 >/dev/null; then
	"$dtrace" -qO csv -n 'syscall::getppid:entry /pid == $target/ { s = "a,\"\n"; trace(s); trace(pid); stack(); @[execname] = count(); }' \
	    -c 'sh -c "exec python3 -c \"import os
for i in range(3): os.getppid()\""' >"$tmp/out" 2>"$tmp/err"
	same "Python reads it" "$(python3 - "$tmp/out" <<'P'
import csv, io, sys
tables = open(sys.argv[1], newline='').read().split('\n\n')
rows = list(csv.DictReader(io.StringIO(tables[0], newline='')))
counts = [int(r['count']) for r in csv.DictReader(io.StringIO(tables[1]))]
print(len(rows) == sum(counts) >= 3, {r['s'] for r in rows}, len({r['pid'] for r in rows}), all(r['time'].isdigit() for r in rows), all(r['stack()'] for r in rows))
P
)$(cat "$tmp/err")" "True {'a,\"\\n'} 1 True True"
else
	echo "ok - Python reads it # SKIP no python3"
fi
