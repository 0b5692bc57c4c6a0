/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An untrusted process that claims to be Node.js and makes system calls below frames of JavaScript. WAY
 * selects what is invalid. v8_liar WAY CALLS STOP: makes CALLS system calls every few milliseconds until the
 * file STOP exists.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHARED = 1, SCRIPT, SCOPE, BYTECODE, TEXT = 8, CONS = 9, SLICED = 11, THIN = 13, TYPES = 16 };
enum { NOT_STRINGS = 0x80, DEPTH = 3, HEADER = 54, TAG = 1, START = 12 };
/* words of a SharedFunctionInfo, of a Script, of a ScopeInfo, of a BytecodeArray */
enum { INFO_DATA = 1, INFO_NAME = 3, INFO_SCRIPT = 5, TOKEN = 56, SOURCE = 1, FILE_NAME = 2, LOCALS = 3,
	NAME = 4, TABLE = 4 };

union object { uint64_t word[64]; unsigned char byte[512]; };

/* V8's description of itself, read by other processes only: the linker must keep it */
#define EXPORT __attribute__((used, retain))
EXPORT int32_t v8dbg_type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE = NOT_STRINGS + SHARED;
EXPORT int32_t v8dbg_type_Script__SCRIPT_TYPE = NOT_STRINGS + SCRIPT;
EXPORT int32_t v8dbg_type_ScopeInfo__SCOPE_INFO_TYPE = NOT_STRINGS + SCOPE;
EXPORT int32_t v8dbg_type_BytecodeArray__BYTECODE_ARRAY_TYPE = NOT_STRINGS + BYTECODE;
EXPORT int32_t v8dbg_class_JSFunction__shared__SharedFunctionInfo = 24;
EXPORT int32_t v8dbg_class_SharedFunctionInfo__raw_function_token_offset__int16_t = TOKEN;
EXPORT int32_t v8dbg_class_BytecodeArray__data__uintptr_t = HEADER;
EXPORT int32_t v8dbg_off_fp_bytecode_array = -24;
EXPORT int32_t v8dbg_scopeinfo_idx_first_vars = 3;
EXPORT int32_t v8dbg_IsNotStringMask = -NOT_STRINGS;

/* A frame of V8: a frame pointer, below it the context, the function, the bytecode and the place in it. */
void liar_frame(uint64_t context, uint64_t function, uint64_t bytecode, uint64_t place, void (*next)(void));
#if defined(__x86_64__)
__asm__(".text\n.globl liar_frame\n.type liar_frame, @function\nliar_frame:\n"
	"push %rbp\nmov %rsp, %rbp\npush %rdi\npush %rsi\npush %rdx\npush %rcx\ncall *%r8\nleave\nret\n"
	".size liar_frame, . - liar_frame\n");
#elif defined(__aarch64__)
__asm__(".text\n.globl liar_frame\n.type liar_frame, @function\nliar_frame:\n"
	"stp x29, x30, [sp, #-16]!\nmov x29, sp\nstp x1, x0, [sp, #-16]!\nstp x3, x2, [sp, #-16]!\nblr x4\n"
	"mov sp, x29\nldp x29, x30, [sp], #16\nret\n.size liar_frame, . - liar_frame\n");
#endif

static const char *way;
static union object meta, map[TYPES], context, closure, info, script, scope, bytecode, table, name, file,
	source;
static uint64_t seed = 88172645463325252u;
static int depth, calls;

static uint64_t any(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

static int is(const char *word) { return strcmp(way, word) == 0; }
static uint64_t at(const union object *o) { return (uint64_t)(uintptr_t)o + TAG; }
static uint64_t small(uint64_t n) { return n << 32; }

static void become(union object *o, unsigned type) { o->word[0] = at(&map[type]); }

static void make_text(union object *o, const char *text)
{
	become(o, TEXT);
	o->word[1] = small(strlen(text));
	memcpy(&o->word[2], text, strlen(text));
}

/* Zigzag encoding of a number below 64. */
static unsigned char number(int n) { return (unsigned char)(n >= 0 ? n << 1 : -n * 2 - 1); }

static void make_scope(void)
{
	become(&scope, SCOPE);
	scope.word[LOCALS] = 0;
	scope.word[NAME] = at(&name);
	scope.word[NAME + 1] = small(0);
	scope.word[NAME + 2] = small(START);
	scope.word[NAME + 3] = small(START + 8);
	scope.word[NAME + 4] = at(&scope);
}

/* Bytecode offsets start at -1, in the second line. */
static void make_table(void)
{
	become(&table, TEXT);
	table.word[1] = small(4);
	table.byte[16] = 1;
	table.byte[17] = number(2 * (START + 1));
	table.byte[18] = number(4);
	table.byte[19] = number(2);
}

static void make(void)
{
	become(&meta, 0);
	for (unsigned i = 0; i < TYPES; i++) {
		map[i].word[0] = at(&meta);
		map[i].word[1] = (uint64_t)(NOT_STRINGS + i) << 32;
	}
	map[TEXT].word[1] = 8ull << 32;
	map[CONS].word[1] = 1ull << 32;
	map[SLICED].word[1] = 3ull << 32;
	map[THIN].word[1] = 5ull << 32;
	make_text(&name, "liar");
	make_text(&file, "liar.js");
	make_text(&source, "first line\nsecond line\nthird line\n");
	make_scope();
	make_table();
	become(&context, 0);
	become(&closure, 0);
	closure.word[3] = at(&info);
	become(&info, SHARED);
	info.word[INFO_DATA] = at(&bytecode);
	info.word[INFO_NAME] = at(&scope);
	info.word[INFO_SCRIPT] = at(&script);
	become(&script, SCRIPT);
	script.word[SOURCE] = at(&source);
	script.word[FILE_NAME] = at(&file);
	become(&bytecode, BYTECODE);
	bytecode.word[TABLE] = at(&table);
}

/* A table that jumps two million characters forward and back in a long source, repeatedly. */
static void lie_far(void)
{
	static const char there_and_back[] = "\0\xb0\xff\xff\x03\0\xab\xff\xff\x03";
	enum { SOURCE_BYTES = 4 << 20, TABLE_BYTES = 1 << 16, HEAD = 16 };
	union object *text = calloc(1, SOURCE_BYTES), *rows = calloc(1, TABLE_BYTES + HEAD);

	become(text, TEXT);
	text->word[1] = small(SOURCE_BYTES - HEAD);
	become(rows, TEXT);
	rows->word[1] = small(TABLE_BYTES);
	for (unsigned i = 0; i + 10 < TABLE_BYTES; i += 10)
		memcpy((char *)rows + HEAD + i, there_and_back, 10);
	rows->byte[HEAD] = 1;
	script.word[SOURCE] = at(text);
	bytecode.word[TABLE] = at(rows);
}

/* Strings. */
static void lie_strings(void)
{
	if (is("cons"))
		become(&name, CONS), name.word[2] = name.word[3] = at(&name);
	if (is("sliced"))
		become(&name, SLICED), name.word[2] = at(&file), name.word[3] = small(0xfffffff0);
	if (is("thin"))
		become(&name, THIN), name.word[2] = at(&name);
	if (is("moved"))
		name.word[0] = at(&name) - TAG;
	if (is("length"))
		name.word[1] = small(0xffffffff);
	if (is("control"))
		memcpy(&name.word[2], "\033[3\n", 4);
}

/* Invalid from the start. */
static void lie(void)
{
	lie_strings();
	if (is("kind"))
		scope.word[NAME] = at(&script);
	if (is("locals"))
		scope.word[LOCALS] = small(4095);
	if (is("many"))
		scope.word[LOCALS] = small(0xffffffff);
	if (is("varint"))
		memset(&table.byte[16], 0xff, 400), table.byte[16] = 1, table.word[1] = small(400);
	if (is("size"))
		table.word[1] = small(0xffffffff);
	if (is("far"))
		lie_far();
	if (is("freed"))
		map[SHARED].word[1] = 0;
	if (is("nowhere"))
		info.word[INFO_SCRIPT] = info.word[INFO_NAME] = 4096 + TAG;
	if (is("self"))
		become(&map[SHARED], SHARED), info.word[INFO_NAME] = info.word[INFO_SCRIPT] = at(&info);
	if (is("constants")) {
		v8dbg_class_JSFunction__shared__SharedFunctionInfo = INT32_MIN;
		v8dbg_off_fp_bytecode_array = INT32_MAX;
	}
	if (is("offsets")) {
		v8dbg_off_fp_bytecode_array = INT32_MIN;
		v8dbg_class_BytecodeArray__data__uintptr_t = INT32_MAX;
	}
}

static void lie_again(void)
{
	union object *const all[] = { &map[SHARED], &map[SCRIPT], &map[SCOPE], &map[TEXT], &closure, &info,
		&script, &scope, &bytecode, &table, &name, &file, &source };
	const unsigned n = sizeof(all) / sizeof(all[0]);

	if (is("wild"))
		all[any() % n]->word[any() % 8] = any() % 2 ? any() : at(all[any() % n]);
}

/* During the call the frame of V8 is its own caller. */
static void call_in_circles(uint64_t *frame)
{
	uint64_t before = frame[0];

	frame[0] = (uint64_t)(uintptr_t)frame;
	(void)getppid();
	frame[0] = before;
}

static void descend(void)
{
	if (++depth < DEPTH) {
		liar_frame(at(&context), is("smi") ? small(7) : at(&closure), at(&bytecode), small(HEADER),
		    descend);
		return;
	}
	for (int i = 0; i < calls; i++) {
		lie_again();
		if (is("circle"))
			call_in_circles(*(uint64_t **)__builtin_frame_address(0));
		else
			(void)getppid();
	}
}

static void *change(void *unused)
{
	(void)unused;
	for (;;) {
		union object *const all[] = { &info, &script, &scope, &bytecode, &table, &name, &source };

		all[any() % 7]->word[any() % 8] = any();
		make();
		usleep(any() % 100);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc != 4) {
		fprintf(stderr, "usage: v8_liar WAY CALLS STOP\n");
		return 2;
	}
	way = argv[1];
	calls = atoi(argv[2]);
	make();
	lie();
	if (is("race") && pthread_create(&thread, NULL, change, NULL) != 0)
		return 2;
	while (access(argv[3], F_OK) != 0) {
		depth = 0;
		liar_frame(at(&context), at(&closure), at(&bytecode), small(HEADER), descend);
		usleep(2000);
	}
	return 0;
}
