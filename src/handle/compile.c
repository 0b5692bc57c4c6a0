/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pipeline: text, tree, meaning, program. A compile has one arena and one way out when it fails: the
 * first error jumps to the setjmp() of its entry (base/diag.h). Everything the text declared or set is then
 * taken back, and the handle is as it was before.
 *
 * Two jumps must not be confused: diag.env catches errors of the program and lack of memory in the compile's
 * arena, DT_PUBLIC() catches lack of memory everywhere else. Between begin_compile() and end_compile() the
 * handle's arenas jump to diag.env, so both ends free the compile.
 */
#include "base/file.h"
#include "process/cpp.h"
#include "handle/entry.h"
#include "handle/errors.h"
#include "syntax/parser.h"

#include <errno.h>
#include <stdlib.h>

/* One compile, from begin_compile() to finish_program(), end_compile() or fail_compile(). */
struct compile {
	struct dtrace_hdl *h;
	struct dt_arena *arena;
	struct dt_diag diag;
	struct dt_parse parse;
	struct dt_sema sema;
	unsigned cflags;
	/* the handle's jump when memory is out, before this compile */
	jmp_buf *outer;
	struct dt_compiler_mark mark;
	struct dt_options before;		/* as they were: a program that fails changes none */
	uint32_t libraries;
	DT_VEC(const char *) options;
};

/* ---- options that steer the compiler ---- */

static void use_amin(struct dtrace_hdl *h)
{
	const char *text = h->options.str[DT_OPT_amin];

	h->compiler.has_amin = text != NULL && dt_attr_parse(text, &h->compiler.amin);
}

/* The table of options keeps each value in its range, so it fits; one that is not set is 0. */
static uint32_t option_value(const struct dtrace_hdl *h, enum dt_opt opt)
{
	int64_t v = h->options.val[opt];

	return v != DTRACEOPT_UNSET ? (uint32_t)v : 0;
}

/* The compiler keeps copies of some options; this refreshes them after any change. */
void dt_handle_use_options(struct dtrace_hdl *h)
{
	struct dt_compiler *cc = &h->compiler;

	cc->strsize = option_value(h, DT_OPT_strsize);
	dt_types_strsize(h->types, cc->strsize);
	cc->stackframes = option_value(h, DT_OPT_stackframes);
	cc->ustackframes = option_value(h, DT_OPT_ustackframes);
	cc->jstackframes = option_value(h, DT_OPT_jstackframes);
	cc->maxframes = option_value(h, DT_OPT_maxframes);
	cc->jstackstrsize = option_value(h, DT_OPT_jstackstrsize);
	cc->scratchsize = option_value(h, DT_OPT_scratchsize);
	cc->iregs = option_value(h, DT_OPT_iregs);
	cc->tregs = option_value(h, DT_OPT_tregs);
	cc->version = option_value(h, DT_OPT_version);
	use_amin(h);
}

bool dt_handle_flag(const struct dtrace_hdl *h, unsigned cflag)
{
	return (h->cflags | dt_options_cflags(&h->options)) & cflag;
}

/* Tells the parser what the flags of the call and of the options allow. Called again after each pragma. */
static void parse_flags(struct compile *c)
{
	unsigned f = c->cflags | dt_options_cflags(&c->h->options);

	c->parse.pspec = c->parse.src->kind == DT_SRC_STRING || (f & DTRACE_C_PSPEC);
	c->parse.empty_ok = f & (DTRACE_C_EMPTY | DTRACE_C_CTL);
	c->parse.defaultargs = f & DTRACE_C_DEFARG;
	c->parse.argref = f & (DTRACE_C_ARGREF | DTRACE_C_CTL);
}

/*
 * #pragma D option takes effect while the rest of the program is being read: the words of a later clause may
 * depend on it. The pragmas are also kept with the program, so that a saved program sets them again.
 */
static void pragma_option(void *ctx, struct dt_parse *p, struct dt_loc loc, const char *word)
{
	struct compile *c = (struct compile *)((char *)p - offsetof(struct compile, parse));
	struct dtrace_hdl *h = ctx;
	int err = dt_options_set_word(&h->options, word, DT_OPT_IN_PROGRAM);
	const char *near, *eq = strchr(word, '=');

	const char *name = dt_arena_strndup(c->arena, word, eq != NULL ? (size_t)(eq - word) : strlen(word)),
	    *hint = NULL;

	if (err != 0) {
		near = err == EDT_BADOPTNAME ? dt_options_near(name) : NULL;
		if (near != NULL)
			hint = dt_arena_printf(c->arena, "did you mean `%s`?", near);
		else if (err == EDT_BADOPTVAL)
			hint = dt_arena_printf(c->arena, "it takes %s", dt_options_form(c->arena, name));
		dt_fail_hint(p->diag, D_PRAGMA_OPTSET, loc, hint, "failed to set option '%.64s'%s%.64s%s: %s",
		    name, eq != NULL ? " to '" : "", eq != NULL ? eq + 1 : "", eq != NULL ? "'" : "",
		    dt_error_text(err));
	}
	dt_vec_push(c->arena, &c->options, name);
	dt_vec_push(c->arena, &c->options, eq != NULL ? eq + 1 : "");
	dt_handle_use_options(h);
	parse_flags(c);
}

/* ---- one compile ---- */

/*
 * Notes the state that a failure goes back to, and lets the handle's memory errors end this compile. NULL
 * when there is no memory: the handle's error says so.
 */
static struct compile *begin_compile(struct dtrace_hdl *h, unsigned cflags)
{
	struct compile *c = calloc(1, sizeof(*c));

	dt_handle_error(h, 0);
	if (c != NULL && (c->arena = dt_arena_new()) == NULL) {
		free(c);
		c = NULL;
	}
	if (c == NULL) {
		dt_handle_error(h, EDT_NOMEM);
		return NULL;
	}
	c->h = h;
	c->cflags = cflags;
	c->diag.arena = c->arena;
	c->mark = dt_compiler_mark(&h->compiler);
	c->before = h->options;
	c->libraries = h->libraries.loaded;
	h->diag = &c->diag;
	h->cflags = cflags;
	dt_arena_follow(c->arena, h->arena);
	c->outer = dt_arena_on_oom(h->arena, &c->diag.env);
	return c;
}

/* The handle is no longer in a compile; the struct and its arena are still the caller's to free. */
static void end_compile(struct compile *c)
{
	dt_arena_on_oom(c->h->arena, c->outer);
	c->h->diag = NULL;
	c->h->cflags = 0;
}

/* Fills the message and the excerpt of the error, as far as there is memory for them. */
static void put_texts(struct compile *c, bool tags)
{
	struct dtrace_hdl *h = c->h;
	struct dt_arena *text;
	jmp_buf oom;

	if (setjmp(oom) != 0 || (text = dt_handle_texts(h, &oom)) == NULL)
		return;
	h->errmsg = dt_diag_line(&c->diag, text, tags);
	h->excerpt = dt_diag_excerpt(&c->diag, text);
}

/*
 * Takes everything back that the compile has done to the handle, and frees the compile. The error texts are
 * copied first, because they lie in the arena that goes.
 */
static void fail_compile(struct compile *c)
{
	struct dtrace_hdl *h = c->h;
	bool tags = dt_handle_flag(h, DTRACE_C_ETAGS);

	end_compile(c);
	dt_handle_error(h, c->diag.msg != NULL ? EDT_COMPILER : EDT_NOMEM);
	if (c->diag.msg != NULL)
		put_texts(c, tags);
	h->options = c->before;
	dt_compiler_cut(&h->compiler, &c->mark);
	dt_libraries_cut(h, c->libraries);
	dt_arena_free(c->arena);
	free(c);
}

/* Points the parser at a text. The source copies the text, so `text` need not live on. */
static void set_source(struct compile *c, enum dt_source_kind kind, const char *name, const char *text,
    size_t len)
{
	c->parse.src = dt_source_new(c->arena, kind, name, text, len);
	c->parse.arena = c->arena;
	c->parse.diag = &c->diag;
	c->parse.spec = DT_PART_NAME;
	c->parse.ctx = c->h;
	c->parse.macro = dt_handle_macro;
	c->parse.is_type = dt_handle_is_type;
	c->parse.option = pragma_option;
	c->parse.pragma = dt_pragma_check;
	parse_flags(c);
}

static void dump_line(void *ctx, const char *line)
{
	fprintf(ctx, "%s\n", line);
}

/* -x tree: of the listings that history has, 1, 2 and 8 are the tree as it was parsed, and 4 is the code. */
static bool wants_listing(const dtrace_hdl_t *h, int64_t which)
{
	int64_t v = h->options.val[DT_OPT_tree];

	return h->dump != NULL && v > 0 && (v & which) != 0;
}

/*
 * DTRACE_C_CTL: control lines are read and nothing else, as in history, whatever stands around them. The
 * other lines are blanked rather than removed, so that messages name the right line.
 */
static void only_control_lines(char *text, size_t len)
{
	for (size_t at = 0, next; at < len; at = next) {
		char *line = text + at, *eol = memchr(line, '\n', len - at);
		size_t n = eol != NULL ? (size_t)(eol - line) : len - at, blank = 0;

		while (blank < n && strchr(" \t\f\v", line[blank]) != NULL)
			blank++;
		if (blank == n || line[blank] != '#')
			memset(line, ' ', n);
		next = at + n + 1;
	}
}

/* Makes the program. It takes over the compile's arena, and the handle takes over the program. */
static dtrace_prog_t *finish_program(struct compile *c)
{
	dtrace_prog_t *p = DT_NEW(c->arena, struct dtrace_prog);

	p->prog = dt_sema_program(&c->sema);
	dt_handle_kernel_of(p->prog);
	p->prog->options = c->options.v;
	p->prog->noptions = (uint32_t)c->options.n / 2;
	p->arena = c->arena;
	p->listing = c->sema.listing.v;
	p->nlisting = c->sema.listing.n;
	p->cflags = c->cflags;
	p->next = c->h->programs;
	c->h->programs = p;
	end_compile(c);
	return p;
}

/*
 * Parses, checks and generates one program. The order matters: options before libraries, because they name
 * the directories; libraries before the source, so that an error in them is reported first; options again
 * after parsing, because pragmas may have changed them. Frees `c` on both ways out.
 */
static dtrace_prog_t *compile_program(struct compile *c, enum dt_source_kind kind, const char *name,
    const char *text, size_t len, dtrace_probespec_t spec, int argc, char *const argv[])
{
	struct dt_unit *unit;
	dtrace_prog_t *p;
	bool used[64] = { 0 }, listed;

	if (setjmp(c->diag.env) != 0) {
		fail_compile(c);
		return NULL;
	}
	dt_handle_use_options(c->h);
	if (len > DT_SOURCE_MAX) {
		struct dt_loc none = { 0 };

		dt_fail(&c->diag, D_SYNTAX, none, "the program is %zu bytes long: at most %u are read", len,
		    DT_SOURCE_MAX);
	}
	dt_libraries_start(c->h);
	set_source(c, kind, name, text, len);
	if (dt_handle_flag(c->h, DTRACE_C_CTL))
		only_control_lines((char *)c->parse.src->text, c->parse.src->len);
	c->parse.spec = spec;
	c->parse.bare = kind == DT_SRC_STRING;
	c->parse.argc = argc;
	c->parse.argv = argv;
	c->parse.argused = argc <= 64 ? used : DT_NEWN(c->arena, bool, (size_t)argc);
	unit = dt_parse(&c->parse);
	if (wants_listing(c->h, 1 | 2 | 8))
		dt_ast_dump(unit, dump_line, c->h->dump);
	dt_handle_use_options(c->h);
	dt_sema_init(&c->sema, &c->h->compiler, c->arena, &c->diag);
	c->sema.unmatched = (c->h->nodev && c->h->options.str[DT_OPT_replay] == NULL) ||
	    dt_handle_flag(c->h, DTRACE_C_ZDEFS);
	dt_sema_unit(&c->sema, unit);
	listed = wants_listing(c->h, 4) || (c->h->dump != NULL && dt_handle_flag(c->h, DTRACE_C_DIFV));
	p = finish_program(c);
	dt_debug(c->h, "compiled %s: %u clauses, %zu DIFOs, %u libraries loaded", name, p->prog->necbs,
	    p->nlisting, c->h->libraries.loaded);
	if (listed)
		(void)dtrace_program_dump(c->h, p, c->h->dump);
	free(c);
	return p;
}

static bool bad_operands(int argc, char *const argv[])
{
	return argc < 0 || (argc > 0 && argv == NULL);
}

/* Command-line text is named in messages by the flag it came with. */
static const char *source_name(dtrace_probespec_t spec)
{
	static const char *const flags[] = { "-i", "-P", "-m", "-f", "-n" };

	return spec >= DTRACE_PROBESPEC_NONE && spec <= DTRACE_PROBESPEC_NAME ? flags[spec + 1] : "program";
}

/* The body of dtrace_program_strcompile(). */
static dtrace_prog_t *compile_text(dtrace_hdl_t *h, const char *text, dtrace_probespec_t spec,
    unsigned int cflags, int argc, char *const argv[])
{
	struct compile *c;

	if (text == NULL || bad_operands(argc, argv) || (cflags & ~(unsigned)DTRACE_C_MASK)) {
		dt_handle_error(h, EINVAL);
		return NULL;
	}
	c = begin_compile(h, cflags);
	if (c == NULL)
		return NULL;
	return compile_program(c, DT_SRC_STRING, source_name(spec), text, strlen(text), spec, argc, argv);
}

dtrace_prog_t *dtrace_program_strcompile(dtrace_hdl_t *h, const char *text, dtrace_probespec_t spec,
    unsigned int cflags, int argc, char *const argv[])
{
	DT_PUBLIC(h, NULL, compile_text(h, text, spec, cflags, argc, argv));
}

/* Reads the script, through the preprocessor if asked. *text is malloc()ed and the caller's on success. */
static int read_script(dtrace_hdl_t *h, FILE *f, unsigned cflags, const char *name, char **text, size_t *len)
{
	struct dt_cpp cpp = { .path = h->options.str[DT_OPT_cpppath], .name = name, .args = h->options.cpp.v,
		.nargs = h->options.cpp.n, .headers = dt_options_on(&h->options, DT_OPT_cpphdrs),
		.traditional = h->options.val[DT_OPT_stdc] == 's' };
	int err = dt_file_readfd(fileno(f), DT_SOURCE_MAX, text, len);

	if (err == -EFBIG)
		return dt_handle_errorf(h, EDT_FIO, "the script is too long: at most %u MB are read",
		    DT_SOURCE_MAX >> 20);
	if (err != 0)
		return dt_handle_errorf(h, EDT_FIO, "Error occurred while reading from input stream: %s",
		    strerror(-err));
	if (!((cflags | dt_options_cflags(&h->options)) & DTRACE_C_CPP))
		return 0;
	cpp.version = (uint32_t)h->options.val[DT_OPT_version];
	cpp.text = *text;
	cpp.len = *len;
	err = dt_cpp_run(&cpp, DT_SOURCE_MAX, text, len);
	free((void *)cpp.text);
	switch (err) {
	case 0: return 0;
	case -ENOENT: return dt_handle_errorf(h, EDT_CPPENT,
	    "Preprocessor not found: %s (-x cpppath names another)", cpp.path != NULL ? cpp.path : "cpp");
	case -ECHILD: return dt_handle_error(h, EDT_CPPERR);
	case -EAGAIN: return dt_handle_error(h, EDT_CPPFORK);
	case -EFBIG: return dt_handle_errorf(h, EDT_FIO,
	    "the preprocessed script is too long: at most %u MB are read", DT_SOURCE_MAX >> 20);
	default: return dt_handle_errorf(h, EDT_CPPEXEC, "Failed to exec preprocessor: %s", strerror(-err));
	}
}

/* The body of dtrace_program_fcompile(). argv[0] names the script in messages. */
static dtrace_prog_t *compile_file(dtrace_hdl_t *h, FILE *f, unsigned int cflags, int argc,
    char *const argv[])
{
	const char *name = argc > 0 && argv != NULL ? argv[0] : "script";
	dtrace_prog_t *p = NULL;
	struct compile *c;
	char *text;
	size_t len;

	if (f == NULL || bad_operands(argc, argv) || (cflags & ~(unsigned)DTRACE_C_MASK)) {
		dt_handle_error(h, EINVAL);
		return NULL;
	}
	if (read_script(h, f, cflags, name, &text, &len) != 0)
		return NULL;
	c = begin_compile(h, cflags);
	if (c != NULL)
		p = compile_program(c, DT_SRC_FILE, name, text, len, DTRACE_PROBESPEC_NAME, argc, argv);
	free(text);
	return p;
}

dtrace_prog_t *dtrace_program_fcompile(dtrace_hdl_t *h, FILE *f, unsigned int cflags, int argc,
    char *const argv[])
{
	DT_PUBLIC(h, NULL, compile_file(h, f, cflags, argc, argv));
}

int dtrace_dump_to(dtrace_hdl_t *h, FILE *f)
{
	h->dump = f;
	return 0;
}

/* ---- types and descriptions ---- */

/*
 * Compiles a type expression ("struct task_struct *"). Types are interned in the handle, so *info outlives
 * the compile.
 */
static int type_of(struct compile *c, const char *text, dtrace_typeinfo_t *info)
{
	const struct dt_type *t;

	if (setjmp(c->diag.env) != 0) {
		fail_compile(c);
		return -1;
	}
	dt_handle_use_options(c->h);
	set_source(c, DT_SRC_STRING, "type", text, strlen(text));
	c->parse.context = DT_CTX_TYPE;
	dt_sema_init(&c->sema, &c->h->compiler, c->arena, &c->diag);
	t = dt_sema_type(&c->sema, dt_parse(&c->parse)->type);
	dt_handle_typeinfo(c->h, t, info);
	end_compile(c);
	dt_arena_free(c->arena);
	free(c);
	return 0;
}

static int compile_type(dtrace_hdl_t *h, const char *text, dtrace_typeinfo_t *info)
{
	struct compile *c;

	if (text == NULL || info == NULL || strlen(text) > DT_SOURCE_MAX)
		return dt_handle_error(h, EINVAL);
	c = begin_compile(h, 0);
	return c != NULL ? type_of(c, text, info) : -1;
}

static int copy_text(dtrace_hdl_t *h, const char *text, size_t len, const char **copy)
{
	*copy = dt_arena_strndup(h->scratch, text, len);
	return 0;
}

/* An entry of its own: the text was malloc()ed and must be freed even if there is no memory for the copy. */
static int copy_out(dtrace_hdl_t *h, const char *text, size_t len, const char **copy)
{
	DT_PUBLIC(h, -1, copy_text(h, text, len, copy));
}

static int compile_type_file(dtrace_hdl_t *h, FILE *f, dtrace_typeinfo_t *info)
{
	const char *copy;
	char *text;
	size_t len;
	int err;

	if (f == NULL)
		return dt_handle_error(h, EINVAL);
	err = dt_file_readfd(fileno(f), DT_SOURCE_MAX, &text, &len);
	if (err != 0)
		return dt_handle_error(h, err == -ENOMEM ? EDT_NOMEM : EDT_FIO);
	err = copy_out(h, text, len, &copy);
	free(text);
	return err != 0 ? -1 : compile_type(h, copy, info);
}

int dtrace_type_fcompile(dtrace_hdl_t *h, FILE *f, dtrace_typeinfo_t *info)
{
	DT_PUBLIC(h, -1, compile_type_file(h, f, info));
}

int dtrace_type_strcompile(dtrace_hdl_t *h, const char *text, dtrace_typeinfo_t *info)
{
	DT_PUBLIC(h, -1, compile_type(h, text, info));
}

/* A part that does not fit is an error, not a shorter name: that would match other probes. */
static int copy_part(char *to, size_t size, const char *from)
{
	if (strlen(from) >= size)
		return ENAMETOOLONG;
	strcpy(to, from);
	return 0;
}

/* Parses a probe description and fills the caller's struct. Nothing of the compile is left. */
static int parse_description(struct compile *c, dtrace_probespec_t spec, const char *text, int argc,
    char *const argv[], dtrace_probedesc_t *out)
{
	struct dtrace_hdl *h = c->h;
	struct dt_pdesc *p;
	int err;

	if (setjmp(c->diag.env) != 0) {
		err = c->parse.refused;
		fail_compile(c);
		if (err != 0 && h->err == EDT_COMPILER)
			h->err = err;		/* the historic code; the message stays */
		return -1;
	}
	set_source(c, DT_SRC_STRING, text, text, strlen(text));
	c->parse.spec = spec;
	c->parse.argc = argc;
	c->parse.argv = argv;
	p = dt_parse_pdesc(&c->parse, c->parse.src->text, c->parse.src->len,
	    (struct dt_loc){ c->parse.src, 0, c->parse.src->len });
	memset(out, 0, sizeof(*out));
	out->dtpd_id = p->id;
	err = copy_part(out->dtpd_provider, sizeof(out->dtpd_provider), p->prov);
	err = err != 0 ? err : copy_part(out->dtpd_mod, sizeof(out->dtpd_mod), p->mod);
	err = err != 0 ? err : copy_part(out->dtpd_func, sizeof(out->dtpd_func), p->func);
	err = err != 0 ? err : copy_part(out->dtpd_name, sizeof(out->dtpd_name), p->name);
	end_compile(c);
	dt_arena_free(c->arena);
	free(c);
	return err != 0 ? dt_handle_error(h, err) : 0;
}

static int compile_desc(dtrace_hdl_t *h, dtrace_probespec_t spec, const char *text, int argc,
    char *const argv[], dtrace_probedesc_t *out)
{
	struct compile *c;

	if (text == NULL || out == NULL || bad_operands(argc, argv) || strlen(text) > DT_SOURCE_MAX ||
	    spec < DTRACE_PROBESPEC_NONE || spec > DTRACE_PROBESPEC_NAME)
		return dt_handle_error(h, EINVAL);
	c = begin_compile(h, 0);
	return c != NULL ? parse_description(c, spec, text, argc, argv, out) : -1;
}

int dtrace_xstr2desc(dtrace_hdl_t *h, dtrace_probespec_t spec, const char *text, int argc, char *const argv[],
    dtrace_probedesc_t *out)
{
	DT_PUBLIC(h, -1, compile_desc(h, spec, text, argc, argv, out));
}

int dtrace_str2desc(dtrace_hdl_t *h, dtrace_probespec_t spec, const char *text, dtrace_probedesc_t *out)
{
	return dtrace_xstr2desc(h, spec, text, 0, NULL, out);
}
