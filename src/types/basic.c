/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The types that exist before any declaration: C's numbers (LP64; D's `char` is signed on every
 * machine), void, string, the special values, and the typedefs that D programs expect. A number from
 * type data that equals one of C's becomes that one.
 */
#include "types/table.h"
#include "base/count.h"
#include "base/diag.h"

/* Names are arrays here, as a pointer takes 32 bytes in the file: 8, and a relocation of 24. */
struct basic {
	char name[20];
	uint8_t kind;
	uint8_t size;
	bool is_signed, is_char, is_bool;
};

static const struct basic basics[] = {
	{ "char", DT_T_INT, 1, true, true, false },
	{ "signed char", DT_T_INT, 1, true, true, false },
	{ "unsigned char", DT_T_INT, 1, false, false, false },
	{ "short", DT_T_INT, 2, true, false, false },
	{ "unsigned short", DT_T_INT, 2, false, false, false },
	{ "int", DT_T_INT, 4, true, false, false },
	{ "unsigned int", DT_T_INT, 4, false, false, false },
	{ "long", DT_T_INT, 8, true, false, false },
	{ "unsigned long", DT_T_INT, 8, false, false, false },
	{ "long long", DT_T_INT, 8, true, false, false },
	{ "unsigned long long", DT_T_INT, 8, false, false, false },
	{ "__int128", DT_T_INT, 16, true, false, false },
	{ "unsigned __int128", DT_T_INT, 16, false, false, false },
	{ "_Bool", DT_T_INT, 1, false, false, true },
	{ "float", DT_T_FLOAT, 4, true, false, false },
	{ "double", DT_T_FLOAT, 8, true, false, false },
	{ "long double", DT_T_FLOAT, 16, true, false, false },
};
_Static_assert(DT_COUNT(basics) == DT_NBASIC, "one slot a basic type");

/* Names that D scripts take for granted and that need no kernel data. */
static const struct {
	char name[14], base[20];
} typedefs[] = {
	{ "int8_t", "signed char" },
	{ "int16_t", "short" },
	{ "int32_t", "int" },
	{ "int64_t", "long" },
	{ "uint8_t", "unsigned char" },
	{ "uint16_t", "unsigned short" },
	{ "uint32_t", "unsigned int" },
	{ "uint64_t", "unsigned long" },
	{ "intptr_t", "long" },
	{ "uintptr_t", "unsigned long" },
	{ "size_t", "unsigned long" },
	{ "ssize_t", "long" },
	{ "ptrdiff_t", "long" },
	{ "intmax_t", "long" },
	{ "uintmax_t", "unsigned long" },
	{ "uchar_t", "unsigned char" },
	{ "ushort_t", "unsigned short" },
	{ "uint_t", "unsigned int" },
	{ "ulong_t", "unsigned long" },
	{ "longlong_t", "long long" },
	{ "u_longlong_t", "unsigned long long" },
	{ "u_char", "unsigned char" },
	{ "u_short", "unsigned short" },
	{ "u_int", "unsigned int" },
	{ "u_long", "unsigned long" },
	{ "uint", "unsigned int" },
	{ "ushort", "unsigned short" },
	{ "ulong", "unsigned long" },
	{ "u_int8_t", "unsigned char" },
	{ "u_int16_t", "unsigned short" },
	{ "u_int32_t", "unsigned int" },
	{ "u_int64_t", "unsigned long" },
	{ "id_t", "int" },
	{ "pid_t", "int" },
	{ "tid_t", "int" },
	{ "uid_t", "unsigned int" },
	{ "gid_t", "unsigned int" },
	{ "dev_t", "unsigned int" },
	{ "major_t", "unsigned int" },
	{ "minor_t", "unsigned int" },
	{ "ino_t", "unsigned long" },
	{ "ino64_t", "unsigned long" },
	{ "nlink_t", "unsigned int" },
	{ "mode_t", "unsigned int" },
	{ "off_t", "long" },
	{ "off64_t", "long long" },
	{ "offset_t", "long long" },
	{ "loff_t", "long long" },
	{ "blkcnt_t", "long" },
	{ "blksize_t", "long" },
	{ "daddr_t", "long" },
	{ "diskaddr_t", "unsigned long long" },
	{ "pgcnt_t", "unsigned long" },
	{ "time_t", "long" },
	{ "clock_t", "long" },
	{ "useconds_t", "unsigned int" },
	{ "suseconds_t", "long" },
	{ "clockid_t", "int" },
	{ "timer_t", "int" },
	{ "hrtime_t", "long long" },
	{ "key_t", "int" },
	{ "caddr_t", "char *" },
	{ "boolean_t", "int" },
	{ "bool", "_Bool" },
	{ "processorid_t", "int" },
	{ "cpuid_t", "int" },
	{ "chipid_t", "int" },
	{ "lgrp_id_t", "int" },
	{ "zoneid_t", "int" },
	{ "projid_t", "int" },
	{ "taskid_t", "int" },
	{ "poolid_t", "int" },
	{ "psetid_t", "int" },
	{ "ctid_t", "int" },
	{ "pri_t", "short" },
	{ "lwpid_t", "int" },
	{ "pc_t", "unsigned long" },
	{ "greg_t", "long" },
	{ "sa_family_t", "unsigned short" },
	{ "socklen_t", "unsigned int" },
	{ "in_addr_t", "unsigned int" },
	{ "in_port_t", "unsigned short" },
	{ "ipaddr_t", "unsigned int" },
};

enum { NTYPEDEF = DT_COUNT(typedefs) };

/* Numbers are dense and never reused: keys of built types contain them. */
struct dt_type *dt_type_new(struct dt_types *ts, enum dt_tkind kind)
{
	struct dt_type *t = DT_NEW(ts->arena, struct dt_type);

	t->kind = (uint8_t)kind;
	t->align = 1;
	t->id = ts->ntypes++;
	return t;
}

/* A number's alignment is its size on every machine that we trace. */
static struct dt_type *new_number(struct dt_types *ts, const struct dt_number *n)
{
	struct dt_type *t = dt_type_new(ts, n->kind);

	t->name = n->name;
	t->size = n->size;
	t->align = n->size ? n->size : 1;
	t->is_signed = n->is_signed;
	t->is_char = n->is_char;
	t->is_bool = n->is_bool;
	t->module = "C";
	return t;
}

/* The types of values that D has and C has not. "<DYN>" can be written in no program. */
static void make_specials(struct dt_types *ts)
{
	static const struct { enum dt_tkind kind; const char *name; uint32_t size; } specials[] = {
		{ DT_T_STACK, "stack", 0 }, { DT_T_SYMADDR, "_symaddr", 8 },
		{ DT_T_USYMADDR, "_usymaddr", 16 }, { DT_T_DYN, "<DYN>", 0 },
	};

	for (unsigned i = 0; i < 4; i++) {
		struct dt_type *t = ts->special[i] = dt_type_new(ts, specials[i].kind);

		t->name = specials[i].name;
		t->size = specials[i].size;
		t->align = 8;
		t->module = "D";
	}
	ts->tvoid = dt_type_new(ts, DT_T_VOID);
	ts->tvoid->name = "void";
	ts->tvoid->module = "C";
	ts->string = dt_type_new(ts, DT_T_STRING);
	ts->string->name = "string";
	ts->string->module = "D";
	ts->string->size = 256;		/* until dt_types_strsize() */
}

/*
 * Types are made in an arena that jumps when memory is out. Here there is no jump to take yet, so the
 * jump ends in this function; later the compile in hand provides one.
 */
struct dt_types *dt_types_new(void)
{
	struct dt_arena *a = dt_arena_new();
	struct dt_types *ts;
	jmp_buf oom;

	if (!a)
		return NULL;
	if (setjmp(oom) != 0) {
		dt_arena_free(a);
		return NULL;
	}
	dt_arena_on_oom(a, &oom);
	ts = DT_NEW(a, struct dt_types);
	ts->arena = a;
	dt_map_init(&ts->names, a);
	dt_map_init(&ts->predefined, a);
	dt_map_init(&ts->built, a);
	for (unsigned i = 0; i < DT_NBASIC; i++) {
		const struct basic *b = &basics[i];

		ts->basic[i] = new_number(ts, &(struct dt_number){ b->name, b->kind, b->size,
		    b->is_signed, b->is_char, b->is_bool });
	}
	make_specials(ts);
	dt_arena_on_oom(a, NULL);
	return ts;
}

void dt_types_strsize(struct dt_types *ts, uint64_t strsize)
{
	ts->string->size = strsize;
}

struct dt_arena *dt_types_arena(struct dt_types *ts)
{
	return ts->arena;
}

/* The words of a C spelling; only their counts matter, not their order. */
enum word {
	W_LONG,
	W_SHORT,
	W_SIGNED,
	W_UNSIGNED,
	W_INT,
	W_CHAR,
	W_FLOAT,
	W_DOUBLE,
	W_BOOL,
	W_INT128,
	NWORD
};

static const char *const words[NWORD] = {
	"long", "short", "signed", "unsigned", "int", "char", "float", "double", "_Bool", "__int128",
};

/* False: a word that is not C's, or more than two of one. */
static bool count_words(const char *s, uint8_t count[NWORD])
{
	while (*s) {
		size_t len = strcspn(s, " ");
		unsigned w = 0;

		while (w < NWORD && (strlen(words[w]) != len || memcmp(words[w], s, len) != 0))
			w++;
		if (w == NWORD || ++count[w] > 2)
			return false;
		s += len;
		s += strspn(s, " ");
	}
	return true;
}

/* "long unsigned int" becomes "unsigned long" in buf. NULL: not a number type of C. */
static const char *canonical_spelling(const char *spelling, char buf[48])
{
	uint8_t n[NWORD] = { 0 };
	unsigned bases, sizes;

	if (!*spelling || !count_words(spelling, n))
		return NULL;
	for (unsigned w = 0; w < NWORD; w++)
		if (n[w] > 1 && w != W_LONG)
			return NULL;
	bases = n[W_CHAR] + n[W_FLOAT] + n[W_DOUBLE] + n[W_BOOL] + n[W_INT128];
	sizes = n[W_LONG] + n[W_SHORT];
	if (bases > 1 || (bases && n[W_INT]) || (n[W_LONG] && n[W_SHORT]) || n[W_SIGNED] + n[W_UNSIGNED] > 1)
		return NULL;
	if (bases && sizes && !(n[W_DOUBLE] && n[W_LONG] == 1))
		return NULL;
	if ((n[W_FLOAT] || n[W_DOUBLE] || n[W_BOOL]) && n[W_SIGNED] + n[W_UNSIGNED])
		return NULL;
	buf[0] = '\0';
	if (n[W_UNSIGNED])
		strcat(buf, "unsigned ");
	if (n[W_SIGNED] && n[W_CHAR])
		strcat(buf, "signed ");
	for (unsigned i = 0; i < n[W_LONG]; i++)
		strcat(buf, "long ");
	strcat(buf, n[W_SHORT] ? "short " : "");
	for (unsigned w = W_CHAR; w < NWORD; w++)
		strcat(buf, n[w] ? words[w] : "");
	if (!bases && !sizes)
		strcat(buf, "int");
	if (buf[strlen(buf) - 1] == ' ')
		buf[strlen(buf) - 1] = '\0';
	return buf;
}

const struct dt_type *dt_types_basic(struct dt_types *ts, const char *spelling)
{
	char buf[48];
	const char *name;

	if (strcmp(spelling, "void") == 0)
		return ts->tvoid;
	name = canonical_spelling(spelling, buf);
	for (unsigned i = 0; name && i < DT_NBASIC; i++)
		if (strcmp(basics[i].name, name) == 0)
			return ts->basic[i];
	return NULL;
}

const struct dt_type *dt_types_void(struct dt_types *ts)
{
	return ts->tvoid;
}

const struct dt_type *dt_types_string(struct dt_types *ts)
{
	return ts->string;
}

const struct dt_type *dt_types_special(struct dt_types *ts, enum dt_tkind kind)
{
	for (unsigned i = 0; i < 4; i++)
		if (ts->special[i]->kind == kind)
			return ts->special[i];
	return NULL;
}

/* D's `char` is signed, so the signed type of one byte is char itself. */
const struct dt_type *dt_types_sized(struct dt_types *ts, unsigned bytes, bool is_signed)
{
	switch (bytes) {
	case 1:
		return dt_types_basic(ts, is_signed ? "char" : "unsigned char");
	case 2:
		return dt_types_basic(ts, is_signed ? "short" : "unsigned short");
	case 4:
		return dt_types_basic(ts, is_signed ? "int" : "unsigned int");
	case 8:
		return dt_types_basic(ts, is_signed ? "long" : "unsigned long");
	default:
		return NULL;
	}
}

/*
 * A number of type data. One that is C's under any spelling ("long unsigned int") is C's own, so the
 * types of the kernel and of the program are equal; others are kept by all of their properties.
 */
const struct dt_type *dt_types_number(struct dt_types *ts, const struct dt_number *n)
{
	const struct dt_type *same = dt_types_basic(ts, n->name);
	struct dt_number own = *n;
	struct dt_type *t;
	char *key;

	if (same && same->kind == n->kind && same->size == n->size &&
	    (n->kind == DT_T_FLOAT || (same->is_signed == n->is_signed && same->is_bool == n->is_bool)))
		return same;
	key = dt_arena_printf(ts->arena, "N%u,%u,%d%d%d,%s", n->kind, n->size, n->is_signed, n->is_char,
	    n->is_bool, n->name);
	t = dt_map_get(&ts->built, key);
	if (t)
		return t;
	/*
	 * Compilers write "char" in the name and not in the encoding; strings are recognised by
	 * is_char.
	 */
	own.is_char = n->kind == DT_T_INT && n->size == 1 && (n->is_char || (same && same->is_char));
	own.name = dt_arena_strdup(ts->arena, same ? same->name : n->name);
	t = new_number(ts, &own);
	dt_map_put(&ts->built, key, t);
	return t;
}

/* The base of a predefined typedef: a number, or "char *". */
static const struct dt_type *typedef_base(struct dt_types *ts, const char *spelling)
{
	size_t len = strlen(spelling);
	char base[32];

	if (spelling[len - 1] != '*')
		return dt_types_basic(ts, spelling);
	memcpy(base, spelling, len - 2);
	base[len - 2] = '\0';
	return dt_type_ptr(ts, dt_types_basic(ts, base));
}

/* Made on first use: most programs name a few of them. */
const struct dt_type *dt_types_predefined(struct dt_types *ts, const char *name)
{
	const struct dt_type *t = dt_map_get(&ts->predefined, name);

	if (t)
		return t;
	for (unsigned i = 0; i < NTYPEDEF; i++) {
		if (strcmp(typedefs[i].name, name) != 0)
			continue;
		t = dt_type_new_typedef(ts, "D", typedefs[i].name, typedef_base(ts, typedefs[i].base));
		dt_map_put(&ts->predefined, name, dt_type_mutable(t));
		return t;
	}
	return NULL;
}

void dt_types_predefined_near(struct dt_near *near)
{
	for (unsigned i = 0; i < DT_NBASIC; i++)
		dt_near_offer(near, basics[i].name);
	for (unsigned i = 0; i < NTYPEDEF; i++)
		dt_near_offer(near, typedefs[i].name);
	dt_near_offer(near, "string");
}
