/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether a predicate holds in one process only, as `pid == 123 && …`. It is run without a probe: what is
 * not known may be anything, and both ways of a branch count, but pid is taken for any number but that one.
 * If the result can only be 0, no other process gets past it. Branches lead forward (dt_difo_check()), so one
 * pass over the instructions is enough.
 */
#include "dif/builtin.h"

#include <string.h>

enum { TEXT_MAX = 64 };		/* longer ones hold anywhere */
enum known { ANY, PID, INT };
enum compared { UNKNOWN, EQUAL, DIFFERENT };

struct state {
	bool reached;
	struct { enum known known; uint64_t value; } reg[DT_DIF_NREGS];
	enum compared compared;
};

/* What holds on both ways. */
static void join(struct state *to, const struct state *from)
{
	if (!to->reached) {
		*to = *from;
		return;
	}
	for (int i = 0; i < DT_DIF_NREGS; i++)
		if (to->reg[i].known != from->reg[i].known || to->reg[i].value != from->reg[i].value)
			to->reg[i].known = ANY;
	if (to->compared != from->compared)
		to->compared = UNKNOWN;
}

static enum compared compare(const struct state *s, unsigned a, unsigned b, uint64_t pid)
{
	enum known x = s->reg[a].known, y = s->reg[b].known;
	uint64_t v = s->reg[a].value, w = s->reg[b].value;

	if (x == INT && y == INT)
		return v == w ? EQUAL : DIFFERENT;
	if ((x == PID && y == INT && w == pid) || (y == PID && x == INT && v == pid))
		return DIFFERENT;
	return UNKNOWN;
}

static void step(struct state *s, const struct dt_difo *d, uint32_t in, uint64_t pid)
{
	unsigned rd = dt_dif_rd(in);

	switch (dt_dif_op(in)) {
	case DT_DIF_CMP: s->compared = compare(s, dt_dif_r1(in), dt_dif_r2(in), pid); return;
	case DT_DIF_TST: s->compared = compare(s, dt_dif_r1(in), 0, pid); return;
	case DT_DIF_SCMP: s->compared = UNKNOWN; return;
	case DT_DIF_MOV: s->reg[rd] = s->reg[dt_dif_r1(in)]; break;
	case DT_DIF_SETX:
		s->reg[rd].known = INT;
		s->reg[rd].value = d->ints[dt_dif_v16(in)];
		break;
	case DT_DIF_LDGS:
		s->reg[rd].known = dt_dif_v16(in) == DT_VAR_pid ? PID : ANY;
		s->reg[rd].value = 0;
		break;
	default: s->reg[rd].known = ANY; break;	/* it has a result there, or leaves it as it is */
	}
	s->reg[0].known = INT;		/* always 0 */
	s->reg[0].value = 0;
}

/* Can the branch be taken, and can it be passed by? */
static void ways(const struct state *s, unsigned op, bool *taken, bool *passed)
{
	*taken = !((op == DT_DIF_BE && s->compared == DIFFERENT) ||
	    (op == DT_DIF_BNE && s->compared == EQUAL));
	*passed = !(op == DT_DIF_BA || (op == DT_DIF_BE && s->compared == EQUAL) ||
	    (op == DT_DIF_BNE && s->compared == DIFFERENT));
}

static bool is_false_elsewhere(const struct dt_difo *d, uint64_t pid)
{
	struct state at[TEXT_MAX + 1];

	memset(at, 0, sizeof(at));
	at[0].reached = true;
	at[0].reg[0].known = INT;
	for (uint32_t pc = 0; pc < d->ntext; pc++) {
		uint32_t in = d->text[pc];
		unsigned op = dt_dif_op(in), rd = dt_dif_rd(in);
		bool taken = false, passed = op != DT_DIF_RET;

		if (!at[pc].reached)
			continue;
		if (op == DT_DIF_RET && (at[pc].reg[rd].known != INT || at[pc].reg[rd].value != 0))
			return false;
		if (op >= DT_DIF_BA && op <= DT_DIF_BLEU)
			ways(&at[pc], op, &taken, &passed);
		else
			step(&at[pc], d, in, pid);
		if (taken)
			join(&at[dt_dif_label(in)], &at[pc]);
		if (passed)
			join(&at[pc + 1], &at[pc]);
	}
	return true;
}

bool dt_difo_one_process(const struct dt_difo *d, uint32_t *pid)
{
	if (d == NULL || d->ntext > TEXT_MAX || d->nrelocs > 0)
		return false;
	for (uint32_t i = 0; i < d->nints; i++)
		if (d->ints[i] > 0 && d->ints[i] <= INT32_MAX && is_false_elsewhere(d, d->ints[i])) {
			*pid = (uint32_t)d->ints[i];
			return true;
		}
	return false;
}
