/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions that walks have seen become names, while they are there: programs in the kernel enter them into
 * the block of their process (runtime/lang.h), here they are read soon after, and kept for the stacks that
 * have them. What was freed before has no name; it never gets the one of another, as the runtime's file
 * checks what it reads by the key that was recorded. A process has so many functions and no more, and so much
 * of our time.
 */
#include "lang/lang.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/printable.h"
#include "file/reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 4096, FUNCTIONS_MAX = 1 << 17, SHARE_MAX = FUNCTIONS_MAX / 4, SHARES = 1024, BATCH = 40 };
#define FIND_NS 50000000u		/* for names, when one of them is wanted now */
#define BYTES_MAX (64ull << 20)		/* of names and lines */

struct block {
	struct dt_lang_process process;
	struct dt_unwind_lang record;
	const struct dt_unwind_func *func;
	uint64_t seen;			/* how many its head had counted when all of them were looked at */
	uint8_t *known;			/* of each: it is in the table */
	struct block *next;
};

struct function {
	uint32_t pid, number;		/* serial and place in the block, as frames have them */
	const struct dt_lang *lang;
	struct dt_lang_function f;
	bool named;
	struct function *next;
};

struct dt_langs {
	struct block *blocks;
	struct function *bucket[BUCKETS];
	uint32_t n;
	uint32_t share[SHARES];		/* of those, by processes: some have one together */
	uint32_t full;			/* a process that had no room; 0: none */
	uint64_t bytes;
};

struct dt_langs *dt_langs_new(void) { return calloc(1, sizeof(struct dt_langs)); }

static void free_block(struct block *b)
{
	free(b->known);
	free(b);
}

void dt_langs_free(struct dt_langs *ls)
{
	for (struct block *b = ls != NULL ? ls->blocks : NULL, *next; b != NULL; b = next) {
		next = b->next;
		free_block(b);
	}
	for (size_t i = 0; ls != NULL && i < BUCKETS; i++)
		for (struct function *f = ls->bucket[i], *next; f != NULL; f = next) {
			next = f->next;
			free(f->f.lines);
			free(f);
		}
	free(ls);
}

/* ---- the table ---- */

static uint32_t number_of(uint32_t serial, uint32_t at)
{
	return (serial & (DT_FRAME_SERIALS - 1)) << 14 | at;
}

static struct function **function_at(struct dt_langs *ls, uint32_t pid, uint32_t number)
{
	uint32_t hash = dt_hash_bytes(DT_HASH_START, &pid, sizeof(pid));
	struct function **at = &ls->bucket[dt_hash_bytes(hash, &number, sizeof(number)) % BUCKETS];

	while (*at != NULL && ((*at)->pid != pid || (*at)->number != number))
		at = &(*at)->next;
	return at;
}

/* A later block of that number, after 32,767 others, takes the place of the earlier one. */
static struct function *new_function(struct dt_langs *ls, const struct block *b, uint32_t i)
{
	struct function **at = function_at(ls, b->process.pid, number_of(b->record.serial, i)), *f = *at;

	if (f == NULL) {
		uint32_t *share = &ls->share[b->process.pid % SHARES];

		if (ls->n >= FUNCTIONS_MAX || *share >= SHARE_MAX || ls->bytes >= BYTES_MAX ||
		    (f = calloc(1, sizeof(*f))) == NULL) {
			ls->full = b->process.pid;
			return NULL;
		}
		*at = f;
		ls->n++;
		++*share;
		ls->bytes += sizeof(*f);
	}
	free(f->f.lines);
	ls->bytes -= f->f.nlines;
	*f = (struct function){ .pid = b->process.pid, .number = number_of(b->record.serial, i),
		.lang = b->process.lang, .next = f->next };
	return f;
}

/* ---- names ---- */

/*
 * The reader's worker makes names of functions (file/reader.h), as many as fit into a question: what it gets,
 * and what it answers for each, with so many bytes of lines behind it.
 */
struct question {
	struct dt_lang_process process;
	struct dt_unwind_lang record;
	uint32_t n;
	struct { uint64_t code, key, more; } f[BATCH];
};
struct answer { int32_t err; uint32_t first, format, nlines; char name[DT_LANG_NAME], file[DT_LANG_PATH]; };
_Static_assert(sizeof(struct question) <= DT_DIGEST_ARG, "a batch fits into a question");

static int make_names(struct dt_digest *d, int fd, const void *arg, size_t len)
{
	const struct question *q = arg;
	struct dt_lang_process p = q->process;
	int err = len == sizeof(*q) ? 0 : -EINVAL;

	p.reader = NULL;
	p.fd = fd;
	for (uint32_t i = 0; i < q->n && err == 0; i++) {
		struct dt_unwind_func seen = { .code = q->f[i].code, .key = q->f[i].key,
			.more = q->f[i].more };
		struct dt_lang_function f = { .first = 0 };
		struct answer a = { .err = p.lang->function(&p, &q->record, &seen, &f) };

		a.first = f.first;
		a.format = f.format;
		a.nlines = a.err == 0 ? (uint32_t)f.nlines : 0;
		memcpy(a.name, f.name, sizeof(a.name));
		memcpy(a.file, f.file, sizeof(a.file));
		err = dt_digest_put(d, &a, sizeof(a));
		if (err == 0 && a.nlines > 0)
			err = dt_digest_put(d, f.lines, a.nlines);
		free(f.lines);
	}
	return err;
}

/* What is not as it was agreed ends the answer: the rest has no names. */
static bool take_answer(struct dt_langs *ls, struct function *f, const uint8_t **at, const uint8_t *end)
{
	struct answer a;

	if ((size_t)(end - *at) < sizeof(a))
		return false;
	memcpy(&a, *at, sizeof(a));
	*at += sizeof(a);
	if (a.nlines > DT_LANG_LINES || a.nlines > (size_t)(end - *at))
		return false;
	if (f != NULL && a.err == 0) {
		memcpy(f->f.name, a.name, sizeof(f->f.name) - 1);
		memcpy(f->f.file, a.file, sizeof(f->f.file) - 1);
		(void)dt_make_printable(f->f.name);
		(void)dt_make_printable(f->f.file);
		f->f.first = a.first;
		f->f.format = a.format;
		f->f.lines = a.nlines > 0 ? malloc(a.nlines) : NULL;
		f->f.nlines = f->f.lines != NULL ? a.nlines : 0;
		if (f->f.nlines > 0)
			memcpy(f->f.lines, *at, f->f.nlines);
		ls->bytes += f->f.nlines;
		f->named = f->lang->check == NULL || f->lang->check(&f->f);
	}
	*at += a.nlines;
	return true;
}

static void read_functions(struct dt_langs *ls, struct block *b, const struct question *q,
    const uint32_t *index)
{
	struct function *f[BATCH];
	const uint8_t *at;
	char path[32];
	void *bytes;
	size_t len;
	int err;

	for (uint32_t i = 0; i < q->n; i++)
		f[i] = new_function(ls, b, index[i]);
	snprintf(path, sizeof(path), "/proc/%u/mem", b->process.pid);
	err = dt_reader_make(b->process.reader, path, make_names, q, sizeof(*q), &bytes, &len);
	at = bytes;
	for (uint32_t i = 0; err == 0 && i < q->n; i++)
		if (!take_answer(ls, f[i], &at, (const uint8_t *)bytes + len))
			break;
	free(bytes);
}

/* ---- blocks ---- */

int dt_langs_watch(struct dt_langs *ls, const struct dt_lang_process *p, const struct dt_unwind_lang *record,
    const struct dt_unwind_func *block)
{
	struct block *b = calloc(1, sizeof(*b));

	if (b == NULL || (b->known = calloc(record->nfuncs, 1)) == NULL) {
		free(b);
		return -ENOMEM;
	}
	b->process = *p;
	b->record = *record;
	b->func = block;
	b->next = ls->blocks;
	ls->blocks = b;
	return 0;
}

/*
 * The next functions that are new, from *i on, as many as fit. The memory is shared with programs in the
 * kernel: a place whose words are not there yet was taken a moment ago, and waits for the next time (*all is
 * false).
 */
static void collect(struct block *b, uint32_t *i, struct question *q, uint32_t *index, bool *all)
{
	for (q->n = 0; *i < b->record.nfuncs && q->n < BATCH; ++*i) {
		uint64_t code = __atomic_load_n(&b->func[*i].code, __ATOMIC_ACQUIRE);

		if (b->known[*i] || __atomic_load_n(&b->func[*i].tag, __ATOMIC_ACQUIRE) == 0)
			continue;
		q->f[q->n].code = code;
		q->f[q->n].key = __atomic_load_n(&b->func[*i].key, __ATOMIC_ACQUIRE);
		q->f[q->n].more = __atomic_load_n(&b->func[*i].more, __ATOMIC_ACQUIRE);
		if (code == 0) {
			*all = false;
			continue;
		}
		b->known[*i] = 1;
		index[q->n++] = *i;
	}
}

/* False: there is more to do. */
static bool poll_block(struct dt_langs *ls, struct block *b, uint64_t until)
{
	struct question q = { .process = b->process, .record = b->record };
	uint64_t n = __atomic_load_n(&b->func->tag, __ATOMIC_ACQUIRE);	/* of the head: dt_unwind_funcs.n */
	uint32_t index[BATCH], i = 1;
	bool all = true;

	while (n != b->seen && i < b->record.nfuncs) {
		if (dt_clock_ns() >= until)
			return false;
		collect(b, &i, &q, index, &all);
		if (q.n > 0)
			read_functions(ls, b, &q, index);
	}
	if (all)
		b->seen = n;
	return true;
}

void dt_langs_poll(struct dt_langs *ls, uint64_t ns)
{
	uint64_t until = dt_clock_ns() + ns;

	for (struct block *b = ls->blocks; b != NULL; b = b->next)
		if (!poll_block(ls, b, until))
			return;
}

void dt_langs_unwatch(struct dt_langs *ls, const struct dt_unwind_func *func)
{
	struct block **at = &ls->blocks, *b;

	while (*at != NULL && (*at)->func != func)
		at = &(*at)->next;
	b = *at;
	if (b == NULL)
		return;
	*at = b->next;
	free_block(b);
}

uint32_t dt_langs_full(const struct dt_langs *ls) { return ls->full; }

/* ---- frames ---- */

bool dt_lang_is_frame(uint64_t frame) { return dt_lang_of(DT_FRAME_LANG(frame)) != NULL; }

static const struct function *find(struct dt_langs *ls, uint32_t pid, uint32_t number)
{
	const struct function *f = *function_at(ls, pid, number);

	if (f == NULL && ls->blocks != NULL) {
		dt_langs_poll(ls, FIND_NS);
		f = *function_at(ls, pid, number);
	}
	return f;
}

bool dt_langs_frame(struct dt_langs *ls, uint32_t pid, uint64_t frame, unsigned i, struct dt_lang_frame *to)
{
	const struct dt_lang *lang = dt_lang_of(DT_FRAME_LANG(frame));
	const struct function *f;

	if (lang == NULL)
		return false;
	*to = (struct dt_lang_frame){ .lang = lang->name };
	f = ls != NULL ? find(ls, pid, number_of(DT_FRAME_SERIAL(frame), DT_FRAME_FUNC(frame))) : NULL;
	if (f == NULL || !f->named || f->lang != lang || DT_FRAME_FUNC(frame) == 0)
		return i == 0;
	if (lang->frame != NULL)
		return lang->frame(&f->f, DT_FRAME_POS(frame), i, to) || i == 0;
	to->function = f->f.name[0] != '\0' ? f->f.name : NULL;
	to->file = f->f.file[0] != '\0' ? f->f.file : NULL;
	to->line = DT_FRAME_POS(frame) != DT_FRAME_POS_MAX ? lang->line(&f->f, DT_FRAME_POS(frame)) : 0;
	return i == 0;
}
