# SPDX-License-Identifier: BSD-2-Clause
# Every example of the guide is run, and prints what the guide says, in shape (tools/guide says what that is; N 9.1).
. test/trigger/trace.sh
may_trace "the guide"
build=${BUILD:-build}

# What compares has to see what differs.
cat >"$tmp/bad.md" <<'END'
```console
# echo one 1; echo two 22
one 5
two 7
# echo 1 2; echo 3 4; echo end
9 9
end
# echo a; echo b; echo c
...
c
# echo some text here
some … here
# echo one
two
# echo one; echo two
one
# echo one
one
two
# echo silent
```
`dtrace -n 'BEGIN { nothing_of_this_name(); }'`
END
tools/guide "$build" "$tmp/bad.md" >"$tmp/out"
[ "$(grep -c '^ok - ' "$tmp/out")" -eq 4 ] && [ "$(grep -c '^not ok - ' "$tmp/out")" -eq 5 ]
check $? "what differs is seen, what is alike is not"

# two halves at a time
set -- doc/guide/[0-9]*.md
half=$(($# / 2)) first= n=0
for file in "$@"; do
	n=$((n + 1))
	[ $n -gt $half ] || { first="$first $file"; shift; }
done
tools/guide "$build" $first >"$tmp/first" 2>&1 &
tools/guide "$build" "$@"
wait
cat "$tmp/first"

# A chapter that nothing leads to, and a link that leads nowhere, would not be found.
missing=
for file in doc/guide/*.md; do
	name=${file##*/}
	[ "$name" = README.md ] || grep -q "]($name)" doc/guide/README.md || missing="$missing $name"
	for link in $(grep -o '](\([^)#]*\)' "$file" | cut -c3-); do
		[ -e "doc/guide/$link" ] || missing="$missing $name:$link"
	done
done
[ -z "$missing" ]
check $? "links of the guide lead somewhere$missing"
