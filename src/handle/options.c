/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Option text in, numbers out. The rows are in options.def; here are the ways to read a value, one function
 * for each kind. A value that is refused leaves everything as it was.
 */
#include "handle/options.h"

#include "base/count.h"
#include "base/diag.h"
#include "bpf/image.h"
#include "output/unit.h"
#include "sink/sink.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <strings.h>

/* How a value is read: the column "kind" of options.def, and the flags of its column "flags". */
enum kind { SIZE, RATE, BOOL, NUM, WORD, FLAG, STR, OPTSTR, VERSION, NKINDS };
enum { P = 1, A = 2, N = 4, H = 8 };

#define MANY INT64_MAX
#define MS INT64_C(1000000)
#define SEC INT64_C(1000000000)

/* Words that stand for values, one list for each column "words" of options.def. */
static const struct dt_optword words_none[] = { { NULL, 0 } };
static const struct dt_optword words_bool[] = {
	{ "yes", 1 }, { "no", DTRACEOPT_UNSET }, { "enable", 1 }, { "disable", DTRACEOPT_UNSET },
	{ "enabled", 1 }, { "disabled", DTRACEOPT_UNSET }, { "true", 1 }, { "false", DTRACEOPT_UNSET },
	{ "on", 1 }, { "off", DTRACEOPT_UNSET }, { "set", 1 }, { "unset", DTRACEOPT_UNSET },
	{ "", DTRACEOPT_UNSET }, { NULL, 0 } };
static const struct dt_optword words_policy[] = {
	{ "ring", DT_BUFPOLICY_RING }, { "fill", DT_BUFPOLICY_FILL }, { "switch", DT_BUFPOLICY_SWITCH },
	{ NULL, 0 } };
static const struct dt_optword words_resize[] = {
	{ "auto", DT_BUFRESIZE_AUTO }, { "manual", DT_BUFRESIZE_MANUAL }, { NULL, 0 } };
static const struct dt_optword words_cpu[] = { { "all", DTRACEOPT_UNSET }, { NULL, 0 } };
static const struct dt_optword words_limit[] = { { "unlimited", -1 }, { NULL, 0 } };
static const struct dt_optword words_format[] = {
#define X(name, word, type, argument) { word, DT_OFORMAT_##name },
#include "sink/formats.def"
#undef X
	{ "none", DT_OFORMAT_text }, { NULL, 0 } };
static const struct dt_optword words_encode[] = {
	{ "ascii", DT_ENCODING_ASCII }, { "utf8", DT_ENCODING_UTF8 }, { "auto", DT_ENCODING_AUTO },
	{ NULL, 0 } };
static const struct dt_optword words_color[] = {
	{ "auto", DT_COLOR_AUTO }, { "always", DT_COLOR_ALWAYS }, { "never", DT_COLOR_NEVER }, { NULL, 0 } };
static const struct dt_optword words_layout[] = {
	{ "auto", DT_LAYOUT_AUTO }, { "historic", DT_LAYOUT_HISTORIC }, { "fit", DT_LAYOUT_FIT },
	{ NULL, 0 } };
static const struct dt_optword words_evaltime[] = {
	{ "exec", DT_EVALTIME_EXEC }, { "preinit", DT_EVALTIME_PREINIT },
	{ "postinit", DT_EVALTIME_POSTINIT }, { "main", DT_EVALTIME_MAIN }, { NULL, 0 } };
static const struct dt_optword words_stacklang[] = {
	{ "all", DT_STACKLANG_ALL }, { "native", DT_STACKLANG_NATIVE }, { NULL, 0 } };
static const struct dt_optword words_unwind[] = {
	{ "auto", DT_UNWIND_AUTO }, { "fp", DT_UNWIND_FP }, { "dwarf", DT_UNWIND_DWARF }, { NULL, 0 } };
static const struct dt_optword words_target[] = {
	{ "auto", DT_TARGET_AUTO }, { "all", DT_TARGET_ALL }, { "only", DT_TARGET_ONLY }, { NULL, 0 } };
static const struct dt_optword words_hold[] = {
	{ "no", DTRACEOPT_UNSET }, { "off", DTRACEOPT_UNSET }, { "0", DTRACEOPT_UNSET }, { NULL, 0 } };
static const struct dt_optword words_engine[] = {
	{ "auto", DT_ENGINE_AUTO }, { "kernel", DT_ENGINE_KERNEL }, { "process", DT_ENGINE_PROCESS },
	{ NULL, 0 } };
static const struct dt_optword words_late[] = {
	{ "static", DT_LATE_STATIC }, { "dynamic", DT_LATE_DYNAMIC }, { NULL, 0 } };
static const struct dt_optword words_linkmode[] = {
	{ "kernel", DT_LINKMODE_KERNEL }, { "primary", DT_LINKMODE_PRIMARY },
	{ "dynamic", DT_LINKMODE_DYNAMIC }, { "static", DT_LINKMODE_STATIC }, { NULL, 0 } };
static const struct dt_optword words_linktype[] = {
	{ "elf", DT_LINKTYPE_ELF }, { "dof", DT_LINKTYPE_DOF }, { NULL, 0 } };
static const struct dt_optword words_stdc[] = {
	{ "a", 'a' }, { "c", 'c' }, { "s", 's' }, { "t", 't' }, { NULL, 0 } };

/* The table: options.def says what the columns mean. */
#define CLASS_C 'C'
#define CLASS_R 'R'
#define CLASS_D 'D'
static const struct dt_optrow rows[DT_NOPTS] = {
#define X(name, number, cls, kind, words, def, least, most, flags, cflag, doc) \
	{ #name, number, CLASS_##cls, kind, flags, cflag, words_##words, def, least, most, doc },
#include "handle/options.def"
#undef X
};
#define X(name, number, cls, kind, words, def, least, most, flags, cflag, doc) \
	_Static_assert(sizeof(doc) > 1, "option " #name " has no documentation");
#include "handle/options.def"
#undef X

/* Units: the text behind the digits, and what it multiplies by. */
struct suffix { const char *text; int64_t factor; };

/* Digits in C's bases at the start of the text; the rest is left to the caller. False: none, or too many. */
static bool read_number(const char *text, int64_t *out, const char **rest)
{
	if (!isdigit((unsigned char)*text))
		return false;
	char *end;
	errno = 0;
	*out = strtoll(text, &end, 0);
	*rest = end;
	return errno == 0;
}

/* Units are read in any case: 4M is 4m. */
static const struct suffix *find_suffix(const struct suffix *s, const char *text)
{
	while (s->text && strcasecmp(s->text, text) != 0)
		s++;
	return s->text ? s : NULL;
}

/* A size in bytes. Overflow is refused, not wrapped. */
static bool read_size(const char *text, int64_t *out)
{
	static const struct suffix suffixes[] = { { "", 1 }, { "k", 1 << 10 }, { "m", 1 << 20 },
		{ "g", 1 << 30 }, { "t", INT64_C(1) << 40 }, { NULL, 0 } };
	const char *rest;
	if (!read_number(text, out, &rest))
		return false;
	const struct suffix *s = find_suffix(suffixes, rest);
	return s && !__builtin_mul_overflow(*out, s->factor, out);
}

/* A time between two events, in nanoseconds. 50hz and 20ms are the same. */
static bool read_rate(const char *text, int64_t *out)
{
	static const struct suffix suffixes[] = { { "", 1 }, { "ns", 1 }, { "nsec", 1 },
		{ "us", 1000 }, { "usec", 1000 }, { "ms", 1000000 }, { "msec", 1000000 },
		{ "s", 1000000000 }, { "sec", 1000000000 },
		{ "m", INT64_C(60000000000) }, { "min", INT64_C(60000000000) },
		{ "h", INT64_C(3600000000000) }, { "hour", INT64_C(3600000000000) },
		{ "d", INT64_C(86400000000000) }, { "day", INT64_C(86400000000000) }, { NULL, 0 } };
	const char *rest;
	if (!read_number(text, out, &rest))
		return false;
	if (strcasecmp(rest, "hz") == 0) {
		if (*out == 0)
			return false;
		*out = INT64_C(1000000000) / *out;
		return true;
	}
	const struct suffix *s = find_suffix(suffixes, rest);
	return s && !__builtin_mul_overflow(*out, s->factor, out);
}

/* A number and nothing behind it. */
static bool read_plain(const char *text, int64_t *out)
{
	const char *rest;
	return read_number(text, out, &rest) && *rest == '\0';
}

/* ---- version=M.m[.u] ---- */

/* One part of a version, up to `max`; *p moves behind it. */
static bool read_part(const char **p, long max, long *out)
{
	if (!isdigit((unsigned char)**p))
		return false;
	char *end;
	errno = 0;
	*out = strtol(*p, &end, 10);
	*p = end;
	return errno == 0 && *out <= max;
}

/* M.m or M.m.u, with each part at most 255. */
static bool parse_version(const char *p, int64_t *out)
{
	long part[3] = { 0, 0, 0 };
	if (!read_part(&p, 255, &part[0]) || *p++ != '.' || !read_part(&p, 255, &part[1]))
		return false;
	if (*p == '.' && (p++, !read_part(&p, 255, &part[2])))
		return false;
	*out = DT_VERSION_NUM(part[0], part[1], part[2]);
	return *p == '\0';
}

/* Versions that some release of DTrace had: a script that asks for another one is mistaken. */
static bool known_version(int64_t want)
{
	static const uint8_t known[][3] = { { 1, 0, 0 }, { 1, 1, 0 }, { 1, 2, 0 }, { 1, 2, 1 }, { 1, 2, 2 },
		{ 1, 3, 0 }, { 1, 4, 0 }, { 1, 4, 1 }, { 1, 5, 0 }, { 1, 6, 0 }, { 1, 6, 1 }, { 1, 6, 2 },
		{ 1, 6, 3 }, { 1, 6, 4 }, { 1, 7, 0 }, { 1, 7, 1 }, { 1, 8, 0 }, { 1, 8, 1 }, { 1, 9, 0 },
		{ 1, 9, 1 }, { 1, 10, 0 }, { 1, 11, 0 }, { 1, 12, 0 }, { 1, 12, 1 }, { 1, 13, 0 },
		{ 1, 14, 0 },
		{ 2, 0, 0 }, { 2, 0, 1 } };
	for (size_t i = 0; i < DT_COUNT(known); i++)
		if (DT_VERSION_NUM(known[i][0], known[i][1], known[i][2]) == want)
			return true;
	return false;
}

/*
 * Oracle's 2.x is the language of 1.14 and more: a script that asks for it gets everything. Otherwise the
 * version may only go down, because what was compiled before may already depend on less.
 */
static int set_version(struct dt_options *o, enum dt_opt opt, const char *text)
{
	int64_t v;
	if (!text || !parse_version(text, &v))
		return EDT_VERSINVAL;
	if (!known_version(v))
		return EDT_VERSUNDEF;
	if (v >= DT_VERSION_NUM(2, 0, 0))
		v = DT_VERSION_NUM(1, 14, 0);
	if (v > o->val[opt])
		return EDT_VERSREDUCED;
	o->val[opt] = v;
	return 0;
}

/* ---- setting ---- */

/* yes, on and the like are accepted in any case, as always; other words as they are written. */
static bool find_word(const struct dt_optword *w, const char *text, int64_t *out)
{
	int (*compare)(const char *, const char *) = w == words_bool ? strcasecmp : strcmp;

	while (w->text && compare(w->text, text) != 0)
		w++;
	if (w->text)
		*out = w->value;
	return w->text != NULL;
}

/*
 * A format with what stands behind its word: trace-event, flame=FILE. False: there is no such word, its
 * argument is missing, or it takes none.
 */
static bool find_format(struct dt_options *o, enum dt_opt opt, const char *text, int64_t *out)
{
	const char *equals = strchr(text, '='), *wants;
	char word[32];

	if (equals == NULL)
		equals = text + strlen(text);
	if ((size_t)(equals - text) >= sizeof(word))
		return false;
	snprintf(word, sizeof(word), "%.*s", (int)(equals - text), text);
	if (!find_word(words_format, word, out))
		return false;
	wants = dt_sink_argument((unsigned)*out);
	if (*equals == '\0' ? wants != NULL && wants[0] == '=' : wants == NULL || equals[1] == '\0')
		return false;
	o->str[opt] = *equals != '\0' ? dt_arena_strdup(o->arena, equals + 1) : NULL;
	return true;
}

/* Options that take only words have no other way to be read. */
static bool read_never(const char *text, int64_t *out)
{
	(void)text;
	(void)out;
	return false;
}

static bool (*const readers[NKINDS])(const char *, int64_t *) = {
	[SIZE] = read_size, [RATE] = read_rate, [BOOL] = read_plain, [NUM] = read_plain, [WORD] = read_never,
};

/*
 * A word of the row, or what its kind reads. Only a BOOL may have no value: it is then 0, which counts as on
 * because it is not DTRACEOPT_UNSET.
 */
static int set_number(struct dt_options *o, enum dt_opt opt, const char *text)
{
	const struct dt_optrow *row = &rows[opt];
	int64_t v = 0;
	if (!text && row->kind != BOOL)
		return EDT_BADOPTVAL;
	if (text && row->words == words_format) {
		if (!find_format(o, opt, text, &v))
			return EDT_BADOPTVAL;
	} else if (text && !find_word(row->words, text, &v)) {
		if (!readers[row->kind](text, &v) || (row->kind != RATE && (v < row->least || v > row->most)))
			return EDT_BADOPTVAL;
		if (v == 0 && (row->flags & H))
			v = DTRACEOPT_UNSET;
	}
	o->val[opt] = v;
	return 0;
}

/* A compile-time flag takes no value. kdefs and udefs switch their opposites off, and the reverse. */
static int set_flag(struct dt_options *o, enum dt_opt opt, const char *text)
{
	if (text)
		return EDT_BADOPTVAL;
	o->val[opt] = 1;
	if (opt == DT_OPT_kdefs)
		o->val[DT_OPT_knodefs] = DTRACEOPT_UNSET;
	else if (opt == DT_OPT_knodefs)
		o->val[DT_OPT_kdefs] = DTRACEOPT_UNSET;
	else if (opt == DT_OPT_udefs)
		o->val[DT_OPT_unodefs] = DTRACEOPT_UNSET;
	else if (opt == DT_OPT_unodefs)
		o->val[DT_OPT_udefs] = DTRACEOPT_UNSET;
	return 0;
}

/*
 * Options that add up: each goes to the list that the preprocessor, the libraries or the started process
 * read.
 */
static void append_to_list(struct dt_options *o, enum dt_opt opt, const char *text)
{
	static const struct { enum dt_opt opt; const char *flag; } cpp[] = {
		{ DT_OPT_define, "-D" }, { DT_OPT_undef, "-U" }, { DT_OPT_incdir, "-I" } };
	for (size_t i = 0; i < DT_COUNT(cpp); i++)
		if (cpp[i].opt == opt)
			dt_vec_push(o->arena, &o->cpp, dt_arena_printf(o->arena, "%s%s", cpp[i].flag, text));
	if (opt == DT_OPT_libdir)
		dt_vec_push(o->arena, &o->libdirs, text);
	if (opt == DT_OPT_setenv || opt == DT_OPT_unsetenv)
		dt_vec_push(o->arena, &o->env, text);
}

/* cppargs holds several words. */
static void append_words(struct dt_options *o, const char *text)
{
	for (text += strspn(text, " \t\n"); *text; text += strspn(text, " \t\n")) {
		size_t n = strcspn(text, " \t\n");
		dt_vec_push(o->arena, &o->cpp, dt_arena_strndup(o->arena, text, n));
		text += n;
	}
}

/* The text is copied: the caller's may go away. */
static int set_text(struct dt_options *o, enum dt_opt opt, const char *text)
{
	const char *equals = text ? strchr(text, '=') : NULL;
	char word[64];

	if (!text && rows[opt].kind != OPTSTR)
		return EDT_BADOPTVAL;
	if (opt == DT_OPT_setenv && (!equals || equals == text))
		return EDT_BADOPTVAL;
	if (opt == DT_OPT_unsetenv && (equals || !*text))
		return EDT_BADOPTVAL;
	if (opt == DT_OPT_units && text && dt_unit_wrong(text, word, sizeof(word)) != NULL)
		return EDT_BADOPTVAL;
	o->val[opt] = 1;
	o->str[opt] = text ? dt_arena_strdup(o->arena, text) : NULL;
	if (opt == DT_OPT_cppargs)
		append_words(o, text);
	else if (rows[opt].flags & A)
		append_to_list(o, opt, o->str[opt]);
	return 0;
}

static int (*const setters[NKINDS])(struct dt_options *, enum dt_opt, const char *) = {
	[SIZE] = set_number, [RATE] = set_number, [BOOL] = set_number, [NUM] = set_number,
	    [WORD] = set_number,
	[FLAG] = set_flag, [STR] = set_text, [OPTSTR] = set_text, [VERSION] = set_version,
};

/* DT_NOPTS: there is no option of that name. The lists are short, and options are seldom set. */
static enum dt_opt find_option(const char *name)
{
	enum dt_opt i = 0;
	while (i < DT_NOPTS && strcmp(rows[i].name, name) != 0)
		i++;
	return i;
}

/* "form, a, b or c": appends the words an option takes. */
static const char *words_of(struct dt_arena *arena, const struct dt_optword *w, const char *form)
{
	bool formats = w == words_format;

	for (; w->text != NULL; w++) {
		const char *behind = formats ? dt_sink_argument((unsigned)w->value) : NULL;

		form = dt_arena_printf(arena, "%s%s%s%s", form, form[0] == '\0' ? "" : w[1].text != NULL ?
		    ", " : " or ", w->text, behind != NULL ? behind : "");
	}
	return form;
}

/* The range behind it, where there is one. */
static const char *with_range(struct dt_arena *arena, const struct dt_optrow *row, const char *form)
{
	if (row->kind == RATE || (row->least == 0 && row->most == MANY))
		return form;
	return row->most == MANY ? dt_arena_printf(arena, "%s; at least %lld", form, (long long)row->least) :
	    dt_arena_printf(arena, "%s; %lld to %lld", form, (long long)row->least, (long long)row->most);
}

const char *dt_options_form(struct dt_arena *arena, const char *name)
{
	static const char *const forms[NKINDS] = {
		[SIZE] = "a size in bytes: 4096, 64k, 4m, 1g", [RATE] = "a time or a rate: 10ms, 2s, 50hz",
		    [BOOL] = "yes or no", [NUM] = "a number",
		[WORD] = "", [FLAG] = "no value", [STR] = "a text", [OPTSTR] = "a text",
		    [VERSION] = "a version: 1.6",
	};
	enum dt_opt opt = find_option(name);

	if (opt == DT_NOPTS)
		return "";
	if (opt == DT_OPT_units)
		return "ns, us, ms, s or bytes for all aggregations, lat:ns for @lat; several with commas "
		    "between them";
	return with_range(arena, &rows[opt], rows[opt].kind == BOOL ? forms[BOOL] :
	    words_of(arena, rows[opt].words, forms[rows[opt].kind]));
}

/* ---- for people ---- */

/* "name", or "name=" and the kind of value or its words. */
static const char *form_of(struct dt_arena *arena, const struct dt_optrow *row)
{
	static const char *const forms[NKINDS] = { [SIZE] = "SIZE", [RATE] = "RATE", [NUM] = "NUMBER",
		[WORD] = "", [STR] = "TEXT", [OPTSTR] = "TEXT", [VERSION] = "M.m" };
	const char *form = forms[row->kind];

	if (form == NULL)
		return row->name;
	for (const struct dt_optword *w = row->words; w->text != NULL; w++)
		form = dt_arena_printf(arena, "%s%s%s", form, form[0] != '\0' ? "|" : "", w->text);
	return dt_arena_printf(arena, "%s=%s", row->name, form);
}

/* A number with the largest of the units that leaves it whole. */
static const char *in_units(struct dt_arena *arena, int64_t v, const struct suffix *units)
{
	while (units->text[0] != '\0' && (v == 0 || v % units->factor != 0))
		units++;
	return dt_arena_printf(arena, "%lld%s", (long long)(v / units->factor), units->text);
}

static const char *value_text(struct dt_arena *arena, const struct dt_optrow *row, int64_t v)
{
	static const struct suffix bytes[] = { { "g", 1 << 30 }, { "m", 1 << 20 }, { "k", 1 << 10 },
		{ "", 1 } };
	static const struct suffix times[] = { { "s", SEC }, { "ms", MS }, { "us", MS / 1000 }, { "", 1 } };

	if (row->kind == RATE && v % (MS / 1000) != 0)
		return dt_arena_printf(arena, "%lldhz", (long long)((SEC + v / 2) / v));
	return in_units(arena, v, row->kind == SIZE ? bytes : row->kind == RATE ? times : bytes + 3);
}

static const char *default_of(struct dt_arena *arena, const struct dt_optrow *row)
{
	if (row->kind == VERSION)
		return dt_arena_printf(arena, "%lld.%lld", (long long)(row->def >> 16),
		    (long long)(row->def >> 8 & 255));
	if (row->def == DTRACEOPT_UNSET)
		return row->kind == BOOL || row->kind == FLAG ? "no" : "";
	for (const struct dt_optword *w = row->words; w->text != NULL; w++)
		if (w->value == row->def)
			return w->text;
	return value_text(arena, row, row->def);
}

static const char *range_of(struct dt_arena *arena, const struct dt_optrow *row)
{
	bool many = row->most == MANY || (row->kind <= NUM && row->kind != RATE && row->most >= INT32_MAX);

	if (many && row->least == 0)
		return "";
	if (many)
		return dt_arena_printf(arena, "at least %s", value_text(arena, row, row->least));
	return dt_arena_printf(arena, "%s to %s", value_text(arena, row, row->least),
	    value_text(arena, row, row->most));
}

struct dt_opttexts dt_options_texts(struct dt_arena *arena, enum dt_opt opt)
{
	const struct dt_optrow *row = &rows[opt];

	return (struct dt_opttexts){ form_of(arena, row), default_of(arena, row), range_of(arena, row),
		row->cls == 'D' ? "any time" : row->flags & P ? "-x only" : "start", !(row->flags & N) };
}

void dt_options_init(struct dt_options *o, struct dt_arena *arena)
{
	memset(o, 0, sizeof(*o));
	o->arena = arena;
	for (unsigned i = 0; i < DT_NOPTS; i++)
		o->val[i] = rows[i].def;
}

/* A program may choose a format, but not the file or the address that it is written to or read from. */
static bool is_for_callers(const struct dt_optrow *row, const char *val)
{
	return (row->flags & P) || (row->words == words_format && val != NULL && strchr(val, '=') != NULL);
}

/* The order of the checks decides which error is told: name, place, time, value. */
int dt_options_set(struct dt_options *o, const char *name, const char *val, unsigned where)
{
	enum dt_opt opt = find_option(name);
	if (opt == DT_NOPTS)
		return EDT_BADOPTNAME;
	if ((where & DT_OPT_IN_PROGRAM) && is_for_callers(&rows[opt], val))
		return EDT_BADOPTCTX;
	if ((where & DT_OPT_TRACING) && rows[opt].cls == 'R')
		return EDT_ACTIVE;
	if ((where & DT_OPT_IN_PROGRAM) && (rows[opt].flags & H) && o->given[opt] == DT_GIVEN_CALLER)
		return 0;
	int err = setters[rows[opt].kind](o, opt, val);
	if (err == 0)
		o->given[opt] = where & DT_OPT_IN_PROGRAM ? DT_GIVEN_PROGRAM : DT_GIVEN_CALLER;
	return err;
}

const char *dt_options_unused(const struct dt_options *o, enum dt_opt opt)
{
	return o->given[opt] != DT_GIVEN_NOT && dt_options_on(o, opt) && (rows[opt].flags & N) ?
	    rows[opt].doc : NULL;
}

void dt_options_settle(struct dt_options *o)
{
	for (unsigned i = 0; i < DT_NOPTS; i++) {
		if (rows[i].words == words_hold && o->val[i] == DTRACEOPT_UNSET)
			continue;
		if (rows[i].kind == RATE && o->val[i] < rows[i].least)
			o->val[i] = rows[i].least;
		else if (rows[i].kind == RATE && o->val[i] > rows[i].most)
			o->val[i] = rows[i].most;
	}
}

int dt_options_set_word(struct dt_options *o, const char *word, unsigned where)
{
	const char *equals = strchr(word, '=');
	if (!equals)
		return dt_options_set(o, word, NULL, where);
	char name[32];		/* longer than any name in the table */
	size_t n = (size_t)(equals - word);
	if (n >= sizeof(name))
		return EDT_BADOPTNAME;
	memcpy(name, word, n);
	name[n] = '\0';
	return dt_options_set(o, name, equals + 1, where);
}

/* Options that are text have no number, so for this call they do not exist (history). */
int dt_options_get(const struct dt_options *o, const char *name, int64_t *val)
{
	enum dt_opt opt = find_option(name);
	if (opt == DT_NOPTS || rows[opt].kind == STR || rows[opt].kind == OPTSTR)
		return EDT_BADOPTNAME;
	*val = o->val[opt];
	return 0;
}

/* A word is preferred over its number, so that a saved option reads as it was written. */
const char *dt_options_text(const struct dt_options *o, enum dt_opt opt, struct dt_arena *arena)
{
	const struct dt_optrow *row = &rows[opt];

	if (row->kind == STR || row->kind == OPTSTR)
		return o->str[opt];
	if (row->kind == FLAG)
		return NULL;
	for (const struct dt_optword *w = row->words; w->text; w++)
		if (w->value == o->val[opt])
			return o->str[opt] == NULL ? w->text :
			    dt_arena_printf(arena, "%s=%s", w->text, o->str[opt]);
	return dt_arena_printf(arena, "%lld", (long long)o->val[opt]);
}

const char *dt_options_near(const char *name)
{
	struct dt_near near;
	dt_near_init(&near, name);
	for (unsigned i = 0; i < DT_NOPTS; i++)
		dt_near_offer(&near, rows[i].name);
	return near.best;
}

unsigned dt_options_cflags(const struct dt_options *o)
{
	unsigned cflags = 0;
	for (unsigned i = 0; i < DT_NOPTS; i++)
		if (rows[i].cflag && dt_options_on(o, i))
			cflags |= rows[i].cflag;
	return cflags;
}

const struct dt_optrow *dt_options_row(enum dt_opt opt)
{
	return opt < DT_NOPTS ? &rows[opt] : NULL;
}
