/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dt_image_build(): first the plans, then the programs of each hook, then the maps get their sizes. A refusal
 * leaves through one jump with a sentence, a lack of memory through the same one without; the arena is then
 * the only thing to free.
 */
#include "bpf/image_maps.h"
#include "dif/builtin.h"

#include <errno.h>
#include <stdio.h>

/* The sentence is cut where the caller's buffer ends. */
_Noreturn void dt_refuse(struct dt_build *b, struct dt_loc loc, const char *fmt, ...)
{
	size_t n = 0;
	va_list ap;

	if (loc.src && b->msglen) {
		struct dt_place p = dt_loc_place(loc);
		int len = snprintf(b->msg, b->msglen, "%s:%u:%u: ", p.file ? p.file : "-", p.line, p.col);

		n = len < 0 ? 0 : (size_t)len < b->msglen ? (size_t)len : b->msglen - 1;
	}
	if (b->msglen) {
		va_start(ap, fmt);
		vsnprintf(b->msg + n, b->msglen - n, fmt, ap);
		va_end(ap);
	}
	b->err = -ENOTSUP;
	longjmp(b->fail, 1);
}

static void plan_records(struct dt_build *b, const struct dt_enabling *en, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		dt_plan_record(b, en[i].ecb, &b->image->layouts.recs[en[i].epid - 1]);
		b->image->layouts.recs[en[i].epid - 1].probe_id = en[i].probe_id;
	}
}

static uint32_t highest_epid(const struct dt_enabling *en, uint32_t n, uint32_t max)
{
	for (uint32_t i = 0; i < n; i++) {
		if (en[i].epid > max)
			max = en[i].epid;
	}
	return max;
}

/*
 * epids are given out by the caller, from 1, with gaps maybe: a clause that is not there has an empty
 * layout.
 */
static void plan_all_records(struct dt_build *b, const struct dt_plan_hook *hooks, uint32_t n)
{
	uint32_t max = highest_epid(b->opts->errors, b->opts->nerrors, 0);

	for (uint32_t i = 0; i < n; i++)
		max = highest_epid(hooks[i].en, hooks[i].nen, max);
	if (max >= DT_REC_CONTROL)
		dt_refuse(b, (struct dt_loc){ 0 }, "there are more than %u enabled clauses",
		    DT_REC_CONTROL - 1);
	b->image->layouts.recs = DT_NEWN(b->arena, struct dt_reclayout, max + 1);
	b->image->layouts.nrecs = max;
	for (uint32_t i = 0; i < n; i++)
		plan_records(b, hooks[i].en, hooks[i].nen);
	plan_records(b, b->opts->errors, b->opts->nerrors);
}

static uint32_t all_progs(const struct dt_image *image) { return image->nprogs + image->nmore; }

/* The image has one list of programs: those of the hooks, and after them those that are tail-called. */
static void publish_more(struct dt_build *b)
{
	struct dt_image *image = b->image;
	struct dt_image_prog *all = DT_NEWN(b->arena, struct dt_image_prog, image->nprogs + b->more.n + 1);

	if (!b->more.n)
		return;
	memcpy(all, image->progs, image->nprogs * sizeof(*all));
	memcpy(all + image->nprogs, b->more.v, b->more.n * sizeof(*all));
	image->progs = all;
	image->nmore = (uint32_t)b->more.n;
}

/*
 * The run of zeros is after the constants, whose end is known only now. The arrays are const to readers of
 * the image; they are still ours.
 */
static void place_zeros(struct dt_build *b)
{
	for (uint32_t p = 0; p < all_progs(b->image); p++) {
		struct dt_image_prog *prog = &b->image->progs[p];

		for (uint32_t i = 0; i < prog->nrelocs; i++) {
			struct dt_image_reloc *r = (struct dt_image_reloc *)&prog->relocs[i];

			if (r->value && r->off == DT_OFF_ZEROS) {
				r->off = b->zeros;
				((struct bpf_insn *)prog->insns)[r->insn + 1].imm = (int32_t)b->zeros;
			}
		}
	}
}

/*
 * An aggregation that no clause updates has no maps and is not published; the rest keep their order.
 */
static void publish_aggs(struct dt_build *b)
{
	b->image->ngroups = (uint32_t)b->groups.n;
	b->image->layouts.aggs = DT_NEWN(b->arena, struct dt_agglayout, b->aggs.n + 1);
	for (size_t i = 0; i < b->aggs.n; i++) {
		if (b->aggs.v[i].planned)
			b->image->layouts.aggs[b->image->layouts.naggs++] = *b->aggs.v[i].layout;
	}
}

/* A variable is published when its map was made, that is when some code uses a variable of that kind. */
static void publish_vars(struct dt_build *b)
{
	b->image->vars = DT_NEWN(b->arena, struct dt_varlayout, b->vars.n + 1);
	for (size_t i = 0; i < b->vars.n; i++) {
		const struct dt_bvar *v = &b->vars.v[i];
		uint32_t map = v->v.kind == DT_DIFV_ARRAY ? v->map :
		    v->v.scope == DT_DIFV_GLOBAL ? b->globals : v->v.scope == DT_DIFV_THREAD ? b->tls : 0;
		struct dt_varlayout o = {
			.v = v->v, .map = map - 1, .off = v->off, .keysize = v->keysize, .nkeys = v->nkeys
		};

		memcpy(o.keyoff, v->keyoff, sizeof(o.keyoff));
		memcpy(o.keylen, v->keylen, sizeof(o.keylen));
		if (map)
			b->image->vars[b->image->nvars++] = o;
	}
}

/* Of the dynamic variables, as dynvarsize counts them; 0 when all variables are of other kinds. */
static uint32_t largest_variable(const struct dt_image *image)
{
	uint32_t largest = 0;

	for (uint32_t i = 0; i < image->nvars; i++) {
		const struct dt_varlayout *v = &image->vars[i];
		const struct dt_image_map *m = &image->maps[v->map];
		uint32_t bytes = m->role == DT_MAP_DYN ? 80 + 8 * v->nkeys + m->key_size + m->value_size : 0;

		largest = bytes > largest ? bytes : largest;
	}
	return largest;
}

static void build_image(struct dt_build *b, const struct dt_plan_hook *hooks, uint32_t n)
{
	for (uint32_t i = 0; i < b->nprogs; i++)
		b->vtimed |= dt_prog_needs(b->progs[i], DT_NEED_VTIME);
	b->image->progs = DT_NEWN(b->arena, struct dt_image_prog, n + 1);
	b->image->nprogs = n;
	plan_all_records(b, hooks, n);
	dt_plan_vars(b, hooks, n);
	dt_plan_kept(b);
	dt_plan_aggs(b);
	dt_plan_keys(b, hooks, n);
	dt_plan_slot(b, hooks, n);
	for (uint32_t i = 0; i < n; i++)
		dt_lower_hook(b, &hooks[i], i);
	dt_control_map(b);		/* also when no program looks at it: the session does */
	publish_more(b);
	dt_maps_finish(b);
	place_zeros(b);
	publish_aggs(b);
	publish_vars(b);
	dt_btf_finish(b);
	b->image->maps = b->maps.v;
	b->image->nmaps = (uint32_t)b->maps.n;
	b->image->only_cpu = b->opts->only_cpu;
	b->image->layouts.policy = b->opts->policy;
	b->image->layouts.overhead = BPF_RINGBUF_HDR_SZ;
	b->image->layouts.largest_variable = largest_variable(b->image);
}

static bool options_are_sane(const struct dt_plan_opts *o)
{
	return o && o->feat && o->strsize >= 1 && o->strsize <= DT_STRSIZE_MAX && o->ncpus >= 1 &&
	    o->ncpus <= 8192 && o->only_cpu <= o->ncpus && o->nspec <= DT_NSPEC_MAX;
}

int dt_image_build(const struct dt_plan_opts *opts, const struct dt_prog *const *progs, uint32_t nprogs,
    const struct dt_plan_hook *hooks, uint32_t nhooks, struct dt_image **image, char *msg, size_t msglen)
{
	struct dt_plan_opts own = opts ? *opts : (struct dt_plan_opts){ 0 };
	struct dt_build b = { .opts = &own, .progs = progs, .nprogs = nprogs, .msg = msg, .msglen = msglen };

	*image = NULL;
	if (msglen)
		msg[0] = '\0';
	if (!options_are_sane(opts)) {
		snprintf(msg, msglen,
		    "the options of the image are out of range (strsize 1 to %u, nspec up to %u)",
		    DT_STRSIZE_MAX, DT_NSPEC_MAX);
		return -EINVAL;
	}
	own.scratchsize = own.scratchsize ? own.scratchsize : 16 * own.strsize;
	own.strsize++;		/* the NUL after the characters */
	b.arena = dt_arena_new();
	if (!b.arena)
		return -ENOMEM;
	b.err = -ENOMEM;
	if (setjmp(b.fail)) {
		dt_arena_free(b.arena);
		return b.err;
	}
	dt_arena_on_oom(b.arena, &b.fail);
	dt_map_init(&b.texts, b.arena);
	b.image = DT_NEW(b.arena, struct dt_image);
	b.image->arena = b.arena;
	build_image(&b, hooks, nhooks);
	dt_arena_on_oom(b.arena, NULL);
	*image = b.image;
	return 0;
}

void dt_image_free(struct dt_image *image)
{
	if (image)
		dt_arena_free(image->arena);
}
