/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The name of a method, its file and the line of a bytecode. A Method has a ConstMethod with what never
 * changes, and that leads to the constants of its class, where names are. The circle from the class back to
 * its constants is checked: memory that was freed and is something else by now has none.
 */
#include "lang/lang_hotspot.h"

#include <stdio.h>
#include <string.h>

enum { HAS_LINES = 1, ESCAPE = 0xff };

/* The text of a Symbol, of at most size - 1 bytes; false: it is longer, or none. */
static bool symbol(const struct dt_hs_vm *vm, struct dt_peek *p, uint64_t at, char *to, size_t size)
{
	uint64_t len = dt_hs_has(vm, DT_HS_F_SYMBOL_LEN) ? dt_hs_get(vm, p, at, DT_HS_F_SYMBOL_LEN) & 0xffff :
	    (dt_hs_get(vm, p, at, DT_HS_F_SYMBOL_LEN_REF) & 0xffffffff) >> 16;

	if (at == 0 || len == 0 || len >= size || !dt_peek(p, at + vm->of[DT_HS_F_SYMBOL_BODY], to, len))
		return false;
	to[len] = '\0';
	return strlen(to) == len;
}

/* The constant of a pool that is a Symbol. */
static bool constant(const struct dt_hs_vm *vm, struct dt_peek *p, uint64_t pool, uint64_t index, char *to,
    size_t size)
{
	uint64_t len = dt_hs_get(vm, p, pool, DT_HS_F_POOL_LEN);

	if (index == 0 || index >= len)
		return false;
	return symbol(vm, p, dt_peek_word(p, pool + vm->of[DT_HS_F_POOL_SIZE] + 8 * index) & ~1ull, to, size);
}

/* "java/lang/Thread" is shown with dots; classes without a name have an address after a plus. */
static void to_dots(char *name)
{
	char *plus = strrchr(name, '+');

	for (char *c = name; *c != '\0'; c++)
		if (*c == '/')
			*c = '.';
	if (plus != NULL)
		*plus = '/';
}

static uint32_t as_signed(uint32_t v)
{
	return (v >> 1) ^ (0 - (v & 1));
}

/* Pairs of a bytecode and its line, each told by its distance from the one before. */
uint32_t dt_hs_line(bool excludes_zero, const uint8_t *lines, size_t n, int bci)
{
	uint32_t at_bci = 0, at_line = 0, line = 0;
	int best = -1;
	size_t at = 0;

	while (bci >= 0 && at < n && lines[at] != 0) {
		uint8_t b = lines[at++];

		if (b == ESCAPE) {
			at_bci += as_signed(dt_hs_number(excludes_zero, lines, &at, n));
			at_line += as_signed(dt_hs_number(excludes_zero, lines, &at, n));
		} else {
			at_bci += b >> 3;
			at_line += b & 7;
		}
		if ((int)at_bci <= bci && (int)at_bci >= best) {
			best = (int)at_bci;
			line = at_line;
		}
	}
	return line <= 0xffff ? line : 0;	/* class files have 16 bits for it */
}

/* The table follows the bytecodes, up to the end of the ConstMethod, where other tables may be. */
static void read_lines(const struct dt_hs_vm *vm, struct dt_peek *p, uint64_t cm, struct dt_hs_name *name)
{
	uint64_t size = (uint32_t)dt_hs_get(vm, p, cm, DT_HS_F_CONST_WORDS) * 8ull;
	uint64_t from = vm->of[DT_HS_F_CONST_SIZE] + (dt_hs_get(vm, p, cm, DT_HS_F_CONST_CODE) & 0xffff);

	name->nlines = 0;
	if ((dt_hs_get(vm, p, cm, DT_HS_F_CONST_FLAGS) & HAS_LINES) == 0 || from >= size)
		return;
	size = size - from < sizeof(name->lines) ? size - from : sizeof(name->lines);
	if (dt_peek(p, cm + from, name->lines, size))
		name->nlines = size;
}

/* The class of a method; 0: this is not a method. */
static uint64_t class_of(const struct dt_hs_vm *vm, struct dt_peek *p, uint64_t method, uint64_t *cm,
    uint64_t *pool)
{
	uint64_t klass;

	*cm = dt_hs_get(vm, p, method, DT_HS_F_M_CONST);
	*pool = *cm != 0 ? dt_hs_get(vm, p, *cm, DT_HS_F_CONST_POOL) : 0;
	klass = *pool != 0 ? dt_hs_get(vm, p, *pool, DT_HS_F_POOL_HOLDER) : 0;
	return klass != 0 && dt_hs_get(vm, p, klass, DT_HS_F_KLASS_POOL) == *pool ? klass : 0;
}

uint64_t dt_hs_key(const struct dt_hs_vm *vm, struct dt_peek *p, uint64_t method)
{
	uint64_t cm, pool, klass = class_of(vm, p, method, &cm, &pool);

	return DT_HS_KEY(cm, dt_hs_get(vm, p, klass, DT_HS_F_KLASS_NAME));
}

bool dt_hs_name(const struct dt_hs_vm *vm, struct dt_peek *p, uint64_t method, struct dt_hs_name *name)
{
	uint64_t cm, pool, klass = class_of(vm, p, method, &cm, &pool), file;
	char own[256];
	size_t n;

	if (klass == 0 ||
	    !symbol(vm, p, dt_hs_get(vm, p, klass, DT_HS_F_KLASS_NAME), name->method,
	    sizeof(name->method) - sizeof(own)) ||
	    !constant(vm, p, pool, dt_hs_get(vm, p, cm, DT_HS_F_CONST_NAME), own, sizeof(own)))
		return false;
	to_dots(name->method);
	n = strlen(name->method);
	snprintf(name->method + n, sizeof(name->method) - n, ".%s", own);
	file = dt_hs_has(vm, DT_HS_F_POOL_FILE) ? dt_hs_get(vm, p, pool, DT_HS_F_POOL_FILE) :
	    dt_hs_get(vm, p, klass, DT_HS_F_KLASS_FILE);
	if (!constant(vm, p, pool, file, name->file, sizeof(name->file)))
		name->file[0] = '\0';
	read_lines(vm, p, cm, name);
	return true;
}
