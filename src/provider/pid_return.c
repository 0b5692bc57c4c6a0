/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes of the pid provider at the end of functions. `return` is at the instructions that leave the function
 * (returns.c). `returned` is where its caller continues: the function's own returns, and those of the
 * functions that it jumps to (ends.c).
 */
#include "provider/p_pid.h"

#include "provider/provider.h"

#include <errno.h>

const char *dt_pid_reason(const struct dt_pid_making *m, int err)
{
	if (err == -ENOMEM)
		dt_arena_lack(m->p->arena);
	return strerror(-err);
}

/*
 * With -x follow the hook is for the whole family, and the program in the kernel decides who belongs to
 * it.
 */
static struct dt_hook hook_at(const struct dt_pid_making *m, enum dt_hook_kind kind, uint64_t offset)
{
	return (struct dt_hook){ .kind = kind,
		.target = m->in->obj->target,
		.offset = offset,
		.pid = m->p->follow ? 0 : m->pid,
		.root = m->p->follow ? m->pid : 0,
		.when = m->when };
}

static void add_hook(struct dt_pid_making *m, const char *func, const char *alt, const char *name,
    const struct dt_hook *hook)
{
	struct dt_probe *probe = dt_probes_add_as(m->p, m->row, m->prov, m->in->obj->name, func, name, hook);

	probe->loaded = m->in;
	probe->every = m->every;
	if (m->every)
		dt_probe_also(m->p, probe, hook);	/* several files may have the name */
	else
		probe->base = m->row->name;
	if (alt != func)
		probe->alt = alt;
	m->made++;
}

void dt_pid_add_probe(struct dt_pid_making *m, const char *func, const char *alt, const char *name,
    enum dt_hook_kind kind, uint64_t offset)
{
	struct dt_hook hook = hook_at(m, kind, offset);

	if (m->go && strcmp(name, "entry") == 0)
		dt_go_arguments(m->p->arena, m->in->obj, hook.args);
	add_hook(m, func, alt, name, &hook);
}

/* Appends a place to the list of a probe. */
static struct dt_hook *append(struct dt_pid_making *m, struct dt_hook **last,
    const struct dt_return_site *site)
{
	struct dt_hook *hook = DT_NEW(m->p->arena, struct dt_hook);

	*hook = hook_at(m, DT_HOOK_URETSITE, site->offset);
	hook->site = site->at;
	hook->when = dt_hook_when(m->p->arena, m->when, site->when);
	if (*last != NULL)
		(*last)->next = hook;
	*last = hook;
	return hook;
}

/* Probes every place where the function is left. */
static void add_sites(struct dt_pid_making *m, const struct dt_elf_function *f, const char *shown,
    const struct dt_return_sites *sites)
{
	struct dt_hook *first = NULL, *last = NULL, *hook;

	for (size_t i = 0; i < sites->n; i++) {
		hook = append(m, &last, &sites->v[i]);
		first = first == NULL ? hook : first;
	}
	add_hook(m, shown, f->name, "return", first);
}

static void add_ends(struct dt_pid_making *m, const struct dt_elf_function *f, const char *shown,
    const char *name, const struct dt_ends *ends)
{
	struct dt_end_hooks at = { .like = hook_at(m, DT_HOOK_URETSITE, 0) };

	dt_ends_hooks(m->p, ends, &at);
	add_hook(m, shown, f->name, name, at.first);
}

/* The function itself: of an IFUNC the chosen one, if it has a name. */
static const struct dt_elf_function *with_code(const struct dt_pid_making *m, const struct dt_elf_function *f,
    uint64_t offset)
{
	uint64_t vaddr;

	if (f->type == STT_GNU_IFUNC)
		f = dt_elf_offset_to_vaddr(m->in->obj->elf, offset, &vaddr) ?
		    dt_elf_function_at(m->in->obj->elf, vaddr) :
		    NULL;
	return f != NULL && f->offset == offset ? f : NULL;
}

/* See returns.c. */
static void add_return(struct dt_pid_making *m, const struct dt_elf_function *f, const char *shown,
    uint64_t offset)
{
	const struct dt_elf_function *code = with_code(m, f, offset);
	struct dt_return_sites sites = { 0 };
	int err = 0;

	if (code != NULL)
		err = dt_return_sites(m->p->arena, m->in->obj, code, &sites);
	if (err == 0 && sites.n > 0)
		add_sites(m, f, shown, &sites);
	else if (!m->unwinds || code == NULL)
		dt_pid_add_probe(m, shown, f->name, "return", DT_HOOK_URETPROBE, offset);
	else if (err != 0)
		m->why = dt_arena_printf(m->p->arena, "where %s returns cannot be determined: %s", shown,
		    dt_pid_reason(m, err));
	else
		m->why = dt_arena_printf(m->p->arena, "%s never returns", shown);
}

/*
 * Where the caller continues. The kernel's return probes would change return addresses, which is the end of a
 * process that looks at them; and they see at most 64 calls that have not ended.
 */
static void add_returned(struct dt_pid_making *m, const struct dt_elf_function *f, const char *shown,
    uint64_t offset, const char *name)
{
	const struct dt_elf_function *code = with_code(m, f, offset);
	const char *why = "has no code that can be found";
	struct dt_ends ends = { 0 };
	bool known = code != NULL &&
	    dt_ends_find(m->p->arena, m->every ? NULL : m->proc, m->in, code, &ends, &why);

	if (known && ends.n > 0)
		add_ends(m, f, shown, name, &ends);
	else if (known)
		m->why = dt_arena_printf(m->p->arena, "%s never returns", shown);
	else if (!m->unwinds)
		dt_pid_add_probe(m, shown, f->name, name, DT_HOOK_URETPROBE, offset);
	else
		m->why = dt_arena_printf(m->p->arena,
		    "when %s has returned cannot be determined: it %s, and the kernel's return probes would "
		    "break %s; return fires at the jump",
		    shown, why, m->every ? "some processes (C++, Rust, Go)" :
		    "a process that throws exceptions (C++, Rust) or moves stacks (Go)");
}

void dt_pid_add_return(struct dt_pid_making *m, const struct dt_elf_function *f, const char *shown,
    uint64_t offset)
{
	if (m->returned || (m->p->uretprobe && m->unwinds))
		add_returned(m, f, shown, offset, m->returned ? "returned" : "return");
	else if (m->p->uretprobe)
		dt_pid_add_probe(m, shown, f->name, "return", DT_HOOK_URETPROBE, offset);
	else
		add_return(m, f, shown, offset);
}
