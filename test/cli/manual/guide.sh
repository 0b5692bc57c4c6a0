# SPDX-License-Identifier: BSD-2-Clause
# Every example of the guide is run, and prints what the guide says, in shape (tools/guide says what that is; N 9.1), in
# C, C.UTF-8 and de_DE.UTF-8, and shows something (P5); so do the examples of README.md (P11).
. test/cli/helpers.inc
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
# echo $LC_ALL
C.UTF-8
```
```console any
# echo anything
# echo "dtrace: description 'BEGIN ' matched 1 probe"
# echo something; false
```
`dtrace -n 'BEGIN { nothing_of_this_name(); }'`
`dtrace -qn 'syscall::write:entry /pid == $target/ { trace(1); }' -c 'echo hello'`
`dtrace -qn 'syscall::fork_is_not_called:entry /pid == $target/ { trace(1); }' -Z -c 'echo hello'`
END
LC_ALL=C.UTF-8 tools/guide "$build" "$tmp/bad.md" >"$tmp/out"
[ "$(grep -c '^ok - ' "$tmp/out")" -eq 7 ] && [ "$(grep -c '^not ok - ' "$tmp/out")" -eq 8 ]
check $? "what differs is seen, what is alike is not"

# in_locale NAME [VARIABLE=VALUE]…: all of it in that locale; what each result is about begins with the name
in_locale() {
	name=$1
	shift
	env "$@" LC_ALL="$name" tools/guide "$build" README.md doc/guide/[0-9]*.md 2>&1 | sed "s/^\(ok\|not ok\) - /&$name: /"
}

# P5: a user's locale makes programs open other files, allocate other memory and print other messages. One locale is
# enough for the other builds: which compiler made dtrace does not matter for that.
case $build in
*asan*|*clang*) in_locale C.UTF-8 ;;
*)
	in_locale C >"$tmp/plain" &
	in_locale C.UTF-8 >"$tmp/utf8" &
	if ! command -v localedef >/dev/null; then
		echo "ok - the guide in de_DE.UTF-8 # SKIP no localedef"
	elif ! localedef -i de_DE -f UTF-8 "$tmp/de_DE.UTF-8" >"$tmp/log" 2>&1; then
		echo "ok - the guide in de_DE.UTF-8 # SKIP $(tail -n 1 "$tmp/log")"
	else
		in_locale de_DE.UTF-8 LOCPATH="$tmp"
	fi
	wait
	cat "$tmp/plain" "$tmp/utf8" ;;
esac

# P11: what README.md has to type for an installation. The packages are built and installed by deb.sh, static.sh and install.sh.
missing=
for target in $(sed -n 's/^make \([a-z]*\).*/\1/p' README.md); do
	grep -q "^$target:" Makefile || missing="$missing $target"
done
for package in $(sed -n '/^Build-Depends:/,/^[A-Z][a-z-]*:/p' package/debian/control | tr ',' '\n' |
    sed -n 's/^\(Build-Depends:\)* *\([a-z][a-z0-9.+-]*\).*/\2/p' | sed 's/^debhelper-compat$/debhelper/'); do
	sed -n '/^apt-get install/,/[^\\]$/p' README.md | grep -qw -e "$package" || missing="$missing $package"
done
[ -z "$missing" ]
check $? "README.md: make targets and packages to build with$missing"

# P12: wordings that readers did not understand, in documents and messages.
riddles='when the line ends|the way on\>|for want of|\<(are|is|was|were) told\>|by what is new|comes? to harm|who gets in|lets nobody'
riddles="$riddles|nobody's|anybody's|stops nobody|\\<tells? of\\>|one behind the other|without more ado"
found=$(grep -rnE "$riddles" README.md doc man dtools
	grep -rnE "\"[^\"]*($riddles)[^\"]*\"" src cmd web/src)
[ -z "$found" ]
check $? "no wording that readers did not understand $(echo "$found" | head -n 3)"

# A chapter that nothing leads to, and a link that leads nowhere, would not be found.
missing=
for file in README.md doc/*.md doc/guide/*.md; do
	name=${file##*/}
	case $file in
	*/README.md) ;;
	doc/guide/*) grep -q "]($name)" doc/guide/README.md || missing="$missing $name" ;;
	esac
	for link in $(grep -o '](\([^)#: ]*\)' "$file" | cut -c3-); do
		[ -e "$(dirname "$file")/$link" ] || missing="$missing $name:$link"
	done
done
[ -z "$missing" ]
check $? "links of README.md, doc/ and the guide lead somewhere$missing"
