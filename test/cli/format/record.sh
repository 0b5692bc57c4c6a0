# SPDX-License-Identifier: BSD-2-Clause
# -O record=FILE and --play: the text byte for byte, other formats as if they had been traced, and files that are damaged.
. test/cli/helpers.inc
if [ "$(id -u)" -ne 0 ]; then
	echo "ok - recordings # SKIP tracing needs root"
	exit 0
fi
chmod 755 "$tmp"


# again NAME ARGS...: records, and plays what was recorded
again() {
	name=$1
	shift
	"$dtrace" -O "record=$tmp/rec" "$@" >"$tmp/live" 2>"$tmp/err"
	status=$?
	"$dtrace" --play "$tmp/rec" >"$tmp/played" 2>"$tmp/played.err"
	same "$name" "$status $? $(test -s "$tmp/live" && echo some) $(cmp "$tmp/live" "$tmp/played" 2>&1)" "0 0 some "
}
again "columns" -n 'BEGIN { trace(1); printf("%d %s\n", 5, "x"); stack(); } BEGIN { exit(0); } END { trace("e"); }'
again "quiet" -qn 'BEGIN { trace(1); printf("%d %s\n", 5, "x"); exit(0); }'
again "flow" -Fn 'syscall::getppid:entry,syscall::getppid:return /pid == $target/ { trace(1); }' -c 'sh -c :' -n 'BEGIN { trace(2); }'
again "aggregations" -n 'BEGIN { @["a", stack()] = count(); @q[1] = quantize(70); @l = lquantize(3, 0, 10, 1); exit(0); }'
again "printa() and what it does" -qn 'BEGIN { @a["x"] = sum(1000); normalize(@a, 10); printa("%s %@d\n", @a); clear(@a); printa(@a); trunc(@a); exit(0); }'
again "options of a program" -n '#pragma D option quiet
BEGIN { printf("x"); setopt("quiet", "no"); } BEGIN { trace(2); exit(0); }'
again "a process" -n 'syscall::write:entry /pid == $target/ { @[ustack(), usym(ucaller)] = count(); ustack(3); printf("%A\n", ucaller); }' \
    -c 'dd if=/dev/zero of=/dev/null bs=1 count=20 status=none'
again "bytes, objects, memory" -n 'BEGIN { i = 5; m = (char *)alloca(4); *(int *)m = 65; tracemem(m, 4); print(i); print(*curthread->cred); exit(0); }'

"$dtrace" -O "record=$tmp/rec" -n 'BEGIN { trace(*(int *)8); } BEGIN { exit(7); }' >"$tmp/live" 2>"$tmp/err"
same "the status of the trace" $? 7
"$dtrace" --play "$tmp/rec" >"$tmp/played" 2>"$tmp/played.err"
same "errors are told again" "$(grep error "$tmp/err")" "$(cat "$tmp/played.err")"

# ---- other formats ----
program='BEGIN { s = "a,\"\n\377"; x = -1; printf("%s has %d\n", s, x); trace(x); stack(2); @a[s, 2] = count(); @b[s, 2] = avg(6); @h = quantize(70); @p = percentiles(5); @k["u", stack(2)] = count();
    m = (char *)alloca(4); *(int *)m = 65; tracemem(m, 4); printa("%s %d %@d %@d\n", @a, @b); clear(@a); printa(@h); } BEGIN { trace(*(int *)8); } BEGIN { print(x); exit(0); } END { if (x == 0) { trace(1); } else { trace("else"); } }'
settle() {
	sed -e 's/"time":[0-9]*/"time":T/; s/"walltime":[0-9]*/"walltime":W/; s/"cpu":[0-9]*/"cpu":C/; s/"pid":[0-9]*/"pid":P/; s/"ts":[0-9.]*/"ts":T/; s/"tid":[0-9]*/"tid":P/' \
	    -e 's/"CPU [0-9]*"/"CPU"/; s/^[0-9]\{6,\},[0-9]*,dtrace/T,C,dtrace/; s/^[0-9]\{6,\},/T,/; s/^at	[0-9]*/at/; s/^\(took\|wall\)	[0-9]*$/\1/; s/^[0-9]* [0-9]* \([0-9]*\)$/T C \1/' "$1" | grep -av "\"type\":\"error\""
}
"$dtrace" -qO "record=$tmp/rec" -n "$program" >"$tmp/live" 2>"$tmp/err"
# The kernel calls programs from another place of a function while another process has their time measured: then stacks of
# two runs differ, and both are made again.
live_and_played() {
	"$dtrace" -qO $format -n "$program" >"$tmp/live" 2>"$tmp/err"
	"$dtrace" --play "$tmp/rec" -qO $format >"$tmp/played" 2>"$tmp/played.err"
	settle "$tmp/live" >"$tmp/live.settled"
	settle "$tmp/played" >"$tmp/played.settled"
	cmp -s "$tmp/live.settled" "$tmp/played.settled" || ! "$dtrace" -qO "record=$tmp/rec" -n "$program" >"$tmp/live" 2>"$tmp/err"
}
for format in json csv folded flame trace-event pprof heatmap openmetrics; do
	for try in 1 2 3 4 5; do live_and_played && break; done
	[ -s "$tmp/live.settled" ]
	same "-O $format of a recording" "$? $(wc -c <"$tmp/live.settled" | sed 's/^[1-9].*/some/') $(diff "$tmp/live.settled" "$tmp/played.settled" | head -n 4)" "0 some "
done
same "a recording as a flame graph beside an earlier one" "$("$dtrace" --play "$tmp/rec" -qO folded >"$tmp/folded" 2>"$tmp/err"; "$dtrace" --play "$tmp/rec" -O "flame=$tmp/folded" 2>"$tmp/err" | grep -c 'id="before"')" 1
echo "a text" >"$tmp/text"
"$dtrace" -qO "record=$tmp/cat" -n 'BEGIN { cat("'"$tmp/text"'"); exit(0); }' >"$tmp/live"
same "playing opens no file" "$(cat "$tmp/live" && rm "$tmp/text") $("$dtrace" --play "$tmp/cat" -O json | grep -c '"error":"No data available"')" "a text 1"

# The first line of JSON has both clocks at the start of the trace, not of the play: the time of day comes before the file was complete.
"$dtrace" -qO "record=$tmp/rec" -n "$program" >"$tmp/live" 2>"$tmp/err"
recorded=$(date +%s%N)
sleep 0.01
clocks() { "$dtrace" --play "$tmp/rec" -O json 2>"$tmp/err" | sed -n 's/.*"type":"start".*"time":\([0-9]*\),"walltime":\([0-9]*\).*/\1 \2/p'; }
set -- $(clocks)
same "the time of a recording" "$# $([ "${2:-0}" -gt 1000000000000000000 ] && [ "$2" -lt "$recorded" ] && echo before) $(clocks)" "2 before $1 $2"

if command -v setpriv >/dev/null; then
	cp "$tmp/rec" "$tmp/public" && chmod 644 "$tmp/public" && cp "$dtrace" "$tmp/dtrace"
	same "anybody may play it" "$(setpriv --reuid 65534 --clear-groups --regid 65534 "$tmp/dtrace" --play "$tmp/public" -O folded 2>"$tmp/err")" "$(cat "$tmp/folded")"
fi

# ---- a pipe, which is played as it comes ----
"$dtrace" -qO record=/dev/fd/3 -n 'tick-20ms { printf("tick %d\n", i++); } tick-20ms /i == 3/ { exit(0); }' 3>&1 >"$tmp/live" 2>"$tmp/err" |
    "$dtrace" --play - >"$tmp/played" 2>"$tmp/played.err"
same "through a pipe" "$(test -s "$tmp/live" && echo some) $(cmp "$tmp/live" "$tmp/played" 2>&1)" "some "
mkfifo "$tmp/fifo"
"$dtrace" --play - <"$tmp/fifo" >"$tmp/played" 2>"$tmp/played.err" &
player=$!
exec 4>"$tmp/fifo"
dd if="$tmp/rec" of=/dev/fd/4 bs=1 count=$(($(wc -c <"$tmp/rec") - 3)) 2>/dev/null
"$dtrace" --play "$tmp/rec" >"$tmp/text" 2>/dev/null
tries=0
until [ -s "$tmp/played" ] || [ $tries -ge 600 ]; do sleep 0.1; tries=$((tries + 1)); done
same "shown before the pipe has ended" "$(test -s "$tmp/played" && kill -0 $player && echo some)" some
exec 4>&-
wait $player
same "a pipe that ends in the middle of a block" "$? $(head -c "$(wc -c <"$tmp/played")" "$tmp/text" | cmp - "$tmp/played" 2>&1)" "0 "

# ---- the description is what is written: another reader, made from doc/RECORDING.md alone ----
if command -v python3 >/dev/null; then
	"$dtrace" -qO "record=$tmp/two" -x aggrate=20ms -n 'BEGIN { @once["k"] = sum(2); } tick-20ms { @c["k"] = count(); @q = quantize(5); @p[1] = percentiles(7); @a[stack(2)] = avg(3); i++; }
	    tick-20ms /i == 5/ { printa(@c); clear(@c); trunc(@once); stack(2); printf("%s %d", "text", i); } tick-20ms /i == 7/ { x = *(int *)8; } tick-20ms /i == 20/ { exit(3); }' >"$tmp/live" 2>"$tmp/err"
	same "every block is as described" "$(python3 test/tool/recording.py "$tmp/two" >"$tmp/blocks" && python3 - "$tmp/blocks" <<'P'
import json, sys
blocks = [json.loads(line) for line in open(sys.argv[1])]
of = lambda letter: [b for b in blocks if b['block'] == letter]
host, = of('H')
assert host['order'] == 1 and host['pointer'] == 8 and host['machine'] and host['release'] and host['boot'], host
assert blocks[0] is host and 'tick-20ms' in of('Q')[0]['source'] and of('X')[0]['status'] == 3
assert {g['function'] for g in of('G')} == {'count', 'sum', 'quantize', 'percentiles', 'avg'}
ids = {g['function']: g['id'] for g in of('G')}
counts = [e['numbers'][0] for v in of('V') if v['id'] == ids['count'] for e in v['changed']]
assert counts[0] >= 1 and 5 in counts, counts
assert [['k']] in [v['gone'] for v in of('V') if v['id'] == ids['sum']], 'a key that trunc() has removed'
bucket, = {i for v in of('V') if v['id'] == ids['quantize'] for e in v['changed'] for i in e['buckets']}
quantize = [g for g in of('G') if g['function'] == 'quantize'][0]
assert quantize['buckets'][int(bucket)] == [3, 4, 7]
part = [e for v in of('V') if v['id'] == ids['percentiles'] for e in v['changed']][-1]
assert dict(zip([g for g in of('G') if g['function'] == 'percentiles'][0]['numbers'], part['numbers']))['p50'] == 7
fired = [e['values'] for e in of('E') if 'text' in e['values']]
assert fired and fired[0].count(5) == 1 and any(isinstance(v, dict) and v['stack'] for v in fired[0]), fired
names = {(y['kind'], y['address']) for y in of('Y')}
assert all((0, pc) in names for v in fired[0] if isinstance(v, dict) for pc in v['stack'])
assert of('F') and 'invalid address' in of('F')[0]['message']
print('good')
P
)" good
fi

# ---- probes that are enabled while the trace runs (block B): a program that starts after the trace ----
cp "${BUILD:-build}/test/usdt_sites" "$tmp/late"
start -qZO "record=$tmp/more" -n 'BEGIN { printf("ready\n"); } usdtsites*:late::start { printf("%s:%s %d\n", probemod, probename, arg0 >= 0); exit(0); }'
"$tmp/late" 100000 20 >"$tmp/text" 2>&1 &
late=$!
waits ended $tracer
wait $tracer
same "a program that starts after the trace" "$? $(sed -n 2p "$tmp/out")" "0 late:start 1"
kill $late
wait $late 2>/dev/null
same "... its firing is played" "$("$dtrace" --play "$tmp/more" 2>&1)" "$(cat "$tmp/out")"
if command -v python3 >/dev/null; then
	same "... and its probes have a block" "$(python3 test/tool/recording.py "$tmp/more" | python3 -c '
import json, sys
blocks = [json.loads(line) for line in sys.stdin]
start, = [b for b in blocks if b["block"] == "S"]
more, = [b for b in blocks if b["block"] == "B"]
at = blocks.index(more)
fired = [i for i, b in enumerate(blocks) if b["block"] == "E" and b["probe"] in more["probes"]][0]
known = {id for c in start["clauses"] for id in c["probes"]}
assert blocks.index(start) < at < fired and start["time"] < more["time"] <= blocks[fired]["time"], (start, more, blocks[fired])
assert len(more["probes"]) == 1 and not known & set(more["probes"]), (start, more)
print("good")')" good
fi

# ---- files that are wrong ----
refused() {
	"$dtrace" --play "$1" >"$tmp/played" 2>"$tmp/played.err"
	same "$3" "$? $(grep -c "failed to play $1: .*$2" "$tmp/played.err")" "1 1"
}
refused "$tmp/none" "No such file" "a file that is not there"
refused "$dtrace" "it is no recording of -O record=FILE" "a file that is something else"
sed '1s/ 2$/ 1/' "$tmp/rec" >"$tmp/other"
refused "$tmp/other" "it was recorded by another version of dtrace (format 1, this one reads 2): play it with that version" "another version"
same "recording a recording" "$("$dtrace" --play "$tmp/rec" -O "record=$tmp/x" 2>&1 | grep -c 'copy the file')" 1
same "record wants a file" "$("$dtrace" -O record -n 'BEGIN { exit(0); }' 2>&1 | grep -c 'record=FILE')" 1
same "a file that cannot be written" "$("$dtrace" -O record=/nonexistent/x -n 'BEGIN { exit(0); }' 2>&1 | grep -c 'record=/nonexistent/x: No such file')" 1
if [ -c /dev/full ]; then
	"$dtrace" -qO record=/dev/full -n 'BEGIN { trace(1); exit(0); }' >"$tmp/live" 2>"$tmp/err"
	same "a full disk is told" "$? $(grep -c 'No space left' "$tmp/err")" "1 1"
fi
if command -v python3 >/dev/null; then
	same "damaged files end in a message or in output, never in a crash" "$(python3 - "$dtrace" "$tmp/rec" "$tmp/bad" <<'P'
import random, subprocess, sys
good = open(sys.argv[2], 'rb').read()
random.seed(13)
formats = ['text', 'json', 'csv', 'folded', 'trace-event', 'pprof', 'heatmap', 'openmetrics']
bad = set()
for i in range(24):
    data = bytearray(good)
    if i % 3 == 0:
        del data[random.randrange(19, len(data)):]
    for k in range(i % 3 * 2):
        data[random.randrange(19, len(data))] = random.choice([0, 1, 255, random.randrange(256)])
    open(sys.argv[3], 'wb').write(data)
    r = subprocess.run([sys.argv[1], '--play', sys.argv[3], '-O', formats[i % 8]], capture_output=True)
    if r.returncode not in (0, 1) or (r.returncode == 1 and b'failed to play' not in r.stderr):
        bad.add((i, r.returncode, r.stderr[-200:]))
print(bad or 'good')
P
)" good
fi
