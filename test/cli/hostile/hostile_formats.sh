# SPDX-License-Identifier: BSD-2-Clause
# Names that others have chosen, in every format (issue 13, "names escaped"): of a process and its file, of a function in a
# perf map, of a static probe, and strings of a program, with quotes, separators, tags, control characters and bytes that
# are no UTF-8. Each format is read by a reader of its own kind, and there a name is data: nothing more comes of it, and
# nothing is lost but what the format's page says (doc/FORMATS.md). hostile_names.sh has the terminal.
build=${BUILD:-build}
. test/cli/helpers.inc
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -f $maps; rm -rf "$tmp"' EXIT
maps=
if [ "$(id -u)" -ne 0 ] || ! command -v python3 >/dev/null; then
	echo "ok - names in every format # SKIP tracing needs root, the test needs python3"
	exit 0
fi


# The file's name is the process's too, which has 15 bytes; that of the function ends with the line.
file=$(printf 'f";<b>,\n\033[2J\377=')
long=$(head -c 300 /dev/zero | tr '\0' 'x')
function=$(printf 'g"\\;<script>document.title="pwned"</script></pre>,{}=1\033[2J\302\233\377\342\200\250%s' "$long")
cp "$build/test/ustack_jit" "$tmp/$file" && chmod 755 "$tmp" "$tmp/$file" || exit 2
cat >"$tmp/names.d" <<'D'
syscall::getppid:entry
/pid == $target/
{
	self->s = "h\"\\;<script>document.title=\"pwned\"</script>,\n# EOF\n\r\033[2J\377\t=1";
	trace(pid); trace(tid); trace(execname); trace(self->s); ustack();
	@stacks[execname, self->s, ustack()] = count();
	@times[execname, self->s] = quantize(100);
	@sums[self->s, execname] = sum(7);
}
syscall::getppid:return
/pid == $target/
{
	trace(pid); trace(tid); trace(execname); trace(self->s);
}
D
# What each record of -O record holds is what any format would have been told: one trace, played in all of them.
"$dtrace" -qO "record=$tmp/rec" -x strsize=1k -s "$tmp/names.d" -c "'$tmp/$file' '$function'" >"$tmp/text" 2>"$tmp/err"
same "a trace of names" "$? $(cat "$tmp/err")" "0 "
maps=$(find /tmp -maxdepth 1 -name 'perf-*.map' -newer "$tmp/names.d" -user 0 -exec grep -laF 'g"\;<script>document' {} + 2>/dev/null)
for format in json csv folded flame trace-event pprof heatmap openmetrics; do
	"$dtrace" --play "$tmp/rec" -qO $format >"$tmp/$format" 2>"$tmp/err" || echo "not ok - $format: $(cat "$tmp/err")"
done
# And one of them traced, not played.
"$dtrace" -qO json -x strsize=1k -s "$tmp/names.d" -c "'$tmp/$file' '$function'" >"$tmp/json.live" 2>"$tmp/err"
maps="$maps $(find /tmp -maxdepth 1 -name 'perf-*.map' -newer "$tmp/rec" -user 0 -exec grep -laF 'g"\;<script>document' {} + 2>/dev/null)"

cat >"$tmp/read.py" <<'P'
import csv, html.parser, io, json, re, sys
what, path = sys.argv[1], sys.argv[2]
data = open(path, 'rb').read()
text = data.decode('utf-8')				# all of them promise it
name, string = 'f";<b>,\n\x1b[2J\ufffd=', 'h"\\;<script>document.title="pwned"</script>,\n# EOF\n\r\x1b[2J\ufffd\t=1'
function = re.compile(r'g"\\[;:]<script>document\.title="pwned"</script></pre>,\{\}=1')
control = re.compile('[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028]')
def values(x):
    if isinstance(x, dict): return [v for y in x.values() for v in values(y)]
    return [v for y in x for v in values(y)] if isinstance(x, list) else [x]
class Page(html.parser.HTMLParser):
    tags = []
    def handle_starttag(self, tag, attrs): self.tags = self.tags + [tag]
if what == 'json':
    lines = [json.loads(l) for l in text.split('\n')[:-1]]
    kinds = {l['type'] for l in lines}
    assert kinds <= {'start', 'probe', 'aggregation', 'exit'}, kinds
    all = [v for l in lines for v in values(l) if isinstance(v, str)]
    assert name in all and string in all and any(function.search(v) for v in all), all
elif what == 'csv':
    rows = list(csv.reader(io.StringIO(text, newline=''), strict=True))
    cells = [c for r in rows for c in r]
    assert name in cells and string in cells and any(function.search(c) for c in cells), cells
    width = 0
    for r in rows:					# an empty line parts tables; all rows of one are as wide
        assert not r or not width or len(r) == width, r
        width = len(r)
elif what == 'folded':
    lines = text.split('\n')[:-1]
    assert lines and all(re.fullmatch(r'[^;\n]+(;[^;\n]+)* \d+', l) for l in lines), lines
    assert not control.search(text) and any(function.search(l) for l in lines) and any('h"\\:<script>' in l for l in lines), lines
elif what == 'trace-event':
    events = json.loads(text)
    assert {e['ph'] for e in events} <= {'X', 'i', 'M', 'C', 'B'}
    all = values(events)
    assert name in all and string in all, all
elif what in ('flame', 'heatmap'):
    page = Page()
    page.feed(text)
    assert 'b' not in page.tags and page.tags.count('script') == text.count('<script') and '<script>document' not in text, page.tags
    assert 'pwned' in text
elif what == 'openmetrics':
    assert text.count('\n# EOF\n') == 1 and text.endswith('\n# EOF\n')
    label = r'[a-z_][a-z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
    for line in text.split('\n')[:-1]:
        assert line.startswith('# ') or re.fullmatch(r'dtrace_\w+(\{%s(,%s)*\})? -?[0-9.e+]+' % (label, label), line), line
    unescape = lambda s: re.sub(r'\\(.)', lambda m: '\n' if m.group(1) == 'n' else m.group(1), s)
    labels = [unescape(v) for v in re.findall(r'"((?:[^"\\\n]|\\.)*)"', text)]
    assert name in labels and string in labels and any(function.search(v) for v in labels), labels
print('data')
P
for format in json csv folded trace-event flame heatmap openmetrics; do
	same "$format" "$(python3 "$tmp/read.py" $format "$tmp/$format" 2>&1 | tail -n 1)" data
done
same "json of a trace" "$(python3 "$tmp/read.py" json "$tmp/json.live" 2>&1 | tail -n 1)" data

# ---- readers of others
if command -v promtool >/dev/null; then
	promtool check metrics <"$tmp/openmetrics" >"$tmp/tool" 2>&1
	case $? in
	0 | 3) echo "ok - promtool reads openmetrics" ;;
	*) echo "not ok - promtool reads openmetrics: $(cat "$tmp/tool")" ;;
	esac
else
	echo "ok - promtool reads openmetrics # SKIP no promtool"
fi
if command -v go >/dev/null && go tool pprof -h 2>&1 | grep -q sample_index; then
	HOME=$tmp go tool pprof -traces "$tmp/pprof" >"$tmp/tool" 2>&1
	same "go tool pprof reads pprof" "$? $(grep -c 'g"\\:<script>document.title="pwned"</script></pre>,{}=1' "$tmp/tool" | sed 's/^[1-9].*/some/')" "0 some"
else
	echo "ok - go tool pprof reads pprof # SKIP no go tool pprof"
fi
if command -v chromium >/dev/null; then
	for page in flame heatmap; do
		cp "$tmp/$page" "$tmp/$page.html"
		dom "$tmp/$page.html" pwned
		same "Chromium shows $page, and runs no name" "$(grep -c '<title>pwned' "$tmp/dom") $(grep -c 'pwned' "$tmp/dom" | sed 's/^[1-9].*/some/')" "0 some"
	done
else
	echo "ok - Chromium runs no name # SKIP no chromium"
fi

# ---- the live page: what the server says is lines of JSON without a single <, and the page shows them as text
if [ -x "${dtrace%/*}/dtrace-web" ] && command -v curl >/dev/null; then
	: >"$tmp/url"
	"$dtrace" -O web -x strsize=1k -s "$tmp/names.d" -c "'$tmp/$file' '$function'" >"$tmp/url" 2>"$tmp/err" &
	server=$!
	until [ -s "$tmp/url" ] || ! kill -0 $server 2>/dev/null; do sleep 0.05; done
	url=$(cat "$tmp/url")
	: >"$tmp/events"
	curl -sN --max-time 60 "${url%%/\?*}/events?token=${url#*token=}" >"$tmp/events" &
	reader=$!
	until grep -q '"t":"ended"' "$tmp/events" || ! kill -0 $reader 2>/dev/null; do sleep 0.05; done
	curl -s --max-time 60 "${url%%/\?*}/stream?token=${url#*token=}" >"$tmp/stream"
	curl -s "$url" >"$tmp/page"
	kill $reader $server 2>/dev/null
	wait $reader $server 2>/dev/null
	server=
	maps="$maps $(find /tmp -maxdepth 1 -name 'perf-*.map' -newer "$tmp/json.live" -user 0 -exec grep -laF 'g"\;<script>document' {} + 2>/dev/null)"
	same "web" "$(python3 - "$tmp/events" "$tmp/page" "$tmp/saved.html" "$tmp/stream" <<'P' 2>&1 | tail -n 1
import base64, json, sys
text = open(sys.argv[1], 'rb').read().decode('utf-8')
assert '<' not in text and not any(ord(c) < 32 and c != '\n' for c in text), text
lines = [l[6:] for l in text.split('\n') if l.startswith('data: ')]
for l in lines: json.loads(l)
stream = open(sys.argv[4], 'rb').read()
assert b'f";<b>,\n\x1b[2J' in stream and b'h"\\;<script>' in stream and b'g"\\;<script>document' in stream, stream
# as the page saves itself: save.ts
page = open(sys.argv[2], encoding='utf-8').read()
saved = '<script type="text/plain" id="control">%s</script>\n' % '\n'.join(l for l in lines if '"reset"' not in l) + \
    '<script type="text/plain" id="recording">%s</script>\n' % base64.b64encode(stream).decode()
at = page.index('<script>')
open(sys.argv[3], 'w', encoding='utf-8').write(page[:at] + saved + page[at:])
print('data')
P
)" data
	if command -v chromium >/dev/null; then
		dom "$tmp/saved.html" '&lt;script&gt;document'
		same "Chromium shows the saved page, and runs no name" "$(grep -c '<title>pwned' "$tmp/dom") $(grep -c '^[^{]*h"\\;&lt;script&gt;document' "$tmp/dom" | sed 's/^[1-9].*/some/')" "0 some"
	fi
else
	echo "ok - web # SKIP dtrace-web is not built, or no curl"
fi
