/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Static probes of programs: PROVIDER123:module:function:name in one process; PROVIDER, or a pattern of
 * it, in every process that runs such a file, now or later. They are read from the notes of the files
 * (.note.stapsdt), in which each site tells in which registers and memory its arguments are; those
 * become D texts of the probe's arguments. The sites of one probe in one function are one probe that
 * fires at several places.
 */
#include "provider/objects.h"
#include "machine/machine.h"

#include "base/diag.h"
#include "dif/dof_provider.h"
#include "base/glob.h"
#include "usdt/sdtnote.h"
#include "provider/provider.h"

#include <ctype.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>


struct making {
	struct dt_probes *p;
	const struct dt_provider_row *row;
	const struct dt_probedesc *want;
	uint32_t only;			/* the process that is named, 0 none is */
	uint32_t pid;			/* the process that is looked at */
	bool every;			/* the site at hand is wanted in every process that runs the file */
	const struct dt_loaded *in;
	struct dt_dofprov *decls;	/* providers the object declares, with types */
	uint32_t ndecls;
	uint64_t pc;			/* of the site, in the file */
	/*
	 * the site is a call, and the values are at its target: those on the stack are one word lower
	 */
	bool calling;
	/* the pattern may match a provider's name in one process and not in another */
	bool by_pid;
	uint32_t walk;			/* this look through all processes, 0 none */
	uint32_t sites;			/* of the object, of any provider */
	uint32_t made;
	/* the existing name nearest to the wanted one: "provider123:::name" */
	struct dt_near nearest;
};

/* ---- which provider ---- */

static size_t without_digits(const char *name)
{
	size_t len = strlen(name);

	while (len > 0 && isdigit((unsigned char)name[len - 1]))
		len--;
	return len;
}

/* Does it depend on the process whether a provider's name matches: bunyan*123, db[1-9]*? */
static bool names_process(const char *prov)
{
	size_t stem = strlen(prov);

	while (stem > 0 && prov[stem - 1] == '*')
		stem--;
	return stem > 0 &&
	    (isdigit((unsigned char)prov[stem - 1]) || prov[stem - 1] == ']' || prov[stem - 1] == '?');
}

bool dt_usdt_every(const char *prov)
{
	static const struct dt_probes none = { .listing = false };

	return !names_process(prov) && dt_usdt_wants(&none, &(struct dt_probedesc){ .prov = prov });
}

/* The one process in a provider's name, 0: none. */
static uint32_t process_of(const char *prov)
{
	size_t len = without_digits(prov);

	return prov[len] != '\0' && dt_part_literal(prov) ? (uint32_t)strtoul(prov + len, NULL, 10) : 0;
}

/*
 * True for anything that is not the name of a provider of ours; a pattern must begin with a letter, or
 * all processes would be examined, as in a listing.
 */
/* Otherwise it may mean anything: "tick-10ms" is not missing because no process has it. */
static bool names_provider(const struct dt_probedesc *d)
{
	return isalpha((unsigned char)d->prov[0]) || d->prov[0] == '_';
}

bool dt_usdt_wants(const struct dt_probes *p, const struct dt_probedesc *d)
{
	if (p->listing && !dt_part_literal(d->prov))
		return true;
	if (!names_provider(d))
		return false;
	if (dt_part_literal(d->prov))
		return dt_provider_find(d->prov) == NULL;
	for (const struct dt_provider_row *row = dt_providers; row->name != NULL; row++)
		if (dt_glob_match(d->prov, row->name))
			return false;
	return true;
}

/* ---- where arguments are ---- */

static const char *type_of(const struct dt_sdt_arg *a)
{
	static const char *const names[2][4] = { { "uint8_t", "uint16_t", "uint32_t", "uint64_t" },
		{ "int8_t", "int16_t", "int32_t", "int64_t" } };

	return names[a->is_signed][a->size == 1 ? 0 : a->size == 2 ? 1 : a->size == 4 ? 2 : 3];
}

static const char *reg_text(struct making *m, uint16_t machine, int reg)
{
	int off = dt_sdt_reg_offset(machine, reg);

	return off >= 0 ? dt_arena_printf(m->p->arena, "uregs[%d]", off / 8) : NULL;
}

static bool is_reg(uint16_t machine, int number, int reg)
{
	return dt_sdt_reg_offset(machine, number) == reg;
}

/* A symbol is as far from the site in every process as it is in the file. */
static const char *symbol_text(struct making *m, uint16_t machine, const struct dt_sdt_arg *a)
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
static const char *thread_text(struct making *m, const struct dt_sdt_arg *a)
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
	return dt_arena_printf(m->p->arena, "curthread->thread.fsbase + (%lld)", (long long)off);
}

/* The constant part of an address. */
static const char *place_text(struct making *m, uint16_t machine, const struct dt_sdt_arg *a)
{
	if (a->thread)
		return thread_text(m, a);
	return a->sym != NULL ? symbol_text(m, machine, a) :
				dt_arena_printf(m->p->arena, "(%lld)", (long long)a->off);
}

/* The address of a value in memory; NULL: it cannot be computed. */
static const char *address_text(struct making *m, uint16_t machine, const struct dt_sdt_arg *a)
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
static const char *arg_text(struct making *m, uint16_t machine, const struct dt_sdt_arg *a)
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
static struct dt_probe_sig *types_of(struct making *m, const struct dt_sdt_arg *args,
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

static const struct dt_dofprobe *declared(const struct making *m, const char *prov, const char *name)
{
	for (uint32_t i = 0; i < m->ndecls; i++)
		for (uint32_t k = 0; strcmp(m->decls[i].name, prov) == 0 && k < m->decls[i].nprobes; k++)
			if (strcmp(m->decls[i].probes[k].name, name) == 0)
				return &m->decls[i].probes[k];
	return NULL;
}

/* A type as the declaration names it, otherwise one as wide as the value. */
static const struct dt_type *type_named(struct making *m, const char *text, const struct dt_type *otherwise)
{
	const struct dt_type *t = otherwise != NULL ? dt_ctype_read(m->p->arena, m->p->types, text) : NULL;

	return t != NULL ? t : otherwise;
}

/*
 * Adds the program's declaration: types by name, and which value of the site each argument of the probe
 * is made from. The values are put into that order, so arg0 is args[0] before a translator sees it.
 */
static struct dt_probe_sig *with_declared(struct making *m, const struct dt_dofprobe *d,
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
static const struct dt_probe_sig *agreed(const struct dt_probe_sig *had, struct dt_probe_sig *sig)
{
	for (uint32_t i = 0; had != NULL && sig != NULL && i < sig->nin; i++)
		if ((i >= had->nin || had->in[i] == NULL) && sig->in[i] != NULL) {
			sig->why[i] = i < had->nin && had->why != NULL ? had->why[i] :
									 "not every site has it";
			sig->in[i] = NULL;
		}
	return sig;
}

static struct dt_probe_sig *arguments(struct making *m, const struct dt_sdt_note *n, struct dt_hook *hook)
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

/* ---- sites ---- */

static char *dashes(struct dt_arena *arena, const char *name)
{
	char *out = dt_arena_strdup(arena, name), *to = out;

	for (const char *c = out; *c != '\0'; c++) {
		if (c[0] == '_' && c[1] == '_') {
			*to++ = '-';
			c++;
		} else {
			*to++ = *c;
		}
	}
	*to = '\0';
	return out;
}

static bool part_wanted(const char *part, const char *text)
{
	return part[0] == '\0' ||
	    (dt_part_literal(part) ? strcmp(part, text) == 0 : dt_glob_match(part, text));
}

/* The provider's name in one process. */
static const char *with_pid(struct making *m, const char *prov)
{
	return dt_arena_printf(m->p->arena, "%s%u", prov, m->pid);
}

/*
 * A name that matches without a process means every process, now and later; otherwise the name with the
 * process must match. Listings have each process.
 */
static bool provider_wanted(struct making *m, const char *prov)
{
	bool any = part_wanted(m->want->prov, prov);

	m->every = any && !m->p->listing && !m->by_pid;
	return any || (m->pid != 0 && part_wanted(m->want->prov, with_pid(m, prov)));
}

static const char *name_of(struct making *m, const struct dt_elf_function *f)
{
	char pretty[1024];

	if (f == NULL)
		return "";
	return f->name[0] == '_' && dt_elf_demangle(f->name, pretty, sizeof(pretty)) ?
	    dt_arena_strdup(m->p->arena, pretty) :
	    f->name;
}

static struct dt_probe *add_probe(struct making *m, const char *prov, const char *func, const char *name,
    const struct dt_hook *hook)
{
	struct dt_probe *probe = dt_probes_add_as(m->p, m->row, prov, m->in->obj->name, func, name, hook);

	probe->loaded = m->in;
	probe->every = m->every;
	if (!m->every)
		probe->base = dt_arena_strndup(m->p->arena, prov, without_digits(prov));
	m->made++;
	dt_probe_also(m->p, probe, hook);
	return probe;
}

/* Adds one place where a probe fires; hook.offset tells where. */
static void add_place(struct making *m, const struct dt_sdt_note *n, const struct dt_elf_function *in,
    struct dt_hook hook)
{
	const char *prov = dashes(m->p->arena, n->provider), *name = dashes(m->p->arena, n->name),
		   *func = name_of(m, in);
	const struct dt_dofprobe *decl;
	struct dt_probe_sig *sig;
	struct dt_probe *probe;

	if (!part_wanted(m->want->func, func))
		return;
	sig = arguments(m, n, &hook);
	decl = sig != NULL ? declared(m, prov, name) : NULL;
	if (decl != NULL)
		sig = with_declared(m, decl, sig, &hook);
	probe = add_probe(m, m->every ? prov : with_pid(m, prov), func, name, &hook);
	probe->sig = agreed(probe->sig, sig);
}

/*
 * Objects for other systems call a function for each site, which -G makes: the callers are the sites.
 */
static bool called(struct making *m, const struct dt_sdt_note *n, const struct dt_elf_function *stub,
    struct dt_hook hook)
{
	struct dt_callers callers;

	if (stub == NULL || strncmp(stub->name, "__dtrace_", 9) != 0)
		return false;
	dt_callers(m->p->arena, m->in->obj, stub, &callers);
	for (size_t i = 0; i < callers.n; i++) {
		hook.offset = callers.v[i].offset;
		m->calling = !callers.v[i].jump;
		add_place(m, n, callers.v[i].in, hook);
	}
	m->calling = false;
	return callers.n > 0;
}

static int site(void *ctx, const struct dt_sdt_note *n)
{
	struct making *m = ctx;
	struct dt_hook hook = { .kind = DT_HOOK_UPROBE, .target = m->in->obj->target };
	const char *prov = dashes(m->p->arena, n->provider), *name = dashes(m->p->arena, n->name);
	const struct dt_elf_function *in;

	m->sites++;
	dt_near_offer(&m->nearest, dt_arena_printf(m->p->arena, "%s%u:::%s", prov, m->pid, name));
	if (!provider_wanted(m, prov) || !part_wanted(m->want->name, name) ||
	    !dt_elf_vaddr_to_offset(m->in->obj->elf, n->pc, &hook.offset))
		return 0;
	if (!m->every) {
		hook.pid = m->p->follow ? 0 : m->pid;
		hook.root = m->p->follow ? m->pid : 0;
		hook.when = dt_process_when(m->p, m->pid);
	}
	if (n->semaphore != 0 && !dt_elf_vaddr_to_offset(m->in->obj->elf, n->semaphore, &hook.ref_ctr))
		return 0;
	in = dt_elf_function_at(m->in->obj->elf, n->pc);
	if (!called(m, n, in, hook))
		add_place(m, n, in, hook);
	return 0;
}

static void probe_object(struct making *m)
{
	struct dt_elf *elf = m->in->obj->elf;
	uint64_t addr, base = 0;
	const void *data;
	size_t len;

	if (m->in->obj->no_sites || !dt_loaded_named(m->in, m->want->mod))
		return;
	m->in->obj->no_sites = !dt_elf_has_section(elf, ".note.stapsdt");
	if (m->in->obj->no_sites)
		return;
	if (dt_elf_section(elf, ".stapsdt.base", &data, &len, &base) != 0)
		base = 0;
	m->decls = NULL;
	m->ndecls = 0;
	if (dt_elf_section(elf, ".SUNW_dof", &data, &len, &addr) == 0 && data != NULL)
		/* damaged data are skipped */
		dt_dofprov_read(m->p->arena, data, len, &m->decls, &m->ndecls);
	if (dt_elf_section(elf, ".note.stapsdt", &data, &len, &addr) == 0 && data != NULL)
		dt_sdt_notes(data, len, dt_elf_is_64(elf), base, site, m);
}

/* ---- processes ---- */

static void probe_process(struct making *m, uint32_t pid, const char **why)
{
	struct dt_process *proc = dt_process_look(m->p, pid, why);

	m->pid = pid;
	for (size_t i = 0; proc != NULL && i < proc->list.n; i++) {
		m->in = &proc->list.v[i];
		if (m->walk != 0 && m->in->obj->walked == m->walk)
			continue;
		probe_object(m);
		if (!m->by_pid)		/* the next process gets nothing new of it */
			m->in->obj->walked = m->walk;
	}
	if (proc != NULL && m->only != 0 && m->made == 0 && dt_process_later(m->p, proc, m->want->mod)) {
		m->in = &proc->list.v[proc->list.n - 1];
		probe_object(m);
	}
}

static void look_at_process(void *ctx, uint32_t pid)
{
	const char *why;

	probe_process(ctx, pid, &why);
}

/* Examines every process; files that several run are read once, and a probe that exists stays one. */
static void all_processes(struct making *m)
{
	m->walk = m->p->listing ? 0 : ++m->p->walk;
	dt_each_process(look_at_process, m);
}

/* A file named by its path need not be running yet. */
static void by_path(struct making *m)
{
	int fd = m->want->mod[0] == '/' && dt_part_literal(m->want->mod) ?
	    dt_elf_open_regular(m->want->mod, true) :
	    -1;
	struct dt_object *o = fd >= 0 ? dt_object_opened(m->p, fd) : NULL;
	struct dt_loaded *in = DT_NEW(m->p->arena, struct dt_loaded);

	if (fd >= 0)
		close(fd);
	if (o == NULL)
		return;
	in->obj = o;
	m->in = in;
	m->pid = 0;
	probe_object(m);
}

static const char *missing_reason(struct making *m)
{
	const char *prov = m->want->prov;
	struct dt_near near;

	dt_near_init(&near, prov);
	for (const struct dt_provider_row *row = dt_providers; row->name != NULL; row++)
		if (isalpha((unsigned char)row->name[0]))
			dt_near_offer(&near, row->name);
	if (m->only == 0 && near.best != NULL)
		return dt_arena_printf(m->p->arena, "there is no provider %s; did you mean %s?", prov,
		    near.best);
	if (m->only == 0)
		return dt_arena_printf(m->p->arena,
		    "there is no provider %s, and no running process has static probes of that name (-Z "
		    "waits for one that has)",
		    prov);
	if (m->nearest.best != NULL)
		return dt_arena_printf(m->p->arena, "process %u has no such static probe; did you mean %s?",
		    m->only, m->nearest.best);
	return dt_arena_printf(m->p->arena,
	    m->sites > 0 ?
		"process %u has static probes, but none that is called so (-Z waits for it)" :
		"process %u has no static probes; -Z waits for those of what it loads or executes later",
	    m->only);
}

static struct making begin_making(struct dt_probes *p, const struct dt_provider_row *row,
    const struct dt_probedesc *want)
{
	struct making m = { .p = p, .row = row, .want = want };

	m.by_pid = names_process(want->prov);
	dt_near_init(&m.nearest, dt_arena_printf(p->arena, "%s:::%s", want->prov, want->name));
	m.only = process_of(want->prov);
	return m;
}

int dt_usdt_provide(struct dt_probes *p, const struct dt_provider_row *row, const struct dt_probedesc *want,
    const char **why)
{
	static const struct dt_probedesc all = { "", "", "", "", 0 };
	struct making m;

	if (want == NULL)
		return 0;
	m = begin_making(p, row, want);
	/* all there are, so that each has the same number in every listing */
	if (p->listing)
		m.want = &all;
	if (m.only != 0 && !p->listing)
		probe_process(&m, m.only, why);
	else
		all_processes(&m);
	if (m.made == 0 && m.only == 0 && !p->listing)
		by_path(&m);
	if (m.made == 0 && *why == NULL && names_provider(want))
		*why = missing_reason(&m);
	return 0;
}

void dt_usdt_look(struct dt_probes *p, const struct dt_provider_row *row, const struct dt_probedesc *want,
    uint32_t pid, struct dt_object *o)
{
	struct dt_loaded *in;
	struct making m;
	const char *why;
	uint32_t only = process_of(want->prov);

	if (only != 0 && only != pid)
		return;
	m = begin_making(p, row, want);
	if (o == NULL) {
		probe_process(&m, pid, &why);
		return;
	}
	in = DT_NEW(p->arena, struct dt_loaded);
	*in = (struct dt_loaded){ .obj = o, .main = true };
	m.in = in;
	m.pid = pid;
	probe_object(&m);
}
