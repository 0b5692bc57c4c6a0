/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Static probes of programs: PROVIDER123:module:function:name in one process; PROVIDER, or a pattern of
 * it, in every process that runs such a file, now or later. They are read from the notes of the files
 * (.note.stapsdt), in which each site tells in which registers and memory its arguments are; those
 * become D texts of the probe's arguments. The sites of one probe in one function are one probe that
 * fires at several places.
 */
#include "provider/p_usdt.h"
#include "base/printable.h"

#include "base/diag.h"
#include "dif/dof_provider.h"
#include "base/glob.h"
#include "usdt/sdtnote.h"
#include "provider/stability.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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

/* The one process in a provider's name, 0: none. */
static uint32_t process_of(const char *prov)
{
	size_t len = without_digits(prov);

	return prov[len] != '\0' && dt_part_literal(prov) ? (uint32_t)strtoul(prov + len, NULL, 10) : 0;
}

/* A description without a provider may mean anything: "tick-10ms" is not missing for want of a process. */
static bool names_provider(const struct dt_probedesc *d)
{
	return isalpha((unsigned char)d->prov[0]) || d->prov[0] == '_';
}

/*
 * True for anything that is not the name of a provider of ours; a pattern must begin with a letter, or
 * all processes would be examined, as in a listing.
 */
static bool usdt_wants(const struct dt_probes *p, const struct dt_probedesc *d)
{
	if (p->listing && !dt_part_literal(d->prov))
		return true;
	if (!names_provider(d))
		return false;
	if (dt_part_literal(d->prov))
		return dt_provider_find(d->prov) == NULL;
	for (const struct dt_provider *const *at = dt_providers, *row; (row = *at) != NULL; at++)
		if (dt_glob_match(d->prov, row->name))
			return false;
	return true;
}

bool dt_usdt_every(const char *prov)
{
	static const struct dt_probes none = { .listing = false };

	return !names_process(prov) && usdt_wants(&none, &(struct dt_probedesc){ .prov = prov });
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
	dt_make_printable(out);
	return out;
}

static bool part_wanted(const char *part, const char *text)
{
	return part[0] == '\0' ||
	    (dt_part_literal(part) ? strcmp(part, text) == 0 : dt_glob_match(part, text));
}

/* The provider's name in one process. */
static const char *with_pid(struct dt_usdt_making *m, const char *prov)
{
	return dt_arena_printf(m->p->arena, "%s%u", prov, m->pid);
}

/*
 * A name that matches without a process means every process, now and later; otherwise the name with the
 * process must match. Listings have each process.
 */
static bool provider_wanted(struct dt_usdt_making *m, const char *prov)
{
	bool any = part_wanted(m->want->prov, prov);

	m->every = any && !m->p->listing && !m->by_pid;
	return any || (m->pid != 0 && part_wanted(m->want->prov, with_pid(m, prov)));
}

static const char *name_of(struct dt_usdt_making *m, const struct dt_elf_function *f)
{
	char pretty[1024];

	if (f == NULL)
		return "";
	return f->name[0] == '_' && dt_elf_demangle(f->name, pretty, sizeof(pretty)) ?
	    dt_arena_strdup(m->p->arena, pretty) :
	    f->name;
}

static struct dt_probe *add_probe(struct dt_usdt_making *m, const char *prov, const char *func,
    const char *name, const struct dt_hook *hook)
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
static void add_place(struct dt_usdt_making *m, const struct dt_sdt_note *n, const struct dt_elf_function *in,
    struct dt_hook hook)
{
	const char *prov = dashes(m->p->arena, n->provider), *name = dashes(m->p->arena, n->name),
		   *func = name_of(m, in);
	struct dt_probe_sig *sig;
	struct dt_probe *probe;

	if (!part_wanted(m->want->func, func))
		return;
	sig = dt_usdt_arguments(m, n, prov, name, &hook);
	probe = add_probe(m, m->every ? prov : with_pid(m, prov), func, name, &hook);
	probe->sig = dt_usdt_agreed(probe->sig, sig);
}

/*
 * Objects for other systems call a function for each site, which -G makes: the callers are the sites.
 */
static bool called(struct dt_usdt_making *m, const struct dt_sdt_note *n, const struct dt_elf_function *stub,
    struct dt_hook hook)
{
	struct dt_callers callers;

	if (!dt_is_stub(stub))
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
	struct dt_usdt_making *m = ctx;
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

static void probe_object(struct dt_usdt_making *m)
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

/* m->pid, which probes are named by, is another process if that is followed. */
static void probe_process(struct dt_usdt_making *m, uint32_t pid, const char **why)
{
	struct dt_process *proc = dt_process_look(m->p, pid, why);

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
	struct dt_usdt_making *m = ctx;
	const char *why;

	m->pid = pid;
	probe_process(m, pid, &why);
}

/* Examines every process; files that several run are read once, and a probe that exists stays one. */
static void all_processes(struct dt_usdt_making *m)
{
	m->walk = m->p->listing ? 0 : ++m->p->walk;
	dt_each_process(look_at_process, m);
}

/* A file named by its path need not be running yet. */
static void by_path(struct dt_usdt_making *m)
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

static const char *missing_reason(struct dt_usdt_making *m)
{
	const char *prov = m->want->prov;
	struct dt_near near;

	dt_near_init(&near, prov);
	for (const struct dt_provider *const *at = dt_providers, *row; (row = *at) != NULL; at++)
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

static struct dt_usdt_making begin_making(struct dt_probes *p, const struct dt_provider *row,
    const struct dt_probedesc *want)
{
	struct dt_usdt_making m = { .p = p, .row = row, .want = want };

	m.by_pid = names_process(want->prov);
	dt_near_init(&m.nearest, dt_arena_printf(p->arena, "%s:::%s", want->prov, want->name));
	m.only = process_of(want->prov);
	return m;
}

static int usdt_provide(struct dt_probes *p, const struct dt_provider *row, const struct dt_probedesc *want,
    const char **why)
{
	struct dt_usdt_making m;

	if (want == NULL)
		return 0;
	m = begin_making(p, row, want);
	m.pid = m.only;
	if (m.only != 0)
		probe_process(&m, m.only, why);
	else
		all_processes(&m);
	if (m.made == 0 && m.only == 0 && !p->listing)
		by_path(&m);
	if (m.made == 0 && *why == NULL && names_provider(want))
		*why = missing_reason(&m);
	return 0;
}

static void usdt_look(struct dt_probes *p, const struct dt_provider *row, const struct dt_probedesc *want,
    const struct dt_arrival *arrival)
{
	struct dt_loaded *in;
	struct dt_usdt_making m;
	const char *why;
	uint32_t only = process_of(want->prov);

	if (only != 0 && only != arrival->root)
		return;
	m = begin_making(p, row, want);
	m.pid = only != 0 ? only : arrival->pid;
	if (arrival->file == NULL) {
		probe_process(&m, arrival->pid, &why);
		return;
	}
	in = DT_NEW(p->arena, struct dt_loaded);
	*in = (struct dt_loaded){ .obj = arrival->file, .main = arrival->exec };
	m.in = in;
	probe_object(&m);
}

/* Takes every provider name that no other provider has. Its own name cannot be written in D. */
const struct dt_provider dt_provider_usdt = {
	.name = "(usdt)",
	.form = "PROVIDERPID:MODULE:FUNCTION:NAME",
	.doc = "Static probes of programs (USDT), under names of their own.",
	.attrs = { { PPU, PPU, PPU, PPU, PPU } },
	.provide = usdt_provide,
	.wants = usdt_wants,
	.look = usdt_look,
};
