/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tree as text: one node a line, two blanks a level. Only words of this file and of the program are
 * printed: no addresses and no numbers of our own, so that two dumps can be compared.
 */
#include "syntax/parser.h"

#include <inttypes.h>
#include <stdio.h>

struct dump {
	void (*put)(void *, const char *);
	void *ctx;
};

static void dump_node(const struct dump *, unsigned level, const struct dt_node *);
static void dump_decls(const struct dump *, unsigned level, const char *what, const struct dt_decl *);
static void dump_decl(const struct dump *, unsigned level, const char *what, const struct dt_decl *);

/* Deeper levels are not indented further, so a line has room for a name of DT_WORD_MAX characters. */
enum { INDENT_MAX = 100, LINE = 1400 };

/* Hands out one line, without its newline. Text that is too long for it is cut. */
__attribute__((format(printf, 3, 4)))
static void dump_line(const struct dump *d, unsigned level, const char *fmt, ...)
{
	char text[LINE];
	unsigned n = 2 * (level < INDENT_MAX ? level : INDENT_MAX);
	va_list ap;

	memset(text, ' ', n);
	va_start(ap, fmt);
	vsnprintf(text + n, sizeof(text) - n, fmt, ap);
	va_end(ap);
	d->put(d->ctx, text);
}

static const char *or_empty(const char *s)
{
	return s ? s : "";
}

/* Control characters are escaped: the line must stay one line. */
static void dump_string(const struct dump *d, unsigned level, const struct dt_node *n)
{
	char text[1100];
	size_t o = 0;

	for (uint32_t i = 0; i < n->slen && o < sizeof(text) - 8; i++) {
		unsigned char c = (unsigned char)n->str[i];

		if (c == '"' || c == '\\')
			o += (size_t)snprintf(text + o, sizeof(text) - o, "\\%c", c);
		else if (c < ' ' || c == 0x7f)
			o += (size_t)snprintf(text + o, sizeof(text) - o, "\\%03o", c);
		else
			text[o++] = (char)c;
	}
	text[o] = '\0';
	dump_line(d, level, "string \"%s\"", text);
}

static void dump_int(const struct dump *d, unsigned level, const struct dt_node *n)
{
	dump_line(d, level, "int %" PRIu64 "%s%s%s%s%s", n->value, n->suffix & DT_INT_U ? " u" : "",
	    n->suffix & DT_INT_L ? " l" : "", n->suffix & DT_INT_LL ? " ll" : "",
	    n->suffix & DT_INT_NONDEC && n->value ? " hex-or-octal" : "",
	    n->suffix & DT_INT_CHAR ? " char" : "");
}

/* x++ and ++x have the same sign, and the tree must show which it is. */
static const char *unary_text(enum dt_op op)
{
	return op == DT_OP_POSTINC ? "post++" : op == DT_OP_POSTDEC ? "post--" : dt_op_text(op);
}

static void dump_tname(const struct dump *d, unsigned level, const struct dt_tname *t)
{
	if (t)
		dump_decl(d, level, "type-name", t->decl);
}

/* The line of a node without its operands. */
static void dump_headline(const struct dump *d, unsigned level, const struct dt_node *n)
{
	static const char *const scope[] = { "", "self->", "this->" };

	switch (n->kind) {
	case DT_N_INT: dump_int(d, level, n); break;
	case DT_N_STR: dump_string(d, level, n); break;
	case DT_N_IDENT: dump_line(d, level, "ident %s", n->name); break;
	case DT_N_VAR: dump_line(d, level, "variable %s%s", scope[n->scope], n->name); break;
	case DT_N_AGG: dump_line(d, level, "aggregation @%s", n->name); break;
	case DT_N_INDEX: dump_line(d, level, "index"); break;
	case DT_N_CALL: dump_line(d, level, "call"); break;
	case DT_N_MEMBER: dump_line(d, level, "member %s%s", n->arrow ? "->" : ".", n->name); break;
	case DT_N_UNARY: dump_line(d, level, "unary %s", unary_text(n->op)); break;
	case DT_N_BINARY: dump_line(d, level, "binary %s", dt_op_text(n->op)); break;
	case DT_N_ASSIGN: dump_line(d, level, "assign %s=", dt_op_text(n->op)); break;
	case DT_N_COND: dump_line(d, level, "cond ?:"); break;
	case DT_N_COMMA: dump_line(d, level, "comma"); break;
	case DT_N_CAST: dump_line(d, level, "cast"); break;
	case DT_N_SIZEOF: dump_line(d, level, "sizeof"); break;
	case DT_N_OFFSETOF: dump_line(d, level, "offsetof %s", n->name); break;
	case DT_N_STRINGOF: dump_line(d, level, "stringof"); break;
	case DT_N_XLATE: dump_line(d, level, "xlate"); break;
	case DT_N_SYM: dump_line(d, level, "symbol %s", or_empty(n->name)); break;
	case DT_N_XSTRUCT: dump_line(d, level, "translated %s", or_empty(n->name)); break;
	}
}

/* Operands in the order in which they are written: a, b, c, then the arguments. */
static void dump_node(const struct dump *d, unsigned level, const struct dt_node *n)
{
	if (!n)
		return;
	dump_headline(d, level, n);
	dump_tname(d, level + 1, n->tname);
	dump_node(d, level + 1, n->a);
	dump_node(d, level + 1, n->b);
	dump_node(d, level + 1, n->c);
	for (const struct dt_node *arg = n->list; arg; arg = arg->next)
		dump_node(d, level + 1, arg);
}

/* ---- types ---- */

/* Appends a word; text that does not fit is cut off. */
static void add_word(char *text, size_t size, const char *word)
{
	size_t n = strlen(text);

	snprintf(text + n, size - n, "%s%s", n ? " " : "", word);
}

static void add_quals(char *text, size_t size, uint8_t quals)
{
	static const char *const words[] = { "const", "volatile", "restrict", "userland" };

	for (unsigned i = 0; i < 4; i++) {
		if (quals & (1u << i))
			add_word(text, size, words[i]);
	}
}

/*
 * Words are shown as often as they were written: `long long` has two, and `short short` is sema's to
 * refuse.
 */
static void add_times(char *text, size_t size, const char *word, unsigned n)
{
	while (n-- > 0)
		add_word(text, size, word);
}

/* The tables follow the order of the enums in ast.h. */
static void dump_specs(const struct dump *d, unsigned level, const struct dt_specs *s)
{
	static const char *const storage[] = { "", "auto", "register", "static", "extern", "typedef", "self",
		"this" };
	static const char *const base[] = { "", "void", "char", "int", "float", "double", "_Bool", "string",
		"", "struct", "union", "enum" };
	char text[LINE - 100] = "";

	add_word(text, sizeof(text), "type");
	if (s->storage)
		add_word(text, sizeof(text), storage[s->storage]);
	add_quals(text, sizeof(text), s->quals);
	add_times(text, sizeof(text), "signed", s->nsigned);
	add_times(text, sizeof(text), "unsigned", s->nunsigned);
	add_times(text, sizeof(text), "short", s->nshort);
	add_times(text, sizeof(text), "long", s->nlong);
	if (*base[s->base])
		add_word(text, sizeof(text), base[s->base]);
	if (s->tname)
		add_word(text, sizeof(text), s->tname);
	dump_line(d, level, "%s", text);
	dump_decls(d, level + 1, "member", s->members);
	for (const struct dt_enumerator *e = s->enums; e; e = e->next) {
		dump_line(d, level + 1, "enumerator %s", e->name);
		dump_node(d, level + 2, e->value);
	}
}

/* Declarators come from the name outwards: "array of pointer to", as C declarations are read aloud. */
static void dump_declr(const struct dump *d, unsigned level, const struct dt_declr *r)
{
	static const char *const kind[] = { "pointer", "array", "function" };
	char quals[64] = "";

	add_quals(quals, sizeof(quals), r->quals);
	dump_line(d, level, "%s%s%s%s%s", kind[r->kind], *quals ? " " : "", quals, r->empty ? " empty" : "",
	    r->varargs ? " ..." : "");
	dump_node(d, level + 1, r->size);
	dump_decls(d, level + 1, r->kind == DT_DR_ARRAY ? "key" : "parameter", r->params);
}

/* One declared name; the specifiers of a declaration are shown with its first name only. */
static void dump_declared(const struct dump *d, unsigned level, const char *what, const struct dt_decl *decl,
    bool specs)
{
	dump_line(d, level, "%s%s%s", what, decl->name ? " " : "", or_empty(decl->name));
	for (const struct dt_declr *r = decl->declr; r; r = r->next)
		dump_declr(d, level + 1, r);
	if (specs)
		dump_specs(d, level + 1, decl->specs);
	else
		dump_line(d, level + 1, "type as before");
	if (decl->bits) {
		dump_line(d, level + 1, "bits");
		dump_node(d, level + 2, decl->bits);
	}
}

static void dump_decl(const struct dump *d, unsigned level, const char *what, const struct dt_decl *decl)
{
	if (decl)
		dump_declared(d, level, what, decl, true);
}

static void dump_decls(const struct dump *d, unsigned level, const char *what, const struct dt_decl *decl)
{
	const struct dt_specs *before = NULL;

	for (; decl; decl = decl->next) {
		dump_declared(d, level, what, decl, decl->specs != before);
		before = decl->specs;
	}
}

/* ---- the program ---- */

/* An empty statement is not in the tree, so an empty arm of an if has no line. */
static void dump_stmts(const struct dump *d, unsigned level, const struct dt_stmt *s)
{
	for (; s; s = s->next) {
		dump_line(d, level, s->kind == DT_S_IF ? "if" : "statement");
		dump_node(d, level + 1, s->expr);
		if (s->then) {
			dump_line(d, level + 1, "then");
			dump_stmts(d, level + 2, s->then);
		}
		if (s->els) {
			dump_line(d, level + 1, "else");
			dump_stmts(d, level + 2, s->els);
		}
	}
}

/* A clause without a body is not one whose body is empty: the first gets a default action. */
static void dump_clause(const struct dump *d, const struct dt_ext *x)
{
	dump_line(d, 1, x->body ? "clause" : "clause without body");
	for (const struct dt_pdesc *p = x->probes; p; p = p->next) {
		if (p->id)
			dump_line(d, 2, "probe %u", p->id);
		else
			dump_line(d, 2, "probe %s:%s:%s:%s", p->prov, p->mod, p->func, p->name);
	}
	if (x->pred) {
		dump_line(d, 2, "predicate");
		dump_node(d, 3, x->pred);
	}
	dump_stmts(d, 2, x->stmts);
}

static void dump_inline(const struct dump *d, const struct dt_ext *x)
{
	dump_decl(d, 1, "inline", x->decl);
	dump_node(d, 2, x->expr);
}

static void dump_translator(const struct dump *d, const struct dt_ext *x)
{
	dump_line(d, 1, "translator of %s", or_empty(x->name));
	dump_tname(d, 2, x->dst);
	dump_tname(d, 2, x->src);
	for (const struct dt_xmember *m = x->members; m; m = m->next) {
		dump_line(d, 2, "member %s", m->name);
		dump_node(d, 3, m->expr);
	}
}

static void dump_provider(const struct dump *d, const struct dt_ext *x)
{
	dump_line(d, 1, "provider %s", or_empty(x->name));
	for (const struct dt_probe_decl *p = x->pdecls; p; p = p->next) {
		dump_line(d, 2, "probe %s%s%s", p->name, p->in_varargs ? " ..." : "",
		    p->out_varargs ? " : ..." : "");
		dump_decls(d, 3, "input", p->in);
		if (p->has_out)
			dump_line(d, 3, "outputs");
		dump_decls(d, 3, "output", p->out);
	}
}

static void dump_pragma(const struct dump *d, const struct dt_ext *x)
{
	dump_line(d, 1, "pragma");
	for (const struct dt_word *w = x->words; w; w = w->next)
		dump_line(d, 2, w->quoted ? "\"%s\"" : "%s", w->text);
}

static void dump_ext(const struct dump *d, const struct dt_ext *x)
{
	switch (x->kind) {
	case DT_X_CLAUSE: dump_clause(d, x); break;
	case DT_X_DECL: dump_decls(d, 1, "declaration", x->decls); break;
	case DT_X_INLINE: dump_inline(d, x); break;
	case DT_X_TRANSLATOR: dump_translator(d, x); break;
	case DT_X_PROVIDER: dump_provider(d, x); break;
	case DT_X_PRAGMA: dump_pragma(d, x); break;
	}
}

/* A unit has an expression, a type, or a program. */
void dt_ast_dump(const struct dt_unit *u, void (*put)(void *, const char *line), void *ctx)
{
	const struct dump d = { put, ctx };

	if (u->expr) {
		dump_line(&d, 0, "expression");
		dump_node(&d, 1, u->expr);
	} else if (u->type) {
		dump_line(&d, 0, "type");
		dump_tname(&d, 1, u->type);
	} else {
		dump_line(&d, 0, "program");
		for (const struct dt_ext *x = u->exts; x; x = x->next)
			dump_ext(&d, x);
	}
}
