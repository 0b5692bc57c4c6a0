# SPDX-License-Identifier: BSD-2-Clause
# -O record=FILE and --play: the text byte for byte, other formats as if they had been traced, and files that are damaged.
dtrace=${DTRACE:-build/dtrace}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
if [ "$(id -u)" -ne 0 ]; then
	echo "ok - recordings # SKIP tracing needs root"
	exit 0
fi
chmod 755 "$tmp"

# same NAME GOT WANT
same() {
	if [ "$2" = "$3" ]; then echo "ok - $1"; else echo "not ok - $1: $2, expected $3"; fi
}

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
	    -e 's/"CPU [0-9]*"/"CPU"/; s/^[0-9]\{6,\},[0-9]*,dtrace/T,C,dtrace/; s/^[0-9]\{6,\},/T,/; s/^at	[0-9]*/at/' "$1" | grep -av "\"type\":\"error\""
}
"$dtrace" -qO "record=$tmp/rec" -n "$program" >"$tmp/live" 2>"$tmp/err"
for format in json csv folded flame trace-event pprof heatmap openmetrics; do
	"$dtrace" -qO $format -n "$program" >"$tmp/live" 2>"$tmp/err"
	"$dtrace" --play "$tmp/rec" -qO $format >"$tmp/played" 2>"$tmp/played.err"
	settle "$tmp/live" >"$tmp/live.settled"
	settle "$tmp/played" >"$tmp/played.settled"
	same "-O $format of a recording" "$? $(wc -c <"$tmp/live.settled" | sed 's/^[1-9].*/some/') $(diff "$tmp/live.settled" "$tmp/played.settled" | head -n 4)" "0 some "
done
same "a recording as a flame graph beside an earlier one" "$("$dtrace" --play "$tmp/rec" -qO folded >"$tmp/folded" 2>"$tmp/err"; "$dtrace" --play "$tmp/rec" -O "flame=$tmp/folded" 2>"$tmp/err" | grep -c 'id="before"')" 1
echo "a text" >"$tmp/text"
"$dtrace" -qO "record=$tmp/cat" -n 'BEGIN { cat("'"$tmp/text"'"); exit(0); }' >"$tmp/live"
same "playing opens no file" "$(cat "$tmp/live" && rm "$tmp/text") $("$dtrace" --play "$tmp/cat" -O json | grep -c '"error":"No data available"')" "a text 1"
if command -v setpriv >/dev/null; then
	cp "$tmp/rec" "$tmp/public" && chmod 644 "$tmp/public" && cp "$dtrace" "$tmp/dtrace"
	same "anybody may play it" "$(setpriv --reuid 65534 --clear-groups --regid 65534 "$tmp/dtrace" --play "$tmp/public" -O folded 2>"$tmp/err")" "$(cat "$tmp/folded")"
fi

# ---- files that are wrong ----
refused() {
	"$dtrace" --play "$1" >"$tmp/played" 2>"$tmp/played.err"
	same "$3" "$? $(grep -c "failed to play $1: .*$2" "$tmp/played.err")" "1 1"
}
refused "$tmp/none" "No such file" "a file that is not there"
refused "$dtrace" "it is no recording of -O record=FILE" "a file that is something else"
sed '1s/ 1$/ 9/' "$tmp/rec" >"$tmp/other"
refused "$tmp/other" "it was recorded by another version" "another version"
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
