#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# doc/BUILTINS.md is what the rows of src/builtin say, and says something about each of them.
: "${BUILD:=build}"
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
check() { if [ "$1" -eq 0 ]; then echo "ok - $2"; else echo "not ok - $2"; fi; }

tools/builtins-doc "$BUILD" >"$tmp/doc"
check $? "tools/builtins-doc runs"
diff doc/BUILTINS.md "$tmp/doc" >"$tmp/diff"
check $? "doc/BUILTINS.md is what tools/builtins-doc makes: $(grep -c '^[<>]' "$tmp/diff") lines differ"
empty=$(grep '| *|$' "$tmp/doc" | cut -d'|' -f2)
[ -z "$empty" ]
check $? "each has a line of documentation${empty:+: }$(echo $empty)"
for list in vars subrs; do
	for name in $(sed -n 's/^X(\([a-z_0-9]*\),.*/\1/p' src/dif/$list.def); do
		grep -q "[ *\`]$name[(\`[]" "$tmp/doc" || echo "$name"
	done >"$tmp/missing"
	[ ! -s "$tmp/missing" ]
	check $? "all of dif/$list.def are in it$(tr '\n' ' ' <"$tmp/missing")"
done
