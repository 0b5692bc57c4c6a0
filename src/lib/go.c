/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Enablings to a running session: probes with one hook share a program, derived probes get their D expressions
 * compiled, kernel offsets are looked up in type data, the image is built and loaded. BEGIN runs before anything
 * else is live.
 */
#include "lib/proc.h"
#include "lib/trace.h"

#include "provider/provider.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define SMALLEST_SIZE (64u << 10)	/* sizes are not lowered below it */

struct hook {				/* a program to make */
	struct dt_hook hook;
	DT_VEC(struct dt_enabling) en;
};

struct build {
	struct dtrace_hdl *h;
	struct dt_trace *t;
	DT_VEC(struct hook *) hooks;
	DT_VEC(struct dt_enabling) errors;
	struct dt_koffsets koff;
	struct dt_features feat;
	struct dt_image_opts opts;
};

/* ---- offsets in kernel structs ---- */

static uint32_t offset_of(struct dt_types *types, const char *tag, const char *path)
{
	const struct dt_type *t = dt_types_find(types, NULL, DT_T_STRUCT, tag);
	uint64_t bits = 0;

	while (t != NULL && *path != '\0') {
		size_t len = strcspn(path, ".");
		char name[64];
		struct dt_member m;

		if (len >= sizeof(name))
			return DT_KOFF_NONE;
		memcpy(name, path, len);
		name[len] = '\0';
		if (!dt_type_member(types, dt_type_complete(types, dt_type_base(t)), name, &m))
			return DT_KOFF_NONE;
		bits += m.bit_off;
		t = m.type;
		path += len + (path[len] == '.');
	}
	return t != NULL ? (uint32_t)(bits / 8) : DT_KOFF_NONE;
}

/* Kernel types cost milliseconds: only programs that use a variable made from them pay. */
static bool needs_offsets(const struct dt_trace *t)
{
	static const uint32_t cheap[] = { 0x101, 0x104, 0x105, 0x112, 0x113, 0x114, 0x115, 0x116, 0x117, 0x118, 0x11a, 0x11e,
		0x11f, 0x120, 0x200, 0x100, 0x103 };

	for (size_t p = 0; p < t->enabled.n; p++) {
		const struct dt_ecb *e = t->enabled.v[p].ecb;

		for (uint32_t a = 0; a <= e->nacts; a++) {
			const struct dt_difo *d = a < e->nacts ? e->acts[a].difo : e->pred;

			for (uint32_t v = 0; d != NULL && v < d->nvars; v++) {
				uint32_t id = d->vars[v].id;
				bool known = id >= DT_VAR_USER_MIN || id < DT_VAR_SCALAR_MIN || (id >= 0x106 && id <= 0x10f);

				for (size_t c = 0; !known && c < sizeof(cheap) / sizeof(cheap[0]); c++)
					known = cheap[c] == id;
				if (!known)
					return true;
			}
		}
	}
	return false;
}

static void find_offsets(struct build *b)
{
	static const struct { size_t at; const char *tag, *path; } rows[] = {
#define O(field, tag, path) { offsetof(struct dt_koffsets, field), tag, path }
		O(task_tgid, "task_struct", "tgid"), O(task_pid, "task_struct", "pid"),
		O(task_real_parent, "task_struct", "real_parent"), O(task_comm, "task_struct", "comm"),
		O(task_cred, "task_struct", "cred"), O(task_real_cred, "task_struct", "real_cred"),
		O(task_se_sum_exec, "task_struct", "se.sum_exec_runtime"), O(task_mm, "task_struct", "mm"),
		O(task_nsproxy, "task_struct", "nsproxy"), O(cred_uid, "cred", "uid"), O(cred_gid, "cred", "gid"),
		O(mm_arg_start, "mm_struct", "arg_start"), O(mm_arg_end, "mm_struct", "arg_end"),
		O(task_thread_pid, "task_struct", "thread_pid"), O(pid_level, "pid", "level"), O(pid_numbers, "pid", "numbers"),
		O(upid_nr, "upid", "nr"), O(task_fs, "task_struct", "fs"), O(fs_pwd, "fs_struct", "pwd"),
		O(fs_root, "fs_struct", "root"), O(path_dentry, "path", "dentry"), O(path_mnt, "path", "mnt"),
		O(dentry_parent, "dentry", "d_parent"), O(dentry_name_name, "dentry", "d_name.name"),
		O(dentry_name_len, "dentry", "d_name.len"), O(mount_mnt, "mount", "mnt"), O(mount_parent, "mount", "mnt_parent"),
		O(mount_mountpoint, "mount", "mnt_mountpoint"), O(vfsmount_root, "vfsmount", "mnt_root"),
		O(task_stack, "task_struct", "stack"), O(task_flags, "task_struct", "flags"),
#undef O
	};
	const struct dt_type *upid;

	memset(&b->koff, 0xff, sizeof(b->koff));
	if (!needs_offsets(b->t))
		return;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t off = offset_of(b->h->types, rows[i].tag, rows[i].path);

		memcpy((char *)&b->koff + rows[i].at, &off, sizeof(off));
	}
	upid = dt_types_find(b->h->types, NULL, DT_T_STRUCT, "upid");
	b->koff.upid_size = upid != NULL ? (uint32_t)dt_type_size(b->h->types, upid) : DT_KOFF_NONE;
}

/* ---- hooks ---- */

static bool same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static struct hook *hook_for(struct build *b, const struct dt_hook *hook)
{
	struct hook *k;

	for (size_t i = 0; i < b->hooks.n; i++) {
		k = b->hooks.v[i];
		if (k->hook.kind == hook->kind && same_text(k->hook.target, hook->target) && k->hook.interval == hook->interval)
			return k;
	}
	k = DT_NEW(b->t->arena, struct hook);
	k->hook = *hook;
	dt_vec_push(b->t->arena, &b->hooks, k);
	return k;
}

static int derive(struct build *b, const struct dt_hook *hook, struct dt_enabling *en)
{
	if (hook->when != NULL && (en->when = dt_handle_expr(b->h, b->t->arena, hook->when)) == NULL)
		return -1;
	for (int i = 0; i < 10 && hook->args[i] != NULL; i++)
		if ((en->args[i] = dt_handle_expr(b->h, b->t->arena, hook->args[i])) == NULL)
			return -1;
	return 0;
}

/* On one tracepoint probes fire by number, as providers made them (lwp-exit before exit); clauses of one stay in program order. */
static void add_ordered(struct build *b, struct hook *k, const struct dt_enabling *en)
{
	size_t i = k->en.n;

	dt_vec_push(b->t->arena, &k->en, *en);
	for (; k->hook.kind == DT_HOOK_RAWTP && i > 0 && k->en.v[i - 1].probe_id > en->probe_id; i--)
		k->en.v[i] = k->en.v[i - 1];
	k->en.v[i] = *en;
}

static int add_hook(struct build *b, const struct dt_enabled *e, const struct dt_hook *hook)
{
	const struct dt_probe *p = e->probe;
	struct dt_enabling en = {
		.ecb = e->ecb, .epid = e->epid, .probe_id = p->id, .number = hook->number,
		.prov = p->prov, .mod = p->mod, .func = p->func, .name = p->name,
	};
	struct hook *k;

	if (derive(b, hook, &en) != 0)
		return -1;
	if (hook->kind == DT_HOOK_NONE) {
		dt_vec_push(b->t->arena, &b->errors, en);
		return 0;
	}
	k = hook_for(b, hook);
	add_ordered(b, k, &en);
	return 0;
}

static int add_enabling(struct build *b, const struct dt_enabled *e)
{
	for (const struct dt_hook *hook = &e->probe->hook; hook != NULL; hook = hook->next)
		if (add_hook(b, e, hook) != 0)
			return -1;
	return 0;
}

static enum dt_image_ctx context_of(enum dt_hook_kind kind)
{
	switch (kind) {
	case DT_HOOK_SYS_ENTER: return DT_CTX_SYS_ENTER;
	case DT_HOOK_SYS_EXIT: return DT_CTX_SYS_EXIT;
	case DT_HOOK_RAWTP: return DT_CTX_RAWTP;
	case DT_HOOK_PERF: return DT_CTX_PERF;
	default: return DT_CTX_RUN;
	}
}

/* ---- building ---- */

static uint64_t option(const struct dtrace_hdl *h, enum dt_opt opt, uint64_t otherwise)
{
	int64_t v = h->options.val[opt];

	return v > 0 ? (uint64_t)v : otherwise;
}

static int64_t wall_offset(void)
{
	struct timespec mono, real;

	clock_gettime(CLOCK_MONOTONIC, &mono);
	clock_gettime(CLOCK_REALTIME, &real);
	return (real.tv_sec - mono.tv_sec) * 1000000000ll + real.tv_nsec - mono.tv_nsec;
}

static enum dt_policy policy_of(const struct dtrace_hdl *h)
{
	switch (h->options.val[DT_OPT_bufpolicy]) {
	case DT_BUFPOLICY_FILL: return DT_POLICY_FILL;
	case DT_BUFPOLICY_RING: return DT_POLICY_RING;
	default: return DT_POLICY_SWITCH;
	}
}

static void fill_opts(struct build *b)
{
	struct dtrace_hdl *h = b->h;
	int64_t cpu = h->options.val[DT_OPT_cpu];

	b->opts = (struct dt_image_opts){
		.policy = policy_of(h), .only_cpu = cpu >= 0 ? (uint32_t)cpu + 1 : 0,
		.strsize = h->compiler.strsize, .nspec = (uint32_t)option(h, DT_OPT_nspec, 1), .stackframes_max = 127,
		.bufsize = option(h, DT_OPT_bufsize, 4 << 20), .aggsize = option(h, DT_OPT_aggsize, 4 << 20),
		.specsize = option(h, DT_OPT_specsize, 32 << 10), .dynvarsize = option(h, DT_OPT_dynvarsize, 1 << 20),
		.scratchsize = option(h, DT_OPT_scratchsize, 64 << 10),
		.ncpus = (uint32_t)dt_session_possible_cpus(), .rawsyscall = dt_options_on(&h->options, DT_OPT_rawsyscall),
		.self_pid = (uint32_t)getpid(), .wall_offset = wall_offset(), .koff = &b->koff, .feat = &b->feat,
		.errors = b->errors.v, .nerrors = (uint32_t)b->errors.n,
#ifdef __x86_64__
		.arch_x86 = true,
#endif
	};
}

static int make_image(struct build *b, char *msg, size_t len)
{
	struct dt_image_hook *hooks = DT_NEWN(b->t->arena, struct dt_image_hook, b->hooks.n + 1);

	for (size_t i = 0; i < b->hooks.n; i++) {
		const struct hook *k = b->hooks.v[i];

		hooks[i] = (struct dt_image_hook){ context_of(k->hook.kind), k->en.v, (uint32_t)k->en.n,
			.nargs_known = k->hook.kind == DT_HOOK_RAWTP, .nargs = dt_hook_nargs(b->h->types, &k->hook) };
	}
	return dt_image_build(&b->opts, b->t->progs.v, (uint32_t)b->t->progs.n, hooks, (uint32_t)b->hooks.n, &b->t->image, msg, len);
}

static int load_image(struct build *b, char *msg, size_t len)
{
	struct dt_attach *attach = DT_NEWN(b->t->arena, struct dt_attach, b->hooks.n + 1);

	for (size_t i = 0; i < b->hooks.n; i++) {
		const struct hook *k = b->hooks.v[i];

		attach[i] = (struct dt_attach){ k->hook.kind, k->hook.target, k->hook.interval };
		if (k->hook.kind == DT_HOOK_RUN && strcmp(k->en.v[0].name, "BEGIN") == 0)
			b->t->begin = (uint32_t)i;
		if (k->hook.kind == DT_HOOK_RUN && strcmp(k->en.v[0].name, "END") == 0)
			b->t->end = (uint32_t)i;
	}
	return dt_session_open(b->t->image, attach, (uint32_t)b->hooks.n, &b->t->session, msg, len);
}

static void index_ecbs(struct dt_trace *t)
{
	t->ecbs = DT_NEWN(t->arena, const struct dt_ecb *, t->enabled.n + 1);
	for (size_t i = 0; i < t->enabled.n; i++)
		t->ecbs[i] = t->enabled.v[i].ecb;
}

/*
 * A record that is larger than a buffer would be dropped every time: that is better said at once. Those of END are all
 * kept, also where buffers are filled once. What was asked for counts, though a page at least is made of it.
 */
static int records_fit(const struct build *b)
{
	const struct dt_image *image = b->t->image;
	uint64_t room = b->opts.bufsize < image->room ? b->opts.bufsize : image->room, end = 0;

	for (size_t i = 0; i < b->t->enabled.n; i++) {
		const struct dt_enabled *e = &b->t->enabled.v[i];
		uint32_t takes = dt_image_takes(image, e->ecb, e->epid);

		if (takes >= room)
			return EDT_BUFTOOSMALL;
		if (e->probe->hook.kind == DT_HOOK_RUN && strcmp(e->probe->name, "END") == 0)
			end += takes;
	}
	return b->opts.policy == DT_POLICY_FILL && end >= room ? EDT_ENDTOOBIG : 0;
}

/* -x bufresize=auto: the largest size is halved until it fits into memory. The options tell what was got. */
static bool lower_size(struct build *b)
{
	struct { uint64_t *size; enum dt_opt opt; } rows[] = {
		{ &b->opts.bufsize, DT_OPT_bufsize }, { &b->opts.aggsize, DT_OPT_aggsize }, { &b->opts.dynvarsize, DT_OPT_dynvarsize },
	};
	size_t at = 0;

	for (size_t i = 1; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (*rows[i].size > *rows[at].size)
			at = i;
	if (b->h->options.val[DT_OPT_bufresize] != DT_BUFRESIZE_AUTO || *rows[at].size <= SMALLEST_SIZE)
		return false;
	*rows[at].size /= 2;
	b->h->options.val[rows[at].opt] = (int64_t)*rows[at].size;
	return true;
}

/* What no kernel can make, whatever its memory. */
static bool size_possible(struct build *b)
{
	if (b->t->image->room >= b->opts.bufsize)
		return true;
	if (b->h->options.val[DT_OPT_bufresize] != DT_BUFRESIZE_AUTO)
		return false;
	b->opts.bufsize = b->t->image->room;
	b->h->options.val[DT_OPT_bufsize] = (int64_t)b->opts.bufsize;
	return true;
}

int dt_trace_build(struct dtrace_hdl *h, struct dt_trace *t)
{
	struct build b = { .h = h, .t = t };
	char msg[2048] = "";
	int err = dt_features_probe(&b.feat, msg, sizeof(msg));

	if (err != 0)
		return dt_handle_errorf(h, err == -EPERM ? EDT_ACCESS : -err, "%s", msg);
	for (size_t i = 0; i < t->enabled.n; i++)
		if (add_enabling(&b, &t->enabled.v[i]) != 0)
			return -1;
	find_offsets(&b);
	fill_opts(&b);
	index_ecbs(t);
	if (h->options.val[DT_OPT_cpu] >= (int64_t)b.opts.ncpus)
		return dt_handle_errorf(h, EDT_BADOPTVAL, "CPU %lld is not online", (long long)h->options.val[DT_OPT_cpu]);
	if (dt_procs_limit(h, t, &b.opts.pids, &b.opts.npids) != 0)
		return -1;
	do {
		dt_image_free(t->image);
		t->image = NULL;
		err = make_image(&b, msg, sizeof(msg));
		if (err != 0)
			return dt_handle_errorf(h, EDT_BPFINVAL, "%s", msg);
		if (!size_possible(&b))
			return dt_handle_errorf(h, ENOMEM, "a buffer of %llu bytes for each CPU is more than the kernel can have",
			    (unsigned long long)b.opts.bufsize);
		err = records_fit(&b);
		if (err != 0)
			return dt_handle_error(h, err);
		err = load_image(&b, msg, sizeof(msg));
	} while (err == -ENOMEM && lower_size(&b));
	return err != 0 ? dt_handle_errorf(h, EDT_BPF, "%s", msg) : 0;
}

/* ---- go and stop ---- */

static int check_go(struct dtrace_hdl *h, struct dt_trace *t)
{
	if (t->state != DT_TRACE_IDLE)
		return dt_handle_error(h, EINVAL);
	for (size_t i = 0; i < t->progs.n; i++)
		if (t->progs.v[i]->destructive && !dt_options_on(&h->options, DT_OPT_destructive))
			return dt_handle_error(h, EDT_DESTRUCTIVE);
	return 0;
}

static int run(struct dtrace_hdl *h, struct dt_trace *t, uint32_t prog)
{
	int err = prog != UINT32_MAX ? dt_session_run(t->session, prog, NULL, 0) : 0;

	return err != 0 ? dt_handle_error(h, -err) : 0;
}

int dtrace_go(dtrace_hdl_t *h)
{
	struct dt_trace *t = dt_trace_get(h);
	char msg[1024] = "";
	int err;

	if (t == NULL || check_go(h, t) != 0 || dt_trace_build(h, t) != 0 || dt_trace_events(h, t) != 0)
		return -1;
	dt_consumer_specsize(t->consumer, option(h, DT_OPT_specsize, 32 << 10));
	t->at_end = policy_of(h) != DT_POLICY_SWITCH;
	t->state = DT_TRACE_ACTIVE;
	if (run(h, t, t->begin) != 0)
		return -1;
	if (dt_trace_over(t))
		return 0;
	err = dt_session_attach(t->session, msg, sizeof(msg));
	return err != 0 ? dt_handle_errorf(h, EDT_ENABLING_ERR, "%s", msg) : 0;
}

bool dt_trace_over(struct dt_trace *t)
{
	const struct dt_control *c = dt_session_control(t->session);

	return __atomic_load_n(&c->exited, __ATOMIC_RELAXED) || __atomic_load_n(&c->filled, __ATOMIC_RELAXED);
}

/* END runs when nothing else can fire any more, also after exit(). Buffers that are full are emptied first: it has all the room. */
int dtrace_stop(dtrace_hdl_t *h)
{
	struct dt_trace *t = dt_trace_get(h);
	int err;

	if (t == NULL)
		return -1;
	if (t->state != DT_TRACE_ACTIVE)
		return 0;
	t->state = DT_TRACE_STOPPED;
	dt_session_detach(t->session);
	if (t->at_end && t->image->policy == DT_POLICY_FILL && (err = dt_consumer_hold(t->consumer)) != 0)
		return dt_handle_error(h, -err);
	dt_session_control(t->session)->stopped = 0;
	return run(h, t, t->end);
}

int dtrace_exitstatus(dtrace_hdl_t *h)
{
	return h->exitstatus;
}
