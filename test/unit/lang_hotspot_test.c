/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of Java's functions from the memory of a JVM: numbers and lines as the JDK writes them; and
 * memory that is random, or random but for addresses that lead back into it, of which nothing may come
 * but the loss of a name.
 */
#include "check.h"

#include "lang/lang_hotspot.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 1 << 20, BASE = 1 << 16, ROUNDS = 400 };

/* ---- numbers and lines ---- */

/* As CompressedStream of JDK 8 and UNSIGNED5 of JDK 20 do: the reverse of dt_hs_number() */
static size_t put_number(uint8_t *to, uint32_t v, bool excludes_zero)
{
	uint32_t least = excludes_zero, low = 192 - least;
	size_t n = 0;

	while (v >= low && n < 4) {
		v -= low;
		to[n++] = (uint8_t)(least + low + (v & 63));
		v >>= 6;
	}
	to[n++] = (uint8_t)(least + v);
	return n;
}

static void test_numbers(void)
{
	static const uint32_t numbers[] = { 0, 1, 190, 191, 192, 193, 12479, 12480, 100000, 0x7fffffff,
		0xffffffff };
	uint8_t bytes[8];

	for (int x = 0; x < 2; x++)
		for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
			size_t n = put_number(bytes, numbers[i], x), at = 0;

			CHECK_INT(dt_hs_number(x, bytes, &at, n), numbers[i]);
			CHECK_INT(at, n);
		}
}

static void test_lines(void)
{
	/* bytecode 0 is of line 10, 3 of 12, 40 of 5 (an escape: +37, -7, as signed numbers), 42 of 6 */
	static const uint8_t lines[] = { 0xff, 0, 20, 3 << 3 | 2, 0xff, 74, 13, 2 << 3 | 1, 0 };

	CHECK_INT(dt_hs_line(false, lines, sizeof(lines), 0), 10);
	CHECK_INT(dt_hs_line(false, lines, sizeof(lines), 2), 10);
	CHECK_INT(dt_hs_line(false, lines, sizeof(lines), 3), 12);
	CHECK_INT(dt_hs_line(false, lines, sizeof(lines), 39), 12);
	CHECK_INT(dt_hs_line(false, lines, sizeof(lines), 40), 5);
	CHECK_INT(dt_hs_line(false, lines, sizeof(lines), 1000), 6);
	CHECK_INT(dt_hs_line(false, lines, sizeof(lines), -1), 0);
	CHECK_INT(dt_hs_line(false, lines, 0, 3), 0);
}

/* ---- memory that lies ---- */

static uint64_t state = 88172645463325252u;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

/* An address in the memory, or a small number, or anything. */
static uint64_t random_word(void)
{
	uint64_t r = next_random();

	switch (r & 3) {
	case 0: return next_random();
	case 1: return next_random() % 300;
	default: return BASE + next_random() % SIZE / 8 * 8;
	}
}

static bool fill(int fd)
{
	static uint64_t words[SIZE / 8];

	for (size_t i = 0; i < SIZE / 8; i++)
		words[i] = random_word();
	return pwrite(fd, words, SIZE, BASE) == SIZE;
}

static void random_vm(struct dt_hs_vm *vm)
{
	static const uint8_t widths[] = { 2, 4, 8 };

	*vm = (struct dt_hs_vm){ .pointers = next_random() & 1, .excludes_zero = next_random() & 1,
		.segment_bits = 3 + next_random() % 14, .interp = random_word(), .interp_end = random_word() };
	for (int i = 0; i < DT_HS_FIELDS; i++) {
		vm->of[i] = next_random() % 8 == 0 ? DT_HS_NONE : next_random() % 400;
		vm->width[i] = widths[next_random() % 3];
	}
	/* what dt_hs_learn() does not go without */
	vm->of[DT_HS_F_PCDESC_SIZE] = 1 + next_random() % 32;
	for (int i = 0; i < DT_HS_FIELDS; i++)
		vm->of[i] = vm->of[i] == DT_HS_NONE && i % 2 == 0 ? 8 : vm->of[i];
	for (int i = 0; i < DT_HS_WALK_HEAPS; i++)
		vm->heap[i] = (struct dt_hs_heap){ BASE + SIZE / 3 * (uint64_t)i,
			BASE + SIZE / 3 * (uint64_t)(i + 1), random_word() };
}

static void ask(const struct dt_lang_process *p, const struct dt_hs_vm *vm)
{
	struct dt_lang_process process = *p;
	struct dt_hs_place place[DT_HS_INLINED];
	struct dt_lang_frame frame;
	char name[64];

	memcpy(process.own, vm, sizeof(*vm));
	for (int i = 0; i < 20; i++) {
		struct dt_unwind_func seen = { .code = random_word(), .key = next_random() };
		struct dt_lang_function f = { .first = 0 };
		struct dt_peek *peek = dt_peek_new(&process, 100);
		uint32_t id = (uint32_t)random_word();

		if (peek == NULL)
			return;
		CHECK(dt_hs_inlined(vm, peek, seen.code, id, i & 1, place, DT_HS_INLINED) <= DT_HS_INLINED);
		CHECK(!dt_hs_stub(vm, peek, seen.code, name, sizeof(name)) || strlen(name) < sizeof(name));
		CHECK(peek->left <= 100);
		free(peek);
		if (dt_lang_hotspot.function(&process, NULL, &seen, &f) == 0 && dt_lang_hotspot.check(&f))
			for (unsigned k = 0; dt_lang_hotspot.frame(&f, 7, k, &frame); k++)
				CHECK(frame.function != NULL);
		CHECK(f.nlines <= DT_LANG_LINES);
		free(f.lines);
	}
}

static void test_memory(void)
{
	struct dt_lang_process p = { .fd = memfd_create("jvm", 0) };
	struct dt_hs_vm vm;

	if (!CHECK(p.fd >= 0))
		return;
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t symbol[DT_LANG_SYMBOLS];
		struct dt_peek *peek;

		if (i % 20 == 0 && !CHECK(fill(p.fd)))
			break;
		random_vm(&vm);
		ask(&p, &vm);
		for (int k = 0; k < DT_LANG_SYMBOLS; k++)
			symbol[k] = BASE + next_random() % SIZE / 8 * 8;
		peek = dt_peek_new(&p, 200);
		CHECK(peek != NULL && dt_hs_learn(&vm, peek, symbol) != 0);
		free(peek);
	}
	close(p.fd);
}

/* An answer of a worker that has been taken over. */
static void test_answers(void)
{
	uint8_t bytes[256];
	struct dt_lang_frame frame;

	for (int i = 0; i < 20000; i++) {
		struct dt_lang_function f = { .lines = bytes, .nlines = next_random() % sizeof(bytes),
			.format = (uint32_t)next_random() & 3 };

		for (size_t k = 0; k < sizeof(bytes); k++)
			bytes[k] = next_random() % 3 == 0 ? (uint8_t)next_random() : next_random() % 8 == 0;
		if (dt_lang_hotspot.check(&f))
			for (unsigned k = 0; dt_lang_hotspot.frame(&f, 7, k, &frame); k++)
				CHECK(strlen(frame.function) < sizeof(bytes));
	}
	CHECK(true);
}

int main(void)
{
	test_numbers();
	test_lines();
	test_memory();
	test_answers();
	return check_report("lang_hotspot");
}
