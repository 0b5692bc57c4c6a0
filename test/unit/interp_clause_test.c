/* SPDX-License-Identifier: BSD-2-Clause */
/* The interpreter with whole clauses: records, faults, ERROR, speculation, aggregations. */
#include "interp_world.h"

#include <inttypes.h>
#include <stdlib.h>

static char log_text[8192];		/* what the sink was told */
#define LOG(...) snprintf(log_text + strlen(log_text), sizeof(log_text) - strlen(log_text), __VA_ARGS__)

static void on_begin(void *ctx, const struct dt_ecb *e, uint32_t epid, const struct dt_context *c)
{
	(void)ctx, (void)e;
	LOG("begin %u %s:%s ", epid, c->probe.func, c->probe.name);
	/* a speculated clause is reported when its firing is long over: nothing may point into that */
	if (strcmp(c->probe.name, "spec") == 0 && (c->given || c->ngiven || c->stack || c->regions))
		LOG("stale ");
}
static void on_record(void *ctx, const struct dt_ecb *e, uint32_t act, const void *data, size_t len)
{
	(void)ctx;
	LOG("[%u:", act);
	if (e->acts[act].difo && e->acts[act].difo->rtype.kind == DT_DT_STRING) {
		LOG("'%.*s'/%zu", (int)len, (const char *)data, len);
	} else {
		for (size_t i = 0; i < len; i += len < 8 ? len : 8) {
			uint64_t v = 0;

			memcpy(&v, (const char *)data + i, len < 8 ? len : 8);
			LOG(" %" PRIx64, v);
		}
	}
	LOG("] ");
}
static void on_end(void *ctx, const struct dt_ecb *e, bool faulted)
{
	(void)ctx, (void)e;
	LOG(faulted ? "lost\n" : "end\n");
}
static void on_fault(void *ctx, const struct dt_ecb *e, uint32_t epid, int act, int offset, enum dt_fault f,
    uint64_t addr)
{
	(void)ctx, (void)e;
	LOG("fault %u %d %d %s %" PRIx64 "\n", epid, act, offset, dt_fault_text((int)f), addr);
}
static void on_drop(void *ctx, const char *kind)
{
	(void)ctx;
	LOG("drop %s\n", kind);
}
static const struct dt_interp_sink sink = { NULL, on_begin, on_record, on_end, on_fault, on_drop };

static const uint64_t ints[] = { 1, 2, 3, 7, 0xffff0000, 256 };
#define DIFO(...) { .text = (const uint32_t[]){ __VA_ARGS__ }, \
	.ntext = sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4, \
	.ints = ints, .nints = 6, .strs = strs, .strlen = sizeof(strs), .vars = vars, .nvars = 9, \
	.rtype = { .ckind = DT_CK_INTEGER, .size = 8 } }
static const struct dt_difo one = DIFO(OPV(SETX, 0, 1), RET(1)),
    two = DIFO(OPV(SETX, 1, 1), RET(1)),
    zero = DIFO(RET(0)),
    div0 = DIFO(OPV(SETX, 0, 1), OP(SDIV, 1, 0, 1), RET(1)),
    badaddr = DIFO(OPV(SETX, 5, 1), OP(LDX, 1, 0, 1), RET(1)),
    spec = DIFO(OP(FLUSHTS, 0, 0, 0), OPV(CALL, DT_SUBR_speculation, 1), OPV(STGS, 0x500, 1), RET(1)),
    spec_id = DIFO(OPV(LDGS, 0x500, 1), RET(1)),
    arg0 = DIFO(OPV(LDGS, DT_VAR_arg0, 1), RET(1)),
    arg4 = DIFO(OPV(LDGS, DT_VAR_arg4, 1), RET(1)),
    arg2 = DIFO(OPV(LDGS, DT_VAR_arg2, 1), RET(1)),
    local = DIFO(OPV(LDLS, 0x500, 1), RET(1)),
    set_local = DIFO(OPV(SETX, 3, 1), OPV(STLS, 0x500, 1), RET(1)),
    seven = DIFO(OPV(SETX, 3, 1), RET(1));
static struct dt_difo name, nothing, null_string;

#define ACT(k, d, ...) { .kind = DT_ACT_##k, .difo = d, __VA_ARGS__ }
#define ECB(p, m, f, n, pr, a) { .probe = { p, m, f, n, 0 }, .pred = pr, .acts = a, \
	.nacts = sizeof(a) / sizeof((a)[0]) }

static const char *fire(struct dt_interp *ip, const struct dt_context *c, int want)
{
	log_text[0] = '\0';
	CHECK_INT(dt_interp_fire(ip, c), want);
	return log_text;
}

static void test_records(void)
{
	const struct dt_act acts[] = { ACT(DIFEXPR, &one), ACT(DIFEXPR, &nothing), ACT(DIFEXPR, &name),
		ACT(DIFEXPR, &null_string), ACT(STACK, NULL, .arg = 2), ACT(USTACK, NULL, .arg = 3),
		    ACT(SYM, &seven), ACT(USYM, &seven),
		ACT(SKIPZ, &zero, .arg = 1), ACT(DIFEXPR, &one), ACT(SKIPZ, &two, .arg = 1),
		    ACT(DIFEXPR, &two), ACT(STOP, NULL), ACT(TRACEMEM, &name, .arg = 3), ACT(EXIT, &seven) };
	const struct dt_act local_acts[] = { ACT(DIFEXPR, &set_local) },
	    read_acts[] = { ACT(DIFEXPR, &local) };
	const struct dt_ecb ecbs[] = { ECB("", "", "", "", &zero, acts),
		{ .probe = { "", "kernel", "", "", 0 } }, ECB("", "", "", "", NULL, local_acts),
		ECB("", "", "", "return", NULL, acts), ECB("", "", "", "", &one, read_acts),
		ECB("sys*", "", "re[a-c]?", "entry", NULL, acts) };
	const struct dt_prog prog = { .ecbs = ecbs, .necbs = 6 };
	struct dt_context c = context();
	struct dt_interp *ip = dt_interp_new(&prog, NULL, &sink);

	CHECK_STR(fire(ip, &c, 7),
	    "begin 2 read:entry end\nbegin 3 read:entry [0: 7] end\nbegin 5 read:entry [0: 7] end\n"
	    "begin 6 read:entry [0: 1] [2:'a_comman'/9] [3:''/17] [4: 111 222] [5: 64 111 222 0] [6: 7] [7: "
	    "64 7] "
	    "[8: 0] [10: 1] [11: 2] [12:] [13:'a_c'/3] [14: 7] end\n");
	CHECK_STR(fire(ip, &c, 7), "");
	dt_interp_free(ip);
}

/* Issue 11: registers that ERROR changes are its own; those of the firing it interrupts come back. */
static void test_registers_in_error(void)
{
	const struct dt_difo set_ureg = DIFO(OPV(SETX, 3, 1), OP(STGA, DT_VAR_uregs, 0, 1), RET(0)),
	    set_in_error = DIFO(OPV(SETX, 1, 1), OP(STGA, DT_VAR_uregs, 0, 1), RET(0)),
	    ureg = DIFO(OP(LDGA, DT_VAR_uregs, 0, 1), RET(1));
	const struct dt_act acts[] = { ACT(DIFEXPR, &set_ureg), ACT(DIFEXPR, &div0) };
	const struct dt_act error[] = { ACT(DIFEXPR, &ureg), ACT(DIFEXPR, &set_in_error),
		ACT(DIFEXPR, &ureg) };
	const struct dt_act after[] = { ACT(DIFEXPR, &ureg) };
	const struct dt_ecb ecbs[] = { ECB("syscall", "", "", "", NULL, acts),
		ECB("dtrace", "", "", "ERROR", NULL, error), ECB("syscall", "", "", "", NULL, after) };
	const struct dt_prog prog = { .ecbs = ecbs, .necbs = 3, .destructive = true };
	struct dt_context c = context();
	struct dt_interp *ip = dt_interp_new(&prog, NULL, &sink);

	CHECK(strstr(fire(ip, &c, -1), "begin 2 :ERROR [0: a] [1: 0] [2: 2] end\n"
	    "begin 3 read:entry [0: 7] end\n") != NULL);
	dt_interp_free(ip);
}

static void test_faults(void)
{
	const struct dt_act acts[] = { ACT(DIFEXPR, &set_local), ACT(DIFEXPR, &div0), ACT(EXIT, &one) };
	const struct dt_act user_string[] = { ACT(TRACEMEM, &two, .arg = 8) };
	const struct dt_act error[] = { ACT(DIFEXPR, &arg2), ACT(DIFEXPR, &arg4), ACT(DIFEXPR, &local),
		ACT(DIFEXPR, &div0) };
	const struct dt_act after[] = { ACT(DIFEXPR, &local) };
	const struct dt_ecb ecbs[] = { ECB("syscall", "", "", "", NULL, acts),
		ECB("syscall", "", "", "", &badaddr, acts), ECB("syscall", "", "", "", NULL, user_string),
		    ECB("dtrace", "", "", "ERROR", NULL, error), ECB("syscall", "", "", "", NULL, after) };
	const struct dt_prog prog = { .ecbs = ecbs, .necbs = 5 };
	struct dt_context c = context();
	struct dt_interp *ip = dt_interp_new(&prog, NULL, &sink);

	CHECK_STR(fire(ip, &c, -1),
	    "begin 1 read:entry lost\nfault 1 1 4 divide-by-zero 0\nbegin 4 :ERROR lost\n"
	    "drop error in ERROR probe enabling\n"
	    "fault 2 -1 4 invalid address 100\nbegin 4 :ERROR lost\ndrop error in ERROR probe enabling\n"
	    "begin 3 read:entry lost\nfault 3 0 -1 invalid address 2\nbegin 4 :ERROR lost\n"
	    "drop error in ERROR probe enabling\n"
	    "begin 5 read:entry [0: 7] end\n");
	dt_interp_free(ip);
}

static void test_error_args(void)
{
	const struct dt_act acts[] = { ACT(DIFEXPR, &one), ACT(DIFEXPR, &div0) };
	const struct dt_act error[] = { ACT(DIFEXPR, &arg2), ACT(DIFEXPR, &arg4) };
	const struct dt_ecb ecbs[] = { ECB("syscall", "", "", "", NULL, acts),
		ECB("dtrace", "", "", "ERROR", NULL, error) };
	const struct dt_prog prog = { .ecbs = ecbs, .necbs = 2 };
	struct dt_context c = context();
	struct dt_interp *ip = dt_interp_new(&prog, NULL, &sink);

	CHECK_STR(fire(ip, &c, -1),
	    "begin 1 read:entry lost\nfault 1 1 4 divide-by-zero 0\nbegin 2 :ERROR [0: 2] [1: 4] end\n");
	dt_interp_free(ip);
}

static void test_speculation(void)
{
	const struct dt_act begin[] = { ACT(DIFEXPR, &spec) },
	    speculate[] = { ACT(SPECULATE, &spec_id), ACT(DIFEXPR, &arg0) };
	const struct dt_act commit[] = { ACT(COMMIT, &spec_id) }, discard[] = { ACT(DISCARD, &spec_id) };
	const struct dt_ecb ecbs[] = { ECB("", "", "", "begin", NULL, begin),
		ECB("", "", "", "spec", NULL, speculate), ECB("", "", "", "commit", NULL, commit),
		    ECB("", "", "", "discard", NULL, discard) };
	const struct dt_prog prog = { .ecbs = ecbs, .necbs = 4 };
	struct dt_interp *ip = dt_interp_new(&prog, &(struct dt_interp_opts){ .nspec = 1, .specsize = 16 },
	    &sink);
	static const struct dt_given given = { .id = DT_VAR_pid, .value = 1 };
	struct dt_context c = context();
	static const struct { const char *probe, *want; } steps[] = {
		/* not active: nothing is recorded */
		{ "spec", "" },
		{ "begin", "begin 1 read:begin [0: 1] end\n" },
		{ "spec", "" }, { "spec", "" }, { "spec", "drop speculative\n" },
		{ "commit",
		    "begin 2 read:spec [1: 1] end\nbegin 2 read:spec [1: 1] end\nbegin 3 read:commit end\n" },
		{ "commit", "begin 3 read:commit end\n" },
		{ "begin", "begin 1 read:begin [0: 1] end\n" }, { "spec", "" },
		{ "discard", "begin 4 read:discard end\n" }, { "begin", "begin 1 read:begin [0: 1] end\n" },
		{ "begin", "drop failed speculation\nbegin 1 read:begin [0: 0] end\n" },
		{ "commit", "begin 3 read:commit end\n" },
	};

	c.given = &given;
	c.ngiven = 1;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		c.probe.name = steps[i].probe;
		CHECK_STR(fire(ip, &c, -1), steps[i].want);
	}
	dt_interp_free(ip);
}

static void see_agg(void *ctx, const struct dt_aggvar *v, const struct dt_interp_key *keys, uint32_t nkeys,
    const int64_t *data, uint32_t n)
{
	(void)ctx;
	LOG("@%s", v->name);
	for (uint32_t i = 0; i < nkeys; i++) {
		uint64_t k = 0;

		memcpy(&k, keys[i].data, keys[i].len < 8 ? keys[i].len : 8);
		LOG(" %" PRIu64 "/%zu", k, keys[i].len);
	}
	LOG(" = %" PRId64 "/%u\n", data[0], n);
}

static void test_aggregations(void)
{
	const struct dt_act acts[] = {
		ACT(DIFEXPR, &one, .in_tuple = true), ACT(COUNT, NULL, .ntuple = 1),
		ACT(DIFEXPR, &two, .in_tuple = true), ACT(DIFEXPR, &arg0, .in_tuple = true),
		    ACT(STACK, NULL, .arg = 2, .in_tuple = true),
		ACT(DIFEXPR, &seven, .in_tuple = true), ACT(SUM, NULL, .ntuple = 4) };
	const struct dt_ecb ecbs[] = { ECB("", "", "", "", NULL, acts) };
	const struct dt_aggvar aggs[] = { { "", 1, DT_ACT_COUNT, 0, 0 }, { "s", 2, DT_ACT_SUM, 0, 2 } };
	const struct dt_prog prog = { .ecbs = ecbs, .necbs = 1, .aggs = aggs, .naggs = 2 };
	struct dt_interp *ip = dt_interp_new(&prog, NULL, &sink);
	struct dt_context c = context();

	for (unsigned i = 0; i < 3; i++) {
		c.arg[0] = 10 + i / 2;
		CHECK_STR(fire(ip, &c, -1), "begin 1 read:entry end\n");
	}
	log_text[0] = '\0';
	dt_interp_aggs(ip, see_agg, NULL);
	CHECK_STR(log_text, "@ = 3/1\n@s 10/8 273/16 = 14/1\n@s 11/8 273/16 = 7/1\n");
	dt_interp_free(ip);
}

int main(void)
{
	name = (struct dt_difo)DIFO(OPV(LDGS, DT_VAR_execname, 1), OPV(STGS, 0x501, 1), OPV(LDGS, 0x501, 1),
	    RET(1));
	name.rtype = (struct dt_diftype){ .kind = DT_DT_STRING, .flags = DT_DTF_REF, .size = 8 };
	null_string = zero;
	null_string.rtype = string16;
	nothing = one;
	nothing.rtype = (struct dt_diftype){ 0 };
	test_records();
	test_faults();
	test_registers_in_error();
	test_error_args();
	test_speculation();
	test_aggregations();
	return check_report("interp_clause");
}
