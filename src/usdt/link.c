/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declared providers and object files come in, the object of `dtrace -G` goes out. Sites made by our
 * own headers need only the declaration from it; calls of __dtrace_provider___probe, which headers of
 * other systems make, get their functions here.
 */
#include "base/file.h"
#include "base/outfile.h"
#include "machine/machine.h"
#include "usdt/relobj.h"
#include "usdt/sdtnote.h"
#include "usdt/usdt.h"

#include <dtrace.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define OBJECT_MAX (1u << 30)		/* bytes of an object file */

struct link {
	struct dt_usdt_job *job;
	struct dt_arena *arena;
	struct dt_usdt set;
	const char *object;		/* the one that is read */
	uint16_t machine;		/* 0: no object said so yet */
	const char *machine_of;		/* the object that did */
	DT_VEC(struct dt_usdt_stub) stubs;
	struct dt_map known;		/* symbol to stub's index + 1 */
	struct dt_map sited;		/* providers of which an object has a site */
	bool opaque;			/* an object does not show what it has (LTO) */
};

static const char *machine_name(uint16_t machine)
{
	const struct dt_machine *m = dt_machine_elf(machine);

	return m != NULL ? m->name : NULL;
}

/* ---- calls in objects ---- */

/*
 * __dtrace_my_db___query__start: a provider's name may itself contain __, so the declarations decide.
 */
static const struct dt_usdt_probe *probe_of(const struct link *l, const char *rest)
{
	for (const char *sep = strstr(rest, "___"); sep != NULL; sep = strstr(sep + 1, "___")) {
		for (uint32_t i = 0; i < l->set.nprobes; i++) {
			const struct dt_usdt_probe *p = &l->set.probes[i];

			if (strncmp(p->provider->name, rest, (size_t)(sep - rest)) == 0 &&
			    p->provider->name[sep - rest] == '\0' && strcmp(p->source, sep + 3) == 0)
				return p;
		}
	}
	return NULL;
}

/* False: no declared probe has that name. The map keeps each symbol to one stub. */
static bool add_stub(struct link *l, const char *symbol, bool enabled, const char *rest)
{
	const struct dt_usdt_probe *p = probe_of(l, rest);
	struct dt_usdt_stub s = { .probe = p, .enabled = enabled };

	if (p == NULL)
		return false;
	s.symbol = dt_arena_strdup(l->arena, symbol);
	s.args = dt_usdt_callargs(l->arena, l->job->types, l->machine, p->sig);
	dt_vec_push(l->arena, &l->stubs, s);
	dt_map_put(&l->known, s.symbol, (void *)(uintptr_t)l->stubs.n);
	dt_map_put(&l->sited, p->provider->name, (void *)(uintptr_t)p);
	return true;
}

/*
 * mydb_idle_semaphore: a program that only asks whether a probe is enabled has a site too. Headers name
 * the semaphore where it is used.
 */
static void on_semaphore(struct link *l, const char *symbol)
{
	size_t len = strlen(symbol), end = strlen("_semaphore");

	if (len <= end || strcmp(symbol + len - end, "_semaphore") != 0)
		return;
	for (uint32_t i = 0; i < l->set.nprobes; i++) {
		const struct dt_usdt_probe *p = &l->set.probes[i];
		size_t lp = strlen(p->provider->name);

		if (len == lp + 1 + strlen(p->source) + end && strncmp(symbol, p->provider->name, lp) == 0 &&
		    symbol[lp] == '_' && strncmp(symbol + lp + 1, p->source, strlen(p->source)) == 0)
			dt_map_put(&l->sited, p->provider->name, (void *)(uintptr_t)p);
	}
}

/* Handles one symbol of an object. */
static int on_symbol(void *ctx, const char *symbol, bool undefined)
{
	static const char call[] = "__dtrace_", enabled[] = "__dtraceenabled_";
	struct link *l = ctx;
	const char *rest;
	bool is_enabled = strncmp(symbol, enabled, sizeof(enabled) - 1) == 0;

	on_semaphore(l, symbol);
	if (!undefined || (!is_enabled && strncmp(symbol, call, sizeof(call) - 1) != 0))
		return 0;
	rest = symbol + (is_enabled ? sizeof(enabled) : sizeof(call)) - 1;
	if (strstr(rest, "___") == NULL || dt_map_get(&l->known, symbol) != NULL)
		return 0;
	if (!add_stub(l, symbol, is_enabled, rest))
		return dt_usdt_fail(l->job, EDT_NOPROBE,
		    "%s calls %s, and no provider given declares that probe", l->object, symbol);
	return 0;
}

static int on_note(void *ctx, const struct dt_sdt_note *n)
{
	struct link *l = ctx;

	dt_map_put(&l->sited, n->provider, l);
	return 0;
}

/* Sites of our headers are notes. Objects of gcc -flto have none yet, as the linker compiles them. */
static int on_section(void *ctx, struct dt_elf *e, const char *name, uint32_t index)
{
	struct link *l = ctx;
	const void *data;
	size_t len;

	if (strcmp(name, ".note.stapsdt") == 0 && dt_elf_section_at(e, index, &data, &len) == 0) {
		(void)dt_sdt_notes_unlinked(data, len, on_note, l);
		dt_elf_forget(e, data);
	}
	l->opaque |= strncmp(name, ".gnu.lto_", 9) == 0;
	return 0;
}

/* A provider without a site is most often a misspelt macro, or an object that was left out. */
static int check_sites(struct link *l)
{
	for (uint32_t i = 0; i < l->set.nproviders && !l->opaque; i++) {
		const char *name = l->set.providers[i]->name;

		if (dt_map_get(&l->sited, name) == NULL)
			return dt_usdt_fail(l->job, EDT_NOPROBES,
			    "No probe sites found for declared provider: no object given has a site of %s. "
			    "Give -G all objects that use its macros, or none",
			    name);
	}
	return 0;
}

/* The object that -G writes is for one machine: that of the first object that says so. */
static int check_machine(struct link *l, uint16_t machine)
{
	const char *name = machine_name(machine), *path = l->object;
	char known[128];

	if (name == NULL)
		return dt_usdt_fail(l->job, EDT_OBJIO, "%s is for machine %u: -G links objects for %s", path,
		    machine, dt_machine_names(known, sizeof(known)));
	if (l->machine != 0 && l->machine != machine)
		return dt_usdt_fail(l->job, EDT_OBJIO, "%s is for %s, but %s is for %s", path, name,
		    l->machine_of, machine_name(l->machine));
	l->machine = machine;
	l->machine_of = path;
	return 0;
}

/* A table of symbols that cannot be read is as none. */
static int read_elf(struct link *l, struct dt_elf *e)
{
	int status = check_machine(l, dt_elf_machine(e));

	if (status == 0)
		status = dt_elf_each_symbol(e, on_symbol, l);
	if (status == -ENOMEM)
		return dt_usdt_fail(l->job, EDT_OBJIO, "cannot read %s: out of memory", l->object);
	if (status == 0 || status == -ENOENT)
		status = dt_elf_each_section(e, on_section, l);
	return status;
}

/* The file is read whole and freed here; stubs keep copies of its names. */
static int read_object(struct link *l, const char *path)
{
	struct dt_elf *elf;
	char msg[200], *data;
	size_t len;
	int status = dt_file_read(path, OBJECT_MAX, &data, &len);

	if (status != 0)
		return dt_usdt_fail(l->job, EDT_OBJIO, "cannot read %s: %s", path, strerror(-status));
	l->object = path;
	status = dt_relobj_open(&elf, data, len, msg, sizeof(msg));
	if (status < 0)
		return dt_usdt_fail(l->job, EDT_OBJIO, "%s: %s", path, msg);
	if (status > 0) {
		l->opaque = true;	/* the compiler's own format: nothing to be seen in it */
		return 0;
	}
	status = read_elf(l, elf);
	dt_elf_close(elf);
	return status;
}

/* ---- what is written ---- */

static const char *const *type_names(struct dt_arena *arena, const struct dt_type **types, uint32_t n)
{
	const char **out = DT_NEWN(arena, const char *, n + 1);

	for (uint32_t i = 0; i < n; i++)
		out[i] = dt_type_str(arena, types[i]);
	return out;
}

/* The probes of all providers are in one list, in the order of the providers, as in the set. */
static int make_dof(struct link *l, void **dof, size_t *len)
{
	struct dt_dofprov *provs = DT_NEWN(l->arena, struct dt_dofprov, l->set.nproviders);
	struct dt_dofprobe *probes = DT_NEWN(l->arena, struct dt_dofprobe, l->set.nprobes);
	uint32_t next = 0;

	for (uint32_t i = 0; i < l->set.nproviders; i++) {
		const struct dt_declared *p = l->set.providers[i];

		provs[i] = (struct dt_dofprov){
			.name = p->name, .probes = probes + next, .nprobes = p->probes.n
		};
		for (int k = 0; k < 5; k++)
			provs[i].attrs[k] = p->has_attrs ?
			    p->attrs.part[k] :
			    (struct dt_attr){ DTRACE_STABILITY_PRIVATE, DTRACE_STABILITY_PRIVATE,
				    DTRACE_CLASS_UNKNOWN };
		for (uint32_t k = 0; k < p->probes.n; k++, next++) {
			const struct dt_probe_sig *s = l->set.probes[next].sig;

			probes[next] = (struct dt_dofprobe){ l->set.probes[next].name, "", s->nin, s->nout,
				type_names(l->arena, s->in, s->nin), type_names(l->arena, s->out, s->nout),
				s->map };
		}
	}
	return dt_dofprov_write(provs, l->set.nproviders, dof, len);
}

static int write_file(struct link *l, const char *path, const void *data, size_t len)
{
	FILE *f = dt_outfile(path, false, false);
	int err = 0;

	if (f == NULL)
		return dt_usdt_fail(l->job, errno, "cannot write %s: %s", path, strerror(errno));
	if (fwrite(data, 1, len, f) != len)
		err = errno != 0 ? errno : EIO;
	if (fclose(f) != 0 && err == 0)
		err = errno;
	if (err == 0)
		return 0;
	unlink(path);			/* half an object is worse than none */
	return dt_usdt_fail(l->job, err, "cannot write %s: %s", path, strerror(err));
}

static int write_object(struct link *l, const char *path)
{
	struct dt_usdt_object in = {
		.machine = l->machine, .set = &l->set, .stubs = l->stubs.v, .nstubs = (uint32_t)l->stubs.n
	};
	size_t len;
	void *dof;
	int err = make_dof(l, &dof, &in.doflen);

	if (err == -EFBIG)
		return dt_usdt_fail(l->job, EDT_DIFSIZE, "the declared providers are too big to be written");
	if (err != 0)
		return dt_usdt_fail(l->job, EDT_NOMEM, NULL);
	in.dof = dt_arena_memdup(l->arena, dof, in.doflen);
	free(dof);
	if (l->job->bare)
		return write_file(l, path, in.dof, in.doflen);
	dof = dt_usdt_object(l->arena, &in, &len);
	return write_file(l, path, dof, len);
}

/* Without any object, or with objects that do not say, the machine is the one we run on. */
int dt_usdt_link(struct dt_usdt_job *job, const char *path, int nobjects, char *const objects[])
{
	struct link l = { .job = job, .arena = job->arena };
	int status = dt_usdt_collect(job, &l.set);

	dt_map_init(&l.known, l.arena);
	dt_map_init(&l.sited, l.arena);
	for (int i = 0; i < nobjects && status == 0; i++)
		status = read_object(&l, objects[i]);
	if (status == 0 && nobjects > 0)
		status = check_sites(&l);
	if (l.machine == 0)
		l.machine = dt_machine_here()->elf;
	return status == 0 ? write_object(&l, path) : status;
}
