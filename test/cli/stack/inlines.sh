# SPDX-License-Identifier: BSD-2-Clause
# -x inlines and -x lines: what the compiler has inlined, and source lines, as llvm-symbolizer reads them from the same DWARF:
# versions 4 and 5, of gcc and clang, compressed, in a file of its own; in each form of output; and from DWARF that is damaged.
. test/cli/helpers.inc
cc=${CC:-gcc} build=${BUILD:-build}
tick=$(printf '\140')
command -v "$cc" >/dev/null 2>&1 && command -v objcopy >/dev/null 2>&1 || { echo "ok - inlined frames # SKIP no compiler or no binutils"; exit 0; }

# line NAME: the number of the line with that name in the source
line() { grep -n "line: $1 " test/trigger/inlines.c | cut -d: -f1; }

# ---- against another reader ----

# addresses FILE: a place in every 5 bytes of each function
addresses() {
	nm -S --defined-only "$1" | awk '
	function hex(s,  i, v) { v = 0; for (i = 1; i <= length(s); i++) v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1; return v }
	NF == 4 && $3 ~ /^[tTwW]$/ { for (i = 0; i < hex($2); i += 5) printf "0x%x\n", hex($1) + i }' | sort -u
}

# plainly: both readers in one form, the function that symbols name as "-", places without columns and discriminators
plainly() {
	sed 's/ (discriminator.*//; s/:?$/:0/' | awk '
	function flush(  i) { if (n > 0) name[n] = "-"; for (i = 1; i <= n; i++) print name[i] "\n" place[i]; n = 0; odd = 0 }
	/^0x[0-9a-f]+$/ && !odd { flush(); sub(/^0x0*/, "0x"); print; next }
	!odd { n++; name[n] = $0; odd = 1; next }
	{ place[n] = $0 ~ /:0$/ ? "??" : $0; odd = 0 }
	END { flush() }'
}

# compared WHAT FILE [SYMBOLS]: the frames of every address, $least to 2,000; names of functions are in the file SYMBOLS if not in FILE
least=60
compared() {
	if ! command -v llvm-symbolizer >/dev/null 2>&1; then
		echo "ok - $1 # SKIP no llvm-symbolizer (package llvm)"
		return
	fi
	addresses "${3:-$2}" >"$tmp/all"
	awk -v every=$(($(wc -l <"$tmp/all") / 2000 + 1)) 'NR % every == 0' "$tmp/all" >"$tmp/at"
	llvm-symbolizer --output-style=GNU -a -i -f --no-demangle -e "${3:-$2}" <"$tmp/at" | plainly >"$tmp/want"
	"$build/test/lineat" "$2" <"$tmp/at" | plainly >"$tmp/got"
	cmp -s "$tmp/want" "$tmp/got" && [ "$(wc -l <"$tmp/at")" -ge "$least" ] && [ "$(wc -l <"$tmp/got")" -gt "$(($(wc -l <"$tmp/at") * 3 + 40))" ]
	check $? "$1: every frame and line of $(wc -l <"$tmp/at") addresses" || diff "$tmp/want" "$tmp/got" | head -n 6 | sed 's/^/# /'
}

"$cc" -O2 -gdwarf-5 -o "$tmp/inlines" test/trigger/inlines.c 2>"$tmp/err" || { cat "$tmp/err"; bad "cannot build inlines"; exit 1; }
compared "C, version 5" "$tmp/inlines"
for try in "gcc -O2 -gdwarf-4 -gz" "clang -O2 -gdwarf-5" "clang -O2 -gdwarf-4 -ffunction-sections -Wl,--gc-sections"; do
	command -v "${try%% *}" >/dev/null 2>&1 || { echo "ok - $try # SKIP no ${try%% *}"; continue; }
	$try -o "$tmp/other" test/trigger/inlines.c 2>"$tmp/err" && compared "C by $try" "$tmp/other"
done
for try in "g++ -O2 -gdwarf-5 -gz" "clang++ -O2 -gdwarf-5"; do
	if ! command -v "${try%% *}" >/dev/null 2>&1 || ! $try -o "$tmp/cxx" test/trigger/inlines.cc 2>"$tmp/err"; then
		echo "ok - $try # SKIP no ${try%% *} that can build it"
		continue
	fi
	least=400
	compared "C++ by $try" "$tmp/cxx"
done
if command -v rustc >/dev/null 2>&1 && rustc -O -g -o "$tmp/rust" test/trigger/inlines.rs >"$tmp/err" 2>&1; then
	least=1000
	compared "Rust, its library too" "$tmp/rust"
else
	echo "ok - Rust # SKIP no rustc that can build it"
fi
least=60
cp "$tmp/inlines" "$tmp/linked"
objcopy --only-keep-debug "$tmp/linked" "$tmp/linked.debug" && strip "$tmp/linked" && (cd "$tmp" && objcopy --add-gnu-debuglink=linked.debug linked)
compared "a debug file beside it" "$tmp/linked" "$tmp/linked.debug"

# ---- damaged ----

# Each part of the DWARF cut off, zeros, and bytes of another section: frames may be lost, the reader never is.
ends=0
for section in info abbrev line str line_str rnglists; do
	objcopy -O binary --only-section=.debug_$section --set-section-flags .debug_$section=alloc "$tmp/inlines" "$tmp/bytes" 2>/dev/null || continue
	[ -s "$tmp/bytes" ] || continue
	size=$(wc -c <"$tmp/bytes")
	for how in cut zero text; do
		case $how in
		cut) head -c $((size / 2)) "$tmp/bytes" >"$tmp/part" ;;
		zero) head -c "$size" /dev/zero >"$tmp/part" ;;
		text) head -c "$size" "$tmp/inlines" >"$tmp/part" ;;
		esac
		objcopy --update-section .debug_$section="$tmp/part" "$tmp/inlines" "$tmp/damaged" 2>/dev/null || continue
		"$build/test/lineat" "$tmp/damaged" <"$tmp/at" >"$tmp/out" 2>&1
		[ $? -le 1 ] && ends=$((ends + 1))
	done
done
[ "$ends" -ge 12 ]
check $? "DWARF that is damaged is read to its end or refused ($ends of them)"

# ---- in stacks ----

may_trace "inlined frames in stacks"
[ "$(readlink /proc/self/ns/pid)" = 'pid:[4026531836]' ] || { echo "ok - inlined frames in stacks # SKIP process ids are those of a container"; exit 0; }
program='syscall::getppid:entry /pid == $target/ { ustack(); }'

# frames FILE: of the program itself, without blanks and offsets, and without the folder of the source
frames() { sed 's/^ *//; s/+0x[0-9a-f]*//; s|(.*/inlines.c:|(inlines.c:|' "$1" | grep "^inlines$tick" >"$tmp/frames"; }

run -q -c "$tmp/inlines" -n "$program"
frames "$tmp/out"
printf '%s\n' "inlines${tick}outer" "inlines${tick}main" >"$tmp/want"
head -n 2 "$tmp/frames" | cmp -s - "$tmp/want"
check $? "without the options stacks are what they were"
! grep -q '\[inlined\]\|inlines\.c' "$tmp/out"
check $? "neither inlined frames nor lines"

run -q -x inlines -c "$tmp/inlines" -n "$program"
frames "$tmp/out"
printf '%s\n' "inlines${tick}leaf [inlined]" "inlines${tick}middle [inlined]" "inlines${tick}outer" "inlines${tick}main" >"$tmp/want"
head -n 4 "$tmp/frames" | cmp -s - "$tmp/want"
check $? "-x inlines"

run -q -x inlines -x lines -c "$tmp/inlines" -n "$program"
frames "$tmp/out"
printf '%s\n' "inlines${tick}leaf [inlined] (inlines.c:$(line leaf))" "inlines${tick}middle [inlined] (inlines.c:$(line middle))" \
	"inlines${tick}outer (inlines.c:$(line outer))" >"$tmp/want"
head -n 3 "$tmp/frames" | cmp -s - "$tmp/want"
check $? "with lines"
grep -qx "inlines${tick}ends (inlines.c:$(line ends))" "$tmp/frames"
check $? "a call that is the end of its function is of that function"

run -q -x lines -c "$tmp/inlines" -n "$program"
frames "$tmp/out"
head -n 1 "$tmp/frames" | grep -qx "inlines${tick}outer (inlines.c:$(line outer))"
check $? "-x lines alone: where the function itself stands"

run -O json -x inlines -x lines -c "$tmp/inlines" -n "$program"
grep -q "\"symbol\":\"inlines${tick}middle\",\"inlined\":true,\"file\":\"[^\"]*inlines.c\",\"line\":$(line middle)}" "$tmp/out" &&
	grep -q "\"symbol\":\"inlines${tick}outer+0x[0-9a-f]*\",\"file\":\"[^\"]*inlines.c\",\"line\":$(line outer)}" "$tmp/out"
check $? "JSON has members for both"

chain="inlines${tick}main;inlines${tick}outer;inlines${tick}middle;inlines${tick}leaf"
for form in folded flame; do
	run -O $form -x inlines -x lines -c "$tmp/inlines" -n 'syscall::getppid:entry /pid == $target/ { @[ustack()] = count(); }'
	grep -q "$chain" "$tmp/out"
	check $? "-O $form has functions alone"
done
run -O pprof -o "$tmp/profile" -x inlines -c "$tmp/inlines" -n 'syscall::getppid:entry /pid == $target/ { @[ustack()] = count(); }'
gunzip -c "$tmp/profile" 2>/dev/null | grep -qa middle
check $? "-O pprof has them"

run -q -x inlines -x lines -O "record=$tmp/recording" -c "$tmp/inlines" -n "$program"
run -q --play "$tmp/recording"
frames "$tmp/out"
printf '%s\n' "inlines${tick}leaf [inlined] (inlines.c:$(line leaf))" "inlines${tick}middle [inlined] (inlines.c:$(line middle))" \
	"inlines${tick}outer (inlines.c:$(line outer))" >"$tmp/want"
head -n 3 "$tmp/frames" | cmp -s - "$tmp/want"
check $? "a recording has them"

objcopy --update-section .debug_info="$tmp/part" "$tmp/inlines" "$tmp/damaged" 2>/dev/null
cp "$tmp/damaged" "$tmp/inlines"
run -q -x inlines -x lines -c "$tmp/inlines" -n "$program"
sed 's/^ *//' "$tmp/out" | grep -q "^inlines${tick}outer+0x" && [ "$status" -eq 0 ]
check $? "damaged DWARF costs lines, not names"
