# SPDX-License-Identifier: BSD-2-Clause
# Every aggregating function in every format, with keys of every kind: it is there with its number, or the format says
# in a sentence that it is left out. And every kind of value that a firing can record.
. test/cli/helpers.inc
if [ "$(id -u)" -ne 0 ]; then
	echo "ok - all functions in all formats # SKIP tracing needs root"
	exit 0
fi

# All of the same three values, 3, 3 and 9; once with keys that are no stack, once with one.
functions='count() sum(x) avg(x) min(x) max(x) stddev(x) quantize(x) lquantize(x,0,16,4) llquantize(x,10,0,2,10) percentiles(x)'
program=
for value in 3 3 9; do
	program="$program BEGIN { x = $value;"
	for f in $functions; do
		name=${f%%(*}
		program="$program @${name}_a[\"a k\", (char)7, pid, probename] = $f; @${name}_s[\"a k\", stack(1)] = $f;"
	done
	program="$program }"
done
"$dtrace" -qO "record=$tmp/rec" -n "$program BEGIN { exit(0); }" >"$tmp/text" 2>"$tmp/err" || echo "not ok - a recording: $(head -n 3 "$tmp/err")"
same "nothing is lost on the way" "$(cat "$tmp/err")" ""
for format in text json csv folded flame trace-event pprof heatmap openmetrics; do
	"$dtrace" --play "$tmp/rec" -qO $format >"$tmp/$format" 2>"$tmp/$format.err"
	"$dtrace" -qO $format -n "$program BEGIN { exit(0); }" >"$tmp/live" 2>"$tmp/live.err"
	same "$format: a recording leaves out what a trace does" "$(cat "$tmp/$format.err")" "$(cat "$tmp/live.err")"
done

# shown FORMAT NAME: how the format has it; nothing where it has not
shown() {
	case $1 in
	text) grep -c 'BEGIN .*[0-9]\|^  *a k' "$tmp/text" | sed 's/^[1-9].*/some/' ;;
	json) sed -n "s/.*\"aggregations\":\[\"$2\"\].*\"values\":\[\([^]]*\)\].*/\1/p" "$tmp/json" | sed 's/{[^}]*"count":0},//g' ;;
	csv) grep -A 1 ",$2\( count.*\|\)\$" "$tmp/csv" | sed -n '2s/^[^B]*BEGIN,\|^a k,[^,]*,//p' ;;
	folded | flame) sed -n "s/^@$2;a k;.* \([0-9]*\)\$/\1/p" "$tmp/$1" ;;
	trace-event) sed -n "s/.*\"name\":\"@$2\[a k, 7, [0-9]*, BEGIN\]\".*\"args\":{\(.*\)}},*\$/\1/p" "$tmp/trace-event" ;;
	pprof) gzip -dc <"$tmp/pprof" | grep -acE "(^|[^a-z])$2" ;;
	heatmap) awk -F'\t' -v name="@$2" '$1 == "series" && $3 == name { of[$2] = 1 } $1 == "at" && $3 in of { for (i = 4; i <= NF; i++) { split($i, p, ":"); n += p[2] } } END { if (n) print n }' "$tmp/heatmap" ;;
	openmetrics) grep -c "^dtrace_$2\(_total\|_bucket\|_count\|\){" "$tmp/openmetrics" ;;
	esac
}
# row FORMAT KIND: what the format has of each function, in their order; a dash where it says that it has none
row() {
	for f in $functions; do
		name=${f%%(*}_$2
		if [ "$(grep -c "^dtrace: @$name is left out: ." "$tmp/$1.err")" = 1 ]; then
			[ -z "$(shown "$1" "$name" | grep -vx 0)" ] && printf -- '- ' || printf 'both '
		else
			printf '%s ' "$(shown "$1" "$name")"
		fi
	done
}
all='- - - - - - - - - - '
numbers='3 15 5 3 9 2'
parts='"count":3,"avg":5,"min":3,"p50":3,"p90":9,"p99":9,"p99.9":9,"max":9'
for kind in a s; do
	same "text: $kind" "$(row text $kind)" "some some some some some some some some some some "
	same "json: $kind" "$(row json $kind)" "$numbers"' [{"min":2,"max":3,"count":2},{"min":8,"max":15,"count":1} [{"min":0,"max":3,"count":2},{"min":8,"max":11,"count":1} [{"min":3,"max":3,"count":2},{"min":9,"max":9,"count":1} {'"$parts} "
	same "csv: $kind" "$(row csv $kind)" "$numbers 2,3,2 0,3,2 3,3,2 3,5,3,3,9,9,9,9 "
	same "heatmap: $kind" "$(row heatmap $kind)" "- - - - - - 3 3 3 - "
	same "openmetrics: $kind" "$(row openmetrics $kind)" "1 1 1 1 1 1 5 5 9 7 "
done
for format in folded flame pprof; do
	same "$format: a" "$(row $format a)" "$all"
done
same "folded: s" "$(row folded s)" "$numbers 3 3 3 3 "
same "flame: s" "$(row flame s)" "$numbers 3 3 3 3 "
same "pprof: s" "$(row pprof s)" "1 1 1 1 1 1 1 1 1 1 "
same "trace-event: a" "$(row trace-event a)" '"count":3 "sum":15 "avg":5 "min":3 "max":9 "stddev":2 - - - '"$parts "
same "trace-event: s" "$(row trace-event s)" "$all"

# ---- what firings record ----
values='BEGIN { s = "str"; i = -5; m = (char *)alloca(4); *(int *)m = 65; trace(s); printf("%d %x %c %s\n", i, 255, 65, probename); tracemem(m, 4); print(i); sym(0); exit(0); }'
"$dtrace" -qO "record=$tmp/rec" -n "$values" >"$tmp/text" 2>"$tmp/err"
for format in folded flame pprof heatmap openmetrics; do
	same "$format says that it leaves out records" "$("$dtrace" --play "$tmp/rec" -qO $format 2>&1 >"$tmp/out" | grep -c '^dtrace: records are left out: .')" 1
done
same "trace-event has every value" "$("$dtrace" --play "$tmp/rec" -qO trace-event | sed -n 's/.*"args":{"s":\(.*\)}}$/\1/p')" \
    '"str","i":-5,"value3":255,"value4":65,"probename":"BEGIN","m":{"string":"A","bytes":"41000000"},"i (7)":-5,"value8":{"address":"0x0"}'
same "csv has every value" "$("$dtrace" --play "$tmp/rec" -qO csv | sed 's/^[0-9]*,[0-9]*,//' | tr '\n' ' ')" \
    "time,cpu,provider,module,function,name,s,i,value3,value4,probename,m,i_2,value8 dtrace,,,BEGIN,str,-5,255,65,BEGIN,41000000,-5,0x0 "
