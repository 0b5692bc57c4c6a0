/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pid: functions of a process: pid123:module:function:entry, :return, or the offset of an instruction
 * in it; pid* is every process that runs the module, now or later. Probes are created when a
 * description names them. They are found by their place in the file, so a process may do what it likes
 * with its memory. Probes of one process check its id themselves, because kernels may let through other
 * processes that run the same file.
 */
#include "provider/p_pid.h"

#include "base/glob.h"
#include "provider/dwarf.h"
#include "provider/stability.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* pid*: every process. */
bool dt_pid_every(const char *prov)
{
	return strncmp(prov, "pid*", 4) == 0 && prov[3 + strspn(prov + 3, "*")] == '\0';
}

/*
 * A pattern followed by a process number, p*d123, is as good as the name; other patterns would mean all
 * functions of all processes.
 */
static bool pid_wants(const struct dt_probes *p, const struct dt_probedesc *d)
{
	size_t len = strlen(d->prov), digits = 0;

	while (digits < len && isdigit((unsigned char)d->prov[len - 1 - digits]))
		digits++;
	if (digits == 0 || digits > 9)
		return dt_pid_every(d->prov);
	if (dt_part_literal(d->prov))
		return len == 3 + digits && strncmp(d->prov, "pid", 3) == 0;
	return dt_glob_match(d->prov, dt_arena_printf(p->arena, "pid%s", d->prov + len - digits));
}

/* Finds the function of the process whose name is nearest to the missing one. */
static int offer_function(void *ctx, const struct dt_elf_function *f)
{
	if (f->type != STT_NOTYPE && !f->alias)
		dt_near_offer(ctx, f->name);
	return 0;
}

static const char *pid_no_function(struct dt_pid_making *m)
{
	const char *in = m->want->mod[0] != '\0' ? m->want->mod : "any module";
	const char *of = m->every ? "" : dt_arena_printf(m->p->arena, " of process %u", m->pid);
	struct dt_near near;

	if (m->want->func[0] == '\0')
		return dt_arena_printf(m->p->arena, "%s%s has no functions that can be named: it is stripped",
		    in, of);
	dt_near_init(&near, m->want->func);
	for (size_t i = 0; dt_part_literal(m->want->func) && m->proc != NULL && i < m->proc->list.n; i++)
		if (dt_loaded_named(&m->proc->list.v[i], m->want->mod))
			dt_elf_each_function(m->proc->list.v[i].obj->elf, offer_function, &near);
	return dt_arena_printf(m->p->arena, "no function %s in %s%s%s%s%s", m->want->func, in, of,
	    near.best != NULL ? "; did you mean " : "", near.best != NULL ? near.best : "",
	    near.best != NULL ? "?" : "");
}

/* A reason that was noted on the way is better than a general one. */
static const char *pid_missing(struct dt_pid_making *m, uint32_t objects)
{
	if (m->why != NULL)
		return m->why;
	m->tag = objects == 0 ? D_PROC_LIB : D_PROC_FUNC;
	if (objects == 0 && strcmp(m->want->func, "-") == 0)
		return "the function - is of the program itself: its module is a.out";
	if (objects == 0 && m->every && m->p->listing)
		return dt_arena_printf(m->p->arena,
		    "no process that runs now has a module %s, and -l lists the probes of those; a trace "
		    "with pid* sees those that come too, pid123 or pid$target (-p, -c) name one process",
		    m->want->mod);
	if (objects == 0 && m->every)
		return dt_arena_printf(m->p->arena,
		    "no process runs a module %s, and none is in the directories of programs and libraries; "
		    "it may be named by its path",
		    m->want->mod);
	if (objects == 0)
		return dt_arena_printf(m->p->arena,
		    "process %u has no module %s; a library that it loads later is looked for in its "
		    "LD_LIBRARY_PATH "
		    "and beside those it has, or by its path; -Z waits for it",
		    m->pid, m->want->mod);
	return pid_no_function(m);
}

/* Notes that a module has been looked through for the description. True: it had been before. */
static bool been_through(struct dt_pid_making *m, const struct dt_object *o)
{
	const struct dt_probedesc *d = m->want;
	const char *key = dt_arena_printf(m->p->arena, "%s:%s:%s:%s %p", d->prov, d->mod, d->func, d->name,
	    (const void *)o);

	if (dt_map_get(&m->p->walked, key) != NULL)
		return true;
	dt_map_put(&m->p->walked, key, m->p);
	return false;
}

/* How many modules of the process are meant. */
static uint32_t probe_modules(struct dt_pid_making *m)
{
	uint32_t n = 0;

	m->unwinds = m->ret && (m->every || dt_process_unwinds(m->proc));
	for (size_t i = 0; i < m->proc->list.n; i++) {
		m->in = &m->proc->list.v[i];
		if (!dt_loaded_named(m->in, m->want->mod) ||
		    (strcmp(m->want->func, "-") == 0 && !m->in->main))
			continue;
		n++;
		if ((been_through(m, m->in->obj) && m->again) ||
		    (m->every && m->in->obj->walked == m->p->walk))
			continue;
		m->in->obj->walked = m->p->walk;
		dt_pid_probe_object(m);
	}
	return n;
}

/* A module that is not mapped is looked for in the file system, where the process will find it. */
static void one_process(struct dt_pid_making *m, uint32_t pid, const char **why)
{
	struct dt_process *proc = dt_process_look(m->p, pid, why);
	uint32_t objects;

	m->pid = pid;
	m->prov = dt_arena_printf(m->p->arena, "pid%u", pid);
	m->when = dt_process_when(m->p, pid);
	if (proc == NULL) {
		m->tag = pid == 0 ? D_PROC_BADPID : D_PROC_GRAB;
		return;
	}
	m->proc = proc;
	objects = probe_modules(m);
	if (objects == 0 && dt_process_later(m->p, proc, m->want->mod))
		objects = probe_modules(m);
	if (m->made == 0)
		*why = pid_missing(m, objects);
}

struct finding { struct dt_pid_making *m; uint32_t n; };

static void in_process(void *ctx, uint32_t pid)
{
	struct finding *f = ctx;
	const char *why;

	f->m->proc = dt_process_look(f->m->p, pid, &why);
	if (f->m->proc == NULL)
		return;
	if (f->m->p->listing) {		/* each by itself */
		f->m->every = false;
		f->m->pid = pid;
		f->m->prov = dt_arena_printf(f->m->p->arena, "pid%u", pid);
	}
	f->n += probe_modules(f->m);
}

static void in_file(void *ctx, struct dt_object *o)
{
	struct finding *f = ctx;
	struct dt_loaded *in;

	f->n++;
	if (o->walked == f->m->p->walk)
		return;
	o->walked = f->m->p->walk;
	in = DT_NEW(f->m->p->arena, struct dt_loaded);
	in->obj = o;
	f->m->in = in;
	f->m->proc = NULL;
	dt_pid_probe_object(f->m);
}

/* Files of that name, whether or not a process runs them now. */
static void every_process(struct dt_pid_making *m, const char **why)
{
	struct finding f = { m, 0 };

	if (m->want->mod[0] == '\0' || strcmp(m->want->mod, "*") == 0) {
		*why = "pid* means every process that runs a module: name it, as "
		       "pid*:libc.so.6:getaddrinfo:entry, or by its path";
		return;
	}
	m->every = true;
	m->prov = "pid";
	m->p->walk++;
	dt_each_process(in_process, &f);
	m->every = true;
	if (!m->p->listing)
		dt_objects_named(m->p, m->want->mod, in_file, &f);
	if (m->made == 0)
		*why = pid_missing(m, f.n);
}

/* The number of the one process that a description means. */
static uint32_t pid_of(const struct dt_probedesc *want)
{
	size_t len = strlen(want->prov);

	while (isdigit((unsigned char)want->prov[len - 1]))
		len--;
	return (uint32_t)strtoul(want->prov + len, NULL, 10);
}

static int pid_provide(struct dt_probes *p, const struct dt_provider *row, const struct dt_probedesc *want,
    const char **why)
{
	struct dt_pid_making m = { .p = p, .row = row, .want = want, .tag = D_PROC_FUNC };

	if (want == NULL)
		return 0;
	if (!pid_wants(p, want)) {
		if (strncmp(want->prov, "pid", 3) == 0)
			*why = "the pid provider is named with a process: pid123, pid$target with -p or -c, "
			       "or pid* for all that run a module";
		return 0;
	}
	if (!dt_pid_parse_name(&m)) {
		*why = m.why;
		p->tag = m.tag;
		return 0;
	}
	if (dt_pid_every(want->prov))
		every_process(&m, why);
	else
		one_process(&m, pid_of(want), why);
	p->tag = m.tag;
	return 0;
}

/* ---- while tracing ---- */

/* A module that is named has been found, or was looked for where it will be found (later.c). */
static bool pid_grows(const struct dt_probedesc *want)
{
	return want->mod[0] == '\0' || !dt_part_literal(want->mod);
}

/*
 * A file that is about to be mapped. IFUNCs are not chosen before it is, so it is looked through again then:
 * a probe that exists stays as it is.
 */
static void probe_file(struct dt_pid_making *m, const struct dt_arrival *arrival)
{
	struct dt_loaded *in = DT_NEW(m->p->arena, struct dt_loaded);
	const char *why;

	m->proc = dt_process_look(m->p, arrival->pid, &why);
	m->unwinds = m->ret && (m->every || m->proc == NULL || arrival->exec || dt_process_unwinds(m->proc));
	m->proc = NULL;
	/* the program is what names its loader; that file has been opened for execution too */
	*in = (struct dt_loaded){ .obj = arrival->file,
		.main = arrival->exec && dt_elf_has_section(arrival->file->elf, ".interp") };
	m->in = in;
	if (dt_loaded_named(in, m->want->mod) && (strcmp(m->want->func, "-") != 0 || in->main))
		dt_pid_probe_object(m);
}

static void pid_look(struct dt_probes *p, const struct dt_provider *row, const struct dt_probedesc *want,
    const struct dt_arrival *arrival)
{
	struct dt_pid_making m = { .p = p, .row = row, .want = want, .every = dt_pid_every(want->prov),
		.prov = "pid", .again = true };
	const char *why;

	if ((!m.every && pid_of(want) != arrival->root) || !dt_pid_parse_name(&m))
		return;
	if (!m.every) {
		m.pid = arrival->root;
		m.prov = dt_arena_printf(p->arena, "pid%u", m.pid);
		m.when = dt_process_when(p, m.pid);
	} else if (want->mod[0] == '\0' || strcmp(want->mod, "*") == 0) {
		return;
	}
	if (arrival->file != NULL) {
		probe_file(&m, arrival);
		return;
	}
	p->walk += m.every;
	m.proc = dt_process_look(p, arrival->pid, &why);
	if (m.proc != NULL)
		(void)probe_modules(&m);
}

/* What the debugging data say; NULL: nothing. */
static const struct dt_probe_sig *described(struct dt_probes *p, const struct dt_probe *probe, uint64_t vaddr)
{
	struct dt_object *o = probe->loaded->obj;
	struct dt_dwarf *d = dt_dwarf_of(p, o);
	/* a return is inside of it, and an entry of Go */
	const struct dt_elf_function *f = d != NULL ? dt_elf_function_at(o->elf, vaddr) : NULL;

	if (f == NULL)
		return NULL;
	return strcmp(probe->name, "entry") == 0 ? dt_dwarf_entry(d, o, f->vaddr) :
	    strncmp(probe->name, "return", 6) == 0 ? dt_dwarf_return(d, f->vaddr) : NULL;
}

/* For a function with debugging data; offsets inside a function have no types. */
static const struct dt_probe_sig *pid_typed(struct dt_probes *p, const struct dt_probe *probe)
{
	const struct dt_object *o = probe->loaded->obj;
	const struct dt_probe_sig *sig;
	const char *why;
	uint64_t vaddr;

	if (p->types == NULL || !dt_elf_offset_to_vaddr(o->elf, probe->hook.offset, &vaddr))
		return NULL;
	sig = described(p, probe, vaddr);
	why = dt_dwarf_why(p, o);
	return why != NULL ? dt_dwarf_untyped(p, why) : sig;
}

const struct dt_provider dt_provider_pid = {
	.name = "pid",
	.form = "pidPID:MODULE:FUNCTION:entry, return, OFFSET",
	.doc = "Functions and instructions of processes; pid$target, pid*.",
	.attrs = { { EEI, PPU, PPU, EEI, PPU } },
	.per_process = true,
	.provide = pid_provide,
	.wants = pid_wants,
	.look = pid_look,
	.grows = pid_grows,
	.typed = pid_typed,
	.nameless = {
		"entry and return of each function (the name * is every instruction)",
		"entry, return and every instruction of the function (the names entry and return are those "
		"alone)",
	},
};
