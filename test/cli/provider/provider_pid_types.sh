#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# args[ ] of functions that debugging data describe: sizes and signs, strings, members of structs, values, and what cannot be had.
. test/cli/helpers.inc
may_trace "typed arguments"
cp "${BUILD:-build}/test/typed" "$tmp/typed"		# it has its debugging data in it, on any machine
run -qc "$tmp/typed" -n 'pid$target:a.out:sell:entry { printf("%s %d %s %d %d %d", args[0]->name, args[0]->price, stringof(args[0]->label), args[1], args[2], args[3]);
printf(" in %d %d %d", args[0]->in.a, args[0]->in.flag, args[0]->in.rest); printf(" next %s %d", args[0]->next->name, args[0]->next->u.i); }'
is "members, strings, bit-fields, what pointers lead to" 0 "apple -30 red one -2 250 7 in -7 3 17 next bread 3"
run -qc "$tmp/typed" -n 'pid$target:a.out:sell:return { printf("sold %d\n", args[1]); } pid$target:a.out:pick:return { printf("picked %s\n", args[1]->name); }
pid$target:a.out:small:return { printf("small %d\n", args[1]); }'
is "a value with its sign" 0 "sold -1690"
is "a value that is an address" 0 "picked bread"
is "a small value" 0 "small -5"
run -qc "$tmp/typed" -n 'pid$target:a.out:mixed:entry { printf("%d %d %s\n", args[0], args[2], stringof(args[3])); }'
is "arguments behind one in a vector register" 0 "-1 -3000000000 hi"
run -c "$tmp/typed" -n 'pid$target:a.out:mixed:entry { trace(args[1]); }'
is "which is not to be had" 1 "the type of args[1] is not known"
run -c "$tmp/typed" -n 'pid$target:a.out:whole:entry { trace(args[1]); }'
is "nor what is behind a struct by value" 1 "the type of args[1] is not known"
run -c "$tmp/typed" -n 'pid$target:a.out:sell:entry { trace(args[4]); }'
is "one too many" 1 "args[ ]: it has 4"
run -c "$tmp/typed" -n 'pid$target:a.out:sell:entry { trace(args[0]->prize); }'
is "no such member" 1 "prize"
run -qc "$tmp/typed" -n 'pid$target:a.out:sell:entry { print(*args[0]); print(args[3]); }'
cat >"$tmp/want" <<'END'
item_t {
    char [16] name = [ "apple" ]
    int price = 0xffffffe2
    char *label = AN ADDRESS
    struct inner in = {
        short a = 0xfff9
        unsigned int flag :3 = 0x3
        unsigned int rest :5 = 0x11
    }
    struct item *next = AN ADDRESS
    union u = {
        int i = 0xb
END
sed -n '/^item_t/,$s/0x[0-9a-f]\{9,\}/AN ADDRESS/; /^item_t/,$p' "$tmp/out" | head -n 12 | cmp -s - "$tmp/want"
check $? "print() of a struct has its members, and the name it was given (S F)"
is "print() of an enum has its name" 0 "GREEN"

# Every version of the data, as each compiler writes them: places of members and of bit-fields are told in three ways.
for compiler in gcc clang; do
	for flags in "-gdwarf-2 -gstrict-dwarf" -gdwarf-3 -gdwarf-4 "-gdwarf-5 -gstrict-dwarf" "-gdwarf-4 -fdebug-types-section"; do
		if ! $compiler $flags -O2 -o "$tmp/version" test/trigger/typed.c 2>"$tmp/err" || ! "$tmp/version" >/dev/null; then
			ok "members as $compiler $flags tells them # SKIP it does not work here"
			continue
		fi
		run -qc "$tmp/version" -n 'pid$target:a.out:sell:entry { printf("%s %d %s %d in %d %d %d next %s %d", args[0]->name, args[0]->price,
		    stringof(args[0]->label), args[1], args[0]->in.a, args[0]->in.flag, args[0]->in.rest, args[0]->next->name, args[0]->next->u.i); }'
		is "members as $compiler $flags tells them" 0 "apple -30 red one -2 in -7 3 17 next bread 3"
	done
done

if ! command -v objcopy >/dev/null; then
	ok "debugging data elsewhere # SKIP no objcopy here"
	exit 0
fi
objcopy --only-keep-debug "$tmp/typed" "$tmp/typed.debug" && objcopy --strip-debug "$tmp/typed" "$tmp/lean"
run -c "$tmp/lean" -n 'pid$target:a.out:sell:entry { trace(args[0]); }'
is "without debugging data" 1 "no typed arguments are known"
run -qc "$tmp/lean" -n 'pid$target:a.out:sell:entry { printf("n %d\n", (int)arg1); }'
is "words are there always" 0 "n -2"

# Compressed data, in the program and in a debug file (E1).
for how in zlib zstd; do
	if ! objcopy --compress-debug-sections=$how "$tmp/typed" "$tmp/packed" 2>"$tmp/err" || ! readelf -SW "$tmp/packed" | grep -q 'debug_info.* C '; then
		ok "types in $how # SKIP objcopy does not compress so"
		continue
	fi
	run -qc "$tmp/packed" -n 'pid$target:a.out:sell:entry { printf("packed %s %d\n", args[0]->next->name, args[1]); }'
	is "types in $how" 0 "packed bread -2"
	objcopy --only-keep-debug "$tmp/packed" "$tmp/packed.debug" && (cd "$tmp" && cp lean apart && objcopy --add-gnu-debuglink=packed.debug apart)
	run -qc "$tmp/apart" -n 'pid$target:a.out:sell:entry { printf("apart %s %d\n", args[0]->next->name, args[1]); }'
	is "types in $how in a debug file" 0 "apart bread -2"
done

# Debugging data elsewhere: in the file .gnu_debuglink names, and what several files share (dwz).
(cd "$tmp" && cp lean linked && objcopy --add-gnu-debuglink=typed.debug linked)
run -qc "$tmp/linked" -n 'pid$target:a.out:sell:entry { printf("linked %s %d\n", args[0]->next->name, args[1]); }'
is "types of a separate debug file" 0 "linked bread -2"
if ! command -v dwz >/dev/null; then
	ok "types that several files share # SKIP no dwz here"
elif cp "$tmp/typed" "$tmp/one" && cp "$tmp/typed" "$tmp/two" && (cd "$tmp" && dwz -m shared.debug -M "$tmp/shared.debug" one two) 2>"$tmp/err" &&
    readelf -S "$tmp/one" | grep -q gnu_debugaltlink; then
	run -qc "$tmp/one" -n 'pid$target:a.out:sell:entry { printf("shared %s %d\n", args[0]->next->name, args[1]); }'
	is "types that several files share" 0 "shared bread -2"
else
	ok "types that several files share # SKIP dwz found nothing to share: $(head -n 1 "$tmp/err")"
fi
