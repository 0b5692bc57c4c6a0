/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names: a name comes in, its ident goes out, or a suggestion if it is unknown. Rows of built-ins
 * become idents at their first use. The libraries are asked before a name is refused. Idents live in
 * cc->arena and are never freed while the handle is open.
 */
#include "base/glob.h"
#include "sema/sema.h"
#include "base/count.h"
#include "syntax/parser.h"

static struct dt_ident *ident_new(struct dt_compiler *, const char *name, enum dt_ident_kind, struct dt_loc);

/* The one constant that every program has, with or without libraries. */
static void add_null(struct dt_compiler *cc)
{
	struct dt_loc none = { 0 };
	struct dt_ident *id = ident_new(cc, "NULL", DT_ID_ENUM, none);

	id->type = dt_types_basic(cc->types, "int");
	id->library = true;
	dt_map_put(&cc->globals, id->name, id);
}

/* What outlives one compile: names, types and numbers of a handle. `scratch` is reset for each clause. */
void dt_compiler_init(struct dt_compiler *cc, struct dt_arena *arena, struct dt_arena *scratch,
    struct dt_types *types)
{
	memset(cc, 0, sizeof(*cc));
	cc->arena = arena;
	cc->scratch = scratch;
	cc->types = types;
	dt_map_init(&cc->globals, arena);
	dt_map_init(&cc->tls, arena);
	dt_map_init(&cc->locals, arena);
	dt_map_init(&cc->aggs, arena);
	dt_map_init(&cc->providers, arena);
	for (int i = 0; i < 3; i++)
		cc->next_id[i] = DT_VAR_USER_MIN;
	cc->next_agg = 1;
	cc->next_stmt = 1;
	cc->version = UINT32_MAX;
	/* defaults of the options; the handle overwrites them */
	cc->strsize = 256;
	cc->stackframes = cc->ustackframes = 20;
	cc->jstackframes = 50;
	cc->jstackstrsize = 512;
	cc->scratchsize = 256 << 10;
	add_null(cc);
}

/*
 * Together with dt_compiler_cut() this makes a compile all or nothing: everything that a compile can
 * add is a number or the length of a map here. Memory in the arena stays.
 */
struct dt_compiler_mark dt_compiler_mark(const struct dt_compiler *cc)
{
	struct dt_compiler_mark m = {
		.globals = cc->globals.n, .tls = cc->tls.n, .locals = cc->locals.n, .aggs = cc->aggs.n,
		.providers = cc->providers.n, .next_agg = cc->next_agg, .next_stmt = cc->next_stmt,
		.xlators = cc->xlators, .types = dt_types_mark(cc->types),
	};

	memcpy(m.next_id, cc->next_id, sizeof(m.next_id));
	return m;
}

void dt_compiler_cut(struct dt_compiler *cc, const struct dt_compiler_mark *m)
{
	dt_map_cut(&cc->globals, m->globals);
	dt_map_cut(&cc->tls, m->tls);
	dt_map_cut(&cc->locals, m->locals);
	dt_map_cut(&cc->aggs, m->aggs);
	dt_map_cut(&cc->providers, m->providers);
	memcpy(cc->next_id, m->next_id, sizeof(cc->next_id));
	cc->next_agg = m->next_agg;
	cc->next_stmt = m->next_stmt;
	cc->xlators = m->xlators;
	dt_types_cut(cc->types, m->types);
}

/* The caller enters the ident into its map. */
static struct dt_ident *ident_new(struct dt_compiler *cc, const char *name, enum dt_ident_kind kind,
    struct dt_loc loc)
{
	struct dt_ident *id = DT_NEW(cc->arena, struct dt_ident);

	id->name = dt_arena_strdup(cc->arena, name);
	id->kind = (uint8_t)kind;
	id->attr = dt_attr_stable;
	id->loc = loc;
	return id;
}

static enum dt_ident_kind row_kind(const struct dt_builtin *row)
{
	switch (row->kind) {
	case DT_BI_SCALAR: return DT_ID_SCALAR;
	case DT_BI_ARRAY: return DT_ID_ARRAY;
	default: return DT_ID_FUNC;
	}
}

/* A built-in becomes a global like any other; `row` tells that it is ours and cannot be redefined. */
static struct dt_ident *from_row(struct dt_sema *s, const struct dt_builtin *row)
{
	struct dt_loc none = { 0 };
	struct dt_ident *id = ident_new(s->cc, row->name, row_kind(row), none);

	id->row = row;
	id->id = row->id;
	id->attr = row->attr;
	id->version = row->version;
	id->library = true;
	dt_map_put(&s->cc->globals, row->name, id);
	return id;
}

/* -x version hides names that are newer. */
static bool version_allows(const struct dt_sema *s, const struct dt_ident *id)
{
	return id->version <= s->cc->version;
}

/*
 * The name as it is known now, without loading a library. The parameters of the inline being expanded
 * hide globals; the innermost comes first.
 */
struct dt_ident *dt_names_peek(struct dt_sema *s, const char *name)
{
	struct dt_ident *id;
	const struct dt_builtin *row;

	for (struct dt_bind *b = s->binds; b != NULL; b = b->next)
		if (strcmp(b->ident->name, name) == 0)
			return b->ident;
	id = dt_map_get(&s->cc->globals, name);
	if (id == NULL && (row = dt_builtin_find(name)) != NULL)
		id = from_row(s, row);
	return id != NULL && version_allows(s, id) ? id : NULL;
}


/* Loading a library compiles it, so everything that the caller holds of s->cc may have grown afterwards. */
struct dt_ident *dt_names_global(struct dt_sema *s, const char *name)
{
	struct dt_ident *id = dt_names_peek(s, name);

	if (id == NULL && s->cc->services.library != NULL &&
	    s->cc->services.library(s->cc->services.ctx, name))
		id = dt_names_peek(s, name);
	return id;
}

static struct dt_map *scope_map(struct dt_compiler *cc, enum dt_scope scope)
{
	return scope == DT_SCOPE_GLOBAL ? &cc->globals : scope == DT_SCOPE_THREAD ? &cc->tls : &cc->locals;
}

/* NULL: there is none yet. Libraries are not asked. */
struct dt_ident *dt_names_var(struct dt_sema *s, enum dt_scope scope, const char *name)
{
	return dt_map_get(scope_map(s->cc, scope), name);
}

/* Gives the variable the next number of its scope and what pragmas say about it. */
static struct dt_ident *create_variable(struct dt_sema *s, enum dt_scope scope, const char *name,
    enum dt_ident_kind kind, struct dt_loc loc)
{
	struct dt_ident *id = ident_new(s->cc, name, kind, loc);

	if (s->cc->next_id[scope] > DT_VAR_USER_MAX)
		dt_fail(s->diag, D_ID_OFLOW, loc, "cannot create %s: more than %u variables of this kind",
		    name, DT_VAR_USER_MAX - DT_VAR_USER_MIN + 1);
	id->scope = (uint8_t)scope;
	id->id = s->cc->next_id[scope]++;
	id->library = s->library;
	id->has_attr = dt_pragma_claim(s, name, &id->attr, &id->version);
	dt_map_put(scope_map(s->cc, scope), name, id);
	return id;
}

struct dt_ident *dt_names_create(struct dt_sema *s, enum dt_scope scope, const char *name, bool array,
    struct dt_loc loc)
{
	if (strchr(name, '`') != NULL)
		dt_fail(s->diag, D_OP_LVAL, loc,
		    "failed to resolve %s: kernel symbols cannot be created or assigned", name);
	return create_variable(s, scope, name, array ? DT_ID_ARRAY : DT_ID_SCALAR, loc);
}

/* D text cannot contain this name, so it never collides with a name of the program. */
struct dt_ident *dt_names_hidden(struct dt_sema *s, const char *stem, const struct dt_type *type)
{
	struct dt_loc none = { 0 };
	const char *name = dt_arena_printf(s->cc->arena, "%%%s%u", stem, ++s->cc->next_hidden);
	struct dt_ident *id = create_variable(s, DT_SCOPE_CLAUSE, name, DT_ID_SCALAR, none);

	id->type = type;
	return id;
}

/* Aggregations have a name space of their own. One that is new has no function until it is assigned. */
struct dt_ident *dt_names_agg(struct dt_sema *s, const char *name, bool make, struct dt_loc loc)
{
	struct dt_ident *id = dt_map_get(&s->cc->aggs, name);

	if (id != NULL || !make)
		return id;
	id = ident_new(s->cc, name, DT_ID_AGG, loc);
	id->id = s->cc->next_agg++;
	dt_map_put(&s->cc->aggs, name, id);
	return id;
}

static void offer_rows(struct dt_sema *s, struct dt_near *near)
{
	const struct dt_builtin *row;

	for (size_t at = 0; (row = dt_builtin_next(&at)) != NULL; )
		if (row->unsupported == NULL && row->version <= s->cc->version)
			dt_near_offer(near, row->name);
}

/* Words of another tracer and what they are called in D. */
static const char *word_of_other_tracer(const char *name)
{
	static const struct {
		const char *theirs, *ours;
	} rows[] = {
		{ "comm", "execname" },
		{ "nsecs", "timestamp" },
		{ "elapsed", "timestamp" },
		{ "kstack", "stack()" },
		{ "probe", "probename" },
		{ "func", "probefunc" },
		{ "retval", "arg1" },
		{ "curtask", "curthread" },
		{ "str", "copyinstr" },
		{ "username", "uid" },
		{ "hist", "quantize" },
		{ "lhist", "lquantize" },
		{ "stats", "avg" },
		{ "printk", "printf" },
		{ "join", "printf" },
		{ "ntop", "inet_ntop" },
	};

	for (size_t i = 0; i < DT_COUNT(rows); i++)
		if (strcmp(rows[i].theirs, name) == 0)
			return rows[i].ours;
	return NULL;
}

const char *dt_names_hint(struct dt_sema *s, const char *name, const char *near)
{
	const char *word = word_of_other_tracer(name);

	if (word == NULL)
		word = near;
	return word != NULL ? dt_arena_printf(s->arena, "did you mean `%s`?", word) : NULL;
}

/* Data of other systems' kernels that scripts read, and where Linux has the like. */
const char *dt_names_symbol_hint(const char *name)
{
	static const char memory[] = "cat(\"/proc/meminfo\") prints what memory is used and free",
	    clock[] = "walltimestamp counts nanoseconds since 1970, timestamp since the machine booted",
	    processes[] = "curthread is the thread that runs; proc:::create and proc:::exit report others",
	    slabs[] = "cat(\"/proc/slabinfo\") prints the caches of the allocator; vminfo::: probes count",
	    names[] = "cat(\"/proc/sys/fs/dentry-state\") prints the cache of file names";
	static const struct {
		const char *theirs, *hint;
	} rows[] = {
		{ "avenrun", "cat(\"/proc/loadavg\") prints the load" },
		{ "hp_avenrun", "cat(\"/proc/loadavg\") prints the load" },
		{ "averunnable", "cat(\"/proc/loadavg\") prints the load" },
		{ "freemem", "cat(\"/proc/meminfo\") prints what memory is free" },
		{ "availrmem", "cat(\"/proc/meminfo\") prints what memory is free" },
		{ "physmem", "cat(\"/proc/meminfo\") prints how much memory there is" },
		{ "ncpus", "cat(\"/sys/devices/system/cpu/online\") prints which CPUs there are" },
		{ "ncpus_online", "cat(\"/sys/devices/system/cpu/online\") prints which CPUs there are" },
		{ "mp_ncpus", "cat(\"/sys/devices/system/cpu/online\") prints which CPUs there are" },
		{ "utsname", "curthread->nsproxy->uts_ns->name has the names of system and machine" },
		{ "lbolt", "timestamp / 10000000 counts hundredths of a second" },
		{ "ticks", "timestamp counts nanoseconds" },
		{ "hz", "timestamp counts nanoseconds, and profile-N and tick-N fire N times a second" },
		{ "tick_per_msec", "timestamp counts nanoseconds" },
		{ "cpu_khz", "cat(\"/proc/cpuinfo\") prints how fast CPUs are" },
		{ "cpu_freq_hz", "cat(\"/proc/cpuinfo\") prints how fast CPUs are" },
		{ "time", clock }, { "hrestime", clock }, { "boot_time", clock }, { "boottime", clock },
		{ "maxmem", memory }, { "total_pages", memory }, { "availsmem", memory },
		{ "swapinfo", memory },
		{ "lotsfree", memory }, { "desfree", memory }, { "minfree", memory }, { "needfree", memory },
		{ "vm_cnt", memory }, { "vm_page_free_count", memory }, { "pages_pp_maximum", memory },
		{ "kmem_*", slabs }, { "kmem64_*", slabs }, { "uma_*", slabs },
		{ "ncstats", names }, { "nchstats", names }, { "ncsize", names }, { "numcache", names },
		{ "practive", processes }, { "allproc", processes }, { "p0", processes },
		{ "nproc", processes },
		{ "proc_list", processes }, { "max_nprocs", processes },
		{ "hostname", "curthread->nsproxy->uts_ns->name.nodename is the name of the machine" },
		{ "osrelease", "cat(\"/proc/version\") prints which kernel runs" },
		{ "rootdir", "curthread->fs->root is the root of the process that runs" },
		{ "rootvp", "curthread->fs->root is the root of the process that runs" },
		{ "arc_stats", "cat(\"/proc/spl/kstat/zfs/arcstats\") prints them where there is ZFS" },
		{ "panicstr", "a kernel that panics traces no more: the text is in its log" },
	};

	for (size_t i = 0; i < DT_COUNT(rows); i++)
		if (dt_glob_match(rows[i].theirs, name))
			return rows[i].hint;
	return NULL;
}

/* Suggests built-ins, globals, names of libraries, and last the same name in another scope. */
_Noreturn void dt_names_undefined(struct dt_sema *s, const struct dt_node *n)
{
	struct dt_near near;
	const char *hint;

	dt_near_init(&near, n->name);
	offer_rows(s, &near);
	for (uint32_t i = 0; i < s->cc->globals.n; i++)
		dt_near_offer(&near, s->cc->globals.v[i].key);
	if (s->cc->services.library_names != NULL)
		s->cc->services.library_names(s->cc->services.ctx, &near);
	hint = dt_names_hint(s, n->name, near.best);
	if (hint == NULL && dt_map_get(&s->cc->tls, n->name) != NULL)
		hint = dt_arena_printf(s->arena, "did you mean `self->%s`?", n->name);
	else if (hint == NULL && dt_map_get(&s->cc->locals, n->name) != NULL)
		hint = dt_arena_printf(s->arena, "did you mean `this->%s`?", n->name);
	dt_fail_hint(s->diag, D_IDENT_UNDEF, n->loc, hint, "failed to resolve %s: Unknown variable name",
	    n->name);
}

const char *dt_names_spelled(struct dt_sema *s, const struct dt_ident *id)
{
	static const char *const prefix[] = { "", "self->", "this->" };

	return dt_arena_printf(s->arena, "%s%s", prefix[id->scope], id->name);
}

/* The type of a built-in is made of its prototype at its first use, as most programs use a few of them. */
const struct dt_type *dt_names_type(struct dt_sema *s, struct dt_ident *id, struct dt_loc loc)
{
	if (id->row != NULL && id->row->unsupported != NULL)
		dt_fail(s->diag, D_VAR_UNSUP, loc, "%s is not available on Linux: %s", id->name,
		    id->row->unsupported);
	if (id->type == NULL && id->row != NULL)
		id->type = dt_sema_text_type(s, id->row->proto, strlen(id->row->proto));
	if (id->type == NULL)
		dt_fail(s->diag, D_VAR_UNDEF, loc, "%s has not yet been declared or assigned",
		    dt_names_spelled(s, id));
	return id->type;
}

/* Prototypes are our own text, but this kernel's type data may lack a type that they name. */
const struct dt_type *dt_sema_text_type(struct dt_sema *s, const char *text, size_t len)
{
	struct dt_parse p = {
		.arena = s->arena, .diag = s->diag, .context = DT_CTX_TYPE,
		.src = dt_source_new(s->arena, DT_SRC_BUILTIN, "prototype", text, len),
	};
	struct dt_unit *unit = dt_parse(&p);

	return dt_sema_type(s, unit->type);
}
