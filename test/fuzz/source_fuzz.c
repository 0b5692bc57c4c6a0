/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as D text, in every context the parser has: nothing may crash, hang or leak. A compile
 * of the tree can be hooked in by DT_FUZZ_UNIT, a function that is given each unit that parses.
 *
 * Build: clang -fsanitize=fuzzer,address,undefined, with the C files of src/syntax and src/base.
 */
#include "syntax/parser.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifdef DT_FUZZ_UNIT
void DT_FUZZ_UNIT(struct dt_parse *, struct dt_unit *);
#else
static void ignore_unit(struct dt_parse *p, struct dt_unit *u)
{
	(void)p;
	(void)u;
}
#define DT_FUZZ_UNIT ignore_unit
#endif

static bool macro(void *ctx, const char *name, int64_t *value)
{
	(void)ctx;
	*value = name[0] == 'u' ? -1 : 42;
	return strcmp(name, "target") == 0 || strcmp(name, "uid") == 0;
}

static bool is_type(void *ctx, const char *name)
{
	size_t n = strlen(name);

	(void)ctx;
	return n > 2 && strcmp(name + n - 2, "_t") == 0;
}

static void option(void *ctx, struct dt_parse *p, struct dt_loc loc, const char *word)
{
	(void)ctx;
	if (strcmp(word, "pspec") == 0)
		p->pspec = true;
	else if (strcmp(word, "defaultargs") == 0)
		p->defaultargs = true;
	else if (word[0] == 'x')
		dt_fail(p->diag, D_PRAGMA_OPTSET, loc, "failed to set option '%s'", word);
}

static void ignore_line(void *ctx, const char *line)
{
	*(size_t *)ctx += strlen(line);
}

static void clone_statements(struct dt_arena *arena, const struct dt_stmt *s)
{
	for (; s; s = s->next)
		dt_node_clone(arena, s->expr);
}

static void use_unit(struct dt_parse *p, struct dt_unit *u)
{
	size_t total = 0;

	dt_ast_dump(u, ignore_line, &total);
	for (const struct dt_ext *x = u->exts; x; x = x->next)
		clone_statements(p->arena, x->stmts);
	DT_FUZZ_UNIT(p, u);
}

/* One reading of the text; bits of `how` choose the flags. */
static void read_text(const uint8_t *data, size_t size, enum dt_parse_context context, unsigned how)
{
	char *const argv[] = { "fuzz", "12", "-7", "name", "\"two words\"", "99999999999999999999", "" };
	bool used[7] = { false };
	struct dt_arena *arena = dt_arena_new();
	struct dt_diag diag = { .arena = arena };
	struct dt_lib_scan scan = { 0 };
	struct dt_parse p = {
		.arena = arena, .diag = &diag, .context = context, .spec = (int)(how >> 4) % 5 - 1,
		.pspec = how & 1, .bare = how & 2, .argref = how & 4, .empty_ok = how & 8,
		.argc = 7, .argv = argv, .argused = used, .macro = macro, .is_type = is_type,
		.option = option,
	};

	p.src = dt_source_new(arena, how & 2 ? DT_SRC_STRING : DT_SRC_FILE, "fuzz.d", (const char *)data,
	    size);
	dt_arena_on_oom(arena, &diag.env);
	if (setjmp(diag.env) == 0) {
		if (how & 0x80)
			dt_parse_scan(&p, &scan);
		use_unit(&p, dt_parse(&p));
	} else {
		dt_diag_line(&diag, arena, true);
		dt_diag_excerpt(&diag, arena);
	}
	dt_arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned how;

	if (size < 1 || size > DT_SOURCE_MAX)
		return 0;
	how = data[0];		/* '@' and letters give the usual flags, so that plain D makes good seeds */
	read_text(data + 1, size - 1, DT_CTX_PROGRAM, how);
	read_text(data + 1, size - 1, DT_CTX_PROGRAM, 0x40);
	read_text(data + 1, size - 1, DT_CTX_EXPR, how);
	read_text(data + 1, size - 1, DT_CTX_TYPE, how);
	return 0;
}
