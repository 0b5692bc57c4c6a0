/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the arguments of a static probe are: a note's operands come in, D texts that read them and their
 * types go out.
 */
#include "provider/p_usdt.h"

#include "machine/machine.h"

#include <stdio.h>
#include <stdlib.h>

static const char *type_of(const struct dt_sdt_arg *a)
{
	static const char *const names[2][4] = { { "uint8_t", "uint16_t", "uint32_t", "uint64_t" },
		{ "int8_t", "int16_t", "int32_t", "int64_t" } };

	return names[a->is_signed][a->size == 1 ? 0 : a->size == 2 ? 1 : a->size == 4 ? 2 : 3];
}

static const char *reg_text(struct dt_usdt_making *m, uint16_t machine, int reg)
{
	int off = dt_sdt_reg_offset(machine, reg);

	return off >= 0 ? dt_arena_printf(m->p->arena, "uregs[%d]", off / 8) : NULL;
}

static bool is_reg(uint16_t machine, int number, int reg)
{
	return dt_sdt_reg_offset(machine, number) == reg;
}

/* A symbol is as far from the site in every process as it is in the file. */
static const char *symbol_text(struct dt_usdt_making *m, uint16_t machine, const struct dt_sdt_arg *a)
{
	const struct dt_elf_function *f = dt_elf_data_named(m->in->obj->elf, a->sym, a->symlen);

	if (f == NULL || f->type == STT_TLS)
		return NULL;
	if (a->page)
		return dt_arena_printf(m->p->arena, "%llu",
		    (unsigned long long)((f->vaddr + (uint64_t)a->off) & 0xfff));
	return dt_arena_printf(m->p->arena, "uregs[%d] + (%lld)", dt_machine_elf(machine)->regs.pc / 8,
	    (long long)(f->vaddr + (uint64_t)a->off - m->pc));
}

/* The program's own block ends at the thread pointer; those of libraries are elsewhere. */
static const char *thread_text(struct dt_usdt_making *m, uint16_t machine, const struct dt_sdt_arg *a)
{
	const struct dt_elf_function *f = a->sym != NULL ?
	    dt_elf_data_named(m->in->obj->elf, a->sym, a->symlen) :
	    NULL;
	uint64_t size, align, off = (uint64_t)a->off;

	if (a->sym != NULL) {
		if (f == NULL || f->type != STT_TLS || !m->in->main ||
		    !dt_elf_tls(m->in->obj->elf, &size, &align))
			return NULL;
		off += f->vaddr - ((size + align - 1) & ~(align - 1));
	}
	return dt_arena_printf(m->p->arena, "curthread->%s + (%lld)", dt_machine_elf(machine)->thread_pointer,
	    (long long)off);
}

/* The constant part of an address. */
static const char *place_text(struct dt_usdt_making *m, uint16_t machine, const struct dt_sdt_arg *a)
{
	if (a->thread)
		return thread_text(m, machine, a);
	return a->sym != NULL ? symbol_text(m, machine, a) :
				dt_arena_printf(m->p->arena, "(%lld)", (long long)a->off);
}

/* The address of a value in memory; NULL: it cannot be computed. */
static const char *address_text(struct dt_usdt_making *m, uint16_t machine, const struct dt_sdt_arg *a)
{
	static const char *const casts[] = { "", "(uint64_t)(uint32_t)", "(int64_t)(int32_t)" };
	/* sym(%rip) is sym */
	bool own = a->reg == DT_SDT_NOREG ||
	    (a->sym != NULL && is_reg(machine, a->reg, dt_machine_elf(machine)->regs.pc));
	const char *base = own ? "0" : reg_text(m, machine, a->reg), *place = place_text(m, machine, a);
	const char *index = a->index != DT_SDT_NOREG ? reg_text(m, machine, a->index) : NULL;

	if (place == NULL || base == NULL || (a->index != DT_SDT_NOREG && index == NULL) ||
	    a->ext > DT_SDT_EXT_SXTW)
		return NULL;
	if (index == NULL)
		return dt_arena_printf(m->p->arena, "%s + %s", base, place);
	return dt_arena_printf(m->p->arena, "%s + ((%s%s) << %u) + %s", base, casts[a->ext], index, a->scale,
	    place);
}

/*
 * D for the argument; NULL: a place that cannot be read (a vector register, a name that the file
 * lacks).
 */
static const char *arg_text(struct dt_usdt_making *m, uint16_t machine, const struct dt_sdt_arg *a)
{
	const char *text = NULL;

	if (a->kind == DT_SDT_CONST && a->sym != NULL)
		return (text = symbol_text(m, machine, a)) != NULL ?
		    dt_arena_printf(m->p->arena, "(%s)(%s)", type_of(a), text) :
		    NULL;
	if (a->kind == DT_SDT_CONST)
		return dt_arena_printf(m->p->arena, "(%s)(%lld)", type_of(a), (long long)a->off);
	if (a->kind == DT_SDT_REG && (text = reg_text(m, machine, a->reg)) != NULL)
		return a->shift != 0 ?
		    dt_arena_printf(m->p->arena, "(%s)(%s >> %u)", type_of(a), text, a->shift) :
		    dt_arena_printf(m->p->arena, "(%s)%s", type_of(a), text);
	if (a->kind == DT_SDT_MEM && !a->is_float && (text = address_text(m, machine, a)) != NULL)
		return dt_arena_printf(m->p->arena, "*(%s *)copyin(%s, %u)", type_of(a), text, a->size);
	return NULL;
}

/*
 * What a note knows about types: the width and sign of each value. A value that cannot be read has no
 * type.
 */
static struct dt_probe_sig *types_of(struct dt_usdt_making *m, const struct dt_sdt_arg *args,
    const struct dt_hook *hook, int n)
{
	struct dt_probe_sig *sig = m->p->types != NULL && n > 0 ? dt_sig_new(m->p->arena, (uint32_t)n) : NULL;

	const char **why = sig != NULL ? DT_NEWN(m->p->arena, const char *, (uint32_t)n) : NULL;

	for (int i = 0; sig != NULL && i < n; i++) {
		sig->in[i] = hook->args[i] != NULL ?
		    dt_types_sized(m->p->types, args[i].size, args[i].is_signed) :
		    NULL;
		if (sig->in[i] == NULL)
			why[i] = dt_arena_printf(m->p->arena,
			    args[i].kind == DT_SDT_FREG ?
				"\"%.*s\" is a vector register" :
				args[i].sym != NULL ?
				"where \"%.*s\" is, is not known from the file's symbols" :
				"\"%.*s\" is no operand that is known",
			    (int)args[i].textlen, args[i].text);
		if (sig->in[i] == NULL && args[i].kind == DT_SDT_MEM && args[i].is_float)
			why[i] = "it is a floating-point number";
	}
	if (sig != NULL)
		sig->why = why;
	return sig;
}

/* What the program declares about the probe, NULL if nothing. */
static const struct dt_dofprobe *declared(const struct dt_usdt_making *m, const char *prov, const char *name)
{
	for (uint32_t i = 0; i < m->ndecls; i++)
		for (uint32_t k = 0; strcmp(m->decls[i].name, prov) == 0 && k < m->decls[i].nprobes; k++)
			if (strcmp(m->decls[i].probes[k].name, name) == 0)
				return &m->decls[i].probes[k];
	return NULL;
}

/* A type as the declaration names it, otherwise one as wide as the value. */
static const struct dt_type *type_named(struct dt_usdt_making *m, const char *text,
    const struct dt_type *otherwise)
{
	const struct dt_type *t = otherwise != NULL ? dt_ctype_read(m->p->arena, m->p->types, text) : NULL;

	return t != NULL ? t : otherwise;
}

/*
 * Adds the program's declaration: types by name, and which value of the site each argument of the probe
 * is made from. The values are put into that order, so arg0 is args[0] before a translator sees it.
 */
static struct dt_probe_sig *with_declared(struct dt_usdt_making *m, const struct dt_dofprobe *d,
    const struct dt_probe_sig *note, struct dt_hook *hook)
{
	struct dt_probe_sig *sig = dt_sig_new(m->p->arena, d->nout);
	const struct dt_hook values = *hook;

	sig->why = DT_NEWN(m->p->arena, const char *, d->nout + 1);
	sig->out = DT_NEWN(m->p->arena, const struct dt_type *, d->nout + 1);
	for (uint32_t k = 0; k < d->nout; k++) {
		uint32_t from = d->map[k];
		bool known = from < note->nin;		/* there are ten at most */

		sig->in[k] = known ? type_named(m, from < d->nin ? d->in[from] : "", note->in[from]) : NULL;
		sig->out[k] = known ? type_named(m, d->out[k], sig->in[k]) : NULL;
		sig->why[k] = known ? note->why[from] : NULL;
		if (k < 10)
			hook->args[k] = known && values.args[from] != NULL ? values.args[from] : "0";
	}
	for (uint32_t k = d->nout; k < 10; k++)
		hook->args[k] = k == 0 ? "0" : NULL;
	return sig;
}

/* For the sites of one probe: what one of them cannot read has no type. */
const struct dt_probe_sig *dt_usdt_agreed(const struct dt_probe_sig *had, struct dt_probe_sig *sig)
{
	for (uint32_t i = 0; had != NULL && sig != NULL && i < sig->nin; i++)
		if ((i >= had->nin || had->in[i] == NULL) && sig->in[i] != NULL) {
			sig->why[i] = i < had->nin && had->why != NULL ? had->why[i] :
									 "not every site has it";
			sig->in[i] = NULL;
		}
	return sig;
}

/* The arguments in the order of the note. */
static struct dt_probe_sig *site_arguments(struct dt_usdt_making *m, const struct dt_sdt_note *n,
    struct dt_hook *hook)
{
	struct dt_probe_sig *sig;
	uint16_t machine = dt_elf_machine(m->in->obj->elf);
	struct dt_sdt_arg args[DT_SDT_MAXARGS];
	int nargs = dt_sdt_args_parse(n->args, machine, args);

	m->pc = n->pc;
	nargs = nargs > 10 ? 10 : nargs;
	for (int i = 0; i < nargs; i++) {
		if (m->calling && args[i].kind == DT_SDT_MEM &&
		    is_reg(machine, args[i].reg, dt_machine_elf(machine)->regs.sp))
			args[i].off -= dt_machine_elf(machine)->regs.stack_args;
		hook->args[i] = arg_text(m, machine, &args[i]);
	}
	sig = types_of(m, args, hook, nargs);
	for (int i = 0; i < nargs || i == 0; i++)
		if (hook->args[i] == NULL)
			hook->args[i] = "0";
	return sig;
}

struct dt_probe_sig *dt_usdt_arguments(struct dt_usdt_making *m, const struct dt_sdt_note *n,
    const char *prov, const char *name, struct dt_hook *hook)
{
	struct dt_probe_sig *sig = site_arguments(m, n, hook);
	const struct dt_dofprobe *decl = sig != NULL ? declared(m, prov, name) : NULL;

	return decl != NULL ? with_declared(m, decl, sig, hook) : sig;
}
