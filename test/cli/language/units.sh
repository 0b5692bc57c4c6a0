# SPDX-License-Identifier: BSD-2-Clause
# P10: -x units shows times and sizes in aggregations with their units; without it the text is the historic one.
. test/cli/helpers.inc
"$dtrace" -qn 'BEGIN { exit(0); }' >/dev/null 2>"$tmp/err" || { echo "ok - units # SKIP $(head -n 1 "$tmp/err")"; exit 0; }
# words ARGS…: what is printed, one blank between words
words() { "$dtrace" -q "$@" 2>&1 </dev/null | tr -s ' \n' ' '; }

program='BEGIN { @wait_ns = quantize(1500000); @wait_ns = quantize(1100); @read_bytes["a"] = sum(4096); @read_bytes["b"] = sum(1500);
	@lat = percentiles(12345); @n = count(); @l_us = lquantize(1500, 0, 3000, 1000); @avg_ms = avg(61500); exit(0); }
	END { printa(@wait_ns); printa(@read_bytes); printa(@lat); printa(@n); printa(@l_us); printa(@avg_ms); printa("%@d\n", @avg_ms); }'
bar='|@@@@@@@@@@@@@@@@@@@@'
"$dtrace" -qn "$program" >"$tmp/plain"
same "without the option there are none" "$(grep -c '[0-9][a-zA-Z]' "$tmp/plain")" 0
"$dtrace" -q -x units=lat:ns -n "$program" >"$tmp/out"
for row in "1.02us $bar 1" "1.05ms $bar 1" "524us | 0" "1ms $bar@@@@@@@@@@@@@@@@@@@@ 1" "a 4KiB" "b 1.46KiB" "61.5s" "1" "61500" \
    "count 1 avg 12.3us min 12.3us p50 12.3us p90 12.3us p99 12.3us p99.9 12.3us max 12.3us"; do
	same "$row" "$(tr -s ' ' <"$tmp/out" | sed 's/^ //; s/ $//' | grep -cxF -e "$row")" 1
done
same "all aggregations" "$(words -x units=ns -n 'BEGIN { @ = max(5123456); @b_s[1] = min(90); exit(0); }')" " 5.12ms 1 90s "
same "a divisor is a unit of the program's own" "$(words -x units=ns -n 'BEGIN { @ = max(5123456); normalize(@, 1000); exit(0); }')" " 5123 "
same "a pragma" "$(words -n '#pragma D option units=bytes
BEGIN { @ = sum(2048); exit(0); }')" " 2KiB "
same "JSON: numbers, and what they are" "$("$dtrace" -qO json -x units -n 'BEGIN { @t_ns = max(5123456); @n = count(); @o = sum(1);
	printa(@t_ns, @o); exit(0); }' | grep -o '"aggregations":.*,"elements":.*values":\[[0-9,]*\]' | sed 's/"elements":.*"values"/"values"/' | sort)" \
'"aggregations":["n"],"functions":["count"],"values":[1]
"aggregations":["t_ns","o"],"functions":["max","sum"],"units":["ns",null],"values":[5123456,1]'
same "one line for each: aggpack" "$(words -x units=ns -x aggpack -n 'BEGIN { @ = quantize(5123456); exit(0); }')" " min .---. max | count 2.1ms : X : 8.39ms | 1 "
same "a fitting layout" "$(words -x units=ns -x layout=fit -n 'BEGIN { @["x"] = sum(1500); @["long name"] = sum(20); exit(0); }')" " long name 20ns x 1.5us "
"$dtrace" -qO record="$tmp/rec" -x units=lat:ns -n "$program" >/dev/null 2>&1
"$dtrace" --play "$tmp/rec" >"$tmp/played"
cmp -s "$tmp/out" "$tmp/played"
same "the text of a recording has them" $? 0
same "other formats of a recording take the option" "$("$dtrace" -O json -x units --play "$tmp/rec" | grep -c '"aggregations":\["wait_ns"\].*"units":\["ns"\]')" 1
is "a wrong unit" 1 "ns, us, ms, s or bytes for all aggregations, lat:ns for @lat; several with commas between them" -x units=ns,lat:hours -n 'BEGIN { exit(0); }'
