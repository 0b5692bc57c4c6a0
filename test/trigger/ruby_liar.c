/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Says that it is Ruby 3.1, as far as a tracer can see, and lies in the way that its word says; then makes
 * system calls in what it says is the loop of its interpreter. ruby_liar WAY CALLS STOP: it ends when there
 * is a file STOP, and makes CALLS calls every few milliseconds until then.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRAMES = 64, SEQUENCES = 64, UNIT = 1024, PLUS = 43, METHOD = 40 };
enum { STRING = 5, ARRAY = 7, HASH = 8, IMEMO = 0x1a, MENT = IMEMO | 6 << 12, ISEQ = IMEMO | 7 << 12 };
enum { FINISH = 0x20, CFUNC = 0x55550001, IN_METHOD = 0x11110001 };

struct frame { uint64_t pc, sp, iseq, self, ep, block, ret, spare; };
union object { uint64_t word[32]; char text[256]; };

const char ruby_version[] = "3.1.2";
void *volatile ruby_current_vm_ptr = (void *)8;
_Thread_local union object *ruby_current_ec;
void rb_vm_exec(int calls);

static struct frame stack[FRAMES + 1];
static union object ec, thread, env[2], body[SEQUENCES], sequence[SEQUENCES];
static union object entry, definition, name, file, plus, ids, unit, hash, method, lines;
static uint64_t units[UNIT], index_[1];
struct { uint64_t last; void *table; union object *ids, *hash; } ruby_global_symbols;
static const char *way;
static uint64_t seed = 88172645463325252u;

static uint64_t any(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

static int is(const char *word) { return strcmp(way, word) == 0; }
static uint64_t at(const void *p) { return (uint64_t)(uintptr_t)p; }

static void make_string(union object *o, const char *text)
{
	o->word[0] = STRING | strlen(text) << 14;
	memcpy(&o->word[2], text, strlen(text));
}

static void make_array(union object *o, uint64_t n, const void *elements)
{
	o->word[0] = ARRAY;
	o->word[2] = n;
	o->word[4] = at(elements);
}

static void make_sequence(unsigned i)
{
	sequence[i].word[0] = ISEQ;
	sequence[i].word[2] = at(&body[i]);
	body[i].word[0] = 1ull << 32;
	body[i].word[1] = 4096;
	body[i].word[8] = at(&file);
	body[i].word[10] = at(&name);
	body[i].word[15] = at(&lines);
	body[i].word[17] = 1;
	body[i].word[18] = at(index_);
}

/* The innermost is a method in C, then one of Ruby, which has entered the loop. */
static void make(void)
{
	make_string(&name, "liar");
	make_string(&file, "liar.rb");
	make_string(&plus, "+");
	make_string(&method, "in_c");
	units[2 * PLUS] = at(&plus);
	units[2 * METHOD] = at(&method);
	make_array(&unit, UNIT, units);
	make_array(&ids, 1, &ids.word[8]);
	ids.word[8] = at(&unit);
	hash.word[0] = HASH;
	ruby_global_symbols.last = 1000;
	ruby_global_symbols.table = &hash;
	ruby_global_symbols.ids = &ids;
	ruby_global_symbols.hash = &hash;
	entry.word[0] = MENT;
	entry.word[2] = at(&definition);
	definition.word[4] = METHOD;
	env[0].word[0] = at(&entry);
	env[0].word[2] = CFUNC;
	env[1].word[2] = IN_METHOD | FINISH;
	lines.word[0] = 7;
	index_[0] = 1;
	for (unsigned i = 0; i < SEQUENCES; i++)
		make_sequence(i);
	for (unsigned i = 0; i < FRAMES; i++)
		stack[i] = (struct frame){ .pc = 4104, .iseq = at(&sequence[i]), .ep = at(&env[1].word[2]) };
	stack[0] = (struct frame){ .ep = at(&env[0].word[2]) };
	ec.word[0] = ec.word[2] = at(stack);
	ec.word[1] = sizeof(stack) / 8;
	ec.word[6] = at(&thread);
	thread.word[5] = at(&ec);
}

/* What is wrong from the start. */
static void lie(void)
{
	if (is("endless"))
		env[1].word[2] = IN_METHOD, ec.word[1] = 1 << 26;
	if (is("length"))
		name.word[0] = STRING | 1 << 13, name.word[2] = 1ull << 62, name.word[3] = at(&file);
	if (is("kind"))
		name.word[0] = HASH;
	if (is("control"))
		memcpy(&name.word[2], "\033[3\n", 4);
	if (is("lines"))
		body[1].word[17] = 1u << 31;
	if (is("size"))
		body[1].word[0] = ~0ull;
	if (is("ranks"))
		index_[0] = ~0ull;
	if (is("freed"))
		sequence[1].word[0] = 0;
	if (is("nowhere"))
		body[1].word[10] = 4096;
	if (is("method"))
		definition.word[4] = ~0ull >> 1;
	if (is("ids"))
		ids.word[8] = at(&ids);
	if (is("version"))
		ec.word[1] = 1ull << 60;
}

static void lie_again(void)
{
	if (is("wild")) {
		stack[any() % FRAMES] = (struct frame){ .pc = any(),
			.iseq = any() % 2 ? any() : at(&sequence[any() % SEQUENCES]),
			.ep = any() % 2 ? any() : at(&stack[any() % FRAMES]) };
		body[any() % SEQUENCES].word[any() % 20] = any() % 2 ? any() : at(&body[any() % SEQUENCES]);
		env[any() % 2].word[any() % 3] = any();
	}
}

__attribute__((noinline)) void rb_vm_exec(int calls)
{
	volatile char room[64] = "";

	for (int i = 0; i < calls; i++) {
		lie_again();
		(void)getppid();
	}
	(void)room[0];
}

static void *change(void *unused)
{
	(void)unused;
	for (;;) {
		unsigned i = (unsigned)(any() % SEQUENCES);

		body[i].word[any() % 20] = any();
		make_sequence(i);
		name.word[any() % 4] = any();
		make_string(&name, "liar");
		env[1].word[2] = any() % 2 ? IN_METHOD : IN_METHOD | FINISH;
		usleep(any() % 100);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t other;

	if (argc != 4) {
		fprintf(stderr, "usage: ruby_liar WAY CALLS STOP (Ruby %s, %p)\n", ruby_version,
		    ruby_current_vm_ptr);
		return 2;
	}
	way = argv[1];
	make();
	ruby_current_ec = &ec;
	lie();
	if (is("race") && pthread_create(&other, NULL, change, NULL) != 0)
		return 2;
	while (access(argv[3], F_OK) != 0) {
		rb_vm_exec(atoi(argv[2]));
		usleep(2000);
	}
	return 0;
}
