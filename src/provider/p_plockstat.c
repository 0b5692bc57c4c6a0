/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plockstat: locks of a process, plockstat123:::mutex-acquire. Derived from the lock functions of its C
 * library and the futex calls inside them. What a probe needs at a return, its entry stores in
 * variables of the thread: such places have a `when` that stores and is 0. They store the same values
 * however often they run, so several clauses agree.
 */
#include "provider/objects.h"
#include "base/count.h"

#include "process/proc.h"
#include "provider/stability.h"
#include "provider/syscalls.h"

#include <stdlib.h>

#define LOCK "self->__plockstat_lock"
#define INSIDE "self->__plockstat_inside"
#define WAITED "self->__plockstat_waited"
#define WRITER "self->__plockstat_writer"
#define STORE(more) "(" LOCK " = arg0, " INSIDE " = 1, " WAITED " = 0, " more "0)"
#define LEAVE "(" INSIDE " = 0, 0)"
/* FUTEX_WAIT 0, FUTEX_LOCK_PI 6, FUTEX_WAIT_BITSET 9, FUTEX_LOCK_PI2 13; flags are masked */
#define WAITS INSIDE \
	" && ((arg1 & 0x7f) == 0 || (arg1 & 0x7f) == 6 || (arg1 & 0x7f) == 9 || (arg1 & 0x7f) == 13)"
#define WAITING "(" WAITS " && (" WAITED " = 1)) * 0"
/* glibc: __count is the second word, __kind the fifth, its low bits 1 for a recursive mutex */
#define RECURSIVE(lock) "(*(int *)copyin(" lock " + 16, 4) & 3) == 1 && *(uint32_t *)copyin(" lock \
	" + 4, 4) > 1"
/* the lock was acquired; also if its owner died holding it (EOWNERDEAD) */
#define GOT "(arg1 == 0 || arg1 == 130)"
/* a failed try (EBUSY) and a timeout (ETIMEDOUT) are not errors */
#define FAILED "(arg1 != 0 && arg1 != 130 && arg1 != 16 && arg1 != 110)"

/* Functions by role; a place is created for each that the library has. */
static const char *const mutex_lock[] = { "pthread_mutex_lock", "pthread_mutex_timedlock",
	"pthread_mutex_clocklock", "pthread_mutex_trylock", NULL };
static const char *const mutex_unlock[] = { "pthread_mutex_unlock", NULL };
static const char *const read_lock[] = { "pthread_rwlock_rdlock", "pthread_rwlock_timedrdlock",
	"pthread_rwlock_clockrdlock", "pthread_rwlock_tryrdlock", NULL };
static const char *const write_lock[] = { "pthread_rwlock_wrlock", "pthread_rwlock_timedwrlock",
	"pthread_rwlock_clockwrlock", "pthread_rwlock_trywrlock", NULL };
static const char *const rw_unlock[] = { "pthread_rwlock_unlock", NULL };

struct place {
	enum dt_hook_kind kind;
	const char *const *functions;	/* NULL: the futex call */
	const char *when;
	const char *args[3];
};

struct lock_probe {
	const char *name;
	struct place place[8];
};

/*
 * glibc keeps 1 + the readers in __readers above bit 3 and a writer's id in __cur_writer, the seventh
 * word: if that is not 0, the thread that unlocks is the writer.
 */
#define HELD_BY_WRITER(lock) "*(int *)copyin(" lock " + 24, 4) != 0"

static const struct lock_probe probes[] = {
	{ "mutex-acquire",
	    { { DT_HOOK_UPROBE, mutex_lock, STORE(""), { NULL } },
		{ DT_HOOK_URETPROBE, mutex_lock, GOT, { LOCK, RECURSIVE(LOCK), "0" } } } },
	{ "mutex-release", { { DT_HOOK_UPROBE, mutex_unlock, NULL, { "arg0", RECURSIVE("arg0") } } } },
	{ "mutex-block",
	    { { DT_HOOK_UPROBE, mutex_lock, STORE(WRITER " = 2, "), { NULL } },
		{ DT_HOOK_SYS_ENTER, NULL, WAITS " && " WRITER " == 2", { LOCK } },
		{ DT_HOOK_URETPROBE, mutex_lock, LEAVE, { NULL } } } },
	{ "mutex-blocked",
	    { { DT_HOOK_UPROBE, mutex_lock, STORE(WRITER " = 2, "), { NULL } },
		{ DT_HOOK_SYS_ENTER, NULL, WAITING, { NULL } },
		{ DT_HOOK_URETPROBE, mutex_lock, WAITED, { LOCK, GOT } },
		{ DT_HOOK_URETPROBE, mutex_lock, LEAVE, { NULL } } } },
	{ "mutex-error",
	    { { DT_HOOK_UPROBE, mutex_lock, STORE(""), { NULL } },
		{ DT_HOOK_UPROBE, mutex_unlock, STORE(""), { NULL } },
		{ DT_HOOK_URETPROBE, mutex_lock, FAILED, { LOCK, "arg1" } },
		{ DT_HOOK_URETPROBE, mutex_unlock, FAILED, { LOCK, "arg1" } } } },
	{ "rw-acquire",
	    { { DT_HOOK_UPROBE, read_lock, STORE(""), { NULL } },
		{ DT_HOOK_UPROBE, write_lock, STORE(""), { NULL } },
		{ DT_HOOK_URETPROBE, read_lock, GOT, { LOCK, "0" } },
		{ DT_HOOK_URETPROBE, write_lock, GOT, { LOCK, "1" } } } },
	{ "rw-release", { { DT_HOOK_UPROBE, rw_unlock, NULL, { "arg0", HELD_BY_WRITER("arg0") } } } },
	{ "rw-block",
	    { { DT_HOOK_UPROBE, read_lock, STORE(WRITER " = 0, "), { NULL } },
		{ DT_HOOK_UPROBE, write_lock, STORE(WRITER " = 1, "), { NULL } },
		{ DT_HOOK_SYS_ENTER, NULL, WAITS " && " WRITER " < 2", { LOCK, WRITER } },
		{ DT_HOOK_URETPROBE, read_lock, LEAVE, { NULL } },
		{ DT_HOOK_URETPROBE, write_lock, LEAVE, { NULL } } } },
	{ "rw-blocked",
	    { { DT_HOOK_UPROBE, read_lock, STORE(WRITER " = 0, "), { NULL } },
		{ DT_HOOK_UPROBE, write_lock, STORE(WRITER " = 1, "), { NULL } },
		{ DT_HOOK_SYS_ENTER, NULL, WAITING, { NULL } },
		{ DT_HOOK_URETPROBE, read_lock, WAITED, { LOCK, WRITER, GOT } },
		{ DT_HOOK_URETPROBE, write_lock, WAITED, { LOCK, WRITER, GOT } },
		{ DT_HOOK_URETPROBE, read_lock, LEAVE, { NULL } },
		{ DT_HOOK_URETPROBE, write_lock, LEAVE, { NULL } } } },
	{ "rw-error",
	    { { DT_HOOK_UPROBE, read_lock, STORE(""), { NULL } },
		{ DT_HOOK_UPROBE, write_lock, STORE(""), { NULL } },
		{ DT_HOOK_URETPROBE, read_lock, FAILED, { LOCK, "0", "arg1" } },
		{ DT_HOOK_URETPROBE, write_lock, FAILED, { LOCK, "1", "arg1" } } } },
};

/* Listed, as the historic plockstat(1) enables all of its clauses or none; they never fire. */
static const char *const spins[] = { "mutex-spin", "mutex-spun" };

struct making {
	struct dt_probes *p;
	const struct dt_process *proc;
	uint32_t pid;
	const struct dt_loaded *libc;
	struct dt_end_hooks hooks;	/* of one probe, in the order of its table */
};

static bool plockstat_wants(const struct dt_probes *p, const struct dt_probedesc *d)
{
	size_t len = strlen("plockstat");

	(void)p;
	return strncmp(d->prov, "plockstat", len) == 0 && d->prov[len] != '\0' &&
	    d->prov[len + strspn(d->prov + len, "0123456789")] == '\0';
}

struct wanted { const char *name; const struct dt_elf_function *f; };

/* Functions that are not in the file (UINT64_MAX) are references to another library. */
static int plockstat_by_name(void *ctx, const struct dt_elf_function *f)
{
	struct wanted *w = ctx;

	if (f->offset == UINT64_MAX || strcmp(f->name, w->name) != 0)
		return 0;
	w->f = f;
	return 1;
}

/* What the hooks of a place have in common. `when` limits them to the process. */
static struct dt_hook like(const struct making *m, const struct place *at)
{
	struct dt_hook hook = { .kind = at->kind,
		.target = at->functions != NULL ? m->libc->obj->target : NULL,
		.pid = at->functions != NULL && !m->p->follow ? m->pid : 0,
		.root = m->p->follow ? m->pid : 0,
		.when = dt_process_when(m->p, m->pid) };

	for (int i = 0; i < 3; i++)
		hook.args[i] = at->args[i];
	if (hook.args[0] == NULL)
		hook.args[0] = "0";
	return hook;
}

static void append(struct making *m, const struct place *at, uint64_t offset, uint32_t futex)
{
	struct dt_hook *hook = DT_NEW(m->p->arena, struct dt_hook);

	*hook = like(m, at);
	hook->offset = offset;
	hook->number = futex;
	hook->when = dt_hook_when(m->p->arena, hook->when, at->when);
	if (m->hooks.last != NULL)
		m->hooks.last->next = hook;
	else
		m->hooks.first = hook;
	m->hooks.last = hook;
}

/*
 * Returns are seen at the instructions that end the function, in whatever it jumps to. Return addresses are
 * changed, by the kernel, only where these cannot be found.
 */
static void append_return(struct making *m, const struct place *at, const struct dt_elf_function *f)
{
	struct dt_ends ends;
	const char *why;

	if (!dt_ends_find(m->p->arena, m->proc, m->libc, f, &ends, &why)) {
		append(m, at, f->offset, 0);
		return;
	}
	m->hooks.like = like(m, at);
	m->hooks.when = at->when;
	dt_ends_hooks(m->p, &ends, &m->hooks);
}

/* Locks wait in futex(2), which is seen as the system call that it is. */
static void add_place(struct making *m, const struct place *at)
{
	if (at->functions == NULL) {
		for (const struct dt_syscall *s = dt_syscalls; s->name[0] != '\0'; s++)
			if (strcmp(s->name, "futex") == 0)
				append(m, at, 0, s->number);
		return;
	}
	for (const char *const *f = at->functions; *f != NULL; f++) {
		struct wanted w = { .name = *f };

		dt_elf_each_function(m->libc->obj->elf, plockstat_by_name, &w);
		if (w.f != NULL && at->kind == DT_HOOK_URETPROBE)
			append_return(m, at, w.f);
		else if (w.f != NULL)
			append(m, at, w.f->offset, 0);
	}
}

/* The file with the lock functions: libc, or libpthread where it is separate (glibc before 2.34). */
static const struct dt_loaded *lock_library(struct dt_process *proc)
{
	struct wanted w = { .name = "pthread_mutex_lock" };

	for (size_t i = 0; i < proc->list.n; i++) {
		const struct dt_loaded *l = &proc->list.v[i];

		if (!dt_loaded_named(l, "libc") && !dt_loaded_named(l, "libpthread") && !l->main)
			continue;
		dt_elf_each_function(l->obj->elf, plockstat_by_name, &w);
		if (w.f != NULL)
			return l;
	}
	return NULL;
}

/* All probes of the process are created together; the description then matches some of them. */
static int plockstat_provide(struct dt_probes *p, const struct dt_provider *row,
    const struct dt_probedesc *want, const char **why)
{
	struct making m = { .p = p };
	struct dt_process *proc;

	if (want == NULL)
		return 0;
	if (!plockstat_wants(p, want)) {
		if (strncmp(want->prov, "plockstat", 9) == 0)
			*why = "the plockstat provider is named with a process: plockstat123, or "
			       "plockstat$target with -p or -c";
		return 0;
	}
	m.pid = (uint32_t)strtoul(want->prov + strlen("plockstat"), NULL, 10);
	proc = dt_process_look(p, m.pid, why);
	if (proc == NULL)
		return 0;
	m.proc = proc;
	m.libc = lock_library(proc);
	if (m.libc == NULL)
		*why = dt_arena_printf(p->arena,
		    "process %u has no lock functions that can be found (pthread_mutex_lock)", m.pid);
	for (size_t i = 0; m.libc != NULL && i < DT_COUNT(probes); i++) {
		m.hooks = (struct dt_end_hooks){ 0 };
		for (const struct place *at = probes[i].place; at->kind != DT_HOOK_NONE; at++)
			add_place(&m, at);
		if (m.hooks.first != NULL)
			dt_probes_add_as(p, row, want->prov, m.libc->obj->name, "", probes[i].name,
			    m.hooks.first)->loaded = m.libc;
	}
	for (size_t i = 0; m.libc != NULL && i < DT_COUNT(spins); i++)
		dt_probes_add_idle(p, row, want->prov, m.libc->obj->name, spins[i],
		    "glibc spins inside pthread_mutex_lock() where nothing can be seen of it; "
		    "mutex-block and mutex-acquire can");
	return 0;
}

const struct dt_provider dt_provider_plockstat = {
	.name = "plockstat",
	.form = "plockstatPID:::NAME",
	.doc = "Locks of a process: pthread mutexes and read-write locks.",
	.attrs = { { EEI, PPU, PPU, EEI, EEI } },
	.per_process = true,
	.provide = plockstat_provide,
	.wants = plockstat_wants,
};
