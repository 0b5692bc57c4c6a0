/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory that a DIF program sees: addresses come in; bytes or a BADADDR fault go out. Every access
 * is checked against the object behind the address. A fault names the address where the access began.
 */
#include "interp/state.h"

#include <stdlib.h>

/* The first fault counts: what follows it may only be its consequence. */
uint64_t dt_interp_fault(struct dt_interp *ip, enum dt_fault fault, uint64_t addr)
{
	if (ip->fault == DT_FLT_NONE) {
		ip->fault = fault;
		ip->fault_addr = addr;
	}
	return 0;
}

bool dt_interp_faulted(const struct dt_interp *ip) { return ip->fault != DT_FLT_NONE; }

/* ---- lifetimes: a clause, a firing ---- */

/* All copies of the clause at once: callers do not free theirs. */
static void temps_free(struct dt_interp *ip)
{
	struct dt_temp *next;

	for (struct dt_temp *t = ip->temps; t; t = next) {
		next = t->next;
		free(t);
	}
	ip->temps = NULL;
	ip->temps_used = 0;
}

void dt_interp_mem_reset(struct dt_interp *ip)
{
	temps_free(ip);
	ip->scratch_used = 0;
}

void dt_interp_mem_fire(struct dt_interp *ip)
{
	for (unsigned i = 0; i < DT_INTERP_TEXTS; i++) {
		free(ip->texts[i]);
		ip->texts[i] = NULL;
	}
	free(ip->tok.text);
	ip->tok = (struct dt_strtok){ 0 };
	ip->uregs_changed = false;
}

/* 16-aligned, not zeroed. The header counts, so that many small ones are limited too. */
void *dt_interp_temp(struct dt_interp *ip, size_t size)
{
	bool fits = size <= DT_INTERP_TEMP_MAX &&
	    sizeof(struct dt_temp) + size <= DT_INTERP_TEMP_MAX - ip->temps_used;
	struct dt_temp *t = fits ? malloc(sizeof(*t) + size) : NULL;

	if (!t) {
		dt_interp_fault(ip, DT_FLT_NOSCRATCH, 0);
		return NULL;
	}
	ip->temps_used += sizeof(*t) + size;
	t->next = ip->temps;
	ip->temps = t;
	return t->bytes;
}

/* Calls of subroutines do not nest, so one buffer serves all, and a clause of many calls takes no more. */
void *dt_interp_buffer(struct dt_interp *ip, size_t size)
{
	if (size > ip->buffer_size) {
		free(ip->buffer);
		ip->buffer = malloc(size);
		ip->buffer_size = ip->buffer ? size : 0;
	}
	if (!ip->buffer) {
		dt_interp_fault(ip, DT_FLT_NOSCRATCH, 0);
		return NULL;
	}
	return ip->buffer;
}

/* ---- addresses to bytes ---- */

/* The index in the sorted list; -1 for a DIFO that is run alone. */
int dt_interp_difo_index(const struct dt_interp *ip, const struct dt_difo *difo)
{
	uint32_t lo = 0, hi = ip->ndifos;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (ip->difos[mid] == difo)
			return (int)mid;
		if ((uintptr_t)ip->difos[mid] < (uintptr_t)difo)
			lo = mid + 1;
		else
			hi = mid;
	}
	return -1;
}

/*
 * The bytes at offset `off` of an object, and in *avail how many there are; NULL if outside. Every pointer
 * into an object of ours is made here, so no access can begin outside one.
 */
static uint8_t *bytes_inside(const void *object, uint64_t size, uint64_t off, uint64_t *avail)
{
	if (!object || off >= size)
		return NULL;
	*avail = size - off;
	return (uint8_t *)object + off;
}

/* 24 bits for the DIFO, which interp.c limits, and 24 for the offset. */
static uint8_t *strs_at(struct dt_interp *ip, uint64_t addr, uint64_t *avail)
{
	uint64_t index = (addr & 0xffffffffffff) >> 24;

	if (index >= ip->ndifos)
		return NULL;
	return bytes_inside(ip->difos[index]->strs, ip->difos[index]->strlen, addr & 0xffffff, avail);
}

/*
 * A block that was freed has no bytes: an old address of a variable faults, until the block is used again.
 */
static uint8_t *var_at(struct dt_interp *ip, uint64_t addr, uint64_t *avail)
{
	uint64_t index = (addr & 0xffffffffffff) >> DT_IA_BLOCK_BITS;

	if (index >= ip->nblocks)
		return NULL;
	return bytes_inside(ip->blocks[index].bytes, ip->blocks[index].len, addr & (DT_IA_BLOCK_MAX - 1),
	    avail);
}

static uint8_t *text_at(struct dt_interp *ip, uint64_t addr, uint64_t *avail)
{
	uint64_t index = (addr & 0xffffffffffff) >> 32;

	if (index >= DT_INTERP_TEXTS)
		return NULL;
	return bytes_inside(ip->texts[index], ip->opts.strsize, addr & 0xffffffff, avail);
}

/* User and kernel regions are separate address spaces. */
static uint8_t *image_at(struct dt_interp *ip, uint64_t addr, bool user, uint64_t *avail)
{
	for (uint32_t i = 0; ip->context && i < ip->context->nregions; i++) {
		const struct dt_region *r = &ip->context->regions[i];

		if (r->user == user && addr >= r->addr && addr - r->addr < r->len)
			return bytes_inside(r->bytes, r->len, addr - r->addr, avail);
	}
	return NULL;
}

/* The one place that turns an address into bytes; NULL: nothing is there. */
static uint8_t *bytes_at(struct dt_interp *ip, uint64_t addr, bool user, uint64_t *avail)
{
	uint64_t off = addr & 0xffffffffffff;

	if (user)
		return image_at(ip, addr, true, avail);
	switch (DT_IA_TAG(addr)) {
	/* historic: all of the scratch area can be read, not only what was allocated */
	case DT_IA_SCRATCH: return bytes_inside(ip->scratch, ip->opts.scratchsize, off, avail);
	case DT_IA_STRS: return strs_at(ip, addr, avail);
	case DT_IA_RUN: return ip->difo ? bytes_inside(ip->difo->strs, ip->difo->strlen, off, avail) : NULL;
	case DT_IA_VAR: return var_at(ip, addr, avail);
	case DT_IA_TEXT: return text_at(ip, addr, avail);
	default: return image_at(ip, addr, false, avail);
	}
}

/* An access may cross regions of the image that lie side by side. */
bool dt_interp_peek(struct dt_interp *ip, uint64_t addr, void *to, size_t len, bool user)
{
	uint64_t at = addr;

	for (size_t done = 0; done < len;) {
		uint64_t avail = 0;
		const uint8_t *from = bytes_at(ip, at, user, &avail);
		size_t n = avail < len - done ? (size_t)avail : len - done;

		if (!from)
			return false;
		memcpy((uint8_t *)to + done, from, n);
		done += n;
		at += n;
	}
	return true;
}

bool dt_interp_read(struct dt_interp *ip, uint64_t addr, void *to, size_t len, bool user)
{
	if (dt_interp_peek(ip, addr, to, len, user))
		return true;
	dt_interp_fault(ip, DT_FLT_BADADDR, addr);
	return false;
}

/* Texts and string tables can be read but never written. */
bool dt_interp_storable(struct dt_interp *ip, uint64_t addr, uint64_t len)
{
	uint64_t tag = DT_IA_TAG(addr), avail = 0;

	if (len == 0)
		return true;
	return (tag == DT_IA_SCRATCH || tag == DT_IA_VAR) && bytes_at(ip, addr, false, &avail) &&
	    avail >= len;
}

/* copyout() may cross regions, as long as all of them are writable. */
static bool write_user(struct dt_interp *ip, uint64_t addr, const uint8_t *from, size_t len)
{
	for (size_t done = 0; done < len;) {
		const struct dt_region *r = NULL;
		uint64_t n;

		for (uint32_t i = 0; i < ip->context->nregions && !r; i++) {
			const struct dt_region *c = &ip->context->regions[i];

			if (c->user && c->writable && c->bytes && addr + done >= c->addr &&
			    addr + done - c->addr < c->len)
				r = c;
		}
		if (!r) {
			dt_interp_fault(ip, DT_FLT_BADADDR, addr);
			return false;
		}
		n = r->len - (addr + done - r->addr);
		if (n > len - done)
			n = len - done;
		memcpy(r->bytes + (addr + done - r->addr), from + done, n);
		done += n;
	}
	return true;
}

/*
 * Nothing is written unless all of it can be; only memory of the process is written region by region, up to
 * the first that cannot be.
 */
bool dt_interp_write(struct dt_interp *ip, uint64_t addr, const void *from, size_t len, bool user)
{
	uint64_t avail = 0;

	if (user)
		return write_user(ip, addr, from, len);
	if (!dt_interp_storable(ip, addr, len)) {
		dt_interp_fault(ip, DT_FLT_BADADDR, addr);
		return false;
	}
	if (len)
		memcpy(bytes_at(ip, addr, false, &avail), from, len);
	return true;
}

/* ---- strings and scratch ---- */

/* A string without a NUL within max characters has that length; bytes after them need not be readable. */
bool dt_interp_strlen(struct dt_interp *ip, uint64_t addr, uint64_t max, bool user, uint64_t *len)
{
	*len = 0;
	while (*len < max) {
		uint64_t avail = 0;
		const uint8_t *p = bytes_at(ip, addr + *len, user, &avail), *end;

		if (!p) {
			dt_interp_fault(ip, DT_FLT_BADADDR, addr);
			return false;
		}
		if (avail > max - *len)
			avail = max - *len;
		end = memchr(p, 0, avail);
		*len += end ? (uint64_t)(end - p) : avail;
		if (end)
			break;
	}
	return true;
}

const char *dt_interp_string(struct dt_interp *ip, uint64_t addr, bool *null)
{
	uint64_t len;
	char *text;

	if (null)
		*null = addr == 0;
	if (addr == 0)
		return "";
	if (!dt_interp_strlen(ip, addr, ip->opts.strsize - 1, false, &len))
		return NULL;
	text = dt_interp_temp(ip, len + 1);
	if (!text || !dt_interp_read(ip, addr, text, len, false))
		return NULL;
	text[len] = '\0';
	return text;
}

/* NULL compares as the empty string. After a fault the result does not matter. */
int dt_interp_strcmp(struct dt_interp *ip, uint64_t a, uint64_t b)
{
	const char *x = a == b ? "" : dt_interp_string(ip, a, NULL);
	const char *y = a == b ? "" : dt_interp_string(ip, b, NULL);

	return x && y ? strcmp(x, y) : 0;
}

/*
 * The size is compared before it is rounded up, which could overflow. 0 is no address of scratch, since the
 * tag is not 0.
 */
uint64_t dt_interp_scratch(struct dt_interp *ip, uint64_t size)
{
	uint64_t addr = ip->scratch_used;

	if (size > ip->opts.scratchsize || ((size + 7) & ~7ull) > ip->opts.scratchsize - ip->scratch_used)
		return dt_interp_fault(ip, DT_FLT_NOSCRATCH, 0);
	memset(ip->scratch + addr, 0, (size + 7) & ~7ull);
	ip->scratch_used += (size + 7) & ~7ull;
	return (uint64_t)DT_IA_SCRATCH << 48 | addr;
}

uint64_t dt_interp_put(struct dt_interp *ip, const char *text, size_t len)
{
	uint64_t addr;

	if (len > ip->opts.strsize - 1)
		len = ip->opts.strsize - 1;
	addr = dt_interp_scratch(ip, len + 1);
	if (!addr || !dt_interp_write(ip, addr, text, len, false))
		return 0;
	return addr;
}

/* The text is copied at its first use in a firing, so it stays the same until that ends. */
uint64_t dt_interp_text(struct dt_interp *ip, unsigned slot, const char *text)
{
	if (slot >= DT_INTERP_TEXTS)
		return dt_interp_fault(ip, DT_FLT_ILLOP, 0);
	if (!ip->texts[slot]) {
		ip->texts[slot] = calloc(1, ip->opts.strsize);
		if (!ip->texts[slot])
			return dt_interp_fault(ip, DT_FLT_NOSCRATCH, 0);
		strncpy(ip->texts[slot], text ? text : "", ip->opts.strsize - 1);
	}
	return (uint64_t)DT_IA_TEXT << 48 | (uint64_t)slot << 32;
}

struct dt_strtok *dt_interp_strtok(struct dt_interp *ip) { return &ip->tok; }

bool dt_interp_ureg(struct dt_interp *ip, uint64_t index, uint64_t *value)
{
	if (index >= ip->context->nuregs)
		return false;
	*value = ip->uregs_changed && index < DT_INTERP_UREGS ? ip->uregs[index] : ip->context->uregs[index];
	return true;
}
