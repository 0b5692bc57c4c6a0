# SPDX-License-Identifier: BSD-2-Clause
# The reference pages (N 4, N 9.1) are what the rows and dlib/ say, say something about each thing, and no page of the manual has a fault.
: "${BUILD:=build}"
. test/cli/helpers.inc

tools/manual -c "$BUILD" >"$tmp/stale"
check $? "the reference is what tools/manual makes: $(tr '\n' ' ' <"$tmp/stale")"
for page in options providers d; do
	empty=$(sed -n 's/^| \(`.*`\) | *|$/\1/p' "doc/guide/reference-$page.md" | tr '\n' ' ')
	[ -z "$empty" ]
	check $? "each row of reference-$page.md has a text${empty:+: $empty}"
done
for list in vars subrs; do
	for name in $(sed -n 's/^X(\([a-z_0-9]*\),.*/\1/p' src/dif/$list.def); do
		grep -q "[ *\`]$name[(\`[]" doc/guide/reference-d.md || echo "$name"
	done >"$tmp/missing"
	[ ! -s "$tmp/missing" ]
	check $? "all of dif/$list.def are in d(7) $(tr '\n' ' ' <"$tmp/missing")"
done
# The libraries again, read another way: members of public structs, and probes.
sed -n '/^typedef struct/,/^}/s/^	.*[ *]\([a-z_0-9]*\)\(\[.*\)\{0,1\};.*/\1/p' dlib/*.d | sort -u >"$tmp/names"
sed -n 's/^	probe \([A-Za-z_0-9]*\)(.*/\1/p' dlib/*.d | sed 's/__/-/g' | sort -u >>"$tmp/names"
missing=
for name in $(cat "$tmp/names"); do
	grep -q "\(fB\|[^A-Za-z_]\)$(echo "$name" | sed 's/-/\\\\-/g')[^A-Za-z_]" man/dtrace-providers.7 || missing="$missing $name"
done
[ "$(grep -c . "$tmp/names")" -gt 300 ] && [ -z "$missing" ]
check $? "all $(grep -c . "$tmp/names") members and probes of dlib/ are in dtrace-providers(7)$missing"
for name in $("$BUILD/dtrace" --list providers | sed -n 's/^\([a-z_]*[0-9]*\).*/\1/p'); do
	grep -q "^\.SS $name\$" man/dtrace-providers.7 || echo "$name"
done >"$tmp/missing"
[ ! -s "$tmp/missing" ]
check $? "each provider has a part of dtrace-providers(7) $(tr '\n' ' ' <"$tmp/missing")"

if ! command -v groff >/dev/null; then
	echo "ok - no page has a fault # SKIP no groff"
	exit 0
fi
tools/tool-man "$tmp" $(find dtools -maxdepth 1 -type f -perm -100)
for page in man/*.[1-8] "$tmp"/*.8; do
	groff -ww -z -man -Tutf8 -Kutf8 "$page" >"$tmp/log" 2>&1
	[ ! -s "$tmp/log" ] || { echo "not ok - ${page##*/}: $(head -n 2 "$tmp/log")"; bad=1; }
done
[ -z "$bad" ]
check $? "no page has a fault: $(ls man/*.[1-8] "$tmp"/*.8 | grep -c .) pages"
