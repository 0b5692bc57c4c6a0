# SPDX-License-Identifier: BSD-2-Clause
# What can be written is listed (N 4, N 9.13): --list and -x help have every row, with a line about it; a wrong word is told.
. test/cli/helpers.inc

is "-x help" 0 "strsize=SIZE" -x help
is "--list of no list" 2 'did you mean `functions`?' --list fuctions
is "--list alone" 2 "option requires an argument -- --list" --list
is "two modes" 2 "only one of the" --list options -l
is "ranges" 0 "Longest string, in bytes (1 to 64k)." --list options
is "defaults in their units" 0 "64k" --list options
is "what needs -w" 0 "Needs -w" --list actions
is "what Linux lacks" 0 "Not on Linux: " --list functions
is "one of a list" 0 "size_t strlen(const char *)" --list functions strlen
"$dtrace" --list functions 'str*' basename >"$tmp/out" && ! grep -qv '[ *]str\|basename' "$tmp/out" && [ "$(grep -c . "$tmp/out")" -gt 8 ]
check $? "a pattern chooses"
is "none of a list" 1 "none of the functions is called strlenn" --list functions strlenn
if "$dtrace" -ln BEGIN >"$tmp/out" 2>&1; then
	is "probes are listed by -l" 0 "BEGIN" --list probes -n BEGIN
else
	echo "ok - probes are listed by -l # SKIP $(head -n 1 "$tmp/out")"
fi
is "a wrong option, and where all are" 1 "dtrace -x help lists all options" -x nosuch -e -n BEGIN
is "a wrong option" 1 'did you mean `bufsize`?' -x bufsise=4m -e -n BEGIN

"$dtrace" -x help >"$tmp/help" && "$dtrace" --list options >"$tmp/options" && cmp -s "$tmp/help" "$tmp/options"
check $? "-x help is --list options"
for name in $(sed -n 's/^X(\([a-z]*\),.*/\1/p' src/handle/options.def); do
	grep -q "^$name[= ]" "$tmp/options" || echo "$name"
done >"$tmp/missing"
[ ! -s "$tmp/missing" ] && [ "$(sed 1d "$tmp/options" | grep -c '^[a-z]')" -eq "$(grep -c '^X(' src/handle/options.def)" ]
check $? "each option of options.def is in it, and no other: $(tr '\n' ' ' <"$tmp/missing")"

for list in functions variables providers aggregations actions conversions; do
	"$dtrace" --list "$list" >"$tmp/$list" 2>&1
	[ $? -eq 0 ] && [ "$(grep -c . "$tmp/$list")" -ge 5 ]
	check $? "--list $list"
	# behind the first column of each row a sentence; a form that is too wide has its sentence on the next line
	bad=$(awk 'wide { wide = 0; next } !/  +[^ ].*[.\x27]$/ && !/ Needs -w$/ { if (/  /) print; else wide = 1 }' "$tmp/$list")
	[ -z "$bad" ]
	check $? "each row of $list says what it is${bad:+: }$bad"
done
for list in vars:variables subrs:functions; do
	for name in $(sed -n 's/^X(\([a-z_0-9]*\),.*/\1/p' "src/dif/${list%:*}.def"); do
		grep -q "[ *]$name\([[( ]\|\$\)" "$tmp/${list#*:}" || echo "$name"
	done >"$tmp/missing"
	[ ! -s "$tmp/missing" ]
	check $? "all of ${list%:*}.def are listed $(tr '\n' ' ' <"$tmp/missing")"
done
# what D libraries declare for people: no helper of theirs (dt_), no constant (capitals)
sed -n 's/^inline [^=]*[ *]\([a-z][a-z_0-9]*\)\(\[.*\)\{0,1\} =.*/\1/p; s/^inline [a-z_0-9 *]*[ *]\([a-z][a-z_0-9]*\)\[[^=]*=$/\1/p' dlib/*.d |
    grep -v '^dt_' | sort -u >"$tmp/declared"
for name in $(cat "$tmp/declared"); do
	grep -q "[ *]$name\([[ ]\|\$\)" "$tmp/variables" || echo "$name"
done >"$tmp/missing"
[ -s "$tmp/declared" ] && [ ! -s "$tmp/missing" ]
check $? "variables of D libraries are listed: $(tr '\n' ' ' <"$tmp/declared")$(tr '\n' ' ' <"$tmp/missing")"
