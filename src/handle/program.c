/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Questions about compiled programs: what they hold, their listing, their DOF; and programs that come from
 * DOF. Programs belong to the handle and live until it is closed.
 */
#include "base/file.h"
#include "handle/entry.h"
#include "handle/errors.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/utsname.h>

static dtrace_attribute_t public_attr(struct dt_attr a)
{
	return (dtrace_attribute_t){ a.name, a.data, a.cls };
}

static uint32_t nkeys_of(const struct dt_prog *p, const struct dt_difo *id)
{
	for (uint32_t i = 0; i < p->naggs; i++)
		if (id->nints > 0 && p->aggs[i].id == id->ints[0])
			return p->aggs[i].nkeys;
	return 0;
}

/*
 * Every recording action counts; of an aggregation the record with its number and those of its keys, as in
 * history, besides being one aggregate.
 */
static void count_actions(const struct dt_prog *p, const struct dt_ecb *e, dtrace_proginfo_t *info)
{
	if (dt_ecb_is_default(e))
		info->dpi_recgens++;
	for (uint32_t i = 0; i < e->nacts; i++) {
		const struct dt_act *a = &e->acts[i];

		if (a->kind == DT_ACT_SPECULATE)
			info->dpi_speculations++;
		else if (DT_ACT_IS_AGG(a->kind)) {
			info->dpi_aggregates++;
			info->dpi_recgens += a->ntuple > 0 ? 1 + nkeys_of(p, (a - a->ntuple)->difo) : 0;
		} else if (!a->in_tuple && !DT_ACT_IS_DESTRUCTIVE(a->kind) && a->kind != DT_ACT_SKIPZ &&
		    !(a->kind == DT_ACT_DIFEXPR && a->difo->rtype.size == 0))
			info->dpi_recgens++;
	}
}

void dtrace_program_info(dtrace_hdl_t *h, dtrace_prog_t *p, dtrace_proginfo_t *info)
{
	(void)h;
	memset(info, 0, sizeof(*info));
	info->dpi_descattr = public_attr(p->prog->descattr);
	info->dpi_stmtattr = public_attr(p->prog->stmtattr);
	for (uint32_t i = 0; i < p->prog->necbs; i++)
		count_actions(p->prog, &p->prog->ecbs[i], info);
}

/* Fills a public description; parts that are too long are cut. */
void dt_handle_desc(dtrace_probedesc_t *d, uint32_t id, const char *prov, const char *mod, const char *func,
    const char *name)
{
	memset(d, 0, sizeof(*d));
	d->dtpd_id = id;
	snprintf(d->dtpd_provider, sizeof(d->dtpd_provider), "%s", prov);
	snprintf(d->dtpd_mod, sizeof(d->dtpd_mod), "%s", mod);
	snprintf(d->dtpd_func, sizeof(d->dtpd_func), "%s", func);
	snprintf(d->dtpd_name, sizeof(d->dtpd_name), "%s", name);
}

/*
 * One call for each statement; a clause without statements counts as one. A nonzero value ends the iteration
 * and is returned.
 */
int dtrace_stmt_iter(dtrace_hdl_t *h, dtrace_prog_t *p, dtrace_stmt_f *f, void *arg)
{
	if (p == NULL || f == NULL)
		return dt_handle_error(h, EINVAL);
	for (uint32_t i = 0; i < p->prog->necbs; i++) {
		const struct dt_ecb *e = &p->prog->ecbs[i];
		dtrace_ecbdesc_t ecb;
		dtrace_stmtdesc_t stmt = { &ecb, public_attr(e->descattr), public_attr(e->stmtattr) };
		uint32_t last = 0;
		int rv;

		dt_handle_desc(&ecb.dted_probe, e->probe.id, e->probe.prov, e->probe.mod, e->probe.func,
		    e->probe.name);
		if (e->nacts == 0 && (rv = f(h, p, &stmt, arg)) != 0)
			return rv;
		for (uint32_t a = 0; a < e->nacts; a++) {
			if (e->acts[a].stmt == last)
				continue;
			last = e->acts[a].stmt;
			if ((rv = f(h, p, &stmt, arg)) != 0)
				return rv;
		}
	}
	return 0;
}

static void put_line(void *ctx, const char *line)
{
	fputs(line, ctx);
}

int dtrace_program_dump(dtrace_hdl_t *h, dtrace_prog_t *p, FILE *out)
{
	if (p == NULL || out == NULL)
		return dt_handle_error(h, EINVAL);
	for (size_t i = 0; i < p->nlisting; i++)
		dt_difo_list(p->listing[i], put_line, out);
	return ferror(out) ? dt_handle_error(h, EIO) : 0;
}

/* ---- DOF ---- */

/* The memory is the caller's, to be given to dtrace_dof_destroy(). */
void *dtrace_dof_create(dtrace_hdl_t *h, dtrace_prog_t *p, unsigned int dflags)
{
	void *data;
	size_t len;
	int err = p == NULL || (dflags & ~(unsigned)DTRACE_D_MASK) ? -EINVAL :
	    dt_dof_write(p->prog, &data, &len);

	if (err == 0)
		return data;
	dt_handle_error(h, -err);
	return NULL;
}

/*
 * Compiles a program of the library's own, lets `fill` (may be NULL) change it, and returns it as DOF. The
 * program itself is freed: it was the newest of the handle.
 */
static void *own_dof(dtrace_hdl_t *h, const char *text, void (*fill)(dtrace_hdl_t *, struct dt_prog *))
{
	dtrace_prog_t *p = dtrace_program_strcompile(h, text, DTRACE_PROBESPEC_NAME,
	    DTRACE_C_EMPTY | DTRACE_C_NOLIBS | DTRACE_C_ZDEFS, 0, NULL);
	void *dof;

	if (p == NULL)
		return NULL;
	if (fill != NULL)
		fill(h, p->prog);
	dof = dtrace_dof_create(h, p, 0);
	h->programs = p->next;
	dt_arena_free(p->arena);
	return dof;
}

/* The run-time options that were set, in the form in which a program keeps its pragmas. */
static void fill_options(dtrace_hdl_t *h, struct dt_prog *prog)
{
	DT_VEC(const char *) list = { 0 };

	for (int i = 0; i < DT_NOPTS; i++) {
		const struct dt_optrow *row = dt_options_row((enum dt_opt)i);
		const char *value;

		if (!h->options.given[i] || row->cls == 'C')
			continue;
		value = dt_options_text(&h->options, (enum dt_opt)i, prog->arena);
		dt_vec_push(prog->arena, &list, row->name);
		dt_vec_push(prog->arena, &list, value != NULL ? value : "");
	}
	prog->options = list.v;
	prog->noptions = (uint32_t)list.n / 2;
}

void *dtrace_getopt_dof(dtrace_hdl_t *h)
{
	DT_PUBLIC(h, NULL, own_dof(h, "", fill_options));
}

/* The ERROR clause that an error handler stands for in history; this library reports errors without it. */
void *dtrace_geterr_dof(dtrace_hdl_t *h)
{
	static const char text[] = "dtrace:::ERROR { trace(arg1); trace(arg2);"
	    " trace(arg3); trace(arg4); trace(arg5); }";

	if (h->on.err_f == NULL) {
		dt_handle_error(h, EDT_BADERROR);
		return NULL;
	}
	DT_PUBLIC(h, NULL, own_dof(h, text, NULL));
}

void dtrace_dof_destroy(dtrace_hdl_t *h, void *dof)
{
	(void)h;
	free(dof);
}

int dtrace_program_save(dtrace_hdl_t *h, dtrace_prog_t *p, FILE *out)
{
	void *data;
	size_t len;
	int err = p == NULL || out == NULL ? -EINVAL : dt_dof_write(p->prog, &data, &len);

	if (err != 0)
		return dt_handle_error(h, -err);
	if (fwrite(data, 1, len, out) != len || fflush(out) != 0)
		err = errno != 0 ? errno : EIO;
	free(data);
	return err != 0 ? dt_handle_error(h, err) : 0;
}

/* What -S shows of a loaded program: its DIF in the order of clauses and actions. */
static const struct dt_difo **listing_of(const struct dt_prog *prog, size_t *n)
{
	DT_VEC(const struct dt_difo *) list = { 0 };

	for (uint32_t i = 0; i < prog->necbs; i++) {
		const struct dt_ecb *e = &prog->ecbs[i];

		if (e->pred != NULL)
			dt_vec_push(prog->arena, &list, e->pred);
		for (uint32_t a = 0; a < e->nacts; a++)
			if (e->acts[a].difo != NULL)
				dt_vec_push(prog->arena, &list, e->acts[a].difo);
	}
	*n = list.n;
	return list.v;
}

/* Sets the options that the program's pragmas set when it was compiled. */
static int set_options(dtrace_hdl_t *h, const struct dt_prog *prog)
{
	for (uint32_t i = 0; i < prog->noptions; i++) {
		const char *name = prog->options[2 * i], *value = prog->options[2 * i + 1];
		int err = dt_options_set(&h->options, name, value[0] != '\0' ? value : NULL,
		    DT_OPT_IN_PROGRAM);

		if (err != 0)
			return dt_handle_errorf(h, err, "failed to set option '%.64s': %s", name,
			    dt_error_text(err));
	}
	dt_handle_use_options(h);
	return 0;
}

/* Notes the running kernel: struct offsets are those of its type data. */
void dt_handle_kernel_of(struct dt_prog *prog)
{
	struct utsname u;

	uname(&u);
	prog->release = dt_arena_strdup(prog->arena, u.release);
	prog->version = dt_arena_strdup(prog->arena, u.version);
}

/*
 * The version is compared too: two builds may share a release and not the layout of their structs.
 */
static int check_kernel(struct dtrace_hdl *h, const struct dt_prog *prog)
{
	struct utsname u;

	uname(&u);
	if (prog->release == NULL || h->nosys ||
	    (strcmp(prog->release, u.release) == 0 && strcmp(prog->version, u.version) == 0))
		return 0;
	return dt_handle_errorf(h, EINVAL,
	    "the program was made for another kernel (%s %s): compile it again",
	    prog->release, prog->version);
}

/* Symbols of the kernel have another address with every boot: the names in the program say which they are. */
static int relocate(struct dtrace_hdl *h, const struct dt_difo *d)
{
	for (uint32_t i = 0; d != NULL && !h->nosys && i < d->nrelocs; i++) {
		const struct dt_difreloc *r = &d->relocs[i];
		const char *tick = strchr(r->name, '`'), *name = tick != NULL ? tick + 1 : r->name, *home;
		const char *module = tick != NULL ?
		    dt_arena_strndup(h->arena, r->name, (size_t)(tick - r->name)) : NULL;
		uint64_t addr;

		if (dt_handle_symbol(h, module, name, &addr, &home) != 0)
			return dt_handle_errorf(h, EDT_NOSYM,
			    "the program wants the address of %s, which this kernel does not show", r->name);
		((uint64_t *)d->ints)[r->index] = addr + r->addend;	/* the tables are the program's own */
	}
	return 0;
}

static int relocate_all(struct dtrace_hdl *h, const struct dt_prog *p)
{
	for (uint32_t i = 0; i < p->necbs; i++) {
		const struct dt_ecb *e = &p->ecbs[i];

		if (relocate(h, e->pred) != 0)
			return -1;
		for (uint32_t a = 0; a < e->nacts; a++)
			if (relocate(h, e->acts[a].difo) != 0)
				return -1;
	}
	return 0;
}

/*
 * dt_dof_read() checks every byte before anything is used. The program's arena then follows the handle's, so
 * that lack of memory ends the call and not the process.
 */
dtrace_prog_t *dt_handle_load(struct dtrace_hdl *h, const void *dof, size_t len)
{
	struct dt_prog *prog;
	dtrace_prog_t *p;
	char msg[256];

	if (dt_dof_read(dof, len, &prog, msg, sizeof(msg)) != 0) {
		dt_handle_errorf(h, EDT_DIFINVAL, "DIF program content is invalid: %s", msg);
		return NULL;
	}
	if (check_kernel(h, prog) != 0 || relocate_all(h, prog) != 0 || set_options(h, prog) != 0) {
		dt_prog_free(prog);
		return NULL;
	}
	dt_arena_follow(prog->arena, h->arena);
	p = DT_NEW(prog->arena, struct dtrace_prog);
	p->prog = prog;
	p->arena = prog->arena;
	p->listing = listing_of(prog, &p->nlisting);
	p->next = h->programs;
	h->programs = p;
	return p;
}

/* An entry of its own: the caller's buffer must be freed after a failure too. */
static dtrace_prog_t *try_load(dtrace_hdl_t *h, const char *data, size_t len)
{
	DT_PUBLIC(h, NULL, dt_handle_load(h, data, len));
}

dtrace_prog_t *dtrace_program_load(dtrace_hdl_t *h, FILE *in)
{
	dtrace_prog_t *p;
	char *data;
	size_t len;
	int err;

	if (in == NULL) {
		dt_handle_error(h, EINVAL);
		return NULL;
	}
	err = dt_file_readfd(fileno(in), 64u << 20, &data, &len);
	if (err != 0) {
		dt_handle_errorf(h, EDT_FIO, "Error occurred while reading from input stream: %s",
		    strerror(-err));
		return NULL;
	}
	p = try_load(h, data, len);
	free(data);
	return p;
}
