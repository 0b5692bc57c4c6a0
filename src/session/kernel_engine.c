/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel as an engine: a plan becomes an image (src/bpf), and the image a session. A plan that grew is an
 * image of its own, which begins with the one before; all of them live until the engine is closed.
 */
#include "dif/builtin.h"
#include "session/impl.h"

#include <errno.h>
#include <stdlib.h>

struct kernel_engine {
	struct dt_engine engine;	/* first: pointers to it are cast back */
	const struct dt_attach *attach;	/* of the newest plan */
	struct dt_session *session;	/* NULL until it is loaded */
	struct dt_image **image;	/* in their order; the newest describes all records */
	uint32_t nimages;
};

static struct kernel_engine *kernel_of(const struct dt_engine *e) { return (struct kernel_engine *)e; }
static struct dt_session *session_of(const struct dt_engine *e) { return kernel_of(e)->session; }

static struct dt_image *newest(const struct dt_engine *e)
{
	return kernel_of(e)->image[kernel_of(e)->nimages - 1];
}

/* ---- plans ---- */

static int kernel_replan(struct dt_engine *e, const struct dt_plan *p, char *msg, size_t len)
{
	struct kernel_engine *k = kernel_of(e);
	struct dt_image **more = realloc(k->image, (k->nimages + 1) * sizeof(struct dt_image *));
	int err;

	if (more == NULL)
		return -ENOMEM;
	k->image = more;
	err = dt_image_build(p->opts, p->progs, p->nprogs, p->hooks, p->nhooks, &k->image[k->nimages], msg,
	    len);
	if (err != 0)
		return err;
	k->nimages++;
	k->attach = p->attach;
	return 0;
}

static void kernel_close(struct dt_engine *e)
{
	struct kernel_engine *k = kernel_of(e);

	dt_session_close(k->session);
	for (uint32_t i = 0; i < k->nimages; i++)
		dt_image_free(k->image[i]);
	free(k->image);
	free(k);
}

static int kernel_open(const struct dt_plan *p, struct dt_engine **engine, char *msg, size_t len)
{
	struct kernel_engine *k = calloc(1, sizeof(*k));
	int err;

	*engine = NULL;
	if (k == NULL)
		return -ENOMEM;
	k->engine.ops = &dt_engine_kernel;
	err = kernel_replan(&k->engine, p, msg, len);
	if (err != 0)
		kernel_close(&k->engine);
	else
		*engine = &k->engine;
	return err;
}

static const struct dt_layouts *kernel_layouts(const struct dt_engine *e) { return &newest(e)->layouts; }

/* A kernel without ring buffers refuses the first map with EINVAL: then that is the sentence. */
static int kernel_load(struct dt_engine *e, char *msg, size_t len)
{
	struct kernel_engine *k = kernel_of(e);
	int err = dt_session_open(newest(e), k->attach, newest(e)->nprogs, &k->session, msg, len);

	if (err == -EINVAL)
		(void)dt_session_has_rings(msg, len);
	return err;
}

static int kernel_graft(struct dt_engine *e, uint32_t first, char *msg, size_t len)
{
	return dt_session_graft(session_of(e), newest(e), kernel_of(e)->attach, newest(e)->nprogs, first, msg,
	    len);
}

/* ---- the rest is what a session does ---- */

static int kernel_attach(struct dt_engine *e, char *msg, size_t len)
{
	return dt_session_attach(session_of(e), msg, len);
}

static int kernel_start(struct dt_engine *e, char *msg, size_t len)
{
	return dt_session_start(session_of(e), msg, len);
}

static const struct dt_left_out *kernel_left_out(const struct dt_engine *e)
{
	return dt_session_left_out(session_of(e));
}

static void kernel_detach(struct dt_engine *e) { dt_session_detach(session_of(e)); }

static int kernel_run(struct dt_engine *e, uint32_t hook)
{
	return dt_session_run(session_of(e), hook, NULL, 0);
}

static int kernel_wait(struct dt_engine *e, uint64_t ns) { return dt_session_wait(session_of(e), ns); }
static int kernel_pollfd(const struct dt_engine *e) { return dt_session_pollfd(session_of(e)); }
static int kernel_wake_by(struct dt_engine *e, int fd) { return dt_session_wake_by(session_of(e), fd); }
static struct dt_control *kernel_control(struct dt_engine *e) { return dt_session_control(session_of(e)); }
static uint32_t kernel_ncpus(const struct dt_engine *e) { return dt_session_ncpus(session_of(e)); }

static int kernel_drops(struct dt_engine *e, struct dt_drops *all)
{
	return dt_session_drops_all(session_of(e), all);
}

static uint64_t kernel_missed(const struct dt_engine *e) { return dt_session_missed(session_of(e)); }
static uint32_t kernel_rings(struct dt_engine *e) { return dt_session_rings(session_of(e)); }

static int kernel_ring_cpu(const struct dt_engine *e, uint32_t ring)
{
	return dt_session_ring_cpu(session_of(e), ring);
}

static uint64_t kernel_room(struct dt_engine *e) { return dt_session_room(session_of(e)); }

static uint64_t kernel_range(struct dt_engine *e, uint32_t ring, uint64_t *end)
{
	return dt_session_range(session_of(e), ring, end);
}

static int kernel_next(struct dt_engine *e, uint32_t ring, uint64_t *pos, uint64_t end, const void **rec,
    size_t *len)
{
	return dt_session_next(session_of(e), ring, pos, end, rec, len);
}

static void kernel_release(struct dt_engine *e, uint32_t ring, uint64_t pos)
{
	dt_session_release(session_of(e), ring, pos);
}

static int kernel_drain(struct dt_engine *e, uint32_t ring, dt_ring_f *f, void *ctx)
{
	return dt_session_drain(session_of(e), ring, f, ctx);
}

static int kernel_take(struct dt_engine *e, struct dt_taken *taken, dt_aggcell_f *f, void *ctx)
{
	return dt_session_take(session_of(e), taken, f, ctx);
}

static bool kernel_moments(const struct dt_engine *e) { return dt_session_moments(session_of(e)); }

static void kernel_follow(struct dt_engine *e, uint32_t pid, uint32_t root)
{
	dt_session_follow(session_of(e), pid, root);
}

static bool kernel_names_containers(const struct dt_engine *e)
{
	return dt_session_names_containers(session_of(e));
}

static int kernel_name_container(struct dt_engine *e, const char *id, const char *name, size_t most)
{
	return dt_session_name_container(session_of(e), id, name, most);
}

static int kernel_cgroups(struct dt_engine *e, const struct dt_cgroup *groups, uint32_t n)
{
	return dt_session_cgroups(session_of(e), groups, n);
}

static int kernel_unwind(struct dt_engine *e, struct dt_usyms *usyms, uint64_t most)
{
	return dt_session_unwind(session_of(e), usyms, most);
}

static struct dt_unwind *kernel_unwinder(const struct dt_engine *e)
{
	return dt_session_unwinder(session_of(e));
}

const struct dt_engine_ops dt_engine_kernel = {
	.name = "kernel", .live = true, .where = DT_IN_KERNEL,
	.open = kernel_open, .close = kernel_close, .layouts = kernel_layouts, .load = kernel_load,
	.attach = kernel_attach, .start = kernel_start, .left_out = kernel_left_out, .detach = kernel_detach,
	.run = kernel_run, .replan = kernel_replan, .graft = kernel_graft,
	.wait = kernel_wait, .pollfd = kernel_pollfd, .wake_by = kernel_wake_by, .control = kernel_control,
	.ncpus = kernel_ncpus, .drops = kernel_drops, .missed = kernel_missed,
	.rings = kernel_rings, .ring_cpu = kernel_ring_cpu, .room = kernel_room, .range = kernel_range,
	.next = kernel_next, .release = kernel_release, .drain = kernel_drain,
	.take = kernel_take, .moments = kernel_moments,
	.follow = kernel_follow, .names_containers = kernel_names_containers,
	.name_container = kernel_name_container, .cgroups = kernel_cgroups, .unwind = kernel_unwind,
	.unwinder = kernel_unwinder,
};
