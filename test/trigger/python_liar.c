/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Says that it is Python 3.11, as far as a tracer can see, and lies in the way that its word says; then makes
 * system calls in what it says is the loop of its interpreter. python_liar WAY CALLS STOP: it ends when there
 * is a file STOP, and makes CALLS calls every few milliseconds until then.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct cframe { uint64_t tracing; void *current; struct cframe *previous; };
struct str { uint64_t refs; void *type; uint64_t length, hash, state, wstr; char text[64]; };
struct bytes { uint64_t refs; void *type; uint64_t length, hash; uint8_t data[64]; };
union code { char room[256]; uint64_t word[32]; uint32_t half[64]; };
union frame { char room[128]; uint64_t word[16]; };
union state { char room[256]; uint64_t word[32]; };

uint32_t Py_Version = 0x030b07f0;
char PyCode_Type[8], PyUnicode_Type[8], PyBytes_Type[8];
union { char room[2048]; uint64_t word[256]; } _PyRuntime;
void _PyEval_EvalFrameDefault(int calls);

enum { CODES = 70000, FRAMES = 64 };
static union { char room[64]; uint64_t word[8]; } interpreter;
static union state state;
static union frame frame[FRAMES];
static struct str name = { 1, PyUnicode_Type, 4, 0, 1 << 2 | 1 << 5 | 1 << 6, 0, "liar" };
static struct str file = { 1, PyUnicode_Type, 7, 0, 1 << 2 | 1 << 5 | 1 << 6, 0, "liar.py" };
static struct bytes lines = { 1, PyBytes_Type, 2, 0, { 0x80, 0x00 } };
static union code *code;
static const char *way;
static uint64_t seed = 88172645463325252u;

static uint64_t any(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

static int is(const char *word) { return strcmp(way, word) == 0; }

static void make_code(union code *c)
{
	c->word[0] = 1;
	c->word[1] = (uint64_t)(uintptr_t)PyCode_Type;
	c->half[72 / 4] = 7;
	c->word[112 / 8] = (uint64_t)(uintptr_t)&file;
	c->word[120 / 8] = c->word[128 / 8] = (uint64_t)(uintptr_t)&name;
	c->word[136 / 8] = (uint64_t)(uintptr_t)&lines;
}

static void make_frame(unsigned i, const union code *c, int entry)
{
	frame[i].word[32 / 8] = (uint64_t)(uintptr_t)c;
	frame[i].word[48 / 8] = (uint64_t)(uintptr_t)&frame[(i + 1) % FRAMES];
	frame[i].word[56 / 8] = (uint64_t)(uintptr_t)c + 184;
	frame[i].word[64 / 8] = (uint64_t)entry << 32;
}

/* What is wrong from the start. */
static void lie(void)
{
	if (is("loop"))
		for (unsigned i = 0; i < FRAMES; i++)
			make_frame(i, &code[i], 0);
	if (is("self"))
		frame[0].word[48 / 8] = (uint64_t)(uintptr_t)&frame[0], frame[0].word[64 / 8] = 0;
	if (is("length"))
		name.length = 1ull << 62;
	if (is("kind"))
		name.state = 7 << 2 | 1 << 5;
	if (is("control"))
		memcpy(name.text, "\033[3\n", 4);
	if (is("lines"))
		lines.length = 1ull << 40;
	if (is("varint"))
		memset(lines.data, 0xff, sizeof(lines.data)), lines.length = sizeof(lines.data);
	if (is("freed"))
		code[0].word[0] = 0;
	if (is("nowhere"))
		code[0].word[128 / 8] = 4096;
	if (is("table")) {
		Py_Version = 0x030d00f0;
		memset(&_PyRuntime, 0xff, sizeof(_PyRuntime));
		memcpy(&_PyRuntime, "xdebugpy\0\0\015\003", 12);
		_PyRuntime.word[1] = 0x030d00f0;
		_PyRuntime.word[2] = 0;
	}
}

/* What is wrong from call to call. */
static void lie_again(unsigned n)
{
	if (is("many"))
		make_frame(0, &code[n % CODES], 1);
	if (is("wild"))
		for (unsigned i = 0; i < FRAMES; i++)
			for (unsigned k = 0; k < 9; k++)
				frame[i].word[k] = any() % 3 ? any() :
				    (uint64_t)(uintptr_t)(any() % 2 ? (void *)&frame[any() % FRAMES] :
								      (void *)&code[any() % CODES]);
}

__attribute__((noinline)) void _PyEval_EvalFrameDefault(int calls)
{
	static unsigned n;
	volatile struct cframe own = { 0, &frame[0], NULL };

	state.word[56 / 8] = (uint64_t)(uintptr_t)&own;
	for (int i = 0; i < calls; i++) {
		lie_again(n++);
		(void)getppid();
	}
}

static void *change(void *unused)
{
	(void)unused;
	for (;;) {
		union code *c = &code[any() % FRAMES];

		make_code(c);
		make_frame((unsigned)(any() % FRAMES), c, any() % 8 == 0);
		c->word[any() % 18] = any();
		frame[any() % FRAMES].word[any() % 9] = any();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t self = pthread_self(), other;
	pthread_key_t key;

	if (argc != 4 || (code = calloc(CODES, sizeof(*code))) == NULL || pthread_key_create(&key, NULL) != 0)
		return 2;
	way = argv[1];
	for (unsigned i = 0; i < CODES; i++)
		make_code(&code[i]);
	make_frame(0, &code[0], 1);
	_PyRuntime.word[40 / 8] = (uint64_t)(uintptr_t)&interpreter;
	interpreter.word[16 / 8] = (uint64_t)(uintptr_t)&state;
	memcpy(&state.word[152 / 8], &self, sizeof(self));
	pthread_setspecific(key, &state);
	lie();
	if (is("race") && pthread_create(&other, NULL, change, NULL) != 0)
		return 2;
	while (access(argv[3], F_OK) != 0) {
		_PyEval_EvalFrameDefault(atoi(argv[2]));
		usleep(2000);
	}
	return 0;
}
