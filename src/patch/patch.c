/* SPDX-License-Identifier: BSD-2-Clause */
/* Which machine makes the patch, and what is the same on all of them. */
#include "patch/patch_code.h"
#include "patch/patch_x86.h"

#include "agent/agent.h"
#include "machine/machine.h"

#include <errno.h>
#include <string.h>

/*
 * Branches of aarch64 reach 128 MB, jumps of x86-64 2 GB. The slack is for displaced instructions, which lead
 * to places further than the patch does.
 */
enum { SLACK_MB = 8 };

void dt_patch_emit(struct dt_patch_code *c, const void *bytes, size_t n)
{
	if (n > sizeof(c->out->tramp) - c->out->tramp_len) {
		c->full = true;
		return;
	}
	memcpy(c->out->tramp + c->out->tramp_len, bytes, n);
	c->out->tramp_len += (uint32_t)n;
}

void dt_patch_emit_int(struct dt_patch_code *c, uint64_t value, size_t n)
{
	uint8_t bytes[8];

	for (size_t i = 0; i < n; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
	dt_patch_emit(c, bytes, n);
}

void dt_patch_same(struct dt_patch_code *c, uint64_t from)
{
	struct dt_patch *p = c->out;

	if (p->npcs == DT_PATCH_PCS || from > UINT8_MAX || p->tramp_len > UINT8_MAX) {
		c->full = true;
		return;
	}
	p->pcs[p->npcs].from = (uint8_t)from;
	p->pcs[p->npcs++].to = (uint8_t)p->tramp_len;
}

size_t dt_patch_room(const struct dt_machine *m)
{
	(void)m;
	return DT_PATCH_TRAMP + sizeof(struct dt_agent_site);
}

static bool is_aarch64(const struct dt_machine *m) { return m == &dt_machine_aarch64; }
static bool is_x86(const struct dt_machine *m) { return m == &dt_machine_x86_64; }

/* What is asked is consistent: the place is in bytes that are there. */
static bool sensible(const struct dt_patch_site *s)
{
	uint64_t size = s->func_size != 0 ? s->func_size : s->avail;

	return s->func != NULL && size != 0 && s->pc >= s->func_addr && s->pc - s->func_addr < size &&
	    s->func_addr + size > s->func_addr && (s->avail == 0 || s->avail >= s->func_size) &&
	    (s->func_size != 0 || s->pc == s->func_addr);
}

int dt_patch_make(const struct dt_machine *m, const struct dt_patch_site *s, uint64_t tramp_addr,
    uint64_t site_addr, struct dt_patch *p, const char **why)
{
	struct dt_patch_code c = { .out = p, .addr = tramp_addr };

	memset(p, 0, sizeof(*p));
	*why = !sensible(s) ? "the place is outside of its function" :
	    is_aarch64(m) ? dt_patch_aarch64(s, &c, site_addr) :
	    is_x86(m) ? dt_patch_x86(s, &c, site_addr) : "code of this machine cannot be patched";
	if (*why == NULL && c.full)
		*why = "the displaced instructions are too long";
	return *why != NULL ? -ENOTSUP : p->owner != 0 ? -EALREADY : 0;
}

bool dt_patch_reaches(const struct dt_machine *m, uint64_t pc, uint64_t island, uint64_t size)
{
	int64_t reach = ((int64_t)(is_aarch64(m) ? 128 : is_x86(m) ? 2048 : SLACK_MB) - SLACK_MB) << 20;
	int64_t first = (int64_t)(island - pc), last = (int64_t)(island + size - pc);

	return first >= -reach && first <= reach && last >= -reach && last <= reach && first <= last;
}

struct targets { uint64_t addr, size; dt_patch_target_f *f; void *ctx; };

static bool one_target(void *ctx, const struct dt_insn *in)
{
	struct targets *t = ctx;

	if ((in->way == DT_INSN_BRANCH || in->way == DT_INSN_JUMP) && in->to < t->size)
		t->f(t->ctx, t->addr + in->off, t->addr + in->to);
	return true;
}

int dt_patch_targets(const struct dt_machine *m, const uint8_t *code, uint64_t size, uint64_t code_addr,
    dt_patch_target_f *f, void *ctx)
{
	struct targets t = { code_addr, size, f, ctx };

	return m->walk != NULL ? m->walk(code, size, code_addr, one_target, &t) : -ENOEXEC;
}

void dt_patch_leads(const struct dt_machine *m, const uint8_t *code, uint64_t size, uint64_t code_addr,
    const struct dt_patch_range *range, uint32_t n, dt_patch_target_f *f, void *ctx)
{
	if (is_x86(m))
		dt_patch_x86_leads(code, size, code_addr, range, n, f, ctx);
}

bool dt_patch_tables_of(const struct dt_machine *m, const struct dt_patch_tables *in, dt_patch_target_f *f,
    void *ctx)
{
	return !is_x86(m) || dt_patch_x86_tables(in, f, ctx);
}
