# SPDX-License-Identifier: BSD-2-Clause
# -O json: every kind of line and value from programs of BEGIN and END alone, so that the text is known.
. test/cli/helpers.inc
check=$(dirname "$dtrace")/test/jsoncheck
if [ "$(id -u)" -ne 0 ]; then
	echo "ok - JSON # SKIP tracing needs root"
	exit 0
fi

# What differs from run to run becomes a letter.
settle() {
	sed -e 's/"time":[0-9]*/"time":T/; s/"walltime":[0-9]*/"walltime":W/; s/"cpu":[0-9]*/"cpu":C/' \
	    -e 's/"pid":[0-9]*/"pid":P/; s/"version":"[^"]*"/"version":"V"/'
}

# expect NAME TEXT: what the last run wrote, line by line.
expect() {
	settle <"$tmp/out" >"$tmp/got"
	printf '%s\n' "$2" >"$tmp/want"
	if ! "$check" <"$tmp/out" >"$tmp/faults"; then
		echo "not ok - $1: $(head -n 3 "$tmp/faults")"
	elif diff "$tmp/want" "$tmp/got" >"$tmp/diff"; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		head -n 20 "$tmp/diff"
	fi
}


probe='"type":"probe","time":T,"cpu":C,"epid":1,"id":1,"provider":"dtrace","module":"","function":"","name":"BEGIN"'
start() { printf '{"type":"start","schema":1,"version":"V","pid":P,"time":T,"walltime":W,"programs":[{"clauses":[%s]}]}' "$1"; }
begin1=$(start '{"description":":::BEGIN","line":1,"epid":1,"probes":[1]}')

"$dtrace" -qO json -n 'BEGIN { trace(1); trace(-1); trace((unsigned long long)-1); trace((char)200); trace("a\"\\\n\t\001");
	trace("caf\303\251"); trace("\377x"); trace(""); exit(3); }' >"$tmp/out"
same "exit status" $? 3
expect "numbers and strings" "$begin1
{$probe,\"output\":[{\"action\":\"trace\",\"value\":1},{\"action\":\"trace\",\"value\":-1},\
{\"action\":\"trace\",\"value\":18446744073709551615},{\"action\":\"trace\",\"value\":-56},\
{\"action\":\"trace\",\"value\":\"a\\\"\\\\\\n\\t\\u0001\"},{\"action\":\"trace\",\"value\":\"café\"},\
{\"action\":\"trace\",\"value\":{\"string\":\"�x\",\"bytes\":\"ff78\"}},{\"action\":\"trace\",\"value\":\"\"},\
{\"action\":\"exit\",\"status\":3}]}
{\"type\":\"exit\",\"status\":3,\"called\":true}"

"$dtrace" -q -x oformat=json -n 'BEGIN { printf("%d %s %x%%\n", -42, "str", 255); printf("bare"); exit(0); }' >"$tmp/out"
expect "printf, and the option's other name" "$begin1
{$probe,\"output\":[{\"action\":\"printf\",\"format\":\"%d %s %x%%\\n\",\"text\":\"-42 str ff%\\n\",\"args\":[-42,\"str\",255]},\
{\"action\":\"printf\",\"format\":\"bare\",\"text\":\"bare\",\"args\":[]},{\"action\":\"exit\",\"status\":0}]}
{\"type\":\"exit\",\"status\":0,\"called\":true}"

cat >"$tmp/print.d" <<'END'
struct in { short s[2]; char t[4]; }; struct out { int a; struct in i; unsigned b : 3; union { uint8_t u1; uint64_t u2; }; } o;
BEGIN { o.a = -1; o.i.s[1] = 5; o.i.t[0] = 'x'; o.b = 6; o.u2 = 258; print(o); print(7); exit(0); }
END
"$dtrace" -qO json -s "$tmp/print.d" >"$tmp/out"
expect "print by member names" "$(start '{"description":":::BEGIN","line":2,"epid":1,"probes":[1]}')
{$probe,\"output\":[{\"action\":\"print\",\"type\":\"struct out\",\"value\":{\"a\":-1,\"i\":{\"s\":[0,5],\"t\":\"x\"},\"b\":6,\"u1\":2,\"u2\":258}},\
{\"action\":\"print\",\"type\":\"int\",\"value\":7},{\"action\":\"exit\",\"status\":0}]}
{\"type\":\"exit\",\"status\":0,\"called\":true}"

"$dtrace" -qO json -n 'BEGIN { @c["k", 1] = count(); @m["k", 1] = max(-7); @q = quantize(3); @q = quantize(0); @l = lquantize(150, 0, 100, 50);
	@a = avg(5); printa("%s %d %@d %@d\n", @c, @m); normalize(@a, 5); exit(0); }' >"$tmp/out"
expect "aggregations" "$begin1
{$probe,\"output\":[{\"action\":\"printa\",\"format\":\"%s %d %@d %@d\\n\"},{\"action\":\"normalize\",\"aggregation\":\"a\",\"args\":[5]},\
{\"action\":\"exit\",\"status\":0}]}
{\"type\":\"aggregation\",\"epid\":1,\"id\":1,\"provider\":\"dtrace\",\"module\":\"\",\"function\":\"\",\"name\":\"BEGIN\",\
\"aggregations\":[\"c\",\"m\"],\"functions\":[\"count\",\"max\"],\"elements\":[{\"keys\":[\"k\",1],\"values\":[1,-7],\"text\":\"k 1 1 -7\\n\"}]}
{\"type\":\"aggregation\",\"aggregations\":[\"q\"],\"functions\":[\"quantize\"],\"elements\":[{\"keys\":[],\"values\":[[\
{\"min\":0,\"max\":0,\"count\":1},{\"min\":1,\"max\":1,\"count\":0},{\"min\":2,\"max\":3,\"count\":1}]]}]}
{\"type\":\"aggregation\",\"aggregations\":[\"l\"],\"functions\":[\"lquantize\"],\"elements\":[{\"keys\":[],\"values\":[[{\"min\":100,\"count\":1}]]}]}
{\"type\":\"aggregation\",\"aggregations\":[\"a\"],\"functions\":[\"avg\"],\"elements\":[{\"keys\":[],\"values\":[1]}]}
{\"type\":\"exit\",\"status\":0,\"called\":true}"

"$dtrace" -qO json -n 'BEGIN { trace(*(int *)8); } BEGIN { exit(0); }' >"$tmp/out" 2>"$tmp/err"
expect "errors" "$(start '{"description":":::BEGIN","line":1,"epid":1,"probes":[1]},{"description":":::BEGIN","line":1,"epid":2,"probes":[1]}')
{\"type\":\"error\",\"epid\":1,\"id\":1,\"provider\":\"dtrace\",\"module\":\"\",\"function\":\"\",\"name\":\"BEGIN\",\"fault\":\"invalid address\",\
\"address\":\"0x8\",\"action\":1,\"offset\":4,\"message\":\"error on enabled probe ID 1 (ID 1: dtrace:::BEGIN): invalid address (0x8) in action #1 at DIF offset 4\"}
$(printf '{%s,"output":[{"action":"exit","status":0}]}' "$probe" | sed 's/"epid":1/"epid":2/')
{\"type\":\"exit\",\"status\":0,\"called\":true}"
same "errors are not told twice" "$(cat "$tmp/err")" ""

"$dtrace" -qO json -n 'BEGIN { speculation(); speculation(); exit(0); }' >"$tmp/out"
same "drops" "$(grep '"drop"' "$tmp/out")" \
    '{"type":"drop","kind":"SPECUNAVAIL","count":1,"total":1,"message":"1 failed speculation (no speculative buffer available) (-x nspec=2 would have been enough)"}'

"$dtrace" -qO json -n 'BEGIN { stack(2); @[stack(2)] = count(); exit(0); }' >"$tmp/out"
if "$check" <"$tmp/out" && grep -q '"action":"stack","value":{"frames":\[{"address":"0x[0-9a-f]*"' "$tmp/out" &&
    grep -q '"elements":\[{"keys":\[{"frames":\[{"address"' "$tmp/out"; then
	echo "ok - stacks"
else
	echo "not ok - stacks: $(cat "$tmp/out")"
fi

"$dtrace" -qFO json -n 'BEGIN { exit(0); }' >"$tmp/out"
same "-F" "$(grep -o '"flow":"","indent":0' "$tmp/out")" '"flow":"","indent":0'

"$dtrace" -qwO json -n 'BEGIN { system("echo %s", "from a command"); exit(0); }' >"$tmp/out" 2>"$tmp/err"
same "a command writes to standard error" "$("$check" <"$tmp/out")$(cat "$tmp/err")" "from a command"

"$dtrace" -qO json -o "$tmp/file" -n 'BEGIN { trace(1); exit(0); }' >"$tmp/out"
same "-o" "$(wc -l <"$tmp/out") $(wc -l <"$tmp/file")" "0 3"

# ---- a stream: lines come while the trace runs, and the end of the reader ends it ----
"$dtrace" -qO json -n 'BEGIN { trace("first"); } tick-50ms { trace(1); }' -x switchrate=20ms >"$tmp/out" &
pid=$!
n=0
while ! grep -q first "$tmp/out" && [ $n -lt 100 ]; do sleep 0.1; n=$((n + 1)); done
if kill -0 $pid && grep -q '^{"type":"start".*}$' "$tmp/out"; then echo "ok - lines come at once"; else echo "not ok - lines come at once"; fi
kill -TERM $pid	# the shell has its background jobs ignore SIGINT
wait $pid
same "last line after a signal" "$("$check" <"$tmp/out")$(tail -n 1 "$tmp/out")" '{"type":"exit","status":0,"called":false}'

{ timeout 60 "$dtrace" -qO json -n 'tick-20ms { trace(1); }' -x switchrate=20ms 2>"$tmp/err"; echo $? >"$tmp/status"; } | head -n 2 >"$tmp/out"
same "a reader that went away" "$(cat "$tmp/status") $(cat "$tmp/err")" "141 "

# ---- an action that fails while the line of its firing is made: a line of its own, behind it ----
"$dtrace" -qO json -n 'BEGIN { trace(1); setopt("strsize", "4"); trace(2); exit(0); }' >"$tmp/out" 2>"$tmp/err"
same "an action that fails" "$("$check" <"$tmp/out")$(sed -e 's/^{"type":"\([a-z]*\)".*/\1/' "$tmp/out" | tr '\n' ' ')$(cat "$tmp/err")" \
    "start probe error exit "
same "and what it says" "$(sed -n 's/.*"fault":"\([^"]*\)","message":.*: Operation illegal when tracing is active"}$/\1/p' "$tmp/out")" \
    "action failed"

# ---- what is refused ----
for format in xml html; do
	"$dtrace" -O $format -n BEGIN >"$tmp/out" 2>&1
	same "-O $format" "$? $(sed 's/text, .*)/text, …)/' "$tmp/out")" "1 dtrace: failed to set -O: Invalid value for specified option (text, …)
  -O web[=ADDRESS:PORT] shows the trace on a live page"
done
