/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Jumps that go too far. The offset of a jump has 16 bits, and the kernel makes code longer when it puts its
 * own in place of calls. (gotol has 32 bits, but only from Linux 6.6 on, and a condition still has 16.) So
 * where a jump goes further than FAR instructions, islands are put into the code between: places that the
 * code around jumps over, with a jump to each far label that is still ahead, by way of the next island.
 *
 * In: code whose labels are all placed, before offsets are filled in. Out: the same with islands; no jump
 * forward is then longer than some EVERY instructions and an island. An island lies between a jump and its
 * label, so it is in the function of both, and never in one of the runtime, whose offsets are fixed. Jumps
 * back stay as they are: no clause has long ones.
 */
#include "bpf/emit.h"

enum { FAR = 16000, EVERY = 8000 };

/* Jumps to one label: where the first of them is, and where the label is. */
struct far { uint32_t label; int32_t from, to; };
/* Before which instruction; a label for each far, 0: it does not lead there. */
struct island { uint32_t at; uint32_t *entry; };

struct islands {
	struct dt_emit *a;
	DT_VEC(struct far) fars;
	DT_VEC(struct island) list;	/* in the order of the code */
	DT_VEC(struct dt_fixup) fixups;	/* of their jumps */
};

static bool is_far(const struct dt_emit *a, const struct dt_fixup *f)
{
	return !f->call && a->labels.v[f->label] - (int64_t)f->insn > FAR;
}

/* The fars by label: an index + 1, or 0. */
static uint32_t *find_fars(struct islands *s)
{
	const struct dt_emit *a = s->a;
	uint32_t *index = DT_NEWN(a->arena, uint32_t, a->labels.n + 1);

	for (size_t i = 0; i < a->fixups.n; i++) {
		const struct dt_fixup *f = &a->fixups.v[i];
		struct far far = { f->label, (int32_t)f->insn, a->labels.v[f->label] };

		if (!is_far(a, f))
			continue;
		if (!index[f->label]) {
			dt_vec_push(a->arena, &s->fars, far);
			index[f->label] = (uint32_t)s->fars.n;
		} else if (s->fars.v[index[f->label] - 1].from > far.from) {
			s->fars.v[index[f->label] - 1].from = far.from;
		}
	}
	return index;
}

/* Not between the two halves of a 64-bit constant. */
static uint32_t whole(const struct dt_emit *a, uint32_t at)
{
	return at + (a->code.v[at - 1].code == (BPF_LD | BPF_DW | BPF_IMM));
}

/* One every so often within the reach of some far jump. */
static void place_islands(struct islands *s)
{
	const struct dt_emit *a = s->a;

	for (uint32_t at = EVERY; at < a->code.n; at += EVERY) {
		struct island land = { .at = whole(a, at) };
		bool any = false;

		land.entry = DT_NEWN(a->arena, uint32_t, s->fars.n + 1);
		for (size_t i = 0; i < s->fars.n; i++) {
			const struct far *f = &s->fars.v[i];

			if (f->from >= (int32_t)land.at || f->to <= (int32_t)land.at)
				continue;
			land.entry[i] = dt_label(s->a);
			any = true;
		}
		if (any)
			dt_vec_push(a->arena, &s->list, land);
	}
}

/* Where the jump to a far label goes on from there: to the next island that leads to it, or to the label. */
static uint32_t next_stop(const struct islands *s, uint32_t far, size_t island)
{
	if (island < s->list.n && s->list.v[island].entry[far])
		return s->list.v[island].entry[far];
	return s->fars.v[far].label;
}

static void redirect_jumps(struct islands *s, const uint32_t *index)
{
	struct dt_emit *a = s->a;

	for (size_t i = 0; i < a->fixups.n; i++) {
		struct dt_fixup *f = &a->fixups.v[i];
		size_t island = 0;

		if (!is_far(a, f))
			continue;
		while (island < s->list.n && s->list.v[island].at <= f->insn)
			island++;
		f->label = next_stop(s, index[f->label] - 1, island);
	}
}

static void add_jump(struct islands *s, uint32_t label)
{
	struct dt_emit *a = s->a;
	struct bpf_insn in = { .code = BPF_JMP | BPF_JA };
	struct dt_fixup f = { (uint32_t)a->code.n, label, false };

	dt_vec_push(a->arena, &a->code, in);
	dt_vec_push(a->arena, &a->difo_at, NULL);
	dt_vec_push(a->arena, &a->difpc_at, 0);
	dt_vec_push(a->arena, &s->fixups, f);
}

/* The kernel refuses code that nothing leads to: after a jump or an exit there is nothing to lead around. */
static bool falls_through(const struct bpf_insn *in)
{
	return in->code != (BPF_JMP | BPF_JA) && in->code != (BPF_JMP | BPF_EXIT);
}

/* *moved: labels whose place in the new code is known already. */
static void build_island(struct islands *s, size_t n, bool *moved)
{
	struct dt_emit *a = s->a;
	uint32_t over = dt_label(a);

	if (falls_through(&a->code.v[a->code.n - 1]))
		add_jump(s, over);
	for (uint32_t i = 0; i < s->fars.n; i++) {
		uint32_t entry = s->list.v[n].entry[i];

		if (!entry)
			continue;
		dt_put(a, entry);
		moved[entry] = true;
		add_jump(s, next_stop(s, i, n + 1));
	}
	dt_put(a, over);
	moved[over] = true;
}

/* Copies the code, with the islands in it, and moves all that names an instruction by number. */
static void rebuild(struct islands *s)
{
	struct dt_emit *a = s->a, old = *a;
	bool *moved = DT_NEWN(a->arena, bool, a->labels.n + s->list.n + 1);
	uint32_t *to = DT_NEWN(a->arena, uint32_t, a->code.n + 1);
	size_t n = 0;

	memset(&a->code, 0, sizeof(a->code));
	memset(&a->difo_at, 0, sizeof(a->difo_at));
	memset(&a->difpc_at, 0, sizeof(a->difpc_at));
	for (size_t i = 0; i < old.code.n; i++) {
		if (n < s->list.n && s->list.v[n].at == i)
			build_island(s, n++, moved);
		to[i] = (uint32_t)a->code.n;
		dt_vec_push(a->arena, &a->code, old.code.v[i]);
		dt_vec_push(a->arena, &a->difo_at, old.difo_at.v[i]);
		dt_vec_push(a->arena, &a->difpc_at, old.difpc_at.v[i]);
	}
	to[old.code.n] = (uint32_t)a->code.n;
	for (size_t i = 0; i < a->labels.n; i++)
		if (!moved[i] && a->labels.v[i] >= 0)
			a->labels.v[i] = (int32_t)to[a->labels.v[i]];
	for (size_t i = 0; i < a->relocs.n; i++)
		a->relocs.v[i].insn = to[a->relocs.v[i].insn];
	for (size_t i = 0; i < a->fixups.n; i++)
		a->fixups.v[i].insn = to[a->fixups.v[i].insn];
	for (size_t i = 0; i < s->fixups.n; i++)
		dt_vec_push(a->arena, &a->fixups, s->fixups.v[i]);
}

void dt_emit_islands(struct dt_emit *a)
{
	struct islands s = { .a = a };
	uint32_t *index = find_fars(&s);

	if (!s.fars.n)
		return;
	place_islands(&s);
	redirect_jumps(&s, index);
	rebuild(&s);
}
