/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of JavaScript's functions from the memory of V8: a function as V8 11 has it, and what becomes of its
 * name when words of it are others.
 */
#include "check.h"

#include "lang/lang.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 1 << 16, BASE = 1 << 16, ROUNDS = 3000 };
enum { SHARED_TYPE = 262, SCRIPT_TYPE = 167, SCOPE_TYPE = 261, BYTECODE_TYPE = 191, STRING_TYPE = 8,
	TABLE_TYPE = 190 };

static uint64_t words[SIZE / 8];
static size_t used;

static uint64_t smi(uint64_t n) { return n << 32; }

/* Room for n words: a tagged pointer; the first word is a map with that type. */
static uint64_t object(unsigned type, size_t n, uint64_t **to)
{
	uint64_t *map = &words[used], at;

	map[1] = (uint64_t)type << 32;
	at = BASE + 8 * (used + 2) + 1;
	*to = map + 2;
	(*to)[0] = BASE + 8 * used + 1;
	used += 2 + n;
	return at;
}

static uint64_t string(const char *text)
{
	uint64_t *w, at = object(STRING_TYPE, 2 + strlen(text) / 8 + 1, &w);

	w[1] = smi(strlen(text));
	memcpy(&w[2], text, strlen(text));
	return at;
}

static const struct dt_unwind_lang record = { .word = { [DT_V8_SHARED_TYPE] = SHARED_TYPE,
	[DT_V8_SHARED] = 24, [DT_V8_TOKEN] = 44, [DT_V8_SCRIPT_TYPE] = SCRIPT_TYPE,
	[DT_V8_SCOPE_TYPE] = SCOPE_TYPE, [DT_V8_BYTECODE_TYPE] = BYTECODE_TYPE, [DT_V8_BYTECODE_DATA] = 54,
	[DT_V8_SCOPE_VARS] = 3, [DT_V8_NOT_STRING] = (unsigned long long)-128 } };

/* function f, in line 2 of a script; its calls at 4 and 9 of its bytecode are in lines 3 and 4 */
static struct dt_unwind_func make_function(void)
{
	static const uint8_t table[] = { 1, 56, 10, 12, 10, 12 };	/* -1: 13; 4: 16; 9: 19 */
	struct dt_unwind_func f = { .tag = 1 };
	uint64_t *scope, *script, *bytecode, *bytes, *shared;
	uint64_t scope_at, script_at, name, file;

	used = 0;
	memset(words, 0, sizeof(words));
	name = string("f");
	file = string("dir/f.js");
	scope_at = object(SCOPE_TYPE, 12, &scope);
	memcpy(&scope[4], (uint64_t[]){ name, smi(0xffffffff), smi(13), smi(24), scope_at }, 40);
	script_at = object(SCRIPT_TYPE, 8, &script);
	script[2] = file;
	script[1] = string("// one line\nf()\na;\nb;\n}\n");
	f.more = object(BYTECODE_TYPE, 8, &bytecode);
	bytecode[4] = object(TABLE_TYPE, 4, &bytes);
	bytes[1] = smi(sizeof(table));
	memcpy(&bytes[2], table, sizeof(table));
	f.code = object(SHARED_TYPE, 8, &shared);
	shared[2] = scope_at;
	shared[4] = script_at;
	f.key = DT_V8_KEY(scope_at, script_at);
	return f;
}

static int ask(int fd, const struct dt_unwind_func *seen, struct dt_lang_function *f)
{
	struct dt_lang_process p = { .lang = &dt_lang_v8, .fd = fd };

	*f = (struct dt_lang_function){ .first = 0 };
	return dt_lang_v8.function(&p, &record, seen, f);
}

static void test_function(int fd)
{
	struct dt_unwind_func seen = make_function();
	struct dt_lang_function f;

	CHECK(pwrite(fd, words, SIZE, BASE) == SIZE);
	CHECK_INT(ask(fd, &seen, &f), 0);
	CHECK_STR(f.name, "f");
	CHECK_STR(f.file, "dir/f.js");
	CHECK_INT(dt_lang_v8.line(&f, 0), 2);
	CHECK_INT(dt_lang_v8.line(&f, 53 + 4), 3);
	CHECK_INT(dt_lang_v8.line(&f, 53 + 8), 3);
	CHECK_INT(dt_lang_v8.line(&f, 53 + 9), 4);
	free(f.lines);
	seen.key++;
	CHECK_INT(ask(fd, &seen, &f), -ESTALE);
	free(f.lines);
}

static uint64_t state = 88172645463325252u;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

/* An object, a small number, or anything. */
static uint64_t random_word(void)
{
	uint64_t r = next_random();

	switch (r & 3) {
	case 0: return next_random();
	case 1: return smi(next_random() % 300);
	default: return BASE + next_random() % 800 * 8 + 1;
	}
}

/* Some words of a function are others: it may have no name, or another one, and it ends. */
static void test_lies(int fd)
{
	struct dt_lang_function f;
	int named = 0;

	for (int i = 0; i < ROUNDS; i++) {
		struct dt_unwind_func seen = make_function();

		for (uint64_t n = next_random() % 6; n > 0; n--)
			words[next_random() % used] = random_word();
		CHECK(pwrite(fd, words, 8 * used, BASE) == (ssize_t)(8 * used));
		named += ask(fd, &seen, &f) == 0;
		CHECK(strlen(f.name) < sizeof(f.name) && strlen(f.file) < sizeof(f.file));
		CHECK(f.nlines <= DT_LANG_LINES);
		(void)dt_lang_v8.line(&f, (uint32_t)next_random());
		free(f.lines);
	}
	CHECK(named > ROUNDS / 4 && named < ROUNDS);
}

int main(void)
{
	int fd = memfd_create("memory", 0);

	CHECK(fd >= 0 && ftruncate(fd, BASE + SIZE) == 0);
	test_function(fd);
	test_lies(fd);
	close(fd);
	return check_report("lang_v8");
}
