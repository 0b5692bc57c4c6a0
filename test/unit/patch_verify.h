/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads a trampoline back: does each instruction in it mean what the displaced one meant? Written apart
 * from what makes them, with the decoders alone. Each function returns NULL or what is wrong.
 */
#ifndef PATCH_VERIFY_H
#define PATCH_VERIFY_H

#include "machine/machine.h"
#include "machine/x86.h"
#include "patch/patch.h"

#include <string.h>

struct reading_back {
	const struct dt_patch *p;
	uint64_t addr, site;		/* of the trampoline, and of its site */
	uint32_t at;			/* the next byte of it */
};

static uint64_t number(const uint8_t *p, int n)
{
	uint64_t v = 0;

	for (int i = n - 1; i >= 0; i--)
		v = v << 8 | p[i];
	return n == 4 ? (uint64_t)(int64_t)(int32_t)v : v;
}

static bool bytes_are(struct reading_back *r, const char *bytes, uint32_t n)
{
	bool same = r->at + n <= r->p->tramp_len && memcmp(r->p->tramp + r->at, bytes, n) == 0;

	r->at += n;
	return same;
}

/* Is the next byte of the trampoline listed as a place where `from` of the original goes on? */
static bool is_listed(const struct reading_back *r, uint64_t from)
{
	for (int i = 0; i < r->p->npcs; i++)
		if (r->p->pcs[i].from == from && r->p->pcs[i].to == r->at)
			return true;
	return false;
}

/* ---- x86-64 ---- */

static uint64_t relative_target(struct reading_back *r)
{
	uint64_t d = number(r->p->tramp + r->at, 4);

	r->at += 4;
	return r->addr + r->at + d;
}

static const char *firing_x86(struct reading_back *r, uint64_t site, uint32_t back)
{
	if (!bytes_are(r, "\x48\x8d\xa4\x24\xf0\xfd\xff\xff\x48\x89\x44\x24\x50\x48\x8d\x05", 16))
		return "the first half";
	if (relative_target(r) != site)
		return "the site";
	if (!bytes_are(r, "\xff\x20", 2) || r->at != back ||
	    !bytes_are(r, "\x48\x8b\x44\x24\x50\x48\x8d\xa4\x24\x10\x02\0\0", 13))
		return "the second half";
	return NULL;
}

/* What fires before the instruction at `at`: the place itself, or one that is joined to it. */
static const char *firings_x86(struct reading_back *r, const struct dt_patch_site *s, uint64_t at,
    uint32_t lead)
{
	const struct dt_patch *p = r->p;
	const char *wrong;

	if (at == s->pc + lead) {
		if (r->at != p->fire)
			return "where it fires";
		wrong = firing_x86(r, r->site, p->back);
		if (wrong != NULL || r->at != p->after)
			return wrong != NULL ? wrong : "what is after it";
	}
	for (unsigned i = 0; i < p->nalso; i++)
		for (uint32_t k = 0; k < s->nsites && p->also[i].pc == at; k++)
			if (s->sites[k] == at)
				return firing_x86(r, s->site_addrs[k], p->also[i].back);
	return NULL;
}

/* push of the return address */
static bool pushes(struct reading_back *r, uint64_t next)
{
	uint32_t low = (uint32_t)number(r->p->tramp + r->at + 1, 4),
	    high = (uint32_t)number(r->p->tramp + r->at + 9, 4);

	if (!bytes_are(r, "\x68", 1))
		return false;
	r->at += 4;
	if (!bytes_are(r, "\xc7\x44\x24\x04", 4))
		return false;
	r->at += 4;
	return (low | (uint64_t)high << 32) == next;
}

static const char *branch_x86(struct reading_back *r, const struct dt_x86 *x, uint64_t next)
{
	uint64_t to = next + (uint64_t)x->imm;
	bool one = x->map == DT_X86_ONE;
	char cc[] = { 0x0f, (char)(0x80 | (x->opcode & 15)) };

	if (one && x->opcode == 0xe8 && !pushes(r, next))
		return "the return address";
	if (one && (x->opcode == 0xe8 || x->opcode == 0xe9 || x->opcode == 0xeb))
		return bytes_are(r, "\xe9", 1) && relative_target(r) == to ? NULL : "a jump";
	if ((one && x->opcode >> 4 == 7) || (x->map == DT_X86_0F && x->opcode >> 4 == 8))
		return bytes_are(r, cc, 2) && relative_target(r) == to ? NULL : "a conditional jump";
	if (x->prefixes & DT_X86_ADDRESS && !bytes_are(r, "\x67", 1))
		return "a prefix";
	cc[0] = (char)x->opcode;
	return bytes_are(r, cc, 1) && bytes_are(r, "\x02\xeb\x05\xe9", 4) && relative_target(r) == to ?
	    NULL : "a loop";
}

static const char *insn_x86(struct reading_back *r, const uint8_t *code, const struct dt_x86 *x, uint64_t at)
{
	bool call = x->map == DT_X86_ONE && x->opcode == 0xff && x->reg == 2;
	const uint8_t *new;
	struct dt_x86 y;

	if (x->relative)
		return branch_x86(r, x, at + x->length);
	if (call && !pushes(r, at + x->length))
		return "the return address";
	new = r->p->tramp + r->at;
	if (!dt_x86_decode(new, r->p->tramp_len - r->at, &y) || y.length != x->length ||
	    y.opcode != x->opcode ||
	    y.map != x->map || y.mod != x->mod || y.rm != x->rm || y.reg != (call ? 4 : x->reg) ||
	    y.imm != x->imm)
		return "another instruction";
	r->at += y.length;
	if (x->has_modrm && x->mod == 0 && x->rm == 5) {
		uint64_t to = at + x->length + (uint64_t)(int64_t)x->disp;

		if (r->addr + r->at + (uint64_t)(int64_t)y.disp != to)
			return "an operand in memory";
		return memcmp(new, code, x->disp_at) == 0 || call ? NULL : "a copy with an operand in memory";
	}
	return call || memcmp(new, code, x->length) == 0 ? NULL : "a copy";
}

/* The last of the displaced instructions never goes on. */
static bool leaves_x86(const struct dt_x86 *x)
{
	return x->map == DT_X86_ONE && ((x->opcode & 0xf6) == 0xc2 || x->opcode == 0xe9 ||
	    x->opcode == 0xeb || (x->opcode == 0xff && x->reg == 4));
}

static const char *verify_x86(const struct dt_patch_site *s, const struct dt_patch *p, uint64_t addr,
    uint64_t site)
{
	struct reading_back r = { p, addr, site, 0 };
	uint32_t lead = p->len - 5u;
	uint64_t start = s->pc - p->before + lead, at = start;
	struct dt_x86 x = { 0 };

	if (p->bytes[lead] != 0xe9 || start + 5 + number(p->bytes + lead + 1, 4) != addr)
		return "the patch";
	for (int i = 0; i < p->ntramp; i++, at += x.length) {
		const uint8_t *code = s->func + (at - s->func_addr);
		bool listed = is_listed(&r, at - (s->pc - p->before));
		const char *wrong = firings_x86(&r, s, at, lead);

		if (wrong != NULL)
			return wrong;
		if (!listed || !is_listed(&r, at - (s->pc - p->before)))
			return "places of equal meaning";
		if (!dt_x86_decode(code, 15, &x))
			return "no instruction";
		wrong = insn_x86(&r, code, &x, at);
		if (wrong != NULL)
			return wrong;
	}
	if (p->fire == 0 && p->back == 0)
		return "no firing";
	if (!leaves_x86(&x) && !is_listed(&r, at - (s->pc - p->before)))
		return "the last place of equal meaning";
	if (!leaves_x86(&x) && (!bytes_are(&r, "\xe9", 1) || relative_target(&r) != at || at < start + 5))
		return "the way back";
	return r.at == p->tramp_len ? NULL : "the length";
}

/* ---- aarch64 ---- */

static uint32_t next_word(struct reading_back *r)
{
	uint32_t w = r->at + 4 <= r->p->tramp_len ? (uint32_t)number(r->p->tramp + r->at, 4) : 0;

	r->at += 4;
	return w;
}

static int64_t bits_of(uint32_t w, unsigned at,
    unsigned n) { return (int64_t)((uint64_t)w << (64 - n - at)) >> (64 - n); }

static uint64_t adr_of(uint32_t w, uint64_t at)
{
	int64_t v = bits_of(w, 5, 19) * 4 + (w >> 29 & 3);

	return w >> 31 ? (at & ~(uint64_t)0xfff) + (uint64_t)(v * 4096) : at + (uint64_t)v;
}

/* Instructions that put a number into a register: the number. */
static uint64_t address_in(struct reading_back *r, unsigned reg)
{
	uint64_t at = r->addr + r->at, v;
	uint32_t w = next_word(r);

	if ((w & 0x1f00001f) != (0x10000000 | reg))
		return 1;
	v = adr_of(w, at);
	if (w >> 31 && r->at < r->p->tramp_len) {
		w = next_word(r);
		if ((w & 0xffc003ff) == (0x91000000 | reg << 5 | reg))
			v += w >> 10 & 0xfff;
		else
			r->at -= 4;
	}
	return v;
}

static bool branches_to(struct reading_back *r, uint64_t to)
{
	uint64_t at = r->addr + r->at;
	uint32_t w = next_word(r);

	return (w & 0xfc000000) == 0x14000000 && at + (uint64_t)(bits_of(w, 0, 26) * 4) == to;
}

static const char *literal_aarch64(struct reading_back *r, uint32_t w, uint64_t at)
{
	uint64_t from = at + (uint64_t)(bits_of(w, 5, 19) * 4), here = r->addr + r->at;
	unsigned reg = w & 31, vector = w >> 26 & 1;
	uint32_t new = next_word(r);

	if ((new & 0xff00001f) == (w & 0xff00001f))
		return here + (uint64_t)(bits_of(new, 5, 19) * 4) == from ? NULL : "a literal";
	if (w >> 30 == 3)
		return new == 0xd503201f ? NULL : "a prefetch";
	if (vector && new != 0xa9bf47f0)
		return "a saved register";
	if (!vector)
		r->at -= 4;
	if (address_in(r, vector ? 16 : reg) != from)
		return "the address of a literal";
	new = next_word(r);
	if ((new & 31) != reg || (new >> 5 & 31) != (vector ? 16 : reg))
		return "the load of a literal";
	return !vector || next_word(r) == 0xa8c147f0 ? NULL : "a restored register";
}

static const char *insn_aarch64(struct reading_back *r, uint32_t w, uint64_t at)
{
	bool tb = (w & 0x7e000000) == 0x36000000;
	uint32_t field = tb ? 0x7ffe0 : 0xffffe0;

	if ((w & 0xfc000000) == 0x14000000)
		return branches_to(r, at + (uint64_t)(bits_of(w, 0, 26) * 4)) ? NULL : "b";
	if ((w & 0xfc000000) == 0x94000000)
		return address_in(r, 30) == at + 4 && branches_to(r, at + (uint64_t)(bits_of(w, 0, 26) *
		    4)) ? NULL : "bl";
	if (tb || (w & 0xff000000) == 0x54000000 || (w & 0x7e000000) == 0x34000000)
		return next_word(r) == ((w & ~field) | 2 << 5) && branches_to(r, at + 4) &&
		    branches_to(r, at + (uint64_t)(bits_of(w, 5, tb ? 14 : 19) * 4)) ? NULL :
		    "a conditional branch";
	if ((w & 0x1f000000) == 0x10000000)
		return address_in(r, w & 31) == adr_of(w, at) ? NULL : "adr";
	if ((w & 0x3b000000) == 0x18000000)
		return literal_aarch64(r, w, at);
	if ((w & 0xfffffc1f) == 0xd63f0000)
		return address_in(r, 30) == at + 4 && next_word(r) == (w & ~0x200000u) ? NULL : "blr";
	return next_word(r) == w ? NULL : "a copy";
}

static const char *firing_aarch64(struct reading_back *r, uint64_t site, uint32_t back)
{
	if (next_word(r) != 0xd10843ff || next_word(r) != 0xa90847f0 || address_in(r, 16) != site ||
	    next_word(r) != 0xf9400211 || next_word(r) != 0xd61f0220)
		return "the first half";
	return r->at != back || next_word(r) != 0xa94847f0 || next_word(r) != 0x910843ff ?
	    "the second half" : NULL;
}

static const char *verify_aarch64(const struct dt_patch_site *s, const struct dt_patch *p, uint64_t addr,
    uint64_t site)
{
	struct reading_back r = { p, addr, site, p->fire };
	uint64_t start = s->pc + p->len - 4u;
	const char *wrong;

	if (start + (uint64_t)(bits_of((uint32_t)number(p->bytes + p->len - 4, 4), 0, 26) * 4) != addr)
		return "the patch";
	wrong = firing_aarch64(&r, site, p->back);
	if (wrong != NULL)
		return wrong;
	r.at = 0;
	if (!is_listed(&r, start - s->pc))
		return "the first place of equal meaning";
	r.at = p->after;
	if (!is_listed(&r, start - s->pc))
		return "a place of equal meaning";
	for (uint32_t i = 0; p->nalso != 0 && i < s->nsites && wrong == NULL; i++)
		if (s->sites[i] == start)
			wrong = firing_aarch64(&r, s->site_addrs[i], p->also[0].back);
	if (wrong == NULL)
		wrong = insn_aarch64(&r, (uint32_t)number(s->func + (start - s->func_addr), 4), start);
	if (wrong != NULL)
		return wrong;
	if (!is_listed(&r, start + 4 - s->pc))
		return "the last place of equal meaning";
	return branches_to(&r, start + 4) && r.at == p->tramp_len ? NULL : "the way back";
}

#endif
