#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Types of processes named in D (S C5): pid123`type_t, struct pid$target`tag, pid`type_t of $target, pid`libc.so.6`type_t of one file; what they have inside,
# in the process and as copyin() brings it; and what there is not.
. test/cli/helpers.inc
may_trace "types of processes"
cat >"$tmp/game.c" <<'END'
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#define APART __attribute__((noinline, noclone))
enum colour { RED, GREEN = 7 };
typedef enum colour colour_t;
struct inner { short a; unsigned flag : 3, rest : 5; };
typedef struct game {
	const char *name;
	int dungeons;
	struct inner in;
	colour_t col;
	union { int i; struct { char lo, hi; }; };
	struct game *next;
	char text[8];
	struct hidden *opaque;
	struct file *file;
} game_t;
union both { uint32_t word; unsigned char byte[4]; };
extern struct hidden the_hidden;
int unused_bytes(union both *b) { return b->byte[0]; }
APART int play(void *game, void *both, void *place) { __asm__ volatile("" :: "r"(game), "r"(both), "r"(place) : "memory"); return game != both && place; }
APART int again(game_t *game) { __asm__ volatile("" :: "r"(game) : "memory"); return game->dungeons; }
static volatile int read_once;
int main(int argc, char **argv)
{
	game_t b = { "link", 3, { -2, 5, 9 }, RED, { 77 }, NULL, "b", NULL, NULL };
	game_t a = { "majora", -4, { -7, 3, 17 }, GREEN, { 0x4142 }, &b, "abc", &the_hidden, NULL }, *at = &a;
	union both w = { .word = 0x01020304 };

	(void)argv;
	/* constants that no one has read yet are not in memory, and a probe cannot read them */
	read_once = *(const volatile char *)a.name + *(const volatile char *)a.text + *(const volatile char *)b.name;
	do
		printf("%d %d\n", play(&a, &w, &at), again(&a));
	while (argc > 1 && fflush(stdout) == 0 && usleep(50000) == 0);
	return 0;
}
END
# It is defined in another part of the program, and so is a list whose parts lead from one to the next.
awk 'BEGIN {
	print "struct hidden { long first; int secret; };\nstruct hidden the_hidden = { 1, 42 };"
	for (i = 0; i < 200; i++) printf "struct part%d;\n", i
	for (i = 0; i < 199; i++) printf "struct part%d { char a; struct part%d *next; int own%d; };\n", i, i + 1, i
	print "struct part199 { long last[5]; };\nstruct part0 the_part;"
}' >"$tmp/hidden.c"
if ! cc -g -O2 -o "$tmp/game" "$tmp/game.c" "$tmp/hidden.c" 2>"$tmp/err" || ! "$tmp/game" >/dev/null; then
	ok "types of processes # SKIP no compiler that works here"
	exit 0
fi
"$tmp/game" stay >/dev/null &
pid=$!
trap 'kill $pid; rm -rf "$tmp"' EXIT
runs() { [ "$(readlink "/proc/$pid/exe")" = "$tmp/game" ]; }
waits runs
play='pid$target:a.out:play:entry'

# Their sizes and places; nothing runs.
run -qp $pid -n 'BEGIN { printf("%d %d %d", sizeof (struct pid$target`game), sizeof (pid`game_t), sizeof (pid$target`game_t *));
	printf(" %d %d %d", offsetof(pid`game_t, hi), offsetof(struct pid'$pid'`game, next), sizeof (pid'$pid'`game_t[3]));
	printf(" %d %d %d.\n", sizeof (union pid`both), sizeof (enum pid`colour), sizeof (pid`colour_t)); exit(0); }'
is "sizeof and offsetof" 0 "56 56 8 21 24 168 4 4 4."
run -ep $pid -n 'BEGIN { trace(sizeof (pid$target`game_t)); trace((pid`game_t *)0); }'
check $status "-e with -p"
run -en 'BEGIN { trace(sizeof (struct pid$1`game)); }' $pid
check $status "the process of an argument"
run -en 'BEGIN { trace(sizeof (pid'$pid'`game_t)); }'
check $status "a process by its number, without -p"

# Members, where they are in the process.
run -qc "$tmp/game" -n "$play"' { this->g = (pid$target`game_t *)arg0; printf("%s %d %d %d %d %d %d %s %d %s.\n", stringof(this->g->name), this->g->dungeons,
	this->g->in.a, this->g->in.flag, this->g->in.rest, this->g->i, this->g->hi, stringof(this->g->next->name), this->g->next->in.flag, this->g->text); }'
is "members through an address" 0 "majora -4 -7 3 17 16706 65 link 5 abc."
run -qc "$tmp/game" -n "$play"' { printf("%s %x %x %d.\n", stringof((*(pid`game_t **)arg2)->name), ((union pid`both *)arg1)->byte[1], *(pid`int *)arg1,
	((struct pid`game *)arg0)->opaque->secret); }'
is "pointers to pointers, unions, basic types, what another part defines" 0 "majora 3 1020304 42."
run -qc "$tmp/game" -n 'typedef pid$target`game_t mine_t; this pid$target`game_t *p; '"$play"' { this->p = (pid`game_t *)arg0; this->c = *(pid`game_t *)arg0;
	printf("%d %d %d.\n", this->p->dungeons, ((mine_t *)arg0)->dungeons, this->c.in.rest); }'
is "variables, a copy, and names of our own" 0 "-4 -4 17."
run -qc "$tmp/game" -n 'pid$target:a.out:again:entry { this->p = (pid`game_t *)arg0; this->p = args[0]->next; printf("%d %d.\n", this->p->dungeons, this->p == args[0]); }'
is "they go with args[ ]" 0 "3 0."

# As history's tests have it: brought by copyin(), and read from there; userland says where by itself.
run -qc "$tmp/game" -n "$play"' { this->g = (pid$target`game_t *)copyin(arg0, sizeof (pid$target`game_t)); self->v = copyin(arg0, sizeof (pid`game_t));
	printf("%s %d %d %d", copyinstr((uintptr_t)this->g->name), this->g->dungeons, this->g->in.rest, this->g->col);
	printf(" %d %d.\n", ((pid`game_t *)self->v)->dungeons, ((userland pid`game_t *)arg0)->dungeons); }'
is "members of what copyin() brought" 0 "majora -4 17 7 -4 -4."
run -qc "$tmp/game" -n "$play"' { print(*(pid`game_t *)copyin(arg0, sizeof (pid`game_t))); printf("\n"); print(*(struct pid`game *)arg0); printf("\n"); print((enum pid`colour)7); }'
cat >"$tmp/members" <<'END'
    char *name = AN ADDRESS
    int dungeons = 0xfffffffc
    struct inner in = {
        short a = 0xfff9
        unsigned int flag :3 = 0x3
        unsigned int rest :5 = 0x11
    }
    colour_t col = GREEN
END
for what in game_t 'struct game'; do
	sed -n "/^$what {/,/^}/s/0x[0-9a-f]\\{9,\\}/AN ADDRESS/; /^$what {/,/^}/p" "$tmp/out" | sed -n 2,9p | cmp -s - "$tmp/members"
	check $? "print() of $what"
done
is "print() of an enum has its name" 0 "enum colour GREEN"
run -qp $pid -n 'BEGIN { printf("enumerator %d.\n", (enum pid`colour)GREEN); exit(0); }'
is "an enumerator of it" 0 "enumerator 7."

# A long way from one to the next loses no members, in whatever order they are asked for.
run -qp $pid -n 'BEGIN { printf("%d %d", offsetof(struct pid`part0, own0), offsetof(struct pid`part120, own120)); this->p = (struct pid`part198 *)0;
	printf(" %d %d.\n", sizeof (*this->p->next), offsetof(struct pid`part199, last)); exit(0); }'
is "types far behind pointers" 0 "16 16 40 0."

# Narrowed to a file; types of a separate debug file.
run -ep $pid -n 'BEGIN { trace((pid`a.out`game_t *)0); trace((pid$target`game`game_t *)0); trace((pid$target`libc.so.6`int)0); }'
check $status "in one file"
run -ep $pid -n 'BEGIN { trace((pid`libc.so.6`game_t *)0); }'
is "which is not that of another" 1 'failed to resolve type pid`libc.so.6`game_t: Unknown type name'
run -ep $pid -n 'BEGIN { trace((pid`libnone.so`game_t *)0); }'
is "a file it has not" 1 "process $pid has not loaded libnone.so"
objcopy --only-keep-debug "$tmp/game" "$tmp/game.debug" && (cd "$tmp" && objcopy --strip-debug game linked && cp linked lean && objcopy --add-gnu-debuglink=game.debug linked)
run -qc "$tmp/linked" -n "$play"' { printf("linked %d\n", ((pid`game_t *)arg0)->dungeons); }'
is "types of a separate debug file" 0 "linked -4"

# What cannot be had, each with a sentence.
run -c "$tmp/lean" -n 'BEGIN { trace((pid`game_t *)0); }'
is "without debugging data" 1 "lean has no debugging data: build it with -g"
run -qc "$tmp/lean" -n 'BEGIN { printf("basic %d\n", sizeof (pid`int)); exit(0); }'
is "basic types need none" 0 "basic 4"
run -ep $pid -n 'BEGIN { trace((pid`gamet *)0); }'
is "no such type" 1 'did you mean `game_t`?'
run -ep $pid -n 'BEGIN { trace((struct pid`gam *)0); }'
is "no such struct" 1 'did you mean `game`?'
run -ep $pid -n 'BEGIN { trace(((pid`game_t *)0)->dungeon); }'
is "no such member" 1 'did you mean `dungeons`?'
run -ep $pid -n 'BEGIN { trace(((pid`game_t *)0)->file->f_flags); }'
is "a struct that it only declares is not the kernel's of that name" 1 "its definition is not known"
run -en 'BEGIN { trace((pidfoo`int)0); }'
is "no number" 1 "a process is named by its number"
run -en 'BEGIN { trace((pid0`int)0); }'
is "process 0" 1 "there is no process 0"
run -en 'BEGIN { trace((pid2147483647`int)0); }'
is "a process that is not there" 1 "there is no process 2147483647"
run -en 'BEGIN { trace((pid99999999999999999999`int)0); }'
is "a number too large" 1 "no process has so large a number"
run -en 'BEGIN { trace((pid`int)0); }'
is "no target" 1 "there is no process 0; \$target is the one of -p or -c"
run -ec "$tmp/game" -n 'BEGIN { trace((pid`game_t *)0); }'
is "a command that is not started" 1 "with -e no command of -c is started"

# Debugging data that are broken: an answer or a sentence, never a crash.
wrong=0
at=$(readelf -SW "$tmp/game" | awk '$2 == ".debug_info" { print $5, $6 } $3 == ".debug_info" { print $5, $6 }')
from=$((0x${at% *})) size=$((0x${at#* }))
for k in 1 2 3 4 5 6 7 8 9 10 11 12; do
	cp "$tmp/game" "$tmp/broken"
	for j in 1 2 3 4 5 6 7 8; do
		printf "\\$(printf %o $(((k * 41 + j * 97) % 256)))" |
		    dd of="$tmp/broken" bs=1 seek=$((from + (k * 7919 + j * j * 104729) % size)) conv=notrunc 2>/dev/null
	done
	run -qc "$tmp/broken" -n 'BEGIN { trace(sizeof (pid`game_t)); trace(((pid`game_t *)0) == 0); trace(offsetof(struct pid`part7, own7)); print((pid`colour_t)7); exit(0); }'
	[ "$status" -le 1 ] || wrong=$((wrong + 1))
done
check $wrong "broken debugging data"

# Data that lie: types that lead to themselves, and structs that hold each other, each known by a declaration only.
awk 'BEGIN {
	print ".section .debug_abbrev,\"\",%progbits\n.Labbrev:"
	n = split("0x11,1 0x24,0,3,8,0x0b,0x0b,0x3e,0x0b 0x13,1,3,8,0x0b,0x06 0x0d,0,3,8,0x49,0x13,0x38,0x0b 0x16,0,3,8,0x49,0x13 0x0f,0,0x49,0x13 0x13,0,3,8,0x3c,0x19 0x01,1,0x49,0x13 0x21,0,0x2f,0x0b", form, " ")
	for (i = 1; i <= n; i++) print ".byte " i "," form[i] ",0,0"
	print ".byte 0\n.section .debug_info,\"\",%progbits\n.Linfo: .4byte .Lend-.Lversion\n.Lversion: .2byte 4\n.4byte .Labbrev\n.byte 8\n.byte 1"
	print ".Lint: .byte 2\n.asciz \"int\"\n.byte 4,5"
	print ".Lloop: .byte 3\n.asciz \"loop\"\n.4byte 8\n.byte 4\n.asciz \"m\"\n.4byte .Lloop-.Linfo\n.byte 0\n.byte 4\n.asciz \"n\"\n.4byte .Lloop-.Linfo\n.byte 0,0"
	print ".Lself: .byte 5\n.asciz \"self_t\"\n.4byte .Lself-.Linfo"
	print ".Lptr: .byte 6\n.4byte .Lptr-.Linfo\n.byte 5\n.asciz \"ptr_t\"\n.4byte .Lptr-.Linfo"
	print ".Larr: .byte 8\n.4byte .Larr-.Linfo\n.byte 9,255,0\n.byte 5\n.asciz \"arr_t\"\n.4byte .Larr-.Linfo"
	print ".byte 3\n.asciz \"huge\"\n.4byte 0x7fffffff\n.byte 4\n.asciz \"m\"\n.4byte .Lint-.Linfo\n.byte 200,0"
	for (i = 0; i < 15000; i++) printf ".Ldecl%d: .byte 7\n.asciz \"c%d\"\n.byte 3\n.asciz \"c%d\"\n.4byte 64\n.byte 4\n.asciz \"m\"\n.4byte .Ldecl%d-.Linfo\n.byte 0,0\n", i, i, i, i + 1
	print ".Ldecl15000: .byte 7\n.asciz \"c15000\"\n.byte 0\n.Lend:\n.section .note.GNU-stack,\"\",%progbits"
}' >"$tmp/lies.s"
echo 'int main(void) { return 0; }' >"$tmp/main.c"
if ! cc -o "$tmp/lies" "$tmp/main.c" "$tmp/lies.s" 2>"$tmp/err"; then
	ok "data that lie # SKIP $(head -n 1 "$tmp/err")"
	exit 0
fi
run -qc "$tmp/lies" -n 'BEGIN { printf("%d %d %d.\n", sizeof (struct pid`huge), offsetof(struct pid`loop, m), sizeof (((struct pid`loop *)0)->m.m.m)); exit(0); }'
is "structs that hold themselves are read as far as they are asked for" 0 "2147483647 0 8."
for flags in '' '-O json'; do	# each of its two members holds two, and so on
	run -qc "$tmp/lies" $flags -n 'BEGIN { this->p = (struct pid`loop *)alloca(8); *(long *)this->p = -1; print(*this->p); print(this->p); exit(0); }'
	check $status "print() of one ends $flags"
done
run -qc "$tmp/lies" -n 'BEGIN { printf("%d.\n", sizeof (struct pid`c0)); exit(0); }'
is "the size of the first of a long row" 0 "64."
run -c "$tmp/lies" -n 'BEGIN { trace(((struct pid`c0 *)0)->m); }'
is "what is declared only has no place in another" 1 "m is not a member of struct c0"
for t in self_t ptr_t arr_t; do
	run -qc "$tmp/lies" -n 'BEGIN { trace((pid`'$t' *)0); exit(0); }'
	[ "$status" -le 1 ]
	check $? "$t"
done
