/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An untrusted process that claims to be PHP 8.2 and makes system calls in the loop of its interpreter. WAY
 * selects what is invalid. php_liar WAY CALLS STOP: makes CALLS system calls every few milliseconds until the
 * file STOP exists.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CURRENT = 488 / 8, FILE_NAME = 152 / 8, TOP = 1 << 17, USER = 2, INTERNAL = 1, STRING = 6, LINE = 7 };
/* words of a frame, of a function, of an instruction, of a string, of a class */
enum { CODE = 0, FUNCTION = 3, INFO = 5, PREVIOUS = 6, NAME = 1, CLASS = 2, LINE_OF_CODE = 3, HASH = 1,
	LENGTH = 2, TEXT = 3, CLASS_NAME = 1 };

union object { uint64_t word[32]; char text[256]; };

uint64_t executor_globals[CURRENT + 1];
void execute_ex(int calls);

static union object frame[2], function[2], code, class, class_name, name, file, other;
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

static void make_string(union object *s, const char *text)
{
	uint64_t hash = 5381;

	for (const char *c = text; *c != '\0'; c++)
		hash = hash * 33 + (unsigned char)*c;
	s->word[0] = (uint64_t)STRING << 32 | 1;
	s->word[HASH] = hash | 1ull << 63;
	s->word[LENGTH] = strlen(text);
	strcpy((char *)&s->word[TEXT], text);
}

static void make(void)
{
	make_string(&class_name, "Liar");
	make_string(&name, "lie");
	make_string(&file, "/liar.php");
	make_string(&other, "another");
	class.word[CLASS_NAME] = at(&class_name);
	code.word[LINE_OF_CODE] = LINE;
	for (int i = 0; i < 2; i++) {
		function[i].word[0] = USER;
		function[i].word[FILE_NAME] = at(&file);
		frame[i].word[CODE] = at(&code);
		frame[i].word[FUNCTION] = at(&function[i]);
		frame[i].word[INFO] = i == 0 ? 0 : TOP;
	}
	function[0].word[NAME] = at(&name);
	function[0].word[CLASS] = at(&class);
	frame[0].word[PREVIOUS] = at(&frame[1]);
	executor_globals[CURRENT] = at(&frame[0]);
}

/* Strings. */
static void lie_strings(void)
{
	if (is("hash"))
		name.word[HASH] ^= 1 << 20;
	if (is("unhashed"))
		name.word[HASH] = 0;
	if (is("length"))
		name.word[LENGTH] = UINT64_MAX;
	if (is("long"))
		name.word[LENGTH] = 1023;
	if (is("kind"))
		name.word[0] = 7ull << 32 | 1;
	if (is("freed"))
		name.word[0] = (uint64_t)STRING << 32;
	if (is("control"))
		make_string(&name, "li\033[3\n");
	if (is("empty"))
		make_string(&file, "");
	if (is("high"))
		class.word[CLASS_NAME] = UINT64_MAX;
	if (is("class"))
		class.word[CLASS_NAME] = at(&class);
}

/* Frames, functions and code. */
static void lie_frames(void)
{
	if (is("nowhere"))
		function[0].word[NAME] = function[0].word[CLASS] = function[0].word[FILE_NAME] = 4096;
	if (is("code"))
		frame[0].word[CODE] = 4096;
	if (is("line"))
		code.word[LINE_OF_CODE] = UINT64_MAX;
	if (is("internal"))
		function[0].word[0] = INTERNAL;
	if (is("function"))
		frame[0].word[FUNCTION] = UINT64_MAX - 8;
	if (is("none"))
		executor_globals[CURRENT] = 0;
	if (is("circle"))
		frame[0].word[PREVIOUS] = at(&frame[0]);
	if (is("endless"))
		frame[1].word[INFO] = 0, frame[1].word[PREVIOUS] = at(&frame[0]);
}

/* Change data between the walk and the lookup of names. */
static void lie_again(void)
{
	union object *const all[] = { &frame[0], &frame[1], &function[0], &function[1], &code, &class,
		&class_name, &name, &file };
	const unsigned n = sizeof(all) / sizeof(all[0]);

	if (is("other"))
		function[0].word[NAME] = at(any() % 2 ? &name : &other);
	if (is("wild") || is("race"))
		all[any() % n]->word[any() % 7] = any() % 2 ? any() : at(all[any() % n]);
}

__attribute__((noinline)) void execute_ex(int calls)
{
	for (int i = 0; i < calls; i++) {
		lie_again();
		(void)getppid();
	}
}

static void *change(void *unused)
{
	for (;;) {
		for (int i = 0; i < 3; i++)
			lie_again();
		make();
		usleep(any() % 100);
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc != 4) {
		fprintf(stderr, "usage: php_liar WAY CALLS STOP\n");
		return 2;
	}
	way = argv[1];
	make();
	lie_strings();
	lie_frames();
	if (is("race") && pthread_create(&thread, NULL, change, NULL) != 0)
		return 2;
	while (access(argv[3], F_OK) != 0) {
		execute_ex(atoi(argv[2]));
		usleep(2000);
	}
	return 0;
}
