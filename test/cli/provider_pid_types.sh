#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# args[ ] of functions that debugging data describe: sizes and signs, strings, members of structs, values, and what cannot be had.
. test/trigger/trace.sh
may_trace "typed arguments"
cat >"$tmp/typed.c" <<'END'
#include <stdio.h>
#define APART __attribute__((noinline, noclone))
enum colour { RED, GREEN = 7 };
struct inner { short a; unsigned flag : 3, rest : 5; };
struct item {
	char name[16];
	int price;
	const char *label;
	struct inner in;
	struct item *next;
	union { int i; float f; } u;
};
typedef struct item item_t;
APART int sell(const item_t *item, int n, unsigned char c, enum colour col) { __asm__ volatile("" ::: "memory"); return item->price * n - c * (int)col; }
APART long mixed(int a, double d, long b, const char *s) { __asm__ volatile("" ::: "memory"); return a + (long)d + b + s[0]; }
APART long whole(struct inner by_value, int after) { __asm__ volatile("" ::: "memory"); return by_value.a + after; }
APART item_t *pick(item_t *from) { __asm__ volatile("" ::: "memory"); return from->next; }
APART signed char small(int n) { __asm__ volatile("" ::: "memory"); return (signed char)n; }
int main(void)
{
	item_t b = { "bread", 4, "loaf", { -2, 5, 9 }, NULL, { 3 } }, a = { "apple", -30, "red one", { -7, 3, 17 }, &b, { 11 } };

	printf("%d %ld %ld %s %d\n", sell(&a, -2, 250, GREEN), mixed(-1, 2.5, -3000000000, "hi"), whole(b.in, 1), pick(&a)->name, small(-5));
	return 0;
}
END
if ! cc -g -O2 -o "$tmp/typed" "$tmp/typed.c" 2>"$tmp/err" || ! "$tmp/typed" >/dev/null; then
	ok "typed arguments # SKIP no compiler that works here"
	exit 0
fi
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
cc -O2 -o "$tmp/plain" "$tmp/typed.c"
run -c "$tmp/plain" -n 'pid$target:a.out:sell:entry { trace(args[0]); }'
is "without debugging data" 1 "no typed arguments are known"
objcopy --only-keep-debug "$tmp/typed" "$tmp/typed.debug" && objcopy --strip-debug "$tmp/typed" "$tmp/lean"
run -qc "$tmp/lean" -n 'pid$target:a.out:sell:entry { printf("n %d\n", (int)arg1); }'
is "words are there always" 0 "n -2"

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
