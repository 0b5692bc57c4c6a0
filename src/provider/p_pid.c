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
#include "symbol/insn.h"
#include "provider/dwarf.h"
#include "provider/provider.h"

#include <ctype.h>
#include <elf.h>
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
bool dt_pid_wants(const struct dt_probes *p, const struct dt_probedesc *d)
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

/* ---- names ---- */

/* At most 15 digits, so that the number fits 64 bits in any case. */
static bool is_hex(const char *s)
{
	return s[0] != '\0' && s[strspn(s, "0123456789abcdefABCDEF")] == '\0' && strlen(s) <= 15;
}

/*
 * An empty name means everything: entry, return, and for a function named literally every instruction.
 * For all functions of a module it means entry and return; all instructions of those must be asked for
 * by a pattern.
 */
static bool parse_name(struct dt_pid_making *m)
{
	const char *name = m->want->name;

	if (name[0] == '\0') {
		m->entry = m->ret = true;
		m->offsets = dt_part_literal(m->want->func);
	} else if (dt_part_literal(name)) {
		m->entry = strcmp(name, "entry") == 0;
		m->returned = strcmp(name, "returned") == 0;
		m->ret = m->returned || strcmp(name, "return") == 0;
		m->one_offset = !m->entry && !m->ret && is_hex(name);
		m->offset = m->one_offset ? strtoull(name, NULL, 16) : 0;
		if (!m->entry && !m->ret && !m->one_offset) {
			m->tag = D_PROC_NAME;
			m->why = dt_arena_printf(m->p->arena,
			    "%s is no probe of a function: entry, return, returned, or an offset in "
			    "hexadecimal",
			    name);
			return false;
		}
	} else {
		m->entry = dt_glob_match(name, "entry");
		m->ret = dt_glob_match(name, "return");
		m->offsets = true;
	}
	return true;
}

/* f.cold: compilers move the rarely executed part of f elsewhere. Calls enter f, not this. */
static bool is_part(const char *name)
{
	const char *cold = strstr(name, ".cold");

	return cold != NULL && (cold[5] == '\0' || cold[5] == '.');
}

/*
 * memcpy is an IFUNC that resolved to __memcpy_generic: a pattern takes both for one function, with the
 * first name.
 */
static bool is_chosen(const struct dt_pid_making *m, const struct dt_elf_function *f, uint64_t offset)
{
	for (size_t i = 0; i < m->chosen.n; i++)
		if (m->chosen.v[i].offset == offset)
			return m->chosen.v[i].f != f;
	return false;
}

/* As in the file, or demangled: C++ and Rust names match in both forms and are shown demangled. */
static bool function_wanted(struct dt_pid_making *m, const struct dt_elf_function *f, const char *shown)
{
	const char *part = m->want->func;

	if (dt_part_literal(part) && part[0] != '\0')
		return strcmp(part, f->name) == 0 || strcmp(part, shown) == 0;
	if (f->alias || is_part(f->name) || is_chosen(m, f, f->offset))
		return false;
	return part[0] == '\0' || (dt_glob_match(part, f->name) || dt_glob_match(part, shown));
}

/* ---- making ---- */

struct instructions {
	struct dt_pid_making *m;
	const struct dt_elf_function *f;
	const char *shown;
};

/*
 * One instruction of a function. Only where one begins may a probe be: a trap inside of one would break
 * it.
 */
static bool each_offset(void *ctx, const struct dt_insn *in)
{
	struct instructions *is = ctx;
	struct dt_pid_making *m = is->m;
	uint64_t off = in->off;
	char name[20];

	snprintf(name, sizeof(name), "%llx", (unsigned long long)off);
	if (m->one_offset ? off == m->offset : m->want->name[0] == '\0' || dt_glob_match(m->want->name, name))
		dt_pid_add_probe(m, is->shown, is->f->name, name, DT_HOOK_UPROBE, is->f->offset + off);
	return true;
}

static void add_offsets(struct dt_pid_making *m, const struct dt_elf_function *f, const char *shown)
{
	struct instructions is = { m, f, shown };
	uint32_t before = m->made;
	int err;

	if (m->one_offset && m->offset >= f->size) {
		m->tag = D_PROC_OFF;
		m->why = dt_arena_printf(m->p->arena, "offset %llx is behind the end of %s (%llx bytes)",
		    (unsigned long long)m->offset, shown, (unsigned long long)f->size);
		return;
	}
	err = dt_insn_walk(m->in->obj->elf, f->offset, f->size, each_offset,
	    &is);
	m->tag = D_PROC_ALIGN;
	if (err != 0)
		m->why = dt_arena_printf(m->p->arena, "instruction boundaries of %s cannot be found: %s",
		    shown, dt_pid_reason(m, err));
	else if (m->one_offset && m->made == before)
		m->why = dt_arena_printf(m->p->arena, "no instruction of %s begins at offset %llx", shown,
		    (unsigned long long)m->offset);
}

/*
 * All probes of one function that the description means. It goes on at what cannot be made, and notes
 * why.
 */
static int probe_function(void *ctx, const struct dt_elf_function *f)
{
	struct dt_pid_making *m = ctx;
	char pretty[1024];
	const char *shown = f->name;
	uint64_t offset = f->offset;

	if (f->name[0] == '_' && dt_elf_demangle(f->name, pretty, sizeof(pretty)))
		shown = pretty;
	if (f->type == STT_NOTYPE || !function_wanted(m, f, shown))
		return 0;
	m->seen++;
	if (f->offset == UINT64_MAX || f->size == 0) {
		m->why = dt_arena_printf(m->p->arena, "%s is not in the file %s", shown, m->in->obj->name);
		return 0;
	}
	if (f->type == STT_GNU_IFUNC && (m->proc == NULL || !dt_ifunc_chosen(m->proc, m->in, f, &offset))) {
		m->why = dt_arena_printf(m->p->arena,
		    "which function is to be %s has not been chosen yet (IFUNC): with -c use -x "
		    "evaltime=main",
		    shown);
		return 0;
	}
	if (f->type == STT_GNU_IFUNC && is_chosen(m, f, offset))
		return 0;
	if (shown == pretty)
		shown = dt_arena_strdup(m->p->arena, pretty);
	if (m->entry)
		dt_pid_add_probe(m, shown, f->name, "entry", DT_HOOK_UPROBE,
		    m->go ? dt_go_entry(m->in->obj, f) : offset);
	if (m->ret)
		dt_pid_add_return(m, f, shown, offset);
	if (f->type != STT_GNU_IFUNC && (m->offsets || m->one_offset))
		add_offsets(m, f, shown);
	return 0;
}

/* "-" is no function: the offset is an address in the program. */
static void probe_address(struct dt_pid_making *m)
{
	uint64_t off;

	if (!m->one_offset) {
		m->tag = D_PROC_NAME;
		m->why = "the function - wants an address of the program as name, in hexadecimal: "
			 "pid123:a.out:-:4008f0";
		return;
	}
	if (!dt_elf_vaddr_to_offset(m->in->obj->elf, m->offset, &off)) {
		m->tag = D_PROC_OFF;
		m->why = dt_arena_printf(m->p->arena, "%s has nothing at address %llx", m->in->obj->name,
		    (unsigned long long)m->offset);
		return;
	}
	m->seen++;
	dt_pid_add_probe(m, "-", "-", m->want->name, DT_HOOK_UPROBE, off);
}

/* Which functions the IFUNCs of this module resolved to, before patterns are compared. */
static int note_chosen(void *ctx, const struct dt_elf_function *f)
{
	struct dt_pid_making *m = ctx;
	struct dt_pid_chosen c = { f, 0 };

	if (f->type != STT_GNU_IFUNC || f->offset == UINT64_MAX || !function_wanted(m, f, f->name) ||
	    !dt_ifunc_chosen(m->proc, m->in, f, &c.offset))
		return 0;
	for (size_t i = 0; i < m->chosen.n; i++)
		if (m->chosen.v[i].offset == c.offset)
			return 0;
	dt_vec_push(m->p->arena, &m->chosen, c);
	return 0;
}

/* One module: its IFUNCs first, then all of its functions. */
static void probe_object(struct dt_pid_making *m)
{
	int err;

	m->chosen.n = 0;
	if (m->proc != NULL && !dt_part_literal(m->want->func))
		(void)dt_elf_each_function(m->in->obj->elf, note_chosen, m);
	if (strcmp(m->want->func, "-") == 0) {
		probe_address(m);
		return;
	}
	m->go = dt_object_is_go(m->in->obj);
	err = dt_elf_each_function(m->in->obj->elf, probe_function, m);
	if (err != 0)
		m->why = dt_arena_printf(m->p->arena, "the functions of %s cannot be read: %s",
		    m->in->obj->name, dt_pid_reason(m, err));
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
		    "and beside those it has, or by its path",
		    m->pid, m->want->mod);
	return pid_no_function(m);
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
		if (m->every && m->in->obj->walked == m->p->walk)
			continue;
		m->in->obj->walked = m->p->walk;
		probe_object(m);
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
	probe_object(f->m);
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

int dt_pid_provide(struct dt_probes *p, const struct dt_provider_row *row, const struct dt_probedesc *want,
    const char **why)
{
	struct dt_pid_making m = { .p = p, .row = row, .want = want, .tag = D_PROC_FUNC };
	size_t len;

	if (want == NULL)
		return 0;
	if (!dt_pid_wants(p, want)) {
		if (strncmp(want->prov, "pid", 3) == 0)
			*why = "the pid provider is named with a process: pid123, pid$target with -p or -c, "
			       "or pid* for all that run a module";
		return 0;
	}
	if (!parse_name(&m)) {
		*why = m.why;
		p->tag = m.tag;
		return 0;
	}
	for (len = strlen(want->prov); isdigit((unsigned char)want->prov[len - 1]); len--)
		;
	if (dt_pid_every(want->prov))
		every_process(&m, why);
	else
		one_process(&m, (uint32_t)strtoul(want->prov + len, NULL, 10), why);
	p->tag = m.tag;
	return 0;
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
const struct dt_probe_sig *dt_pid_typed(struct dt_probes *p, const struct dt_probe *probe)
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
