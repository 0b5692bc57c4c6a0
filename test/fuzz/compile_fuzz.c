/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a D program through the whole library: compile, and when that succeeds the program must pass
 * the checker, survive DOF unchanged, be listed, and run in the interpreter, both as compiled and as read
 * back. Plain D is a good seed: a first byte below a blank (never the start of a program) says how to
 * compile and is taken off.
 */
#include "dif/builtin.h"
#include "interp/interp.h"
#include "dtrace.h"
#include "handle/handle.h"
#include "output/format.h"
#include "output/print.h"
#include "value/value_record.h"

#include <stdlib.h>

#define MAX_TEXT 8192		/* long programs find nothing short ones do not, and take longer */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool good, const char *what, const char *msg)
{
	if (good)
		return;
	fprintf(stderr, "compile_fuzz: %s: %s\n", what, msg);
	abort();
}

/* ---- printing what was recorded ---- */

struct shown { struct dt_out out; struct dt_print_opts opts; };

static void show_record(void *ctx, const struct dt_ecb *ecb, uint32_t act, const void *data, size_t len)
{
	struct shown *s = ctx;
	uint64_t *copy = calloc(len / 8 + 1, 8);	/* records are 8-aligned */

	if (copy == NULL)
		return;
	memcpy(copy, data, len);
	struct dt_value v;
	dt_record_value(&ecb->acts[act], copy, len, &v);
	dt_value_trace(&s->out, &v);
	dt_out_clear(&s->out);
	free(copy);
}

static void show_agg(void *ctx, const struct dt_aggvar *var, const struct dt_interp_key *keys, uint32_t nkeys,
    const int64_t *words, uint32_t nwords)
{
	struct shown *s = ctx;
	struct dt_value v[16], val = { .kind = DT_V_AGG, .aggkind = var->kind, .aggarg = var->arg,
		.words = words, .nwords = nwords, .normal = 1 };
	uint64_t *copy[16];
	uint32_t n = nkeys < 16 ? nkeys : 16;

	for (uint32_t i = 0; i < n; i++) {
		copy[i] = calloc(keys[i].len / 8 + 1, 8);
		memcpy(copy[i], keys[i].data, keys[i].len);
		dt_record_value(keys[i].act, copy[i], keys[i].len, &v[i]);
	}
	dt_agg_print(&s->out, &(struct dt_aggrow){ v, n, &val, 1, NULL }, 1);
	dt_out_clear(&s->out);
	for (uint32_t i = 0; i < n; i++)
		free(copy[i]);
}

/* ---- running ---- */

static uint8_t kernel[128] = { 'k', 'e', 'y', 0, 0xff, 1, 2, 3, 4, 5, 6, 7, 0x80 },
    user[128] = { 'u', 's', 'e', 'r', 0, 9 };
static struct dt_region regions[] = {
	{ .addr = 0xffff800000001000, .len = sizeof(kernel), .bytes = kernel },
	{ .addr = 0x10000, .len = sizeof(user), .bytes = user, .user = true, .writable = true },
};
static const uint64_t pcs[] = { 0xffff800000002000, 0xffff800000002010, 0xffff800000002020 };

static struct dt_context firing(const struct dt_ecb *e, unsigned n)
{
	struct dt_context c = { .probe = e->probe, .probe_id = n + 1,
		.arg = { 0xffff800000001000, 0x10000, n, (uint64_t)-1 },
		.timestamp = 1000000 * (n + 1), .vtimestamp = 5, .walltimestamp = 1000000000000000000,
		.pid = 100, .tid = 100 + n, .ppid = 1, .execname = "fuzz", .cwd = "/", .root = "/",
		.zonename = "global", .curthread = 0xffff800000001000,
		.caller = pcs[1], .ucaller = 0x10010, .stack = pcs, .nstack = 3, .ustack = pcs, .nustack = 2,
		.random = 7, .uregs = pcs, .nuregs = 3, .regions = regions, .nregions = 2 };

	return c;
}

/* Each clause's own description as a probe: globs match themselves only when they are *, which is enough. */
static void run(const struct dt_prog *prog, struct dt_types *types)
{
	struct shown s = { .opts = dt_print_defaults };
	struct dt_interp_opts opts = { .strsize = 64, .dynvarsize = 4096, .scratchsize = 4096 };
	struct dt_interp_sink sink = { .ctx = &s, .record = show_record };
	struct dt_interp *ip;

	s.opts.numeric = true;
	s.opts.types = types;
	dt_out_init(&s.out, NULL, &s.opts);
	ip = dt_interp_new(prog, &opts, &sink);
	must(ip != NULL, "interpreter", "no memory");
	for (uint32_t i = 0; i < prog->necbs && i < 32; i++) {
		struct dt_context c = firing(&prog->ecbs[i], i % 4);
		dt_interp_fire(ip, &c);
	}
	dt_interp_aggs(ip, show_agg, &s);
	dt_interp_free(ip);
	dt_out_free(&s.out);
}

static void ignore_line(void *ctx, const char *line)
{
	*(size_t *)ctx += strlen(line);
}

static void through_dof(const struct dt_prog *prog, struct dt_types *types)
{
	void *data, *again;
	size_t len, len2;
	struct dt_prog *back;
	char msg[256] = "";

	must(dt_dof_write(prog, &data, &len) == 0, "DOF", "cannot be written");
	must(dt_dof_read(data, len, &back, msg, sizeof(msg)) == 0, "DOF cannot be read", msg);
	must(dt_dof_write(back, &again, &len2) == 0, "DOF", "cannot be written again");
	must(len == len2 && memcmp(data, again, len) == 0, "DOF", "changes on its way");
	run(back, types);
	dt_prog_free(back);
	free(data);
	free(again);
}

static void use(dtrace_hdl_t *h, dtrace_prog_t *p)
{
	const struct dt_prog *prog = dt_handle_prog(p);
	size_t total = 0;
	char msg[256] = "";

	must(dt_prog_check(prog, msg, sizeof(msg)) == 0, "compiled, but refused", msg);
	for (size_t i = 0; i < p->nlisting; i++)
		dt_difo_list(p->listing[i], ignore_line, &total);
	run(prog, dt_handle_types(h));
	through_dof(prog, dt_handle_types(h));
}

static void compile(const char *text, unsigned how)
{
	static char *const argv[] = { "fuzz", "12", "-7", "name", "\"two words\"" };
	int err;
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV | DTRACE_O_NOSYS, &err);
	unsigned flags = DTRACE_C_ZDEFS | DTRACE_C_ARGREF | (how & 1 ? DTRACE_C_NOLIBS : 0) |
	    (how & 2 ? DTRACE_C_PSPEC : 0) |
	    (how & 4 ? DTRACE_C_DEFARG : 0) | (how & 8 ? DTRACE_C_EMPTY : 0);

	must(h != NULL, "dtrace_open", dtrace_errmsg(NULL, err));
	dtrace_proc_target(h, 42);
	dtrace_prog_t *p = dtrace_program_strcompile(h, text, DTRACE_PROBESPEC_NAME, flags, 5, argv);
	if (p != NULL)
		use(h, p);
	else
		must(dtrace_errmsg(h, dtrace_errno(h))[0] != '\0', "error without a message", text);
	/* after a program, or an error, the handle still works */
	must(dtrace_program_strcompile(h, "BEGIN { trace(1); }", DTRACE_PROBESPEC_NAME,
	    DTRACE_C_ZDEFS | DTRACE_C_NOLIBS, 0, NULL) !=
	    NULL, "the next compile fails", dtrace_errmsg(h, dtrace_errno(h)));
	dtrace_close(h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned how = size > 0 ? data[0] & 1 : 0;
	char *text;

	if (size > MAX_TEXT)
		return 0;
	if (size > 0 && data[0] < ' ' && data[0] != '\n' && data[0] != '\t') {
		how = data[0];
		data++;
		size--;
	}
	text = malloc(size + 1);
	if (text == NULL)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	compile(text, how);
	free(text);
	return 0;
}
