/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JavaScript on V8, the engine of Node.js: offsets and numbers of types are constants in its file for
 * debuggers (v8dbg_*), and no version is known here. A SharedFunctionInfo that the walk has seen becomes a
 * name, a script and a line. The garbage collector may have moved it: its words must be those that the walk
 * has seen, before and after, and whatever gives a name must have the type that it should have.
 */
#include "lang/lang.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const files[] = { "node", "libnode", NULL };
static const char *const none[] = { NULL };
/* as enum dt_v8_word */
static const char *const symbols[DT_V8_WORDS + 1] = {
	"v8dbg_type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE",
	"v8dbg_class_JSFunction__shared__SharedFunctionInfo",
	"v8dbg_class_SharedFunctionInfo__raw_function_token_offset__int16_t",
	"v8dbg_off_fp_bytecode_array",
	"v8dbg_type_Script__SCRIPT_TYPE",
	"v8dbg_type_ScopeInfo__SCOPE_INFO_TYPE",
	"v8dbg_type_BytecodeArray__BYTECODE_ARRAY_TYPE",
	"v8dbg_class_BytecodeArray__data__uintptr_t",
	"v8dbg_scopeinfo_idx_first_vars",
	"v8dbg_IsNotStringMask",
};
_Static_assert((int)DT_V8_WORDS < (int)DT_LANG_SYMBOLS, "a file has room for the symbols");

/* Objects without compressed pointers are this large; before V8 9.5 the bytecode followed the function. */
enum { SHARED_MIN = 24, SHARED_MAX = 256, TOKEN_MIN = 44, TOKEN_MAX = 68, VARS_MAX = 16 };
enum { FP_BYTECODE_OLD = -24 };

static int learn(struct dt_lang_process *p, struct dt_unwind_lang *to)
{
	int32_t v[DT_V8_WORDS] = { [DT_V8_FP_BYTECODE] = FP_BYTECODE_OLD };

	for (int i = 0; i < DT_V8_WORDS; i++) {
		if (p->symbol[i] != 0 && !dt_lang_read(p, p->symbol[i], &v[i], sizeof(v[i])))
			return -EAGAIN;
		to->word[i] = (unsigned long long)v[i];
	}
	if (v[DT_V8_SHARED] < SHARED_MIN || v[DT_V8_SHARED] > SHARED_MAX || v[DT_V8_TOKEN] < TOKEN_MIN ||
	    v[DT_V8_TOKEN] > TOKEN_MAX || v[DT_V8_SCRIPT_TYPE] <= 0 || v[DT_V8_SCOPE_TYPE] <= 0 ||
	    v[DT_V8_SCOPE_VARS] <= 0 || v[DT_V8_SCOPE_VARS] > VARS_MAX || v[DT_V8_NOT_STRING] >= 0)
		return -ENOTSUP;
	return 0;
}

/* ---- objects ---- */

enum { TAG = 1, TAG_BITS = 3, SMI_SHIFT = 32, WORD = 8 };

struct v8 {
	const struct dt_lang_process *process;
	const unsigned long long *word;
};

static bool is_object(uint64_t word) { return (word & TAG_BITS) == TAG; }
static bool is_smi(uint64_t word) { return (word & UINT32_MAX) == 0; }

/* `n` words of an object, from word `first` on */
static bool get(const struct v8 *v, uint64_t object, unsigned first, uint64_t *to, unsigned n)
{
	return is_object(object) && dt_lang_read(v->process, object - TAG + first * WORD, to, n * WORD);
}

static uint64_t get_one(const struct v8 *v, uint64_t object, unsigned i)
{
	uint64_t word;

	return get(v, object, i, &word, 1) ? word : 0;
}

/* 0: not readable, and what no type of ours is */
static unsigned type_of(const struct v8 *v, uint64_t object)
{
	return get_one(v, get_one(v, object, 0), 1) >> 32 & 0xffff;
}

static bool is_type(const struct v8 *v, uint64_t object, enum dt_v8_word type)
{
	return v->word[type] != 0 && type_of(v, object) == v->word[type];
}

/* ---- strings ---- */

enum { SEQUENTIAL, CONS, EXTERNAL, SLICED, THIN = 5, KIND = 7, ONE_BYTE = 8, UNCACHED = 16, HOPS = 8 };

struct text { uint64_t at; uint32_t n; unsigned width; };	/* at: of the characters */

static bool is_string(const struct v8 *v, uint64_t object, unsigned *type)
{
	*type = type_of(v, object);
	return (*type & v->word[DT_V8_NOT_STRING]) == 0 && is_object(get_one(v, object, 0));
}

/* Where the characters of a string are together. False: nowhere, or this is no string. */
static bool find_text(const struct v8 *v, uint64_t string, struct text *to)
{
	uint64_t w[3], from = 0, whole = UINT64_MAX;	/* map and hash, length; what follows differs */
	unsigned type;

	for (int hops = 0; hops < HOPS; hops++) {
		uint64_t n, map = get_one(v, string, 0);

		if (map != 0 && (map & TAG_BITS) == 0) {
			string = map + TAG;	/* it has been moved there just now */
			continue;
		}
		if (!is_string(v, string, &type) || !get(v, string, 1, w, 3))
			return false;
		n = w[0] >> SMI_SHIFT;
		whole = whole < n ? whole : n;
		if ((type & KIND) == SEQUENTIAL || ((type & KIND) == EXTERNAL && !(type & UNCACHED))) {
			to->width = type & ONE_BYTE ? 1 : 2;
			to->n = (uint32_t)whole;
			to->at = (type & KIND) == EXTERNAL ? w[2] : string - TAG + 2 * WORD;
			to->at += from * to->width;
			return whole <= n && from <= n - whole;
		}
		if ((type & KIND) == SLICED)
			from += w[2] >> SMI_SHIFT;
		else if ((type & KIND) != THIN &&
		    ((type & KIND) != CONS || get_one(v, w[2], 1) >> SMI_SHIFT != 0))
			return false;
		string = w[1];
	}
	return false;
}

/* The end of a string; or two strings that were added up and are still apart, from the first one on. */
static bool put_string(const struct v8 *v, uint64_t string, char *to, size_t room, int depth)
{
	uint8_t bytes[2 * DT_LANG_PATH];
	uint64_t parts[2];
	unsigned type;
	struct text t;
	size_t n;

	if (find_text(v, string, &t)) {
		n = t.n < room ? t.n : room;
		if (n * t.width > sizeof(bytes) ||
		    !dt_lang_read(v->process, t.at + (t.n - n) * t.width, bytes, n * t.width))
			return false;
		dt_lang_text(bytes, n, t.width, to, room);
		return true;
	}
	if (depth == 0 || !is_string(v, string, &type) || (type & KIND) != CONS ||
	    !get(v, string, 2, parts, 2) || !put_string(v, parts[0], to, room, depth - 1))
		return false;
	n = strlen(to);
	return put_string(v, parts[1], to + n, room - n, depth - 1);
}

/* ---- lines of a script ---- */

enum { SCRIPT_SOURCE = 1, SCRIPT_NAME = 2, SCRIPT_LINE = 3, SOURCE_MAX = 4 << 20, WAY_MAX = 4 * SOURCE_MAX,
	PIECE = 16384 };

/*
 * Lines are counted from one position to the next, over at most WAY_MAX characters in all: an invalid table
 * could go back and forth. text.n 0: the source is unknown
 */
struct source { const struct v8 *v; struct text text; uint32_t pos, line, way; };

/* As V8 does: \r\n is one end of a line, and two characters of Unicode are ends too. */
static uint32_t count_ends(const uint8_t *bytes, uint32_t n, unsigned width)
{
	uint32_t ends = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t c = bytes[i * width] | (width == 2 ? (uint32_t)bytes[2 * i + 1] << 8 : 0);

		ends += c == '\n' || c == 0x2028 || c == 0x2029 ||
		    (c == '\r' && !(i + 1 < n && bytes[(i + 1) * width] == '\n'));
	}
	return ends;
}

/* The ends of lines from one place to another that is not before it; false: they cannot be read. */
static bool count_lines(const struct source *s, uint32_t from, uint32_t to, uint32_t *n)
{
	uint8_t piece[PIECE];

	for (*n = 0; from < to; ) {
		uint32_t most = PIECE / s->text.width, len = to - from < most ? to - from : most;

		if (!dt_lang_read(s->v->process, s->text.at + (uint64_t)from * s->text.width, piece,
		    (size_t)len * s->text.width))
			return false;
		*n += count_ends(piece, len, s->text.width);
		from += len;
	}
	return true;
}

static bool go_to(struct source *s, uint64_t pos)
{
	uint32_t n;
	bool back = pos < s->pos;

	if (pos > s->text.n || pos > SOURCE_MAX)
		return false;
	s->way += back ? s->pos - (uint32_t)pos : (uint32_t)pos - s->pos;
	if (s->way > WAY_MAX ||
	    !count_lines(s, back ? (uint32_t)pos : s->pos, back ? s->pos : (uint32_t)pos, &n))
		return false;
	s->line += back ? -n : n;
	s->pos = (uint32_t)pos;
	return true;
}

/* ---- the table of a function: which code begins which line ---- */

enum { BYTES_MAX = 1 << 16, HEADER_MIN = 54, HEADER_NEW = 64, TABLE_OLD = 4, TABLE_NEW = 3, FIRST = 1 };
struct row { uint32_t code, line; };
enum { ROWS = DT_LANG_LINES / sizeof(struct row) };

/* A number of 7 bits a byte, the sign in the lowest one; false: the bytes end before it. */
static bool next_number(const uint8_t **at, const uint8_t *end, int64_t *to)
{
	uint64_t n = 0;
	unsigned shift = 0;

	do {
		if (*at == end || shift > 56)
			return false;
		n |= (uint64_t)(**at & 0x7f) << shift;
		shift += 7;
	} while (*(*at)++ & 0x80);
	*to = (int64_t)(n >> 1) ^ -(int64_t)(n & 1);
	return true;
}

/*
 * Pairs of how much further the code is, and the place in the source. The code begins at -1; a negative
 * number is that of an expression, less one. A place has another bit below it, and begins with 1. The first
 * pair is of -1 itself, but not in V8 14, whose tables are others.
 */
static uint32_t decode(struct source *s, const uint8_t *at, const uint8_t *end, uint32_t header,
    struct row *to)
{
	int64_t code = -1, place = 0, more;
	uint32_t n = 0;

	if (at[0] != FIRST)
		return 0;
	while (at < end) {
		if (!next_number(&at, end, &more))
			return 0;
		code += more >= 0 ? more : -(more + 1);
		if (!next_number(&at, end, &more))
			return 0;
		place += more;
		if (code < -1 || code > INT32_MAX || !go_to(s, (uint64_t)place / 2 - 1))
			return 0;
		if (n > 0 && to[n - 1].line == s->line)
			continue;
		if (n == ROWS)
			return 0;
		to[n++] = (struct row){ (uint32_t)(code + header), s->line };
	}
	return n;
}

/* The table of bytecode, which V8 makes when it needs one. Where it is goes by the size of the header. */
static void read_table(const struct v8 *v, uint64_t bytecode, struct source *s, struct dt_lang_function *to)
{
	uint64_t header = v->word[DT_V8_BYTECODE_DATA];
	uint64_t table = is_type(v, bytecode, DT_V8_BYTECODE_TYPE) ? get_one(v, bytecode,
	    header == HEADER_NEW ? TABLE_NEW : TABLE_OLD) : 0;
	uint64_t n = get_one(v, table, 1) >> SMI_SHIFT;
	uint8_t *bytes;

	if (header < HEADER_MIN || header > HEADER_NEW || n == 0 || n > BYTES_MAX)
		return;			/* not made yet: no table */
	bytes = malloc(n);
	to->lines = bytes != NULL ? malloc(DT_LANG_LINES) : NULL;
	if (to->lines != NULL && dt_lang_read(v->process, table - TAG + 2 * WORD, bytes, n))
		to->nlines = decode(s, bytes, bytes + n, (uint32_t)header - TAG,
		    (void *)to->lines) * sizeof(struct row);
	free(bytes);
}

static uint32_t line(const struct dt_lang_function *f, uint32_t pos)
{
	uint32_t line = f->first;
	struct row row;

	for (size_t i = 0; i + sizeof(row) <= f->nlines; i += sizeof(row)) {
		memcpy(&row, f->lines + i, sizeof(row));
		if (row.code > pos)
			break;
		line = row.line;
	}
	return line;
}

/* ---- functions ---- */

enum { SCOPE_LOCALS = 2, LOCALS_MAX = 4096, TAIL = 8, DEPTH = 6, INFO_WORDS = 8, TRIES = 3 };

/*
 * The name of a function in its ScopeInfo, and where it begins. After flags, counts and variables that
 * closures use (names, or a table of them, and words about them) come its name with a number, or the name
 * that was inferred for it, or both; then, in older versions, its first and last place, and no number.
 */
static bool read_scope(const struct v8 *v, uint64_t scope, char *name, size_t room, uint64_t *start)
{
	uint64_t w[TAIL], last[2] = { 0, 0 }, first = v->word[DT_V8_SCOPE_VARS];
	uint64_t locals = get_one(v, scope, 1 + SCOPE_LOCALS) >> SMI_SHIFT;
	uint64_t names = get_one(v, scope, 1 + (unsigned)first);
	unsigned type, n = 0;
	bool string;

	if (locals > LOCALS_MAX)
		return false;
	if (locals > 0 && is_smi(names)) {		/* of a module: how many variables that has */
		first++;
		names = get_one(v, scope, 1 + (unsigned)first);
	}
	if (locals > 0)
		first += locals + (is_string(v, names, &type) ? locals : 1);
	if (!get(v, scope, 1 + (unsigned)first, w, TAIL))
		return false;
	for (unsigned i = 0; i < TAIL && !(n >= 2 && is_type(v, w[i], DT_V8_SCOPE_TYPE)); i++) {
		if (is_smi(w[i])) {
			last[0] = last[1];
			last[1] = w[i];
			n++;
			continue;
		}
		string = is_string(v, w[i], &type);
		if (!string && n >= 2 && !(i == 2 && w[0] == 0))
			break;
		n = 0;
		if (name[0] == '\0' && string && !put_string(v, w[i], name, room, DEPTH))
			return false;
	}
	if (v->word[DT_V8_SCOPE_VARS] > SCOPE_LOCALS + 1)
		*start = get_one(v, scope, (unsigned)v->word[DT_V8_SCOPE_VARS] - 1) >> SMI_SHIFT;
	else
		*start = n >= 2 && last[0] <= last[1] ? last[0] >> SMI_SHIFT : UINT64_MAX;
	return true;
}

/* 0, or what it is known by has changed */
static int read_info(const struct v8 *v, const struct dt_unwind_func *seen, uint64_t *name, uint64_t *script)
{
	uint64_t w[INFO_WORDS], token = v->word[DT_V8_TOKEN];

	if (!get(v, seen->code, 0, w, INFO_WORDS) || !is_type(v, seen->code, DT_V8_SHARED_TYPE))
		return -ESTALE;
	*name = w[(token - DT_V8_NAME_BEFORE) / WORD];
	*script = w[(token - DT_V8_SCRIPT_BEFORE) / WORD];
	return DT_V8_KEY(*name, *script) == seen->key ? 0 : -ESTALE;
}

static void read_script(const struct v8 *v, uint64_t script, uint64_t start, uint64_t bytecode,
    struct dt_lang_function *to)
{
	struct source s = { .v = v, .line = 1 };
	uint64_t first = get_one(v, script, SCRIPT_LINE);

	(void)put_string(v, get_one(v, script, SCRIPT_NAME), to->file, sizeof(to->file), DEPTH);
	if (is_smi(first))
		s.line += (uint32_t)(first >> SMI_SHIFT);
	if (!find_text(v, get_one(v, script, SCRIPT_SOURCE), &s.text) || !go_to(&s, start))
		return;
	to->first = s.line;
	read_table(v, bytecode, &s, to);
}

static int function(const struct dt_lang_process *p, const struct dt_unwind_lang *l,
    const struct dt_unwind_func *seen, struct dt_lang_function *to)
{
	struct v8 v = { p, l->word };
	uint64_t name, script, start = UINT64_MAX;
	int err = read_info(&v, seen, &name, &script);

	if (err != 0)
		return err;
	if (is_type(&v, name, DT_V8_SCOPE_TYPE) ? !read_scope(&v, name, to->name, sizeof(to->name), &start) :
	    !is_smi(name) && !put_string(&v, name, to->name, sizeof(to->name), DEPTH))
		return -ESTALE;
	if (to->name[0] == '\0')
		memcpy(to->name, "<anonymous>", sizeof("<anonymous>"));
	/* more than once, as what it refers to may be moved meanwhile */
	for (int i = 0; i < TRIES && to->first == 0 && is_type(&v, script, DT_V8_SCRIPT_TYPE); i++)
		read_script(&v, script, start, seen->more, to);
	return read_info(&v, seen, &name, &script);
}

const struct dt_lang dt_lang_v8 = {
	.name = "javascript",
	.files = files,
	.loops = none,
	.symbols = symbols,
	.learn = learn,
	.function = function,
	.line = line,
};
