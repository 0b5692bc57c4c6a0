/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * difrun [--dof] [--kernel] [--btf FILE] FILE [args…]: compiles a D file with the library, runs it in the
 * interpreter over the firings that its header comment names, and prints to stdout what dtrace would print,
 * without the CPU and ID columns.
 *
 *   --dof        The program is saved as DOF and read back, and that one runs.
 *   --btf FILE   The kernel's types are those of the file.
 *   --kernel     It runs in both executors, with what can be real of the firings made real (see place.c).
 *                Text, faults, drops and the variables at the end must be the same.
 *
 * The status is 0; 1 when the program does not compile or the executors differ; 2 for a bad directive; with
 * --kernel 3 when it does not compile, and 77 when this kernel cannot run it or we may not.
 *
 * Directives, one a line, in the comment that opens the file; dtrace:::END fires last:
 *
 *   @fire: PROV:MOD:FUNC:NAME [arg0=N …] [pid=N] [execname=TEXT] [stack=0x1,0x2] …
 *              a firing; without any, dtrace:::BEGIN fires
 *   @mem: kernel|user|user-rw ADDR "text" | hex 01 02 … | u8|u16|u32|u64 N …
 *              memory that the program may read
 *   @opt: name=value     @quiet     @show: vars     @args: words for $1 …
 */
#include "run.h"

#include "base/count.h"
#include "base/file.h"
#include "session/session.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- directives ---- */

/* Options go to the compiler, and those the interpreter has to the interpreter. */
static void directive_opt(struct run *r, char *line)
{
	char *w;

	while ((w = word(&line))) {
		char *eq = strchr(w, '=');
		dtrace_optval_t v;

		if (eq)
			*eq++ = '\0';
		if (dtrace_setopt(r->hdl, w, eq) != 0)
			fatal(w, dtrace_errmsg(r->hdl, dtrace_errno(r->hdl)));
		if (dtrace_getopt(r->hdl, w, &v) != 0 || v < 0)
			continue;
		if (strcmp(w, "strsize") == 0)
			r->iopts.strsize = (uint32_t)v;
		else if (strcmp(w, "scratchsize") == 0)
			r->iopts.scratchsize = (uint32_t)v;
		else if (strcmp(w, "dynvarsize") == 0)
			r->iopts.dynvarsize = (uint64_t)v;
		else if (strcmp(w, "nspec") == 0)
			r->iopts.nspec = v ? (uint32_t)v : DT_INTERP_NSPEC_NONE;
	}
}

static void directive_args(struct run *r, char *line)
{
	char *w;

	/* operands given by hand win */
	while (r->argc < MAX_WORDS - 1 && (w = word(&line))) {
		unquote(w);
		r->argv[r->argc++] = w;
	}
}

static void directive(struct run *r, char *line, bool args_given)
{
	while (isspace((unsigned char)*line) || *line == '*')
		line++;
	if (strncmp(line, "@fire:", 6) == 0)
		directive_fire(&r->in, line + 6);
	else if (strncmp(line, "@mem:", 5) == 0)
		directive_mem(&r->in, line + 5);
	else if (strncmp(line, "@opt:", 5) == 0)
		directive_opt(r, line + 5);
	else if (strncmp(line, "@args:", 6) == 0 && !args_given)
		directive_args(r, line + 6);
	else if (strncmp(line, "@show:", 6) == 0)
		r->show_vars = strstr(line, "vars") != NULL;
	else if (strncmp(line, "@quiet", 6) == 0)
		r->popts.quiet = true;
}

/* Only the comments before the first line of D are read. */
static void read_directives(struct run *r, char *text, bool args_given)
{
	char *save = NULL;

	while (*text) {
		while (isspace((unsigned char)*text))
			text++;
		if (text[0] == '#' && text[1] == '!') {
			text += strcspn(text, "\n");
			continue;
		}
		char *end = strncmp(text, "/*", 2) == 0 ? strstr(text + 2, "*/") : NULL;
		if (!end)
			break;
		*end = '\0';
		for (char *l = strtok_r(text + 2, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
			directive(r, l, args_given);
		text = end + 2;
	}
}

/* ---- the whole ---- */

static void fire(struct run *r, struct dt_context *c)
{
	c->regions = r->in.regions.v;
	c->nregions = (uint32_t)r->in.regions.n;
	r->firing = c;
	if (r->places)
		places_real(r->places, c);
	if (r->kernel) {
		places_become(c);
		kernel_fire(r->kernel, c);
		places_return();
	} else {
		dt_interp_fire(r->interp, c);
	}
	run_put_lines(r);
	fwrite(dt_out_text(&r->out), 1, r->out.len, r->to);
	dt_out_clear(&r->out);
}

/* What runs it. A program the kernel does not take is a difference. */
static bool open_executor(struct run *r, bool kernel)
{
	struct dt_interp_sink sink = run_sink(r);
	struct kernel_input in = { .prog = r->prog, .probes = r->in.probes.v,
		.nprobes = (uint32_t)r->in.probes.n, .opts = r->iopts,
		.sink = sink, .types = dt_handle_types(r->hdl) };
	char msg[4096] = "";
	bool refused = false;

	if (!kernel) {
		r->interp = dt_interp_new(r->prog, &r->iopts, &sink);
		if (!r->interp)
			fatal("interpreter", "out of memory");
		return true;
	}
	r->kernel = kernel_open(&in, &refused, msg, sizeof(msg));
	/* a program that needs what this kernel does not have is no difference */
	if (!r->kernel && (!refused || strstr(msg, "this kernel does not"))) {
		printf("%s\n", msg);
		exit(77);
	}
	if (!r->kernel)
		fprintf(r->to, "the kernel refuses it: %s\n", msg);
	return r->kernel != NULL;
}

static void run_program(struct run *r, bool kernel)
{
	struct dt_context end = firing(&r->in, "dtrace:::END");
	struct dt_statement_ops ops;

	r->status = -1;
	r->aggs = DT_NEWN(r->arena, struct aggstate, r->prog->naggs + 1);
	for (uint32_t i = 0; i < r->prog->naggs; i++)
		r->aggs[i].normal = 1;
	if (!open_executor(r, kernel))
		return;
	dt_out_init(&r->out, NULL, &r->popts);
	ops = run_statement_ops(r);
	dt_statements_init(&r->statements, r->arena, &r->out, &ops);
	for (size_t i = 0; i < r->in.fires.n && r->status < 0; i++)
		fire(r, &r->in.fires.v[i]);
	fire(r, &end);
	run_print_rest(r);
	if (r->show_vars)
		run_put_vars(r);
	if (r->status > 0)
		dt_out_printf(&r->out, "exit status %d\n", r->status);
	fwrite(dt_out_text(&r->out), 1, r->out.len, r->to);
	dt_out_clear(&r->out);
	r->shown = ftell(r->to);
	if (r->places && !r->show_vars)	/* compared too, but not part of what the test prints */
		run_put_vars(r);
	fwrite(dt_out_text(&r->out), 1, r->out.len, r->to);
	dt_out_free(&r->out);
	dt_interp_free(r->interp);
	kernel_close(r->kernel);
}

/* Told memory gets its place, the same in both runs, and its first contents; what names it follows. */
static void make_real(struct run *r)
{
	struct dt_region *real = DT_NEWN(r->arena, struct dt_region, r->in.regions.n + 1);

	if (r->places->n == 0 && !places_make(r->places, r->in.regions.v, (uint32_t)r->in.regions.n)) {
		printf("kernel memory cannot be made: %s\n", strerror(errno));
		exit(77);
	}
	places_fill(r->places, r->in.regions.v, real);
	if (r->in.regions.n)
		memcpy(r->in.regions.v, real, r->in.regions.n * sizeof(*real));
	places_move_prog(r->places, r->prog);
}

/* The program as it is after a way through DOF; the way back must give the same bytes. */
static struct dt_prog *through_dof(const struct dt_prog *prog)
{
	void *data, *again;
	size_t len, len2;
	struct dt_prog *back;
	char msg[256] = "";

	if (dt_dof_write(prog, &data, &len) != 0)
		fatal("DOF", "cannot be written");
	if (dt_dof_read(data, len, &back, msg, sizeof(msg)) != 0)
		fatal("DOF cannot be read back", msg);
	if (dt_dof_write(back, &again, &len2) != 0 || len != len2 || memcmp(data, again, len) != 0)
		fatal("DOF", "changes when it is read and written again");
	free(data);
	free(again);
	return back;
}

static dtrace_prog_t *compile(struct run *r, const char *path)
{
	FILE *f = fopen(path, "r");
	dtrace_prog_t *p;

	if (!f)
		fatal(path, strerror(errno));
	p = dtrace_program_fcompile(r->hdl, f, DTRACE_C_ZDEFS | DTRACE_C_ETAGS, r->argc, r->argv);
	if (!p)
		fprintf(r->to, "dtrace: failed to compile script %s: %s\n%s", path,
		    dtrace_errmsg(r->hdl, dtrace_errno(r->hdl)), dtrace_errexcerpt(r->hdl));
	fclose(f);
	return p;
}

/* Options set in the program text count too; they are known only after the compile. */
static void late_options(struct run *r)
{
	static const struct { const char *name; size_t off; } flags[] = {
		{ "quiet", offsetof(struct dt_print_opts, quiet) },
		{ "agghist", offsetof(struct dt_print_opts, agghist) },
		{ "aggpack", offsetof(struct dt_print_opts, aggpack) },
		{ "aggzoom", offsetof(struct dt_print_opts, aggzoom) },
		{ "rawbytes", offsetof(struct dt_print_opts, rawbytes) },
	};
	dtrace_optval_t v;
	bool on = true;

	for (size_t i = 0; i < DT_COUNT(flags); i++)
		if (run_option_on(r, flags[i].name))
			memcpy((char *)&r->popts + flags[i].off, &on, sizeof(on));
	if (dtrace_getopt(r->hdl, "stackindent", &v) == 0 && v >= 0)
		r->popts.stackindent = (uint32_t)v;
	if (dtrace_getopt(r->hdl, "strsize", &v) == 0 && v > 0)
		r->iopts.strsize = (uint32_t)v;
	if (dtrace_getopt(r->hdl, "nspec", &v) == 0 && v >= 0)
		r->iopts.nspec = v ? (uint32_t)v : DT_INTERP_NSPEC_NONE;
}

/* Types of another kernel than the running one. */
static void use_btf(struct run *r, const char *path)
{
	char *data;
	size_t len;

	if (dt_file_read(path, 256u << 20, &data, &len) != 0 ||
	    dt_types_add_btf(dt_handle_types(r->hdl), "vmlinux", data, len) != 0)
		fatal("cannot be used as BTF", path);
	free(data);
}

struct mode { bool dof, both; const char *btf; };

/* Takes the flags off. */
static struct mode read_flags(int *argc, char ***argv)
{
	struct mode m = { 0 };

	for (; *argc > 1 && strncmp((*argv)[1], "--", 2) == 0; ++*argv, --*argc) {
		if (strcmp((*argv)[1], "--dof") == 0) {
			m.dof = true;
		} else if (strcmp((*argv)[1], "--kernel") == 0) {
			m.both = true;
		} else if (strcmp((*argv)[1], "--btf") == 0 && *argc > 2) {
			m.btf = (*argv)[2];
			++*argv;
			--*argc;
		} else
			fatal("unknown flag", (*argv)[1]);
	}
	return m;
}

static void prepare(struct run *r, int argc, char **argv, char *text)
{
	int err;

	r->arena = r->in.arena = dt_arena_new();
	r->popts = dt_print_defaults;
	r->popts.numeric = true;
	r->hdl = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &err);
	if (!r->hdl)
		fatal("dtrace_open", dtrace_errmsg(NULL, err));
	for (int i = 1; i < argc && r->argc < MAX_WORDS; i++)
		r->argv[r->argc++] = argv[i];
	probe_id(&r->in, "dtrace:::BEGIN");
	probe_id(&r->in, "dtrace:::END");
	probe_id(&r->in, "dtrace:::ERROR");
	read_directives(r, text, argc > 2);
	if (r->in.fires.n == 0) {
		struct dt_context begin = firing(&r->in, "dtrace:::BEGIN");
		dt_vec_push(r->arena, &r->in.fires, begin);
	}
}

/* The whole from the text on, in one executor; 0, or 1 when it does not compile. */
static int run_file(const struct mode *m, int argc, char **argv, struct places *places, bool kernel, FILE *to,
    long *shown)
{
	struct run r = { .iopts = { .strsize = 256 }, .places = places, .to = to };
	char *text;
	size_t len;

	if (argc < 2 || dt_file_read(argv[1], DT_SOURCE_MAX, &text, &len) != 0)
		fatal("usage: difrun [--dof] [--kernel] [--btf FILE] FILE [args]", argc < 2 ? "" : argv[1]);
	prepare(&r, argc, argv, text);
	if (m->btf)
		use_btf(&r, m->btf);
	dtrace_prog_t *p = compile(&r, argv[1]);
	if (p) {
		struct dt_prog *back = NULL;
		late_options(&r);
		r.popts.types = dt_handle_types(r.hdl);
		r.prog = dt_handle_prog(p);
		if (m->dof)
			r.prog = back = through_dof(r.prog);
		if (places)
			make_real(&r);
		run_program(&r, kernel);
		if (back)
			dt_prog_free(back);
	}
	*shown = r.shown;
	dtrace_close(r.hdl);
	dt_arena_free(r.arena);
	free(text);
	return p ? 0 : 1;
}

/* Each line that is not the same, both ways, from the first to the last that differs. */
static void show_difference(const char *want, const char *got)
{
	size_t same = 0, tail = 0, w = strlen(want), g = strlen(got);

	for (size_t i = 0; want[i] && want[i] == got[i]; i++)
		if (want[i] == '\n')
			same = i + 1;
	while (tail < w - same && tail < g - same && want[w - 1 - tail] == got[g - 1 - tail])
		tail++;
	while (tail && want[w - tail] != '\n')
		tail--;
	printf("the interpreter:\n%.*s\nthe kernel:\n%.*s\n", (int)(w - same - tail), want + same,
	    (int)(g - same - tail), got + same);
}

static int run_both(const struct mode *m, int argc, char **argv)
{
	struct places places = { .n = 0 };
	char *text[2] = { NULL, NULL };
	int status = 0;
	long shown = 0;

	places_stay();
	for (int i = 0; i < 2; i++) {
		size_t len;
		FILE *f = open_memstream(&text[i], &len);

		if (!f)
			fatal("memory", strerror(errno));
		status |= run_file(m, argc, argv, &places, i == 1, f, &shown);
		fclose(f);
	}
	if (strcmp(text[0], text[1]) != 0) {
		show_difference(text[0], text[1]);
		status = 1;
	} else if (status == 0) {
		printf("%.*s", (int)shown, text[1]);
	} else {
		status = 3;
	}
	free(text[0]);
	free(text[1]);
	return status;
}

int main(int argc, char **argv)
{
	bool ask = argc == 2 && strcmp(argv[1], "--rights") == 0;
	struct mode m = ask ? (struct mode){ 0 } : read_flags(&argc, &argv);
	struct dt_features feat;
	char msg[512];
	long shown;

	if (ask) {			/* may --kernel work? */
		if (dt_features_probe(&feat, msg, sizeof(msg)) == 0)
			return 0;
		printf("%s\n", msg);
		return 77;
	}
	return m.both ? run_both(&m, argc, argv) : run_file(&m, argc, argv, NULL, false, stdout, &shown);
}
