/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * difrun [--dof] [--kernel] [--btf FILE] FILE [args…]: compiles a D file with the library, runs it in the interpreter over firings told in
 * its header comment, and prints to stdout what dtrace would print, without the CPU and ID columns. With --dof the program
 * is saved as DOF, read back, and that one runs; --btf takes the kernel's types from a file. With --kernel it runs in both executors with
 * what of the firings can be real made real (see place.c): text, faults, drops and the variables at the end must be the same,
 * else the status is 1; 3: it does not compile; 77: this kernel cannot, or we may not. Directives, one a line, in the comment that opens the file:
 *
 *   @fire: PROV:MOD:FUNC:NAME [arg0=N …] [pid=N] [execname=TEXT] [stack=0x1,0x2] …   a firing; none: dtrace:::BEGIN
 *   @mem: kernel|user|user-rw ADDR "text" | hex 01 02 … | u8|u16|u32|u64 N …          memory the program may read
 *   @opt: name=value     @quiet     @show: vars     @args: words for $1 …
 *
 * dtrace:::END fires last. Exit status: 0; 1 when the program does not compile; 2 for a bad directive.
 */
#include "run.h"

#include "base/file.h"
#include "session/session.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
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
			r->iopts.nspec = (uint32_t)v;
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

static void op_setopt(void *ctx, const char *name, const char *value)
{
	struct run *r = ctx;

	if (strcmp(name, "quiet") == 0)
		r->popts.quiet = true;
	if (dtrace_setopt(r->hdl, name, value) != 0)
		dt_out_printf(&r->out, "dtrace: couldn't set option \"%s\" to \"%s\": %s\n", name, value ? value : "1",
		    dtrace_errmsg(r->hdl, dtrace_errno(r->hdl)));
}

static void op_system(void *ctx, const char *command)
{
	dt_out_printf(&((struct run *)ctx)->out, "system: %s\n", command);
}

static void op_freopen(void *ctx, const char *name)
{
	dt_out_printf(&((struct run *)ctx)->out, "freopen: %s\n", name);
}

static void op_exit(void *ctx, int status)
{
	((struct run *)ctx)->status = status;
}

static const struct dt_type *op_type(void *ctx, const char *name)
{
	dtrace_typeinfo_t info;

	return dtrace_type_strcompile(((struct run *)ctx)->hdl, name, &info) == 0 ? info.dtt_type : NULL;
}

/* Destructive actions are only told. */
static void op_other(void *ctx, const struct dt_rec *rec)
{
	struct dt_out *out = &((struct run *)ctx)->out;

	switch (rec->act->kind) {
	case DT_ACT_STOP: dt_out_str(out, "stop"); return;
	case DT_ACT_RAISE: dt_out_printf(out, "raise %" PRId64, dt_rec_int(rec)); return;
	case DT_ACT_CHILL: dt_out_printf(out, "chill %" PRId64, dt_rec_int(rec)); return;
	case DT_ACT_PANIC: dt_out_str(out, "panic"); return;
	case DT_ACT_BREAKPOINT: dt_out_str(out, "breakpoint"); return;
	}
}

/* ---- what the interpreter tells ---- */

static void tell_begin(void *ctx, const struct dt_ecb *ecb, uint32_t epid, const struct dt_context *c)
{
	struct run *r = ctx;

	(void)ecb;
	(void)epid;
	r->recs.n = 0;
	r->clause = c;
}

static void tell_record(void *ctx, const struct dt_ecb *ecb, uint32_t act, const void *data, size_t len)
{
	struct run *r = ctx;
	struct dt_rec rec = { &ecb->acts[act], dt_arena_alloc(r->arena, len + 1), len };

	if (rec.act->kind == DT_ACT_SKIPZ)
		return;
	memcpy((void *)rec.data, data, len);
	if (r->places && (rec.act->kind == DT_ACT_STACK || rec.act->kind == DT_ACT_USTACK || rec.act->kind == DT_ACT_JSTACK))
		memset((void *)rec.data, 0, len);	/* a told stack is not ours: only that one is there counts */
	dt_vec_push(r->arena, &r->recs, rec);
}

static void tell_end(void *ctx, const struct dt_ecb *ecb, bool faulted)
{
	struct run *r = ctx;
	const struct dt_probedesc *p = &r->clause->probe;
	char name[512];

	if (faulted || (r->recs.n == 0 && !dt_ecb_is_default(ecb)))
		return;
	snprintf(name, sizeof(name), "%s:%s", p->func, p->name);
	if (!r->popts.quiet)
		dt_out_printf(&r->out, "%32s ", name);
	dt_statements_print(&r->statements, r->recs.v, r->recs.n);
	if (!r->popts.quiet)
		dt_out_str(&r->out, "\n");
}

static void tell_fault(void *ctx, const struct dt_ecb *ecb, uint32_t epid, int act, int offset, enum dt_fault fault,
    uint64_t addr)
{
	struct run *r = ctx;
	const struct dt_context *c = r->firing;

	(void)ecb;
	dt_out_printf(&r->out, "dtrace: error on enabled probe ID %u (ID %u: %s:%s:%s:%s): %s", epid, c->probe_id,
	    c->probe.prov, c->probe.mod, c->probe.func, c->probe.name, dt_fault_text(fault));
	/* where executors keep their own things differs */
	if ((fault == DT_FLT_BADADDR || fault == DT_FLT_BADALIGN || fault == DT_FLT_BADSTACK) && (!r->places || addr >> 47 == 0))
		dt_out_printf(&r->out, " (0x%" PRIx64 ")", addr);
	if (act < 0)
		dt_out_str(&r->out, " in predicate");
	else
		dt_out_printf(&r->out, " in action #%d", act + 1);
	if (offset >= 0)
		dt_out_printf(&r->out, " at DIF offset %d", offset);
	dt_out_str(&r->out, "\n");
}

static void tell_drop(void *ctx, const char *kind)
{
	struct run *r = ctx;
	bool spec = strcmp(kind, "failed speculation") == 0;
	const char *tail = spec ? " (no speculative buffer available)" : strstr(kind, "error") ? "" : " drop";
	char *line = dt_arena_printf(r->arena, "dtrace: 1 %s%s\n", kind, tail);

	if (r->places)			/* the kernel counts them: they are told when the firing is over */
		dt_vec_push(r->arena, &r->lines, line);
	else
		dt_out_str(&r->out, line);
}

/* [1,"text"]: each key is its length and its bytes; eight bytes are a number. */
static void show_keys(struct run *r, const struct dt_interp_var *iv)
{
	const char *p = iv->key, *end = p + iv->keylen;
	uint64_t len, value;

	if (!iv->keylen)
		return;
	for (char c = '['; end - p >= 8; c = ',') {
		memcpy(&len, p, 8);
		p += 8;
		if (len > (uint64_t)(end - p))
			break;
		dt_out_put(&r->out, &c, 1);
		if (len == 8) {
			memcpy(&value, p, 8);
			dt_out_printf(&r->out, "%" PRId64, (int64_t)value);
		} else {
			dt_out_str(&r->out, "\"");
			dt_out_escaped(&r->out, p, strnlen(p, len));
			dt_out_str(&r->out, "\"");
		}
		p += len;
	}
	dt_out_str(&r->out, "]");
}

static bool is_zero(const struct dt_interp_var *iv)
{
	/* behind a string's end is what was there */
	for (size_t i = 0; iv->bytes && i < (iv->var->type.kind == DT_DT_STRING ? 1 : iv->len); i++)
		if (((const char *)iv->bytes)[i])
			return false;
	return !iv->null && (iv->bytes || iv->value == 0);
}

static void show_var(void *ctx, const struct dt_interp_var *iv)
{
	static const char *const scopes[] = { "", "self->", "this->" };
	struct run *r = ctx;
	struct dt_print_opts quiet = r->popts;
	const struct dt_diftype *t = &iv->var->type;
	uint64_t word = iv->value;
	struct dt_value v;

	if (iv->bytes)
		dt_record_plain(t, iv->bytes, iv->len, &v);
	else
		dt_record_plain(t, &word, t->size && t->size <= 8 ? t->size : 8, &v);
	dt_out_printf(&r->out, "%s%s", scopes[iv->var->scope < 3 ? iv->var->scope : 0], iv->var->name);
	show_keys(r, iv);
	if (iv->var->scope == DT_DIFV_THREAD)
		dt_out_printf(&r->out, " (thread %u)", iv->tid);
	dt_out_str(&r->out, " = ");
	quiet.quiet = true;
	r->out.opts = &quiet;
	if (iv->null)
		dt_out_str(&r->out, "NULL");
	else if (r->places && t->ckind == DT_CK_POINTER && iv->value >> 47)
		dt_out_str(&r->out, "an address");
	else
		dt_value_trace(&r->out, &v);
	r->out.opts = &r->popts;
	dt_out_str(&r->out, "\n");
}

/* Both executors' in one order; globals that nothing has been put in are not there in the kernel. */
static void collect_var(void *ctx, const struct dt_interp_var *iv)
{
	struct run *r = ctx;
	size_t before = r->out.len;

	if (iv->var->scope == DT_DIFV_GLOBAL && !iv->keylen && is_zero(iv))
		return;
	show_var(r, iv);
	dt_vec_push(r->arena, &r->lines, dt_arena_strndup(r->arena, dt_out_text(&r->out) + before, r->out.len - before));
	r->out.len = before;
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void put_lines(struct run *r)
{
	if (r->lines.n)
		qsort(r->lines.v, r->lines.n, sizeof(r->lines.v[0]), by_text);
	for (size_t i = 0; i < r->lines.n; i++)
		dt_out_str(&r->out, r->lines.v[i]);
	r->lines.n = 0;
}

static void put_vars(struct run *r)
{
	if (r->kernel)
		kernel_vars(r->kernel, collect_var, r);
	else if (r->places)
		dt_interp_vars(r->interp, collect_var, r);
	else
		dt_interp_vars(r->interp, show_var, r);
	put_lines(r);
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
	put_lines(r);
	fwrite(dt_out_text(&r->out), 1, r->out.len, r->to);
	dt_out_clear(&r->out);
}

/* What runs it. A program the kernel does not take is a difference. */
static bool open_executor(struct run *r, bool kernel)
{
	struct dt_interp_sink sink = { r, tell_begin, tell_record, tell_end, tell_fault, tell_drop };
	struct kernel_input in = { .prog = r->prog, .probes = r->in.probes.v, .nprobes = (uint32_t)r->in.probes.n, .opts = r->iopts,
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

	r->status = -1;
	r->aggs = DT_NEWN(r->arena, struct aggstate, r->prog->naggs + 1);
	for (uint32_t i = 0; i < r->prog->naggs; i++)
		r->aggs[i].normal = 1;
	if (!open_executor(r, kernel))
		return;
	dt_out_init(&r->out, NULL, &r->popts);
	dt_statements_init(&r->statements, r->arena, &r->out, &(struct dt_statement_ops){ .ctx = r, .rows = run_rows,
	    .clear = run_clear, .trunc = run_trunc, .normalize = run_normalize, .setopt = op_setopt, .system = op_system,
	    .freopen = op_freopen, .exit = op_exit, .type = op_type, .other = op_other });
	for (size_t i = 0; i < r->in.fires.n && r->status < 0; i++)
		fire(r, &r->in.fires.v[i]);
	fire(r, &end);
	run_print_rest(r);
	if (r->show_vars)
		put_vars(r);
	if (r->status > 0)
		dt_out_printf(&r->out, "exit status %d\n", r->status);
	fwrite(dt_out_text(&r->out), 1, r->out.len, r->to);
	dt_out_clear(&r->out);
	r->shown = ftell(r->to);
	if (r->places && !r->show_vars)	/* compared too, but not part of what the test prints */
		put_vars(r);
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
		{ "quiet", offsetof(struct dt_print_opts, quiet) }, { "agghist", offsetof(struct dt_print_opts, agghist) },
		{ "aggpack", offsetof(struct dt_print_opts, aggpack) }, { "aggzoom", offsetof(struct dt_print_opts, aggzoom) },
		{ "rawbytes", offsetof(struct dt_print_opts, rawbytes) },
	};
	dtrace_optval_t v;
	bool on = true;

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (run_option_on(r, flags[i].name))
			memcpy((char *)&r->popts + flags[i].off, &on, sizeof(on));
	if (dtrace_getopt(r->hdl, "stackindent", &v) == 0 && v >= 0)
		r->popts.stackindent = (uint32_t)v;
	if (dtrace_getopt(r->hdl, "strsize", &v) == 0 && v > 0)
		r->iopts.strsize = (uint32_t)v;
	if (dtrace_getopt(r->hdl, "nspec", &v) == 0 && v >= 0)
		r->iopts.nspec = (uint32_t)v;
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
static int run_file(const struct mode *m, int argc, char **argv, struct places *places, bool kernel, FILE *to, long *shown)
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
	printf("the interpreter:\n%.*s\nthe kernel:\n%.*s\n", (int)(w - same - tail), want + same, (int)(g - same - tail), got + same);
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
