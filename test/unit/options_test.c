/* SPDX-License-Identifier: BSD-2-Clause */
/* Option values as people write them, and where each option is refused. */
#include "check.h"

#include "lib/errors.h"
#include "lib/options.h"
#include "sink/sink.h"

static int64_t value(struct dt_options *o, const char *name)
{
	int64_t v = -12345;
	CHECK(dt_options_get(o, name, &v) == 0);
	return v;
}

static const struct good { const char *name, *text; int64_t want; } goods[] = {
	{ "bufsize", "4m", 4 << 20 }, { "bufsize", "0x10K", 16 << 10 }, { "bufsize", "010", 8 },
	{ "aggsize", "2g", INT64_C(2) << 30 }, { "aggsize", "1T", INT64_C(1) << 40 }, { "strsize", "1024", 1024 },
	{ "aggrate", "10hz", 100000000 }, { "aggrate", "5s", INT64_C(5000000000) }, { "aggrate", "7", 7 },
	{ "switchrate", "3ms", 3000000 }, { "switchrate", "2usec", 2000 }, { "statusrate", "1min", INT64_C(60000000000) },
	{ "cleanrate", "101hz", 1000000000 / 101 }, { "switchrate", "1day", INT64_C(86400000000000) },
	{ "quiet", NULL, 0 }, { "quiet", "yes", 1 }, { "quiet", "no", DTRACEOPT_UNSET }, { "quiet", "", DTRACEOPT_UNSET },
	{ "quiet", "YES", 1 }, { "quiet", "SeT", 1 }, { "quiet", "UnSeT", DTRACEOPT_UNSET },	/* S B8 */
	{ "flowindent", "off", DTRACEOPT_UNSET }, { "flowindent", "3", 3 }, { "nspec", "4", 4 },
	{ "bufpolicy", "ring", 0 }, { "bufpolicy", "switch", 2 }, { "bufresize", "manual", 1 },
	{ "lockmem", "unlimited", -1 }, { "lockmem", "64m", 64 << 20 }, { "oformat", "json", DT_OFORMAT_json },
	{ "evaltime", "main", DT_EVALTIME_MAIN }, { "stdc", "s", 's' }, { "tree", "15", 15 }, { "zdefs", NULL, 1 },
	{ "unwind", "fp", DT_UNWIND_FP }, { "unwind", "dwarf", DT_UNWIND_DWARF }, { "unwindsize", "64m", 64 << 20 },
	{ "version", "2.0", DT_VERSION_NUM(1, 14, 0) }, { "version", "1.6.3", DT_VERSION_NUM(1, 6, 3) },
};

static const struct bad { const char *name, *text; unsigned where; int err; } bads[] = {
	{ "nosuch", NULL, 0, EDT_BADOPTNAME }, { "", NULL, 0, EDT_BADOPTNAME }, { "Quiet", NULL, 0, EDT_BADOPTNAME },
	{ "bufsize", NULL, 0, EDT_BADOPTVAL }, { "bufsize", "", 0, EDT_BADOPTVAL }, { "bufsize", "-1", 0, EDT_BADOPTVAL },
	{ "bufsize", "4x", 0, EDT_BADOPTVAL }, { "bufsize", "4mm", 0, EDT_BADOPTVAL }, { "bufsize", " 4", 0, EDT_BADOPTVAL },
	{ "bufsize", "9999999t", 0, EDT_BADOPTVAL }, { "bufsize", "99999999999999999999", 0, EDT_BADOPTVAL },
	{ "aggrate", "0hz", 0, EDT_BADOPTVAL }, { "aggrate", "hz", 0, EDT_BADOPTVAL }, { "aggrate", "9999999999d", 0, EDT_BADOPTVAL },
	{ "quiet", "maybe", 0, EDT_BADOPTVAL }, { "quiet", "-3", 0, EDT_BADOPTVAL }, { "bufpolicy", "2", 0, EDT_BADOPTVAL },
	{ "bufpolicy", NULL, 0, EDT_BADOPTVAL }, { "errtags", "1", 0, EDT_BADOPTVAL }, { "define", NULL, 0, EDT_BADOPTVAL },
	{ "setenv", "X", 0, EDT_BADOPTVAL }, { "setenv", "=X", 0, EDT_BADOPTVAL }, { "unsetenv", "A=B", 0, EDT_BADOPTVAL },
	{ "cpppath", "/bin/cpp", DT_OPT_IN_PROGRAM, EDT_BADOPTCTX }, { "libdir", ".", DT_OPT_IN_PROGRAM, EDT_BADOPTCTX },
	{ "bufsize", "1m", DT_OPT_TRACING, EDT_ACTIVE }, { "version", "1", 0, EDT_VERSINVAL },
	{ "version", "1.99999", 0, EDT_VERSINVAL }, { "version", "1.2.", 0, EDT_VERSINVAL }, { "version", "1.99", 0, EDT_VERSUNDEF },
	{ "version", "1.14", 0, EDT_VERSREDUCED },
};

static void values(struct dt_options *o)
{
	for (size_t i = 0; i < sizeof(goods) / sizeof(goods[0]); i++) {
		CHECK(dt_options_set(o, goods[i].name, goods[i].text, 0) == 0);
		if (!CHECK(value(o, goods[i].name) == goods[i].want))
			fprintf(stderr, "  %s=%s\n", goods[i].name, goods[i].text ? goods[i].text : "");
	}
	for (size_t i = 0; i < sizeof(bads) / sizeof(bads[0]); i++)
		if (!CHECK(dt_options_set(o, bads[i].name, bads[i].text, bads[i].where) == bads[i].err))
			fprintf(stderr, "  %s=%s\n", bads[i].name, bads[i].text ? bads[i].text : "");
	CHECK(value(o, "bufsize") == 8);	/* what was refused changed nothing */
}

static void lists(struct dt_options *o)
{
	CHECK(dt_options_set_word(o, "define=A=1", 0) == 0);
	CHECK(dt_options_set_word(o, "undef=B", 0) == 0);
	CHECK(dt_options_set_word(o, "cppargs= -x  -y ", 0) == 0);
	CHECK(dt_options_set_word(o, "libdir=/a", 0) == 0);
	CHECK(dt_options_set_word(o, "setenv=N=V", 0) == 0);
	CHECK(o->cpp.n == 4 && o->libdirs.n == 1 && o->env.n == 1);
	CHECK_STR(o->cpp.v[0], "-DA=1");
	CHECK_STR(o->cpp.v[1], "-UB");
	CHECK_STR(o->cpp.v[3], "-y");
	CHECK(dt_options_set_word(o, "a_name_longer_than_every_name_in_the_table=1", 0) == EDT_BADOPTNAME);
}

static void flags(struct dt_options *o)
{
	CHECK(dt_options_cflags(o) == DTRACE_C_ZDEFS);
	CHECK(dt_options_set(o, "knodefs", NULL, 0) == 0);
	CHECK(dt_options_set(o, "errtags", NULL, DT_OPT_IN_PROGRAM) == 0);
	CHECK(dt_options_cflags(o) == (DTRACE_C_ZDEFS | DTRACE_C_KNODEF | DTRACE_C_ETAGS));
	CHECK(dt_options_set(o, "kdefs", NULL, 0) == 0);
	CHECK(!(dt_options_cflags(o) & DTRACE_C_KNODEF));
	CHECK(dt_options_set(o, "quiet", NULL, DT_OPT_TRACING) == 0 && o->given[DT_OPT_quiet]);
}

int main(void)
{
	struct dt_arena *arena = dt_arena_new();
	struct dt_options o;
	dt_options_init(&o, arena);
	CHECK(value(&o, "strsize") == 256 && value(&o, "bufsize") == DTRACEOPT_UNSET && !o.given[DT_OPT_strsize]);
	values(&o);
	lists(&o);
	flags(&o);
	CHECK_STR(dt_options_near("bufsiz"), "bufsize");
	CHECK(dt_options_near("completelyelse") == NULL);
	for (enum dt_opt i = 0; i < DT_NOPTS; i++)
		CHECK(dt_options_row(i)->number == -1 || dt_options_row(i)->number == (int)i);
	for (int e = EDT_BASE; e < EDT_MAX; e++)
		CHECK(strcmp(dt_error_text(e), "Unknown error") != 0);
	CHECK_STR(dt_error_text(EDT_MAX), "Unknown error");
	CHECK_STR(dt_error_text(2), "No such file or directory");
	dt_arena_free(arena);
	return check_report("options");
}
