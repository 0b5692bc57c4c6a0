/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of -x, `#pragma D option` and dtrace_setopt(): names and text in, values out.
 * options.def is the one list; a value is o->val[DT_OPT_<name>], a text o->str[DT_OPT_<name>].
 * Values start at their library default; o->given[] says which the caller has set.
 */
#ifndef DT_HANDLE_OPTIONS_H
#define DT_HANDLE_OPTIONS_H

#include "base/arena.h"
#include "dtrace.h"

#include <stdbool.h>

/* As the rows of src/builtin/ say from which version on a name exists (DT_VERS). */
#define DT_VERSION_NUM(major, minor, micro) ((int64_t)((major) << 16 | (minor) << 8 | (micro)))

enum dt_opt {
#define X(name, ...) DT_OPT_##name,
#include "handle/options.def"
#undef X
	DT_NOPTS
};

/* Values of options that are words; options.c has the words. */
enum { DT_BUFPOLICY_RING, DT_BUFPOLICY_FILL, DT_BUFPOLICY_SWITCH };
enum { DT_BUFRESIZE_AUTO, DT_BUFRESIZE_MANUAL };
enum { DT_ENCODING_ASCII, DT_ENCODING_UTF8, DT_ENCODING_AUTO };
enum { DT_COLOR_AUTO, DT_COLOR_ALWAYS, DT_COLOR_NEVER };
enum { DT_LAYOUT_AUTO, DT_LAYOUT_HISTORIC, DT_LAYOUT_FIT };
enum { DT_EVALTIME_EXEC, DT_EVALTIME_PREINIT, DT_EVALTIME_POSTINIT, DT_EVALTIME_MAIN };
enum { DT_TARGET_AUTO, DT_TARGET_ALL, DT_TARGET_ONLY };
enum { DT_UNWIND_AUTO, DT_UNWIND_FP, DT_UNWIND_DWARF };
enum { DT_STACKLANG_ALL, DT_STACKLANG_NATIVE };
enum { DT_ENGINE_AUTO, DT_ENGINE_KERNEL, DT_ENGINE_PROCESS };
enum { DT_LATE_STATIC, DT_LATE_DYNAMIC };
enum { DT_LINKMODE_KERNEL, DT_LINKMODE_PRIMARY, DT_LINKMODE_DYNAMIC, DT_LINKMODE_STATIC };
enum { DT_LINKTYPE_ELF, DT_LINKTYPE_DOF };

struct dt_optword { const char *text; int64_t value; };

/* One option, as options.def has it. */
struct dt_optrow {
	const char *name;
	int16_t number;			/* in DOF, or -1 */
	char cls;			/* 'C', 'R', 'D' */
	uint8_t kind;			/* enum in options.c */
	uint8_t flags;
	uint16_t cflag;			/* DTRACE_C_* that the option stands for */
	const struct dt_optword *words;	/* accepted beside what the kind reads; a NULL text ends */
	int64_t def, least, most;
	const char *doc;		/* what it is, in one line */
};

/* Who asked for it. */
enum dt_optgiver { DT_GIVEN_NOT, DT_GIVEN_PROGRAM, DT_GIVEN_CALLER };

struct dt_options {
	struct dt_arena *arena;
	int64_t val[DT_NOPTS];
	const char *str[DT_NOPTS];	/* the text of options that are text */
	uint8_t given[DT_NOPTS];	/* enum dt_optgiver */
	DT_VEC(const char *) cpp;	/* -DX -UX -Idir and cppargs, in the order given, as words for cpp */
	DT_VEC(const char *) libdirs;
	DT_VEC(const char *) env;	/* "N=V", or "N" to remove it */
};

/* Where an option is set from; it decides which are refused. */
enum {
	DT_OPT_IN_PROGRAM = 1,		/* #pragma D option */
	DT_OPT_TRACING = 2,		/* after dtrace_go() */
};

void dt_options_init(struct dt_options *, struct dt_arena *);
/* 0, or EDT_BADOPTNAME, EDT_BADOPTVAL, EDT_BADOPTCTX, EDT_ACTIVE, EDT_VERS*; val NULL: no value given. */
int dt_options_set(struct dt_options *, const char *name, const char *val, unsigned where);
/* "name" or "name=value", as in a pragma. */
int dt_options_set_word(struct dt_options *, const char *word, unsigned where);
/* 0 and the value, or EDT_BADOPTNAME; options that are text have none. */
int dt_options_get(const struct dt_options *, const char *name, int64_t *val);
/* Brings rates into their range: the loop of a trace never runs without a pause. */
void dt_options_settle(struct dt_options *);
/* What the values of an option look like, into the arena: "a size in bytes: 4096, 64k, 4m; 1 to 65536". */
const char *dt_options_form(struct dt_arena *, const char *name);
/* A row for people: "strsize=SIZE", "256", "1 to 65536", "start"; "" where there is nothing to say. */
struct dt_opttexts { const char *form, *def, *range, *scope; bool here; };
struct dt_opttexts dt_options_texts(struct dt_arena *, enum dt_opt);
/* The value that is set, as dt_options_set() reads it; NULL: set without a value. */
const char *dt_options_text(const struct dt_options *, enum dt_opt, struct dt_arena *);
/* Of an option that is set and has no effect here: what it does elsewhere. NULL: none. */
const char *dt_options_unused(const struct dt_options *, enum dt_opt);
/* The option that looks most like an unknown name, or NULL. */
const char *dt_options_near(const char *name);
/* DTRACE_C_* of the compile-time options that are on. */
unsigned dt_options_cflags(const struct dt_options *);
static inline bool dt_options_on(const struct dt_options *o, enum dt_opt opt)
{
	return o->val[opt] != DTRACEOPT_UNSET;
}
/* -x units: its words, "" for none; NULL: it is off */
static inline const char *dt_options_units(const struct dt_options *o)
{
	if (!dt_options_on(o, DT_OPT_units))
		return NULL;
	return o->str[DT_OPT_units] != NULL ? o->str[DT_OPT_units] : "";
}
const struct dt_optrow *dt_options_row(enum dt_opt);

#endif
