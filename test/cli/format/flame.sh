# SPDX-License-Identifier: BSD-2-Clause
# -O flame: a page that holds the folded stacks, whatever the names in them; its policy; an earlier file; and what a
# browser makes of it.
. test/cli/helpers.inc
if [ "$(id -u)" -ne 0 ]; then
	echo "ok - flame graphs # SKIP tracing needs root"
	exit 0
fi

if ! "$dtrace" -qO flame -n 'BEGIN { exit(0); }' >/dev/null 2>"$tmp/err" && grep -q 'this build has no pages' "$tmp/err"; then
	echo "ok - without its page dtrace says so"
	echo "ok - flame graphs # SKIP the pages are not built"
	exit 0
fi

program='BEGIN { s = "</script><script>alert(1)</script>%3C&\"<!--"; @[s, stack(1)] = sum(30); @["b", stack(1)] = sum(10); exit(0); }'
"$dtrace" -qO folded -o "$tmp/folded" -n "$program" || echo "not ok - a folded file"
"$dtrace" -qO flame -o "$tmp/page" -n "$program" || echo "not ok - a page"
"$dtrace" -qO flame -o "$tmp/page" -n "$program"
same "a page is written anew" "$(grep -c '<!DOCTYPE html>' "$tmp/page")" 1
for old in folded page; do
	"$dtrace" -qO "flame=$tmp/$old" -n 'BEGIN { @["b", stack(1)] = sum(10); exit(0); }' >"$tmp/diff.$old" || echo "not ok - $old as the earlier file"
done
for old in folded page; do sed -i '/^took	\|^wall	/d' "$tmp/diff.$old"; done
same "the earlier file may be either" "$(cmp "$tmp/diff.folded" "$tmp/diff.page" 2>&1 | wc -l) $(grep -c 'id="before"' "$tmp/diff.page")" "0 1"

# refused WHAT FILE REASON
refused() {
	"$dtrace" -qO "flame=$2" -n 'BEGIN { exit(0); }' >"$tmp/out" 2>"$tmp/err"
	same "$1" "$? $(wc -c <"$tmp/out") $(grep -c "flame=$2: .*$3" "$tmp/err")" "1 0 1"
}
refused "an earlier file that is not there" "$tmp/none" "No such file"
refused "one that is something else" "$dtrace" "neither a file of -O folded nor one of -O flame"
mkfifo "$tmp/fifo"
refused "one that is no file" "$tmp/fifo" "argument"
same "an argument that is empty" "$("$dtrace" -O flame= -n 'BEGIN { exit(0); }' 2>&1 | grep -c 'flame\[=FILE\]')" 1

if command -v python3 >/dev/null; then
	same "style and script are those of the policy, and the data are no tags" "$(python3 - "$tmp/page" "$tmp/folded" <<'P'
import base64, hashlib, html.parser, re, sys
page, folded = open(sys.argv[1], encoding='utf-8').read(), open(sys.argv[2], encoding='utf-8').read()
policy = re.search(r'content="(default-src[^"]*)"', page).group(1)
class Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(); self.open = None; self.blocks = []
    def handle_starttag(self, tag, attrs):
        if tag in ('script', 'style'):
            self.open = (tag, dict(attrs)); self.text = ''
    def handle_data(self, data):
        if self.open:
            self.text += data
    def handle_endtag(self, tag):
        if self.open and tag == self.open[0]:
            self.blocks.append((*self.open, self.text)); self.open = None
reader = Reader(); reader.feed(page)
kinds = [(tag, attrs.get('id')) for tag, attrs, text in reader.blocks]
good = all("'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'" in policy
    for tag, attrs, text in reader.blocks if 'type' not in attrs)
data = [text for tag, attrs, text in reader.blocks if attrs.get('id') == 'now'][0]
print(kinds, good, 'unsafe' in policy, data.replace('%3C', '<').replace('%25', '%') == '\n' + folded)
P
)" "[('style', None), ('script', 'about'), ('script', 'now'), ('script', None)] True False True"
else
	echo "ok - the policy # SKIP no python3"
fi

# What is above the picture: the machine, when, how long, and the program, of a recording too.
about() { sed -n '/id="about"/,/<\/script>/p' "$1" | sed -n 's/^took	[1-9][0-9]*$/took/p; s/^wall	[1-9][0-9]\{18\}$/wall/p; /^host	/p; /^BEGIN/p' | tr '\n' ' '; }
"$dtrace" -qO "record=$tmp/rec" -n 'BEGIN { @["b", stack(1)] = sum(10); exit(0); }' >/dev/null
"$dtrace" --play "$tmp/rec" -qO flame -o "$tmp/played"
"$dtrace" -qO heatmap -o "$tmp/heat" -n 'BEGIN { @ = quantize(10); exit(0); }'
same "it says what it is of" "$(about "$tmp/page" | sed 's/BEGIN.*/program/')" "took host	$(uname -n) wall program"
same "so does that of a recording" "$(about "$tmp/played")" "took host	$(uname -n) wall BEGIN { @[\"b\", stack(1)] = sum(10); exit(0); } "
same "so does a heat map" "$(about "$tmp/heat")" "host	$(uname -n) wall BEGIN { @ = quantize(10); exit(0); } "

cp "$tmp/diff.page" "$tmp/diff.html"
if command -v chromium >/dev/null; then
	dom "$tmp/diff.html" 'class="note"[^>]*>[^<]'
	same "Chromium runs the script and nothing else" "$(sed -n 's/.*class="note"[^>]*>\([^<]*\)<.*/\1/p' "$tmp/dom") $(grep -c alert "$tmp/dom")" \
	    "all: 10 (100 % of 10); 40 in the earlier file, 10 in this one: ▲ +0.0 points 1"
else
	echo "ok - Chromium runs the script # SKIP no chromium"
fi
