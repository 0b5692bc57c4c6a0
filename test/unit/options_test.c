/* SPDX-License-Identifier: BSD-2-Clause */
/* Option values as people write them, and where each option is refused. */
#include "check.h"

#include "handle/errors.h"
#include "handle/options.h"
#include "sink/sink.h"

static int64_t value(struct dt_options *o, const char *name)
{
	int64_t v = -12345;
	CHECK(dt_options_get(o, name, &v) == 0);
	return v;
}

static const struct good { const char *name, *text; int64_t want; } goods[] = {
	{ "bufsize", "4m", 4 << 20 }, { "bufsize", "0x10K", 16 << 10 }, { "bufsize", "010", 8 },
	{ "aggsize", "2g", INT64_C(2) << 30 }, { "aggsize", "1T", INT64_C(1) << 40 },
	{ "strsize", "1024", 1024 }, { "aggrate", "10hz", 100000000 },
	{ "aggrate", "5s", INT64_C(5000000000) }, { "aggrate", "7", 7 },
	{ "switchrate", "3ms", 3000000 }, { "switchrate", "2usec", 2000 },
	{ "statusrate", "1min", INT64_C(60000000000) }, { "cleanrate", "101hz", 1000000000 / 101 },
	{ "switchrate", "1day", INT64_C(86400000000000) }, { "quiet", NULL, 0 }, { "quiet", "yes", 1 },
	{ "quiet", "no", DTRACEOPT_UNSET }, { "quiet", "", DTRACEOPT_UNSET },
	{ "quiet", "YES", 1 }, { "quiet", "SeT", 1 }, { "quiet", "UnSeT", DTRACEOPT_UNSET },	/* S B8 */
	{ "flowindent", "off", DTRACEOPT_UNSET }, { "flowindent", "3", 3 }, { "nspec", "4", 4 },
	{ "bufpolicy", "ring", 0 }, { "bufpolicy", "switch", 2 }, { "bufresize", "manual", 1 },
	{ "lockmem", "unlimited", -1 }, { "lockmem", "64m", 64 << 20 },
	{ "oformat", "json", DT_OFORMAT_json }, { "evaltime", "main", DT_EVALTIME_MAIN },
	{ "stdc", "s", 's' }, { "tree", "15", 15 }, { "zdefs", NULL, 1 },
	{ "unwind", "fp", DT_UNWIND_FP }, { "unwind", "dwarf", DT_UNWIND_DWARF },
	{ "color", "always", DT_COLOR_ALWAYS }, { "color", "never", DT_COLOR_NEVER },
	{ "layout", "historic", DT_LAYOUT_HISTORIC }, { "layout", "fit", DT_LAYOUT_FIT },
	{ "encoding", "auto", DT_ENCODING_AUTO }, { "walltime", NULL, 0 }, { "mergestacks", NULL, 0 },
	{ "mergestacks", "no", DTRACEOPT_UNSET }, { "mergestacks", "0", DTRACEOPT_UNSET },
	{ "mergestacks", "1", 1 },
	{ "unwindsize", "64m", 64 << 20 }, { "namesize", "64m", 64 << 20 },
	{ "version", "2.0", DT_VERSION_NUM(1, 14, 0) },
	{ "version", "1.6.3", DT_VERSION_NUM(1, 6, 3) },
};

static const struct bad { const char *name, *text; unsigned where; int err; } bads[] = {
	{ "nosuch", NULL, 0, EDT_BADOPTNAME }, { "", NULL, 0, EDT_BADOPTNAME },
	{ "Quiet", NULL, 0, EDT_BADOPTNAME }, { "bufsize", NULL, 0, EDT_BADOPTVAL },
	{ "bufsize", "", 0, EDT_BADOPTVAL }, { "bufsize", "-1", 0, EDT_BADOPTVAL },
	{ "bufsize", "4x", 0, EDT_BADOPTVAL }, { "bufsize", "4mm", 0, EDT_BADOPTVAL },
	{ "bufsize", " 4", 0, EDT_BADOPTVAL }, { "bufsize", "9999999t", 0, EDT_BADOPTVAL },
	{ "bufsize", "99999999999999999999", 0, EDT_BADOPTVAL }, { "aggrate", "0hz", 0, EDT_BADOPTVAL },
	{ "aggrate", "hz", 0, EDT_BADOPTVAL }, { "aggrate", "9999999999d", 0, EDT_BADOPTVAL },
	{ "quiet", "maybe", 0, EDT_BADOPTVAL }, { "quiet", "-3", 0, EDT_BADOPTVAL },
	{ "bufpolicy", "2", 0, EDT_BADOPTVAL }, { "bufpolicy", NULL, 0, EDT_BADOPTVAL },
	{ "errtags", "1", 0, EDT_BADOPTVAL }, { "define", NULL, 0, EDT_BADOPTVAL },
	{ "setenv", "X", 0, EDT_BADOPTVAL }, { "setenv", "=X", 0, EDT_BADOPTVAL },
	{ "unsetenv", "A=B", 0, EDT_BADOPTVAL }, { "cpppath", "/bin/cpp", DT_OPT_IN_PROGRAM, EDT_BADOPTCTX },
	{ "libdir", ".", DT_OPT_IN_PROGRAM, EDT_BADOPTCTX },
	{ "oformat", "record=x", DT_OPT_IN_PROGRAM, EDT_BADOPTCTX },
	{ "oformat", "openmetrics=1", DT_OPT_IN_PROGRAM, EDT_BADOPTCTX },
	{ "bufsize", "1m", DT_OPT_TRACING, EDT_ACTIVE },
	{ "version", "1", 0, EDT_VERSINVAL }, { "version", "1.99999", 0, EDT_VERSINVAL },
	{ "version", "1.2.", 0, EDT_VERSINVAL }, { "version", "1.99", 0, EDT_VERSUNDEF },
	{ "version", "1.14", 0, EDT_VERSREDUCED },
	/* H 12: each number has its range, and nothing is cut to 32 bits */
	{ "strsize", "0", 0, EDT_BADOPTVAL }, { "strsize", "65537", 0, EDT_BADOPTVAL },
	{ "strsize", "4294967552", 0, EDT_BADOPTVAL }, { "strsize", "100g", 0, EDT_BADOPTVAL },
	{ "nspec", "129", 0, EDT_BADOPTVAL }, { "nspec", "4294967296", 0, EDT_BADOPTVAL },
	{ "stackframes", "0", 0, EDT_BADOPTVAL }, { "stackframes", "4294967316", 0, EDT_BADOPTVAL },
	{ "ustackframes", "65536", 0, EDT_BADOPTVAL }, { "jstackframes", "0", 0, EDT_BADOPTVAL },
	{ "jstackstrsize", "4294967295", 0, EDT_BADOPTVAL }, { "scratchsize", "2m", 0, EDT_BADOPTVAL },
	{ "unwindsize", "0", 0, EDT_BADOPTVAL }, { "cpu", "4294967296", 0, EDT_BADOPTVAL },
	{ "aggsortpos", "4294967296", 0, EDT_BADOPTVAL }, { "iregs", "0", 0, EDT_BADOPTVAL },
	{ "color", "red", 0, EDT_BADOPTVAL }, { "layout", NULL, 0, EDT_BADOPTVAL },
	{ "mergestacks", NULL, DT_OPT_TRACING, EDT_ACTIVE },
	{ "stackindent", "1001", 0, EDT_BADOPTVAL },		/* H 13 */
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

/* H 13: whatever is asked for, there is a pause between two rounds. */
static void rates(struct dt_options *o)
{
	static const char *const names[] = { "switchrate", "aggrate", "statusrate", "cleanrate" };
	static const char *const texts[] = { "0", "1ns", "99999999999hz" };

	for (size_t i = 0; i < 4; i++)
		for (size_t k = 0; k < 3; k++) {
			CHECK(dt_options_set(o, names[i], texts[k], 0) == 0);
			dt_options_settle(o);
			CHECK(value(o, names[i]) >= 200000);
		}
	CHECK(dt_options_set(o, "statusrate", "1h", 0) == 0 && dt_options_set(o, "switchrate", "1h", 0) == 0);
	dt_options_settle(o);
	CHECK(value(o, "statusrate") == INT64_C(10000000000));
	CHECK(value(o, "switchrate") == INT64_C(3600000000000));
}

/* H 14: no means no, also when it is written as 0, and holds against a program; yes does too. */
static void destructive(struct dt_options *o)
{
	static const char *const no[] = { "0", "0x0", "no", "off", "" };

	CHECK(dt_options_set(o, "destructive", NULL, DT_OPT_IN_PROGRAM) == 0 && value(o, "destructive") == 0);
	for (size_t i = 0; i < 5; i++) {
		CHECK(dt_options_set(o, "destructive", no[i], 0) == 0);
		CHECK(dt_options_set(o, "destructive", NULL, DT_OPT_IN_PROGRAM) == 0);
		CHECK(dt_options_set(o, "destructive", "yes", DT_OPT_IN_PROGRAM) == 0);
		CHECK(value(o, "destructive") == DTRACEOPT_UNSET);
	}
	CHECK(dt_options_set(o, "destructive", NULL, 0) == 0 && value(o, "destructive") == 0);
	CHECK(dt_options_set(o, "destructive", "no", DT_OPT_IN_PROGRAM) == 0 && value(o, "destructive") == 0);
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
	CHECK(value(&o, "strsize") == 256 && value(&o, "bufsize") == DTRACEOPT_UNSET &&
	    !o.given[DT_OPT_strsize]);
	values(&o);
	rates(&o);
	destructive(&o);
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
