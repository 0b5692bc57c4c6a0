# SPDX-License-Identifier: BSD-2-Clause
# Syntax files for editors (N 9.13): they have every word of D, and vim colours a script as it should.
. test/cli/helpers.inc
vim=editor/vim/syntax/dtrace.vim code=editor/vscode/syntaxes/dtrace.tmLanguage.json

tools/editor-files "$(dirname "$dtrace")" "$tmp/editor" >"$tmp/log" 2>&1 &&
    cmp "$vim" "$tmp/$vim" >>"$tmp/log" 2>&1 && cmp "$code" "$tmp/$code" >>"$tmp/log" 2>&1
check $? "both are what tools/editor-files makes now"

# the rows themselves, whatever --list says of them
{
	sed -n 's/^X(\([a-z_0-9]*\),.*/\1/p' src/dif/subrs.def src/dif/vars.def src/handle/options.def
	sed -n 's/^X([A-Z]*, 0x[0-9a-f]*, \([a-z]*\),.*/\1/p' src/dif/aggs.def
	tr ',' '\n' <src/syntax/keyword.c | sed -n 's/.*K("\([A-Za-z_]*\)".*/\1/p'
	printf '%s\n' trace printf printa exit stack ustack clear trunc normalize setopt
} | sort -u >"$tmp/words"
for file in $vim $code; do
	tr -c 'A-Za-z0-9_\n' '\n' <$file | sed 's/^b\(.*\)/\1\nb\1/' | sort -u >"$tmp/has"
	comm -23 "$tmp/words" "$tmp/has" >"$tmp/log"
	[ "$(wc -l <"$tmp/words")" -gt 200 ] && [ ! -s "$tmp/log" ]
	check $? "$file: no word is missing"
done
if command -v python3 >/dev/null; then
	for file in $code editor/vscode/package.json editor/vscode/language-configuration.json; do
		python3 -m json.tool $file >"$tmp/log" 2>&1
		check $? "$file is JSON"
	done
	# each expression, as close as another engine comes to that of the editor
	python3 - $code >"$tmp/log" 2>&1 <<'END'
import json, re, sys
def walk(node):
    for key, value in node.items():
        if key in ("match", "begin", "end"):
            re.compile(value.replace(r"(?<=\.|->)", r"(?:(?<=\.)|(?<=->))"))
        for one in value if isinstance(value, list) else []:
            walk(one)
grammar = json.load(open(sys.argv[1]))
walk(grammar)
def first(text):
    for p in grammar["patterns"]:
        m = re.search(p.get("match", r"(?!)").replace(r"(?<=\.|->)", r"(?:(?<=\.)|(?<=->))"), text)
        if m and m.group(0) == text:
            return p["name"]
assert first("syscall::read:entry") == "entity.name.tag.probe.dtrace", first("syscall::read:entry")
assert first("copyinstr") == "support.function.dtrace"
assert first("quantize") == "support.function.aggregating.dtrace"
assert first("execname") == "support.variable.dtrace"
assert first("translator") == "keyword.control.dtrace"
END
	check $? "its expressions find what they should"
else
	echo "ok - the grammar of VS Code # SKIP no python3"
fi

if ! command -v vim >/dev/null || ! vim --version 2>/dev/null | grep -q '+syntax'; then
	echo "ok - vim # SKIP no vim with syntax"
	exit 0
fi
cat >"$tmp/script.d" <<'END'
#!/usr/sbin/dtrace -s
#pragma D option quiet
syscall::read:entry, BEGIN
/pid == $target && execname == "x"/
{
self->t = timestamp;
@a[`jiffies] = quantize(arg2);
printf("%d\n", strlen(s));
}
END
cat >"$tmp/look.vim" <<END
set rtp^=$PWD/editor/vim
syntax on
filetype plugin indent on
edit $tmp/script.d
let out = ['type ' . &ft, 'cindent ' . &cindent]
for l in range(1, line('\$'))
  for c in range(1, len(getline(l)))
    call add(out, l . ',' . c . ' ' . synIDattr(synID(l, c, 1), 'name'))
  endfor
endfor
call writefile(out, '$tmp/groups')
qa!
END
vim -N -u NONE -i NONE -es -S "$tmp/look.vim" </dev/null >"$tmp/log" 2>&1
cp "$tmp/groups" "$tmp/log"
missing=
for want in 'type dtrace' 'cindent 1' '1,1 dtraceComment' '2,18 dtraceOption' '3,1 dtraceProbe' '4,2 dtraceVariable' '4,9 dtraceMacro' \
    '4,32 dtraceString' '6,1 dtraceKeyword' '6,7 dtraceMember' '6,11 dtraceVariable' '7,1 dtraceAggregation' '7,4 dtraceSymbol' \
    '7,17 dtraceAggregating' '7,26 dtraceVariable' '8,1 dtraceAction' '8,9 dtraceConversion' '8,11 dtraceEscape' '8,16 dtraceFunction'; do
	grep -qx "$want" "$tmp/groups" || missing="$missing ($want)"
done
[ -z "$missing" ]
check $? "vim shows what each word is$missing"
