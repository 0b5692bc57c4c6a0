/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Java on HotSpot, 8 to 25: the numbers that runtime/lang_hotspot.h walks by are taken from what the JVM
 * says about itself, and what the walk has recorded becomes names. One pc of compiled code may stand for
 * several calls, as the compiler inlines most of them.
 */
#include "lang/lang_hotspot.h"

#include "base/printable.h"
#include "machine/machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LEARN_READS = 512, FUNCTION_READS = 1024 };
/* of JDK 8: words below fp, where an interpreted frame has the address of its bytecode */
enum { BCP_WORDS_8 = 7 };
enum { EXCLUDES_ZERO = 1, TABLE = 2 };	/* dt_lang_function.format */

static const char *const files[] = { "libjvm.so", NULL };
static const char *const none[] = { NULL };

/* ---- memory ---- */

struct dt_peek *dt_peek_new(const struct dt_lang_process *process, unsigned reads)
{
	struct dt_peek *p = malloc(sizeof(*p));

	if (p != NULL) {
		p->process = process;
		p->left = reads;
		memset(p->page, 0, sizeof(p->page));
	}
	return p;
}

void dt_peek_forget(struct dt_peek *p) { memset(p->page, 0, sizeof(p->page)); }

/* Pages next to each other are read at once, where they are all there. */
static const uint8_t *page_at(struct dt_peek *p, uint64_t page)
{
	uint64_t slot = page % DT_PEEK_PAGES, first = page - page % DT_PEEK_GROUP, n = DT_PEEK_GROUP;

	if (p->page[slot] == page + 1)
		return p->bytes[slot];
	if (p->left < 2)
		return NULL;
	p->left--;
	if (!dt_lang_read(p->process, first * DT_PEEK_PAGE, p->bytes[first % DT_PEEK_PAGES],
	    DT_PEEK_GROUP * DT_PEEK_PAGE)) {
		p->left--;
		for (uint64_t i = 0; i < DT_PEEK_GROUP; i++)
			p->page[first % DT_PEEK_PAGES + i] = 0;
		first = page;
		n = 1;
		if (!dt_lang_read(p->process, page * DT_PEEK_PAGE, p->bytes[slot], DT_PEEK_PAGE))
			return NULL;
	}
	for (uint64_t i = 0; i < n; i++)
		p->page[(first + i) % DT_PEEK_PAGES] = first + i + 1;
	return p->bytes[slot];
}

bool dt_peek(struct dt_peek *p, uint64_t addr, void *to, size_t n)
{
	uint8_t *at = to;

	while (n > 0) {
		size_t in_page = addr % DT_PEEK_PAGE, rest = DT_PEEK_PAGE - in_page;
		size_t len = rest < n ? rest : n;
		const uint8_t *page = page_at(p, addr / DT_PEEK_PAGE);

		if (page == NULL)
			return false;
		memcpy(at, page + in_page, len);
		at += len;
		addr += len;
		n -= len;
	}
	return true;
}

uint64_t dt_peek_word(struct dt_peek *p, uint64_t addr)
{
	uint64_t v;

	return dt_peek(p, addr, &v, sizeof(v)) ? v : 0;
}

bool dt_peek_text(struct dt_peek *p, uint64_t addr, char *to, size_t size)
{
	for (size_t n = 0; n + 1 < size; n++) {
		if (!dt_peek(p, addr + n, &to[n], 1))
			return false;
		if (to[n] == '\0')
			return true;
	}
	to[size - 1] = '\0';
	return true;
}

/* ---- the walk ---- */

struct window { enum dt_hs_field field; int word; };

/*
 * The walk reads two pieces of a blob's header; `from` becomes where one begins that has these members, and
 * their offsets in what was read go to the words. False: they are too far from each other.
 */
static bool find_window(const struct dt_hs_vm *vm, const struct window *w, int n, uint64_t base,
    uint64_t size, unsigned long long *word, unsigned long long *from)
{
	*from = ~0ull;
	for (int i = 0; i < n; i++)
		if (dt_hs_has(vm, w[i].field) && vm->of[w[i].field] / 8 * 8 < *from)
			*from = vm->of[w[i].field] / 8 * 8;
	for (int i = 0; i < n; i++) {
		uint64_t at = vm->of[w[i].field] - *from;

		if (!dt_hs_has(vm, w[i].field))
			continue;
		if (at + 8 > size)
			return false;
		word[w[i].word] = base + at;
	}
	return true;
}

_Static_assert((int)DT_HS_WORDS <= (int)DT_UNWIND_LANG_WORDS, "a record has room for the words");

static int describe(const struct dt_hs_vm *vm, unsigned long long *word)
{
	static const struct window head[] = { { DT_HS_F_BLOB_FRAME, DT_HS_FRAME_SIZE },
		{ DT_HS_F_BLOB_COMPLETE, DT_HS_FRAME_COMPLETE }, { DT_HS_F_BLOB_CODE, DT_HS_CODE },
		{ DT_HS_F_NM_DEOPT, DT_HS_DEOPT } };
	static const struct window tail[] = { { DT_HS_F_NM_ID, DT_HS_ID },
		{ DT_HS_F_NM_ORIG_PC, DT_HS_ORIG_PC }, { DT_HS_F_NM_DEOPT, DT_HS_DEOPT } };
	/* the handler is near the one or near the other */
	bool near_tail = find_window(vm, tail, 3, DT_HS_HEAD_BYTES, DT_HS_TAIL_BYTES, word,
	    &word[DT_HS_TAIL_AT]);

	if (!near_tail && !find_window(vm, tail, 2, DT_HS_HEAD_BYTES, DT_HS_TAIL_BYTES, word,
	    &word[DT_HS_TAIL_AT]))
		return -ENOTSUP;
	if (!find_window(vm, head, near_tail ? 3 : 4, 0, DT_HS_HEAD_BYTES, word, &word[DT_HS_HEAD_AT])) {
		word[DT_HS_DEOPT] = 0;
		if (near_tail || !find_window(vm, head, 3, 0, DT_HS_HEAD_BYTES, word, &word[DT_HS_HEAD_AT]))
			return -ENOTSUP;
	}
	if (!dt_hs_has(vm, DT_HS_F_NM_DEOPT) || !dt_hs_has(vm, DT_HS_F_NM_ORIG_PC))
		word[DT_HS_DEOPT] = 0;
	word[DT_HS_POINTERS] = vm->pointers;
	word[DT_HS_SEGMENT] = vm->segment_bits;
	word[DT_HS_BLOCK] = vm->of[DT_HS_F_BLOCK_SIZE];
	word[DT_HS_INTERP] = vm->interp;
	word[DT_HS_INTERP_LEN] = vm->interp_end - vm->interp;
	word[DT_HS_BCP] = dt_hs_has(vm, DT_HS_F_HEAP) ? BCP_WORDS_8 :
	    (uint64_t)dt_machine_here()->hotspot_bcp;
	word[DT_HS_CALL_STUB] = vm->call_stub;
	word[DT_HS_CONST_METHOD] = vm->of[DT_HS_F_M_CONST];
	word[DT_HS_CONST_SIZE] = vm->of[DT_HS_F_CONST_SIZE];
	word[DT_HS_CONST_POOL] = vm->of[DT_HS_F_CONST_POOL];
	word[DT_HS_POOL_HOLDER] = vm->of[DT_HS_F_POOL_HOLDER];
	word[DT_HS_KLASS_NAME] = vm->of[DT_HS_F_KLASS_NAME];
	for (int i = 0; i < DT_HS_WALK_HEAPS; i++) {
		word[DT_HS_HEAP + 3 * i] = vm->heap[i].low;
		word[DT_HS_HEAP + 3 * i + 1] = vm->heap[i].high - vm->heap[i].low;
		word[DT_HS_HEAP + 3 * i + 2] = vm->heap[i].segmap;
	}
	return 0;
}

static int learn(struct dt_lang_process *process, struct dt_unwind_lang *to)
{
	struct dt_hs_vm vm;
	struct dt_peek *p = dt_peek_new(process, LEARN_READS);
	int err = p != NULL ? dt_hs_learn(&vm, p, process->symbol) : -ENOMEM;

	free(p);
	if (err == 0)
		err = describe(&vm, to->word);
	if (err != 0)
		return err;
	_Static_assert(sizeof(vm) <= sizeof(process->own), "the process has room for it");
	memcpy(process->own, &vm, sizeof(vm));
	process->ncode = 0;
	for (int i = 0; i < DT_HS_WALK_HEAPS; i++)
		if (vm.heap[i].low != 0)
			process->code[process->ncode++] = (struct dt_lang_range){ vm.heap[i].low,
				vm.heap[i].high };
	return 0;
}

/* ---- functions, in the reader's worker ---- */

/*
 * `lines` of a function has a struct part for each call that it stands for, innermost first, each with
 * its texts after it. What is compiled has lines; what is interpreted has the table of them, by which
 * they are found later.
 */
struct part {
	uint32_t method, file, table;	/* bytes, of texts with their NULs */
	uint32_t line;			/* 0: not known */
};

static bool add_part(struct dt_lang_function *f, const struct dt_hs_name *n, uint32_t line, size_t table)
{
	struct part part = { (uint32_t)strlen(n->method) + 1, (uint32_t)strlen(n->file) + 1, (uint32_t)table,
		line };
	size_t len = sizeof(part) + part.method + part.file + part.table;
	uint8_t *to = f->nlines + len <= DT_LANG_LINES ? realloc(f->lines, f->nlines + len) : NULL;

	if (to == NULL)
		return false;
	f->lines = to;
	to += f->nlines;
	memcpy(to, &part, sizeof(part));
	to += sizeof(part);
	memcpy(to, n->method, part.method);
	memcpy(to + part.method, n->file, part.file);
	memcpy(to + part.method + part.file, n->lines, part.table);
	f->nlines += len;
	return true;
}

struct naming {
	struct dt_hs_vm vm;
	struct dt_hs_name name;
	struct dt_peek *peek;
};

static int stub(struct naming *n, uint64_t pc, struct dt_lang_function *f)
{
	n->name.file[0] = '\0';
	if (!dt_hs_stub(&n->vm, n->peek, pc, n->name.method, sizeof(n->name.method)))
		return -ENOENT;
	return add_part(f, &n->name, 0, 0) ? 0 : -E2BIG;
}

/*
 * One call that cannot be named takes the others with it: those around it would seem to call each other.
 * What was read is of this compilation only if its code is still there afterwards.
 */
static int compiled(struct naming *n, const struct dt_unwind_func *seen, struct dt_lang_function *f)
{
	bool exact = (seen->key & 1ull << DT_HS_EXACT_SHIFT) != 0;
	struct dt_hs_place place[DT_HS_INLINED];
	uint64_t method;
	uint32_t many = dt_hs_inlined(&n->vm, n->peek, seen->code, (uint32_t)seen->key, exact, place,
	    DT_HS_INLINED);

	if (many == 0)
		return stub(n, seen->code - !exact, f);
	for (uint32_t i = 0; i < many; i++) {
		if (!dt_hs_name(&n->vm, n->peek, place[i].method, &n->name))
			return -ENOENT;
		if (!add_part(f, &n->name, dt_hs_line(n->vm.excludes_zero, n->name.lines, n->name.nlines,
		    place[i].bci), 0))
			return -E2BIG;
	}
	method = place[many - 1].method;
	dt_peek_forget(n->peek);
	return dt_hs_inlined(&n->vm, n->peek, seen->code, (uint32_t)seen->key, exact, place,
	    DT_HS_INLINED) == many && place[many - 1].method == method ? 0 : -ENOENT;
}

static int interpreted(struct naming *n, const struct dt_unwind_func *seen, struct dt_lang_function *f)
{
	if (dt_hs_key(&n->vm, n->peek, seen->code) != seen->key ||
	    !dt_hs_name(&n->vm, n->peek, seen->code, &n->name))
		return -ENOENT;
	f->format = TABLE | (n->vm.excludes_zero ? EXCLUDES_ZERO : 0);
	if (!add_part(f, &n->name, 0, n->name.nlines))
		return -E2BIG;
	dt_peek_forget(n->peek);
	return dt_hs_key(&n->vm, n->peek, seen->code) == seen->key ? 0 : -ENOENT;
}

static int function(const struct dt_lang_process *process, const struct dt_unwind_lang *record,
    const struct dt_unwind_func *seen, struct dt_lang_function *f)
{
	struct naming *n = calloc(1, sizeof(*n));
	int err = -ENOMEM;

	(void)record;
	if (n != NULL && (n->peek = dt_peek_new(process, FUNCTION_READS)) != NULL) {
		memcpy(&n->vm, process->own, sizeof(n->vm));
		err = seen->key & DT_HS_COMPILED ? compiled(n, seen, f) : interpreted(n, seen, f);
		free(n->peek);
	}
	free(n);
	return err;
}

/* ---- frames, in the tracer ---- */

/* Takes the next part; false: there is none, or it is not what it should be. */
static bool next_part(const struct dt_lang_function *f, size_t *at, struct part *part, char **texts)
{
	size_t left = f->nlines - *at;

	if (left < sizeof(*part))
		return false;
	memcpy(part, f->lines + *at, sizeof(*part));
	left -= sizeof(*part);
	*texts = (char *)f->lines + *at + sizeof(*part);
	if (part->method == 0 || part->method > left || part->file == 0 || part->file > left - part->method ||
	    part->table > left - part->method - part->file)
		return false;
	*at += sizeof(*part) + part->method + part->file + part->table;
	return (*texts)[part->method - 1] == '\0' && (*texts)[part->method + part->file - 1] == '\0';
}

static bool check(struct dt_lang_function *f)
{
	struct part part;
	char *texts;
	size_t at = 0;

	while (at < f->nlines) {
		if (!next_part(f, &at, &part, &texts))
			return false;
		(void)dt_make_printable(texts);
		(void)dt_make_printable(texts + part.method);
	}
	return f->nlines > 0;
}

static bool frame(const struct dt_lang_function *f, uint32_t pos, unsigned i, struct dt_lang_frame *to)
{
	struct part part;
	char *texts;
	size_t at = 0;

	do {
		if (!next_part(f, &at, &part, &texts))
			return false;
	} while (i-- > 0);
	to->function = texts;
	to->file = texts[part.method] != '\0' ? texts + part.method : NULL;
	to->line = part.line;
	if (f->format & TABLE)
		to->line = dt_hs_line(f->format & EXCLUDES_ZERO, (uint8_t *)texts + part.method + part.file,
		    part.table, pos == DT_FRAME_POS_MAX ? -1 : (int)pos);
	return true;
}

const struct dt_lang dt_lang_hotspot = {
	.name = "java",
	.files = files,
	.loops = none,
	.symbols = dt_hs_symbols,
	.learn = learn,
	.function = function,
	.check = check,
	.frame = frame,
};
