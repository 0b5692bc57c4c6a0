/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dtrace -h and -G for a handle: the providers that its programs declared are given to src/usdt, which writes
 * the header or the object.
 */
#include "handle/entry.h"
#include "handle/errors.h"
#include "usdt/usdt.h"

#include <errno.h>

/* A job of src/usdt: 0, or its error in the job. */
typedef int make_f(struct dt_usdt_job *, void *ctx);

/* Runs one job in an arena of its own; its error becomes the handle's. */
static int run_job(dtrace_hdl_t *h, make_f *make, void *ctx)
{
	struct dt_usdt_job job = {
		.types = h->types, .providers = &h->compiler.providers,
		.bare = h->options.val[DT_OPT_linktype] == DT_LINKTYPE_DOF,
	};
	int status;

	job.arena = dt_arena_under(h->arena);
	status = make(&job, ctx);
	if (status != 0)
		status = job.why != NULL ? dt_handle_errorf(h, job.err, "%s", job.why) :
		    dt_handle_error(h, job.err);
	dt_arena_free(job.arena);
	return status;
}

struct header_to { FILE *out; const char *name; };

static int make_header(struct dt_usdt_job *job, void *ctx)
{
	const struct header_to *to = ctx;

	return dt_usdt_header(job, to->out, to->name);
}

int dtrace_program_header(dtrace_hdl_t *h, FILE *out, const char *fname)
{
	struct header_to to = { out, fname != NULL && *fname != '\0' ? fname : "usdt.h" };

	if (out == NULL)
		return dt_handle_error(h, EINVAL);
	DT_PUBLIC(h, -1, run_job(h, make_header, &to));
}

struct link_to { const char *file; int objc; char *const *objv; };

static int make_link(struct dt_usdt_job *job, void *ctx)
{
	const struct link_to *to = ctx;

	return dt_usdt_link(job, to->file, to->objc, to->objv);
}

/* -G links declarations of probes. A program with clauses is refused: nothing would run them. */
int dtrace_program_link(dtrace_hdl_t *h, dtrace_prog_t *p, unsigned int dflags, const char *file, int objc,
    char *const objv[])
{
	struct link_to to = { file, objc, objv };

	if (file == NULL || objc < 0 || (objc > 0 && objv == NULL) || (dflags & ~(unsigned)DTRACE_D_MASK))
		return dt_handle_error(h, EINVAL);
	if (p != NULL && p->prog->necbs > 0)
		return dt_handle_errorf(h, EDT_UNSUPPORTED,
		    "a program linked by -G holds declarations only, and this one has "
		    "clauses: give them to dtrace when it traces");
	DT_PUBLIC(h, -1, run_job(h, make_link, &to));
}
