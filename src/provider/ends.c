/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A function comes in; the places where its caller continues go out. A function ends with a return, or with a
 * jump to another function, whose end is then the end of both. All functions that can be reached by such
 * jumps are followed, in all files of the process, and nothing is changed in it. It is all or nothing: a jump
 * to what only the running process knows (a pointer, a method found by its object) is a refusal.
 *
 * Several definitions of one name are all followed: which of them the dynamic linker has chosen does not
 * matter, as the others are not reached.
 */
#include "provider/objects.h"

#include "machine/machine.h"
#include "file/insn.h"


enum { FUNCTIONS_MAX = 128, ENDS_MAX = 8192, STUB_SIZE = 32 };

struct reached { const struct dt_loaded *in; const struct dt_elf_function *f; bool unnamed; };

struct following {
	struct dt_arena *arena;
	const struct dt_process *proc;
	struct dt_ends *out;
	DT_VEC(struct reached) list;	/* list.v[0]: the function itself */
	const char *why;
};

static bool refuse(struct following *x, const char *why)
{
	x->why = why;
	return false;
}

/* A function is followed once. If it is the first one, calls that have not ended would be counted as one. */
static bool reach(struct following *x, const struct dt_loaded *in, const struct dt_elf_function *f)
{
	struct reached r = { in, f, false };

	for (size_t i = 0; i < x->list.n; i++)
		if (x->list.v[i].in->obj == in->obj && x->list.v[i].f->vaddr == f->vaddr)
			return i > 0 || refuse(x, "ends with a jump that leads back to it");
	if (f->offset == UINT64_MAX || f->size == 0)
		return refuse(x, dt_arena_printf(x->arena, "ends with a jump to %s, whose code is not known",
		    f->name));
	if (x->list.n >= FUNCTIONS_MAX)
		return refuse(x, "ends with jumps that lead to too many functions");
	dt_vec_push(x->arena, &x->list, r);
	return true;
}

/* The function that an IFUNC was resolved to, where that has a name. */
static bool reach_chosen(struct following *x, const struct dt_loaded *in, const struct dt_elf_function *f)
{
	const struct dt_elf_function *g = NULL;
	uint64_t offset, vaddr;

	if (dt_ifunc_chosen(x->proc, in, f, &offset) && dt_elf_offset_to_vaddr(in->obj->elf, offset, &vaddr))
		g = dt_elf_function_at(in->obj->elf, vaddr);
	if (g == NULL || g->vaddr != vaddr)
		return refuse(x, dt_arena_printf(x->arena,
		    "ends with a jump to %s, and what that is has not been chosen or has no name (IFUNC)",
		    f->name));
	return reach(x, in, g);
}

static bool reach_named(struct following *x, const struct dt_loaded *in, const struct dt_named *n)
{
	for (; n != NULL; n = n->next)
		if (!(n->f->type == STT_GNU_IFUNC ? reach_chosen : reach)(x, in, n->f))
			return false;
	return true;
}

static bool reach_name(struct following *x, const char *name)
{
	bool found = false;

	if (x->proc == NULL)
		return refuse(x, dt_arena_printf(x->arena,
		    "ends with a jump to %s of another file, which differs between processes", name));
	for (size_t i = 0; i < x->proc->list.n; i++) {
		const struct dt_loaded *in = &x->proc->list.v[i];
		const struct dt_named *n = dt_object_named(x->arena, in->obj, name);

		found |= n != NULL;
		if (!reach_named(x, in, n))
			return false;
	}
	return found ||
	    refuse(x, dt_arena_printf(x->arena, "ends with a jump to %s, which is in no file", name));
}

/* What the dynamic linker puts into the word at this address of the file. */
static bool reach_slot(struct following *x, const struct dt_loaded *in, uint64_t vaddr)
{
	const struct dt_machine *m = dt_machine_elf(dt_elf_machine(in->obj->elf));
	const struct dt_elf_function *f;
	struct dt_elf_slot s;

	if (!dt_object_slot(x->arena, in->obj, vaddr, &s))
		return refuse(x, "ends with a jump through a pointer");
	if (s.name != NULL)
		return reach_name(x, s.name);
	f = dt_elf_function_at(in->obj->elf, s.addend);
	if (f == NULL || f->vaddr != s.addend)
		return refuse(x, "ends with a jump through a pointer");
	if (m != NULL && s.type == m->reloc.irelative)
		return x->proc != NULL ? reach_chosen(x, in, f) :
		    refuse(x, "ends with a jump to what each process chooses (IFUNC)");
	return reach(x, in, f);
}

/* The first instruction that goes elsewhere. */
static bool stub_jump(void *ctx, const struct dt_insn *in)
{
	struct dt_insn *jump = ctx;

	*jump = *in;
	return in->way == DT_INSN_ON;
}

/* C libraries are installed without the names of functions that only they use. */
static bool reach_unnamed(struct following *x, const struct dt_loaded *in, uint64_t vaddr, uint64_t off)
{
	struct dt_elf_function *f = DT_NEW(x->arena, struct dt_elf_function);
	size_t n = x->list.n;

	*f = (struct dt_elf_function){ .vaddr = vaddr, .offset = off, .size = 1, .type = STT_FUNC,
		.name = dt_arena_printf(x->arena, "address %llx", (unsigned long long)vaddr) };
	if (!reach(x, in, f))
		return false;
	if (x->list.n > n)
		x->list.v[n].unnamed = true;
	return true;
}

/* To the beginning of a function, or to a stub that goes on through a slot: calls of other files do. */
static bool reach_address(struct following *x, const struct dt_loaded *in, uint64_t vaddr)
{
	const struct dt_elf_function *f = dt_elf_function_at(in->obj->elf, vaddr);
	struct dt_insn jump = { 0 };
	uint64_t off;

	if (f != NULL && f->vaddr == vaddr && f->type == STT_FUNC)
		return reach(x, in, f);
	if (f == NULL && dt_elf_vaddr_to_offset(in->obj->elf, vaddr, &off))
		return dt_insn_walk(in->obj->elf, off, STUB_SIZE, stub_jump, &jump) == 0 && jump.slot ?
		    reach_slot(x, in, vaddr + jump.to) : reach_unnamed(x, in, vaddr, off);
	return refuse(x, dt_arena_printf(x->arena,
	    "ends with a jump to address %llx of %s, where no function begins", (unsigned long long)vaddr,
	    in->obj->name));
}

/* One place where the function of number `i` is left. */
static bool follow_site(struct following *x, const struct dt_loaded *in, const struct dt_return_site *s,
    size_t i)
{
	bool ret = s->how == DT_LEAVE_RET;
	struct dt_end end = { i > 0 ? (ret ? DT_END_NEXT_RET : DT_END_NEXT_JUMP) :
		    ret ? DT_END_RET : DT_END_JUMP, in, s->offset, s->at, s->when };

	if (x->out->n >= ENDS_MAX)
		return refuse(x, "ends at too many places");
	dt_vec_push(x->arena, x->out, end);
	switch (s->how) {
	case DT_LEAVE_RET: return true;
	case DT_LEAVE_JUMP: return reach_address(x, in, s->to);
	case DT_LEAVE_SLOT: return reach_slot(x, in, s->to);
	default:
		return refuse(x, dt_arena_printf(x->arena, "ends with a jump through a pointer (at +0x%x)",
		    s->at));
	}
}

static bool follow(struct following *x, size_t i)
{
	struct reached r = x->list.v[i];
	struct dt_end entry = { DT_END_ENTRY, r.in, r.f->offset, 0, NULL };
	struct dt_return_sites sites;

	if (i > 0)
		dt_vec_push(x->arena, x->out, entry);
	if ((r.unnamed ? dt_return_sites_unnamed : dt_return_sites)(x->arena, r.in->obj, r.f, &sites) != 0)
		return refuse(x, "has code that cannot be decoded");
	if (i > 0 && sites.loops)	/* a call of it and its next round cannot be distinguished */
		return refuse(x, "begins with a loop");
	if (sites.unsure)
		return refuse(x, dt_arena_printf(x->arena, "may end with a jump through a table (at +0x%x)",
		    sites.unsure_at));
	/* stacks that are moved: what has not ended is not found again */
	if (dt_object_is_go(r.in->obj))
		for (size_t k = 0; k < sites.n; k++)
			if (sites.v[k].how != DT_LEAVE_RET)
				return refuse(x, "ends with a jump to another function of Go");
	for (size_t k = 0; k < sites.n; k++)
		if (!follow_site(x, r.in, &sites.v[k], i))
			return false;
	return true;
}

bool dt_ends_find(struct dt_arena *arena, const struct dt_process *proc, const struct dt_loaded *in,
    const struct dt_elf_function *f, struct dt_ends *out, const char **why)
{
	struct following x = { .arena = arena, .proc = proc, .out = out };
	struct reached first = { in, f, false };
	bool good = true;

	*out = (struct dt_ends){ 0 };
	dt_vec_push(arena, &x.list, first);
	for (size_t i = 0; good && i < x.list.n; i++) {
		good = follow(&x, i);
		if (!good && i > 0)
			x.why = dt_arena_printf(arena, "ends with a jump to %s, which %s",
			    x.list.v[i].f->name, x.why);
	}
	*why = x.why;
	return good;
}
