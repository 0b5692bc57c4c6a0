/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes of the pid provider at the end of functions. `return` is at the instructions that leave the function
 * (returns.c). `returned` is where its caller continues: the function's own returns, and those of the
 * functions that it jumps to (ends.c).
 *
 * A function that is jumped to is also called by others, so its end means something only when it was jumped
 * to. Calls on their way are kept in a variable of D, by process, function and stack pointer, which is the
 * same at the jump, at the beginning and at the end of what is jumped to, and which no other call that has
 * not ended has: 1 the jump is made, 2 it has arrived. If what is jumped to begins without a jump at a stack
 * pointer where a call is kept, that call was left by an exception or longjmp(): it is forgotten.
 */
#include "provider/p_pid.h"

#include "machine/machine.h"
#include "provider/provider.h"

#include <elf.h>
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

static const char *both(struct dt_arena *arena, const char *a, const char *b)
{
	return a == NULL ? b : b == NULL ? a : dt_arena_printf(arena, "%s && %s", a, b);
}

/* Appends a place to the list of a probe. */
static struct dt_hook *append(struct dt_pid_making *m, struct dt_hook **last, const struct dt_loaded *in,
    uint64_t offset, const char *when)
{
	struct dt_hook *hook = DT_NEW(m->p->arena, struct dt_hook);

	*hook = hook_at(m, DT_HOOK_URETSITE, offset);
	hook->target = in->obj->target;
	hook->when = both(m->p->arena, m->when, when);
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
		hook = append(m, &last, m->in, sites->v[i].offset, sites->v[i].when);
		hook->site = sites->v[i].at;
		first = first == NULL ? hook : first;
	}
	add_hook(m, shown, f->name, "return", first);
}

/* A place where the variable is read or changed; `site` is the number of the function there. */
static struct dt_hook *add_step(struct dt_pid_making *m, struct dt_hook **last, const struct dt_end *end,
    enum dt_hook_order order, const char *text)
{
	const struct dt_machine *machine = dt_machine_elf(dt_elf_machine(m->in->obj->elf));
	const char *key = dt_arena_printf(m->p->arena, "__returned[pid, arg0, uregs[%d]]",
	    machine->regs.sp / 8);
	struct dt_hook *hook = append(m, last, end->in, end->offset,
	    both(m->p->arena, end->when, dt_arena_printf(m->p->arena, text, key, key, key)));

	hook->site = m->p->tails;
	hook->order = order;
	hook->once = order != DT_ORDER_NEXT;
	return hook;
}

static void add_end(struct dt_pid_making *m, struct dt_hook **last, const struct dt_end *end)
{
	struct dt_hook *hook;

	switch (end->kind) {
	case DT_END_RET:
		hook = append(m, last, end->in, end->offset, end->when);
		hook->site = end->at;
		break;
	case DT_END_JUMP:
		add_step(m, last, end, DT_ORDER_BEGIN, "(%s = 1) * 0");
		break;
	case DT_END_ENTRY:
		add_step(m, last, end, DT_ORDER_ARRIVE, "%s != 0 && (%s = %s == 1 ? 2 : 0) * 0");
		break;
	case DT_END_NEXT_RET:
		hook = add_step(m, last, end, DT_ORDER_NEXT, "%s == 2");
		hook->args[0] = "0";
		hook->args[1] = "arg1";
		add_step(m, last, end, DT_ORDER_DONE, "%s != 0 && (%s = 0)");
		break;
	case DT_END_NEXT_JUMP:
		add_step(m, last, end, DT_ORDER_PASS, "%s == 2 && (%s = 1) * 0");
		break;
	}
}

static void add_ends(struct dt_pid_making *m, const struct dt_elf_function *f, const char *shown,
    const char *name, const struct dt_ends *ends)
{
	struct dt_hook *last = NULL, *first = NULL;

	m->p->tails++;
	for (size_t i = 0; i < ends->n; i++) {
		add_end(m, &last, &ends->v[i]);
		first = first == NULL ? last : first;
	}
	add_hook(m, shown, f->name, name, first);
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
		m->why = dt_arena_printf(m->p->arena, "where %s returns cannot be told: %s", shown,
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
		    "when %s has returned cannot be told: it %s, and the kernel's return probes would break "
		    "%s; return fires at the jump",
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
