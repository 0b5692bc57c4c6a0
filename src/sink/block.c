/* SPDX-License-Identifier: BSD-2-Clause */
/* See block.h. Words of an element that are mostly 0 are written as pairs of index and word. */
#include "sink/block.h"

#include "dif/action.h"
#include "output/hist.h"
#include "sink/recording.h"

#include <endian.h>
#include <errno.h>

void dt_put_u32(struct dt_out *o, uint32_t v)
{
	v = htole32(v);
	dt_out_put(o, &v, sizeof(v));
}

void dt_put_u64(struct dt_out *o, uint64_t v)
{
	v = htole64(v);
	dt_out_put(o, &v, sizeof(v));
}

void dt_put_bytes(struct dt_out *o, const void *p, size_t n)
{
	dt_put_u32(o, (uint32_t)n);
	dt_out_put(o, p, n);
}

void dt_put_text(struct dt_out *o, const char *s) { dt_put_bytes(o, s, strlen(s)); }

/* A stack that is not as deep as its record ends with zeros. */
static size_t stack_depth(const struct dt_value *v)
{
	size_t n = 0;

	while (n < v->npcs && v->pcs[n] != 0)
		n++;
	return n;
}

void dt_put_value(struct dt_out *o, const struct dt_value *v)
{
	dt_put_u32(o, v->kind);
	switch (v->kind) {
	case DT_V_STRING:
		dt_put_bytes(o, v->bytes, dt_value_textlen(v));
		break;
	case DT_V_BYTES:
		dt_put_bytes(o, v->bytes, v->bytes != NULL ? v->len : 0);
		break;
	case DT_V_STACK:
	case DT_V_USTACK:
		dt_put_u32(o, v->pid);
		dt_put_bytes(o, v->pcs, stack_depth(v) * sizeof(*v->pcs));
		break;
	default:
		dt_put_u32(o, v->pid);
		dt_put_u32(o, v->size);
		dt_put_u32(o, v->is_signed);
		dt_put_u64(o, v->i);
	}
}

static void put_words(struct dt_out *o, const struct dt_value *v)
{
	uint32_t set = 0;

	for (uint32_t i = 0; i < v->nwords; i++)
		set += v->words[i] != 0;
	if (set * 12 >= v->nwords * 8)
		set = v->nwords;
	dt_put_u32(o, v->nwords);
	dt_put_u32(o, set);
	for (uint32_t i = 0; i < v->nwords; i++) {
		if (set < v->nwords && v->words[i] == 0)
			continue;
		if (set < v->nwords)
			dt_put_u32(o, i);
		dt_put_u64(o, (uint64_t)v->words[i]);
	}
}

void dt_put_element(struct dt_out *o, const struct dt_value *v)
{
	const struct dt_aggfunc *f = dt_aggfunc_of(v->aggkind);
	struct dt_aggpart part[DT_AGGPARTS];
	struct dt_value number;

	dt_put_u64(o, (uint64_t)v->normal);
	if (dt_agg_scalar(v, &number))
		dt_put_u64(o, (uint64_t)dt_value_signed(&number));
	for (uint32_t i = 0, n = f->parts != NULL ? f->parts(v, part) : 0; i < n; i++)
		dt_put_u64(o, (uint64_t)part[i].value);
	put_words(o, v);
}

void dt_block_write(struct dt_blocks *b, char letter, const void *p, size_t n)
{
	uint32_t len = htole32((uint32_t)n);

	if (b->err != 0)
		return;
	errno = EIO;
	if (n > DT_BLOCK_MAX)
		b->err = EOVERFLOW;
	else if (putc(letter, b->file) == EOF || fwrite(&len, sizeof(len), 1, b->file) != 1 ||
	    fwrite(p, 1, n, b->file) != n)
		b->err = errno;
}

void dt_block_end(struct dt_blocks *b, char letter, struct dt_out *block)
{
	if (block->failed && b->err == 0)
		b->err = EOVERFLOW;
	dt_block_write(b, letter, dt_out_text(block), block->len);
	dt_out_clear(block);
}

/* What is written so far reaches the reader, whatever becomes of this process. */
void dt_blocks_flush(struct dt_blocks *b)
{
	if (fflush(b->file) != 0 && b->err == 0)
		b->err = errno;
}
