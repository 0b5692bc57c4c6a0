# SPDX-License-Identifier: BSD-2-Clause
# Recordings that a stranger made, played by root (issue 13): names in them are data in every format, a terminal gets no
# control characters, what is no file is refused. And recordings that are cut off while they are made: by a signal, a
# limit, a full disk. record.sh has those that are right.
. test/cli/helpers.inc
tracer=
trap 'kill $tracer 2>/dev/null; rm -rf "$tmp"' EXIT
if [ "$(id -u)" -ne 0 ]; then
	echo "ok - recordings of strangers # SKIP tracing needs root"
	exit 0
fi


# ---- what is no file of records: an answer at once, whatever it is
mkfifo "$tmp/fifo"
mkdir "$tmp/folder"
ln -s "$tmp/loop" "$tmp/loop"
: >"$tmp/empty"
n=0
for file in "$tmp/fifo" "$tmp/folder" "$tmp/loop" "$tmp/empty" /dev/zero /dev/null /proc/self/mem; do
	timeout 60 "$dtrace" --play "$file" >"$tmp/out" 2>"$tmp/err"
	[ "$? $(wc -c <"$tmp/out") $(grep -c "^dtrace: failed to play $file: " "$tmp/err")" = "1 0 1" ] && n=$((n + 1)) || cat "$tmp/err"
done
same "a FIFO, a folder, a loop, devices" $n 7

# ---- cut off while it is made: what was shown is in it
: >"$tmp/live"
"$dtrace" -qO "record=$tmp/killed" -n 'tick-20ms { printf("tick %d\n", i++); @ = quantize(i); }' >"$tmp/live" &
tracer=$!
until [ "$(wc -l <"$tmp/live")" -ge 5 ] || ! kill -0 $tracer 2>/dev/null; do sleep 0.05; done
kill -KILL $tracer
wait $tracer 2>/dev/null
tracer=
"$dtrace" --play "$tmp/killed" >"$tmp/out" 2>"$tmp/err"
same "killed in the middle" "$? $(head -n 5 "$tmp/live" | diff - "$tmp/out" | grep -c '^<') $(cat "$tmp/err")" "0 0 "
same "as JSON too" "$("$dtrace" --play "$tmp/killed" -O json | grep -c '"text":"tick [0-4]\\n"')" 5
(
	ulimit -f 16
	exec "$dtrace" -qO "record=$tmp/limited" -x switchrate=10ms -n 'tick-5ms { printf("%200s %d\n", "x", i++); }'
) >/dev/null 2>"$tmp/err"
same "a limit of the size is told" "$? $(grep -c 'File too large' "$tmp/err")" "1 1"
"$dtrace" --play "$tmp/limited" >"$tmp/out" 2>"$tmp/err"
same "and what came before it is there" "$? $(head -n 1 "$tmp/out" | tr -d ' ') $(cat "$tmp/err")" "0 x0 "

# ---- links that others have laid
if command -v setpriv >/dev/null; then
	mkdir -m 1777 "$tmp/public"
	chmod 755 "$tmp"
	echo precious >"$tmp/victim"
	setpriv --reuid 65534 --regid 65534 --clear-groups ln -s "$tmp/victim" "$tmp/public/trace"
	"$dtrace" -qO "record=$tmp/public/trace" -n 'BEGIN { exit(0); }' >"$tmp/out" 2>"$tmp/err"
	same "a link of a stranger is not followed" "$? $(cat "$tmp/victim") $(grep -c 'Permission denied' "$tmp/err")" "1 precious 1"
fi

# ---- names that are made to be something else
if ! command -v python3 >/dev/null; then
	echo "ok - names of strangers # SKIP no python3"
	exit 0
fi
"$dtrace" -qO "record=$tmp/rec" -n 'BEGIN { trace("x"); stack(2); @a["s", 2] = count(); @h[stack(1)] = quantize(70); printa(@a); } BEGIN { trace(*(int *)8); }
    BEGIN { exit(0); }' >/dev/null 2>&1
cat >"$tmp/forge.py" <<'P'
import struct, sys
evil = b'evil\x1b]0;pwn\x07\x9b31m\xc2\x9b"\r\n# EOF\n;,<script>alert(1)</script>\xff\xe2\x80\xa8\xe2\x80\xae'
text = lambda s: struct.pack('<I', len(s)) + s
def length(b, at): return struct.unpack_from('<I', b, at)[0]
good = open(sys.argv[1], 'rb').read()
out, at = good[:19], 19
while at + 5 <= len(good):
    letter, n = good[at:at + 1], length(good, at + 1)
    b, at = good[at + 5:at + 5 + n], at + 5 + n
    if letter == b'Y': b = b[:16] + text(evil)
    elif letter == b'N': b = b[:4] + text(evil) * 4
    elif letter == b'G': b = b[:8] + text(evil) + b[12 + length(b, 8):]
    elif letter == b'F': b = b[:44] + text(evil + b'\n')
    elif letter == b'T': b = b[:4] + evil + b'\n'
    out += letter + struct.pack('<I', len(b)) + b
open(sys.argv[2], 'wb').write(out)
P
python3 "$tmp/forge.py" "$tmp/rec" "$tmp/evil"
cat >"$tmp/read.py" <<'P'
import csv, html.parser, io, json, re, subprocess, sys
def play(format, file=sys.argv[2]):
    r = subprocess.run([sys.argv[1], '--play', file, '-qO', format], capture_output=True)
    said = r.stderr.decode('utf-8').rstrip('\n')
    assert r.returncode == 0 and not re.search('[\x00-\x1f\x7f-\x9f\u2028\u202e]', said.replace('\n', ' ')), (format, r.returncode, said)
    return r.stdout.decode('utf-8')
control = re.compile('[\x00-\x1f\x7f-\x9f\u2028\u202e]')
def clean(x):
    if isinstance(x, dict): return all(clean(k) and clean(v) for k, v in x.items())
    if isinstance(x, list): return all(map(clean, x))
    return not isinstance(x, str) or not control.search(x.replace('\n', ''))
lines = [json.loads(line) for line in play('json').splitlines()]
assert all(map(clean, lines)) and any(e.get('provider', '').startswith('evil') for e in lines)
events = json.loads(play('trace-event'))
assert clean(events) and any('evil' in e['name'] for e in events)
rows = list(csv.reader(io.StringIO(play('csv'), newline=''), strict=True))
assert rows[0][:2] == ['time', 'cpu'] and rows[1][2].startswith('evil') and not any(control.search(c) for r in rows for c in r)
folded = play('folded').splitlines()
assert folded and all(re.fullmatch(r'[^;\x00-\x1f]+(;[^;\x00-\x1f]+)* \d+', line) for line in folded), folded
metrics = play('openmetrics')
assert metrics.count('# EOF\n') == 1 and metrics.endswith('# EOF\n') and all(line.startswith('# ') or re.match('dtrace_[a-z]', line) for line in metrics.splitlines())
class Page(html.parser.HTMLParser):
    def __init__(self): super().__init__(); self.scripts = 0
    def handle_starttag(self, tag, attrs): self.scripts += tag == 'script'
for format in ('flame', 'heatmap'):
    scripts = []
    for file in sys.argv[2:4]:
        page = Page()
        page.feed(play(format, file))
        scripts.append(page.scripts)
    assert scripts[0] == scripts[1] > 0, (format, scripts)
print('good')
P
same "names of strangers are data" "$(python3 "$tmp/read.py" "$dtrace" "$tmp/evil" "$tmp/rec" 2>&1 | tail -n 1)" good
if command -v script >/dev/null; then
	script -qec "'$dtrace' --play '$tmp/evil'" /dev/null </dev/null >"$tmp/out" 2>"$tmp/err"
	same "a terminal gets no control characters of a stranger" "$(grep -c evil "$tmp/out" | sed 's/^[1-9].*/some/') $(LC_ALL=C tr -d '\r\n\t -~\200-\377' <"$tmp/out" | wc -c) $(LC_ALL=C grep -c "$(printf '\302\233')" "$tmp/out")" "some 0 0"
else
	echo "ok - a terminal gets no control characters of a stranger # SKIP no script(1)"
fi
"$dtrace" --play "$tmp/evil" 2>/dev/null | grep -q "$(printf '\033')" && echo "ok - a file gets them as they are" || echo "not ok - a file gets them as they are"
