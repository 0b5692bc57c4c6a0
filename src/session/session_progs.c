/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads the programs of an image: descriptors replace map numbers, then the kernel checks. The
 * verifier's log costs time, so it is requested only after a refusal; its last words are mapped back to
 * DIF and the D line.
 */
#include "session/impl.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LOG_FIRST = 1 << 20, LOG_MAX = 64 << 20 };	/* bytes; the log of the largest programs */
enum { THREADS_MAX = 15, THREAD_WORTH = 4 };	/* programs that make a thread worth its cost */

static int relocate(const struct dt_session *s, const struct dt_image_prog *p, struct bpf_insn *insns)
{
	for (uint32_t i = 0; i < p->nrelocs; i++) {
		const struct dt_image_reloc *r = &p->relocs[i];

		if (p->ninsns < 2 || r->insn > p->ninsns - 2 || r->map >= s->image->nmaps ||
		    insns[r->insn].code != (BPF_LD | BPF_IMM | BPF_DW))
			return -EINVAL;
		insns[r->insn].src_reg = r->value ? BPF_PSEUDO_MAP_VALUE : BPF_PSEUDO_MAP_FD;
		insns[r->insn].imm = s->maps[r->map];
		insns[r->insn + 1].imm = r->value ? (int32_t)r->off : 0;
	}
	return 0;
}

/* ---- what the verifier said ---- */

static bool line_starts(const char *line, const char *with)
{
	return strncmp(line, with, strlen(with)) == 0;
}

/* "17: (85) call …": the number of an instruction that the verifier lists, or -1. */
static long insn_number(const char *line)
{
	char *end;
	long n = strtol(line, &end, 10);

	return end != line && end[0] == ':' && n >= 0 ? n : -1;
}

/* Lines of the log that are neither code nor statistics. */
static bool says_something(const char *line)
{
	return line[0] != '\n' && line[0] != '\0' && line[0] != ';' && insn_number(line) < 0 &&
	    !line_starts(line, "processed ") && !line_starts(line, "verification time") &&
	    !line_starts(line, "stack depth") && !line_starts(line, "from ") &&
	    !line_starts(line, "caller:") && !line_starts(line, "callee:") && !line_starts(line, " frame") &&
	    !line_starts(line, "mark_precise");
}

/* Where the instruction comes from: D line, DIF offset, or only its number. */
static void explain_place(const struct dt_image_prog *p, long insn, char *out, size_t len)
{
	const struct dt_difo *difo = p->difo_at ? p->difo_at[insn] : NULL;
	uint32_t pc = difo && p->difpc_at ? p->difpc_at[insn] : UINT32_MAX;
	struct dt_place place;

	if (!difo || pc >= difo->ntext) {
		snprintf(out, len, " (instruction %ld)", insn);
		return;
	}
	if (!difo->locs || !difo->locs[pc].src) {
		snprintf(out, len, " (at DIF offset %u, instruction %ld)", 4 * pc, insn);
		return;
	}
	place = dt_loc_place(difo->locs[pc]);
	snprintf(out, len, " (%s, line %u, at DIF offset %u, instruction %ld)",
	    place.file ? place.file : "the D program", place.line, 4 * pc, insn);
}

/* Condenses the verifier's log to one sentence: its last words, and where in DIF and D they belong. */
static void prog_explain(const struct dt_image_prog *p, const char *log, char *out, size_t len)
{
	const char *words = NULL;
	long insn = -1, said_at = -1;
	size_t n;

	for (const char *line = log; line && *line;
	     line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
		long at = insn_number(line);

		if (at >= 0)
			insn = at;
		if (!says_something(line))
			continue;
		words = line;
		said_at = insn;
	}
	n = words ? strcspn(words, "\n") : 0;
	snprintf(out, len, "%.*s", n < 400 ? (int)n : 400, words ? words : "");
	n = strlen(out);
	if (said_at >= 0 && said_at < (long)p->ninsns && n < len)
		explain_place(p, said_at, out + n, len - n);
}

/* ---- the load ---- */

static int load_program(const struct dt_session *s, const struct dt_image_prog *p,
    const struct bpf_insn *insns, char *log, size_t loglen)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts);
	enum bpf_prog_type type = dt_attach_type(s, p->hook, &opts);
	int fd;

	if (p->nfuncs && s->btf >= 0) {
		opts.prog_btf_fd = (uint32_t)s->btf;
		opts.func_info = p->funcs;
		opts.func_info_cnt = p->nfuncs;
		opts.func_info_rec_size = sizeof(*p->funcs);
	}
	if (log) {
		opts.log_level = 1;
		opts.log_buf = log;
		opts.log_size = (uint32_t)loglen;
		log[0] = '\0';
	}
	/*
	 * Some helpers are for GPL-compatible programs only. This is the licence of what is loaded into
	 * the kernel, not of this file.
	 */
	fd = bpf_prog_load(type, p->name, "Dual BSD/GPL", insns, p->ninsns, &opts);
	fd = fd < 0 ? -errno : fd;
	if (opts.attach_btf_obj_fd)
		close((int)opts.attach_btf_obj_fd);
	return fd;
}

/*
 * Loads again with a log, in larger and larger buffers until it fits (before 6.4 a log that is too
 * small loses its end, which is what we need).
 */
static int load_again(const struct dt_session *s, const struct dt_image_prog *p, const struct bpf_insn *insns,
    char *out, size_t len)
{
	int fd = -ENOSPC;

	out[0] = '\0';
	for (size_t size = LOG_FIRST; size <= LOG_MAX && fd == -ENOSPC; size *= 8) {
		char *log = malloc(size);

		if (!log)
			return -ENOMEM;
		fd = load_program(s, p, insns, log, size);
		if (fd < 0)
			prog_explain(p, log, out, len);
		free(log);
	}
	return fd;
}

/*
 * The verifier's answers to programs that are too large: 8192 pending branches, a million instructions
 * walked or loaded.
 */
static bool too_much(int err, const char *why)
{
	return err == -E2BIG || strstr(why, "too complex") || strstr(why, "too large");
}

/*
 * Turns the refusal into a sentence. Returns -EINVAL unless memory or privileges are the reason:
 * callers must not retry with smaller buffers, which would be refused too.
 */
static int explain_refusal(const struct dt_image_prog *p, const char *target, int err, const char *why,
    char *msg, size_t len)
{
	if (dt_missing_helper(why, target, msg, len))
		return -EINVAL;
	if (strstr(why, "16-bit range"))
		/* the kernel makes code longer: a branch that fits here may not fit there */
		snprintf(msg, len,
		    "a clause at %s is too large: make several clauses of it (%u instructions; %s)", target,
		    p->ninsns, why);
	else if (too_much(err, why))
		snprintf(msg, len,
		    "the clauses at %s are more than this kernel checks at one probe: enable fewer of them "
		    "at a "
		    "time, in several commands if need be (%u instructions; %s)",
		    target, p->ninsns, why);
	else if (why[0])
		snprintf(msg, len, "the kernel refuses the program for %s: %s", target, why);
	else if (err == -EPERM || err == -ENOMEM)
		return dt_session_fail(msg, len, err, "cannot load the program for %s", target);
	else
		dt_session_fail(msg, len, err, "the kernel refuses the program for %s (%u instructions)",
		    target, p->ninsns);
	return -EINVAL;
}

/* What the program is attached to, as users know it. */
static const char *target_of(const struct dt_session *s, const struct dt_image_prog *p)
{
	const struct dt_attach *a = &s->attach[p->hook];

	switch (a->kind) {
	case DT_HOOK_SYS_ENTER: return "entries of system calls";
	case DT_HOOK_SYS_EXIT: return "returns of system calls";
	case DT_HOOK_UPROBE: case DT_HOOK_URETPROBE: return "places in processes";
	default: return a->target != NULL && a->target[0] != '\0' ? a->target : p->name;
	}
}

static int load_one(const struct dt_session *s, const struct dt_image_prog *p, char *msg, size_t len)
{
	struct bpf_insn *insns = malloc((p->ninsns + 1u) * sizeof(*insns));
	const char *target = target_of(s, p);
	char why[512] = "";
	int fd, err;

	if (!insns)
		return dt_session_fail(msg, len, -ENOMEM, "cannot load the program for %s", target);
	memcpy(insns, p->insns, p->ninsns * sizeof(*insns));
	err = relocate(s, p, insns);
	if (err) {
		free(insns);
		return dt_session_fail(msg, len, err, "the program for %s is not well formed", target);
	}
	fd = err = load_program(s, p, insns, NULL, 0);
	if (fd < 0 && fd != -EPERM)
		fd = load_again(s, p, insns, why, sizeof(why));
	free(insns);
	return fd >= 0 ? fd : explain_refusal(p, target, err, why, msg, len);
}

/* ---- all of them ---- */

/*
 * Several threads take the next program from one counter; the first one that fails leaves the sentence.
 */
struct loading {
	struct dt_session *s;
	uint32_t n, next;		/* next: by atomic addition */
	pthread_mutex_t lock;		/* guards the fields below */
	int err;
	char *msg;
	size_t len;
};

static void *load_some(void *arg)
{
	struct loading *o = arg;
	char msg[1024];
	uint32_t i;

	while ((i = __atomic_fetch_add(&o->next, 1, __ATOMIC_RELAXED)) < o->n) {
		int fd;

		if (o->s->image->progs[i].hook < o->s->first)
			continue;
		fd = load_one(o->s, &o->s->image->progs[i], msg, sizeof(msg));

		if (fd >= 0) {
			o->s->progs[i] = fd;
			continue;
		}
		__atomic_store_n(&o->next, o->n, __ATOMIC_RELAXED);
		pthread_mutex_lock(&o->lock);
		if (!o->err) {
			o->err = fd;
			snprintf(o->msg, o->len, "%s", msg);
		}
		pthread_mutex_unlock(&o->lock);
		return NULL;
	}
	return NULL;
}

/* The kernel checks programs in the caller's time, so many programs are submitted from all CPUs. */
static void load_parallel(struct loading *o)
{
	pthread_t threads[THREADS_MAX];
	uint32_t want = 0, n = 0;
	sigset_t all, old;

	for (uint32_t cpu = 0; cpu < o->s->ncpus; cpu++)
		want += o->s->online[cpu];
	want = want < o->n / THREAD_WORTH ? want : o->n / THREAD_WORTH;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);	/* signals are for the caller's threads */
	while (n + 1 < want && n < THREADS_MAX && pthread_create(&threads[n], NULL, load_some, o) == 0)
		n++;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	load_some(o);
	while (n > 0)
		pthread_join(threads[--n], NULL);
}

/*
 * Puts each continuation program into the array of its hook. The kernel requires them to be loaded and
 * of the same kind.
 */
static int fill_chains(struct dt_session *s, char *msg, size_t len)
{
	for (uint32_t i = s->image->nprogs; i < s->image->nprogs + s->image->nmore; i++) {
		const struct dt_image_prog *p = &s->image->progs[i];
		uint32_t at = p->link - 1;

		if (p->hook < s->first)
			continue;
		if (bpf_map_update_elem(s->maps[p->chain], &at, &s->progs[i], BPF_ANY) < 0)
			return dt_session_fail(msg, len, -errno,
			    "the kernel does not let the programs of %s go on to each other: enable fewer "
			    "clauses there at a time",
			    s->attach[p->hook].target ? s->attach[p->hook].target : p->name);
	}
	return 0;
}

/* The first nprogs programs belong to the hooks in order; the rest continue one of them. */
static bool well_formed(const struct dt_image *image)
{
	for (uint32_t i = 0; i < image->nprogs + image->nmore; i++) {
		const struct dt_image_prog *p = &image->progs[i];

		if (i < image->nprogs ? p->hook != i || p->link :
					p->hook >= image->nprogs || !p->link || p->chain >= image->nmaps)
			return false;
	}
	return true;
}

int dt_progs_load(struct dt_session *s, char *msg, size_t len)
{
	struct loading o = { .s = s,
		.n = s->image->nprogs + s->image->nmore,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.msg = msg,
		.len = len };

	if (!well_formed(s->image))
		return dt_session_fail(msg, len, -EINVAL, "the programs of the image are not well formed");
	load_parallel(&o);
	pthread_mutex_destroy(&o.lock);
	return o.err ? o.err : fill_chains(s, msg, len);
}
