/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hooks are put into processes: which files are mapped where, which instruction of which process is a place
 * to patch, what its trampoline is, and all of it undone at the end. A process is stopped twice for
 * moments: once to map memory, once to write the places; everything that takes time is done while it runs
 * (place.c).
 */
#include "inproc/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- one process ---- */

/*
 * held: our own thread traces a command that was not started yet. shadow: threads have a shadow stack
 * (x86-64), on which only calls put return addresses.
 */
static void read_status(uint32_t pid, bool *held, bool *shadow)
{
	char path[64], line[256];
	long tracer = 0;
	FILE *f;

	*shadow = false;
	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	f = fopen(path, "re");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		(void)sscanf(line, "TracerPid: %ld", &tracer);
		*shadow |= strncmp(line, "x86_Thread_features:", 20) == 0 && strstr(line, "shstk") != NULL;
	}
	if (f != NULL)
		fclose(f);
	*held = tracer != 0 && tracer == (long)syscall(SYS_gettid);
}

struct inproc_target *dt_inproc_target(struct inproc *p, uint32_t pid)
{
	for (uint32_t i = 0; i < p->ntargets; i++)
		if (p->target[i]->pid == pid)
			return p->target[i];
	return NULL;
}

/* Of -p and -c, unless the caller knows whose child it is. */
struct inproc_target *dt_inproc_new_target(struct inproc *p, uint32_t pid, int *err, char *msg, size_t len)
{
	struct inproc_target *t = calloc(1, sizeof(*t)), **more;
	char why[512] = "";
	bool held;

	more = t != NULL ? realloc(p->target, (p->ntargets + 1) * sizeof(struct inproc_target *)) : NULL;
	if (more == NULL) {
		free(t);
		*err = dt_inproc_fail(msg, len, -ENOMEM, "cannot trace process %u", pid);
		return NULL;
	}
	p->target = more;
	t->pid = t->root = pid;
	read_status(pid, &held, &t->shadow_stack);
	*err = dt_inject_open(&t->inject, pid, held, why, sizeof(why));
	if (*err != 0) {
		snprintf(msg, len, "cannot trace process %u: %s", pid, why);
		free(t);
		return NULL;
	}
	p->target[p->ntargets++] = t;
	return t;
}

static void forget(struct inproc_target *t)
{
	dt_inject_close(t->inject);
	free(t->site);
	free(t->file);
	free(t->range);
	free(t->sem);
	free(t->scanned);
	free(t->known);
	free(t->island);
	free(t);
}

void dt_inproc_forget_target(struct inproc *p, struct inproc_target *t)
{
	for (uint32_t i = 0; i < p->ntargets; i++)
		if (p->target[i] == t)
			p->target[i] = p->target[--p->ntargets];
	(void)dt_guardian_remove(p->guardian, t->pid);
	forget(t);
}

/* ---- memory of a process ---- */

int dt_inproc_note_range(struct inproc_target *t, uint64_t addr, uint64_t bytes, bool code)
{
	struct dt_inject_range *more = realloc(t->range, (t->nranges + 1) * sizeof(*more));

	if (more == NULL)
		return -ENOMEM;
	t->range = more;
	t->range[t->nranges++] = (struct dt_inject_range){ addr, bytes, code };
	return 0;
}

/* Stopped. The agent's code and data, and what is the process's own. */
static int map_agent(struct inproc *p, struct inproc_target *t, char *msg, size_t len)
{
	struct dt_agent_process made;
	int err = dt_inject_map(
	    t->inject, p->segment[0].fd, p->segment[0].len, p->data_fd, p->data_len, &t->code, msg, len);

	if (err == 0 && (err = dt_inproc_note_range(t, t->code, DT_AGENT_SPAN + p->data_len, true)) != 0)
		return dt_inproc_fail(msg, len, err, "cannot note what is mapped");
	if (err == 0)
		err = dt_inject_private(
		    t->inject, t->code, t->code + DT_AGENT_SPAN, &made, &t->process, msg, len);
	if (err == 0)
		err = dt_inject_write(t->inject, t->process + offsetof(struct dt_agent_process, data_size),
		    &p->self.data_size, sizeof(p->self.data_size));
	if (err == 0) {
		dt_inproc_about(t->pid, &made.about);
		err = dt_inject_write(t->inject, t->process + offsetof(struct dt_agent_process, about),
		    &made.about, sizeof(made.about));
	}
	if (err != 0)
		return err;
	t->nsegments = 1;
	if (made.no_calls)
		__atomic_store_n(&p->silent, true, __ATOMIC_RELAXED);
	p->registered = (p->ntargets == 1 || p->registered) && dt_inject_register(t->inject);
	if (err == 0)
		err = dt_inproc_note_range(t, made.stacks - (uint64_t)sysconf(_SC_PAGESIZE),
		    (uint64_t)sysconf(_SC_PAGESIZE) + (uint64_t)DT_AGENT_THREADS * DT_AGENT_STACK, false);
	if (err == 0)
		err = dt_inproc_note_range(t, t->process, 1, false);
	return err != 0 ? dt_inproc_fail(msg, len, err, "cannot note what is mapped") : 0;
}

static int map_segments(struct inproc *p, struct inproc_target *t, char *msg, size_t len)
{
	int err = t->code == 0 ? map_agent(p, t, msg, len) : 0;

	for (; t->nsegments < p->nsegments && err == 0; t->nsegments++) {
		const struct inproc_segment *s = &p->segment[t->nsegments];

		err = dt_inject_map_more(t->inject, t->code, s->at, s->fd, s->len, msg, len);
	}
	if (err == 0)		/* programs may read so much of it */
		err = dt_inject_write(t->inject, t->process + offsetof(struct dt_agent_process, code_size),
		    &p->self.code_size, sizeof(p->self.code_size));
	return err;
}

/* How far a jump goes, with room to spare: what a machine's jumps reach is asked of src/patch. */
static uint64_t reach_of(const struct dt_machine *m)
{
	uint64_t reach = 1ull << 31, pc = 1ull << 40;

	while (reach > 1 << 20 && !dt_patch_reaches(m, pc, pc + reach, 0))
		reach -= reach / 16;
	return reach;
}

static int note_island(struct inproc_target *t, const struct inproc_file *f)
{
	struct inproc_island *more = realloc(t->island, (t->nislands + 1) * sizeof(*more));

	if (more == NULL)
		return -ENOMEM;
	t->island = more;
	t->island[t->nislands++] = (struct inproc_island){ f->island, f->island_len, f->low, false };
	return dt_inproc_note_range(t, f->island, f->island_len, true);
}

/* That of a file which is not mapped any more: libraries may come and go as long as the process lives. */
static bool reuse_island(struct inproc_target *t, struct inproc_file *f, uint64_t middle, uint64_t reach)
{
	for (uint32_t i = 0; i < t->nislands; i++) {
		struct inproc_island *l = &t->island[i];
		uint64_t end = l->addr + l->len;

		if (!l->free || l->len < f->island_len || (l->addr < middle && middle - l->addr > reach) ||
		    (end > middle && end - middle > reach))
			continue;
		l->free = false;
		l->low = f->low;
		f->island = l->addr;
		return true;
	}
	return false;
}

/* Stopped. An island for each file, in reach of all its places. */
static int map_islands(struct inproc *p, struct inproc_target *t, struct inproc_places *places)
{
	for (uint32_t i = 0; i < places->nfiles; i++) {
		struct inproc_file *f = &places->file[i];
		uint64_t middle = f->low + (f->high - f->low) / 2, half = (f->high - f->low) / 2;
		uint64_t reach = reach_of(p->opts.machine);
		int err;

		if (f->nplaces == 0)
			continue;
		f->island_len = (f->island_len + 0xfff) & ~0xfffull;
		if (reach <= half)
			continue;
		if (reuse_island(t, f, middle, reach - half))
			continue;
		err = dt_inject_island(t->inject, middle, reach - half, f->island_len, &f->island);
		if (err == -ENOSPC)
			continue;
		if (err == 0)
			err = note_island(t, f);
		if (err != 0)
			return err;
	}
	return 0;
}

/* ---- attach ---- */

static int with_stop(struct inproc *p, struct inproc_target *t, struct inproc_places *places,
    int (*f)(struct inproc *, struct inproc_target *, struct inproc_places *, char *, size_t), char *msg,
    size_t len)
{
	char why[512] = "";
	int err = dt_inject_stop(t->inject, why, sizeof(why));

	if (err != 0) {
		snprintf(msg, len, "cannot stop process %u: %s", t->pid, why);
		return err;
	}
	err = f(p, t, places, why, sizeof(why));
	dt_inject_resume(t->inject);
	if (err != 0)
		snprintf(msg, len, "process %u: %s", t->pid, why);
	return err;
}

static int map_all(
    struct inproc *p, struct inproc_target *t, struct inproc_places *places, char *msg, size_t len)
{
	int err = map_segments(p, t, msg, len);
	bool held, shadow;

	if (err != 0)
		return err;
	if (t->nknown > 0 && !t->words) {	/* a program that was held has a C library by now */
		t->words = true;
		(void)dt_inject_words(t->inject, t->process);
	}
	read_status(t->pid, &held, &shadow);
	t->fresh = held && dt_inject_nthreads(t->inject) == 1;
	err = map_islands(p, t, places);
	return err != 0 ? dt_inproc_fail(msg, len, err, "cannot map memory near its code") : 0;
}

/* Counts a place that could not be patched; the first one and its reason are shown. */
void dt_inproc_leave_out(struct inproc *p, const char *place, const char *why)
{
	if (p->left_out.n++ != 0)
		return;
	p->left_out.err = -EOPNOTSUPP;
	p->left_out.why = why;
	snprintf(p->left_out.example, sizeof(p->left_out.example), "%s", place);
}

static void count_left_out(struct inproc *p, const struct inproc_places *places)
{
	for (uint32_t i = 0; i < places->n; i++) {
		char shown[160];

		p->left_out.of += places->v[i].ncalls > 0;
		if (places->v[i].why == NULL)
			continue;
		if (places->v[i].ncalls == 0) {
			p->unheld |= 1u << places->v[i].asks;
			continue;
		}
		dt_inproc_show_place(places, i, shown, sizeof(shown));
		dt_inproc_leave_out(p, shown, places->v[i].why);
	}
}

static void take_known(struct inproc_target *t, struct inproc_places *places)
{
	if (places->known == NULL)
		return;
	free(t->known);
	t->known = places->known;
	t->nknown = places->nknown;
	places->known = NULL;
}

static int attach_process(struct inproc *p, uint32_t pid, uint32_t first, bool again, char *msg, size_t len)
{
	struct inproc_places places = { 0 };
	struct inproc_target *t = dt_inproc_target(p, pid);
	int err = 0;

	if (t == NULL && (t = dt_inproc_new_target(p, pid, &err, msg, len)) != NULL)
		dt_guardian_watch(p->guardian, t->inject);
	if (err == 0)
		err = dt_inproc_find_places(p, t, first, again, &places, msg, len);
	if (err == 0 && t->code != 0 && places.n == 0) {
		take_known(t, &places);
		dt_inproc_free_places(&places);
		return 0;
	}
	if (err == 0)
		err = with_stop(p, t, &places, map_all, msg, len);
	if (err == 0)
		err = dt_inproc_make_patches(p, t, &places, msg, len);
	if (err == 0)
		err = dt_inproc_prepare_places(p, t, &places, msg, len);
	if (err == 0)
		err = with_stop(p, t, &places, dt_inproc_write_places, msg, len);
	if (err == 0) {
		count_left_out(p, &places);
		take_known(t, &places);
	}
	dt_inproc_free_places(&places);
	return err;
}

int dt_inproc_attach(struct inproc *p, uint32_t pid, uint32_t first, char *msg, size_t len)
{
	return attach_process(p, pid, first, false, msg, len);
}

/* A list of processes, each once. */
struct pids { uint32_t *v; uint32_t n; };

static int note_pid(struct pids *list, uint32_t pid)
{
	uint32_t *more;

	for (uint32_t i = 0; i < list->n; i++)
		if (list->v[i] == pid)
			return 0;
	more = realloc(list->v, (list->n + 1) * sizeof(*more));
	if (more == NULL)
		return -ENOMEM;
	list->v = more;
	list->v[list->n++] = pid;
	return 0;
}

/* Those of -p and -c, and their children that are followed; of one root only, if it is not 0. */
static int note_family(const struct inproc *p, struct pids *list, uint32_t root)
{
	int err = root != 0 ? note_pid(list, root) : 0;

	for (uint32_t i = 0; root == 0 && i < p->npids && err == 0; i++)
		err = note_pid(list, p->pids[i]);
	for (uint32_t i = 0; i < p->ntargets && err == 0; i++)
		if (p->target[i]->child && (root == 0 || p->target[i]->root == root))
			err = note_pid(list, p->target[i]->pid);
	return err;
}

/* The processes that points of the hooks name; a point without one is in all processes of -p and -c. */
static int list_pids(struct inproc *p, uint32_t first, struct pids *list, char *msg, size_t len)
{
	int err = 0;

	for (uint32_t i = first; i < inproc_newest(p)->nprogs && err == 0; i++) {
		const struct dt_attach *a = &p->attach[i];
		uint32_t n = dt_hook_in_process((enum dt_hook_kind)a->kind) ? a->npoints : 0;

		/* without a place: it is somewhere in what they load or execute later */
		if (dt_hook_is_syscall((enum dt_hook_kind)a->kind) ||
		    (dt_hook_in_process((enum dt_hook_kind)a->kind) && n == 0))
			err = note_family(p, list, 0);
		for (uint32_t k = 0; k < n && err == 0; k++) {
			const struct dt_point *at = &a->points[k];

			err = at->pid != 0 ? note_pid(list, at->pid) : note_family(p, list, at->root);
			if (at->pid == 0 && at->root == 0 && p->npids == 0) {
				snprintf(msg, len,
				    "the engine process traces processes that are named (-c, -p, a number "
				    "after the provider's name), not all that use %s", at->target);
				return -ENOTSUP;
			}
		}
	}
	return err != 0 ? dt_inproc_fail(msg, len, err, "cannot list processes") : 0;
}

/* All processes of a trace can write its memory: those of another user are not let in. */
static int check_users(const struct pids *list, const struct inproc *p, char *msg, size_t len)
{
	uid_t first = 0;

	for (uint32_t i = 0; i < list->n + p->ntargets; i++) {
		uint32_t pid = i < list->n ? list->v[i] : p->target[i - list->n]->pid;
		struct stat st;
		char path[32];

		snprintf(path, sizeof(path), "/proc/%u", pid);
		if (stat(path, &st) < 0)
			continue;	/* it has ended, which is noticed later */
		if (i > 0 && st.st_uid != first) {
			snprintf(msg, len,
			    "processes %u and %u belong to different users, and the engine process would let "
			    "each write what is recorded of the other: trace them apart, or with "
			    "-x engine=kernel", list->v[0], pid);
			return -EPERM;
		}
		first = i == 0 ? st.st_uid : first;
	}
	return 0;
}

static bool other_kind(int kind)
{
	return kind != DT_HOOK_RUN && kind != DT_HOOK_TICK && kind != DT_HOOK_NONE && kind != DT_HOOK_PERF &&
	    !dt_hook_in_process((enum dt_hook_kind)kind) && !dt_hook_is_syscall((enum dt_hook_kind)kind);
}

int dt_inproc_attach_hooks(struct inproc *p, uint32_t first, char *msg, size_t len)
{
	struct pids list = { 0 };
	int err = list_pids(p, first, &list, msg, len);

	if (err == 0)
		err = check_users(&list, p, msg, len);
	for (uint32_t i = first; i < inproc_newest(p)->nprogs && err == 0; i++)
		if (other_kind(p->attach[i].kind))
			err = dt_inproc_fail(msg, len, -ENOTSUP, "hook %u is an event of the kernel", i);
	if (err == 0 && list.n > 0 && p->guardian == NULL &&
	    (err = dt_guardian_start(&p->guardian, p->data_fd)) != 0)
		dt_inproc_fail(msg, len, err, "cannot start the process that restores what is traced");
	for (uint32_t i = 0; i < list.n && err == 0; i++) {
		err = attach_process(p, list.v[i], first, false, msg, len);
		if (err == -ESRCH && p->attached)
			err = 0;	/* one of many, which has ended meanwhile */
	}
	free(list.v);
	if (err == 0 && first == 0 && p->left_out.n > 0 && p->left_out.n == p->left_out.of) {
		err = -EOPNOTSUPP;
		snprintf(msg, len, "cannot attach to %s%s: %s", p->left_out.example,
		    p->left_out.n > 1 ? " and others" : "", p->left_out.why);
	}
	return err;
}

static int find_words(struct inproc *p, struct inproc_target *t, struct inproc_places *places, char *msg,
    size_t len)
{
	int err = dt_inject_words(t->inject, t->process);

	(void)p, (void)places;
	return err != 0 ? dt_inproc_fail(msg, len, err, "cannot write to its memory") : 0;
}

int dt_inproc_mapped(struct dt_engine *e, uint32_t pid, bool all, char *msg, size_t len)
{
	struct inproc *p = inproc_of(e);
	struct inproc_target *t = dt_inproc_target(p, pid);
	int err = 0;

	if (t != NULL && t->nscanned > 0)
		err = attach_process(p, pid, 0, true, msg, len);
	return t != NULL && err == 0 && all ? with_stop(p, t, NULL, find_words, msg, len) : err;
}

/* ---- the end ---- */

static void restore(struct inproc *p, struct inproc_target *t)
{
	struct dt_inject_undo undo = dt_inproc_undo(t);
	char why[512];

	if (t->nsems > 0 && dt_inject_stop(t->inject, why, sizeof(why)) == 0) {
		dt_inproc_drop_semaphores(t);
		dt_inject_resume(t->inject);
	}
	if (dt_inject_restore(t->inject, &undo, NULL, why, sizeof(why)) >= 0)
		(void)dt_guardian_remove(p->guardian, t->pid);
	forget(t);
}

void dt_inproc_detach_all(struct inproc *p)
{
	while (p->ntargets > 0)
		restore(p, p->target[--p->ntargets]);
	free(p->target);
	p->target = NULL;
	dt_guardian_end(p->guardian);
	p->guardian = NULL;
}
