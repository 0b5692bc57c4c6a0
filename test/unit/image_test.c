/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Images as data, which needs no rights: layouts of records and keys, which maps there are, what is refused
 * and with which words, and that short clauses stay short. What the code does is bpfrun_test's business.
 */
#include "check.h"

#include "bpf/image.h"
#include "dif/builtin.h"
#include "dtrace.h"
#include "handle/handle.h"

#include <errno.h>
#include <stdlib.h>

static const struct dt_features all = { .bpf_loop = true, .get_current_task_btf = true,
	.send_signal = true };

static const struct dt_features *feat = &all;

struct made { dtrace_hdl_t *h; struct dt_image *image; int rc; char msg[512]; };

/* Every clause of the text on one hook; epids from 1 in their order. slots: 0 for the kernel. */
static struct made make_slots(const struct dt_machine *machine, const char *text, struct dt_plan_hook hook,
    uint32_t nprobes, uint32_t slots)
{
	struct made m = { .rc = -EINVAL };
	int err;
	dtrace_prog_t *p;
	const struct dt_prog *prog;
	struct dt_plan_opts opts = { .strsize = 256, .nspec = 1, .bufsize = 1 << 20, .aggsize = 1 << 20,
		.dynvarsize = 1 << 20, .ncpus = 2, .feat = feat, .machine = machine, .slots = slots };
	struct dt_enabling *en;

	m.h = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &err);
	p = m.h ? dtrace_program_strcompile(m.h, text, DTRACE_PROBESPEC_NAME, 0, 0, NULL) : NULL;
	if (!p) {
		snprintf(m.msg, sizeof(m.msg), "%s", m.h ? dtrace_errmsg(m.h, dtrace_errno(m.h)) :
		    "no handle");
		return m;
	}
	prog = dt_handle_prog(p);
	en = calloc(prog->necbs * nprobes, sizeof(*en));
	for (uint32_t i = 0; i < prog->necbs; i++) {
		for (uint32_t k = 0; k < nprobes; k++) {
			en[hook.nen] = (struct dt_enabling){ .ecb = &prog->ecbs[i], .epid = hook.nen + 1,
				.probe_id = k + 1, .number = 10 + k, .prov = "p", .mod = "m", .func = "f",
				.name = "n" };
			hook.nen++;
		}
	}
	hook.en = en;
	m.rc = dt_image_build(&opts, &prog, 1, &hook, 1, &m.image, m.msg, sizeof(m.msg));
	free(en);
	return m;
}

static struct made make_hook(const struct dt_machine *machine, const char *text, struct dt_plan_hook hook,
    uint32_t nprobes)
{
	return make_slots(machine, text, hook, nprobes, 0);
}

static struct made make_for(const struct dt_machine *machine, const char *text, enum dt_plan_ctx ctx,
    uint32_t nprobes)
{
	return make_hook(machine, text, (struct dt_plan_hook){ .ctx = ctx }, nprobes);
}

static struct made make(const char *text, enum dt_plan_ctx ctx, uint32_t nprobes)
{
	return make_for(dt_machine_here(), text, ctx, nprobes);
}

static void done(struct made *m)
{
	dt_image_free(m->image);
	dtrace_close(m->h);
}

static uint32_t count_role(const struct dt_image *image, enum dt_map_role role)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < image->nmaps; i++)
		n += image->maps[i].role == role;
	return n;
}

/*
 * Keys that are probes alone, of functions: elements made at once, unless a hook may run inside their
 * locks.
 */
static void elements_and_locks(void)
{
	for (int locks = 0; locks < 2; locks++) {
		struct made m = make_hook(dt_machine_here(), "BEGIN { @[probefunc] = count(); }",
		    (struct dt_plan_hook){ .ctx = DT_CTX_KPROBE, .in_locks = locks }, 3);

		CHECK(m.rc == 0);
		for (uint32_t i = 0; m.rc == 0 && i < m.image->nmaps; i++)
			if (m.image->maps[i].role == DT_MAP_AGG_A)
				CHECK(m.image->maps[i].type == (locks ? BPF_MAP_TYPE_HASH :
				    BPF_MAP_TYPE_PERCPU_HASH));
		CHECK(m.rc != 0 || count_role(m.image, DT_MAP_AGG_A) == 1);
		done(&m);
	}
}

/* Issue 11: what the steps of a probe that fires for several things need of scratch, image_plan.c forgot. */
static uint32_t slot_with_step(uint32_t nth)
{
	static const char text[] = "BEGIN { trace(1); } BEGIN { trace(strlen(strjoin(execname, \"a\"))); }"
	    "BEGIN { trace(strlen(strjoin(strjoin(strjoin(strjoin(strjoin(strjoin(execname, \"a\"), "
	    "\"a\"), \"a\"), \"a\"), \"a\"), \"a\"))); }";
	struct dt_plan_opts opts = { .strsize = 256, .nspec = 1, .bufsize = 1 << 20, .ncpus = 2,
		.feat = feat, .machine = dt_machine_here() };
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, NULL);
	const struct dt_prog *p = dt_handle_prog(
	    dtrace_program_strcompile(h, text, DTRACE_PROBESPEC_NAME, 0, 0, NULL));
	struct dt_enabling en = { .ecb = &p->ecbs[0], .epid = 1, .probe_id = 1, .prov = "p", .mod = "m",
		.func = "f", .name = "n", .each = p->ecbs[nth].acts[0].difo };
	struct dt_plan_hook hook = { .ctx = DT_CTX_RAWTP, .en = &en, .nen = 1 };
	struct dt_image *image;
	uint32_t size = 0;
	char msg[256];

	if (CHECK_INT(dt_image_build(&opts, &p, 1, &hook, 1, &image, msg, sizeof(msg)), 0)) {
		for (uint32_t i = 0; i < image->nmaps; i++)
			size = image->maps[i].role == DT_MAP_SLOTS ? image->maps[i].value_size : size;
		dt_image_free(image);
	}
	dtrace_close(h);
	return size;
}

/*
 * Elements that are first counted with interrupts off are made at the start (P8: wakeup dropped some); if
 * there may be very many, only large ones are.
 */
static void elements_ahead(void)
{
	static const struct { const char *text; bool off, ahead; } rows[] = {
		{ "BEGIN { @[execname] = percentiles(arg0); }", true, true },
		{ "BEGIN { @[execname] = percentiles(arg0); }", false, false },
		{ "BEGIN { @[execname] = count(); }", true, true },
		{ "BEGIN { @[execname] = count(); }", false, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct made m = make_hook(dt_machine_here(), rows[i].text,
		    (struct dt_plan_hook){ .ctx = DT_CTX_RAWTP, .irqs_off = rows[i].off }, 1);

		for (uint32_t k = 0; CHECK_INT(m.rc, 0) && k < m.image->nmaps; k++)
			if (m.image->maps[k].role == DT_MAP_AGG_A)
				CHECK_INT(m.image->maps[k].flags, rows[i].ahead ? 0 : BPF_F_NO_PREALLOC);
		done(&m);
	}
}

static void records(void)
{
	struct made m =
	    make("BEGIN { trace(execname); trace((char)arg0); trace(arg1); trace(\"ab\"); @ = count(); x = "
	    "1; } BEGIN { @ = count(); } BEGIN { }", DT_CTX_RUN, 1);

	if (CHECK_INT(m.rc, 0)) {
		const struct dt_recfield *f = m.image->layouts.recs[0].field;

		CHECK_INT(m.image->layouts.nrecs, 3);
		CHECK_INT(f[0].size, 16);		/* not strsize */
		CHECK_INT(f[1].off, 16);
		CHECK_INT(f[1].size, 1);
		CHECK_INT(f[2].off, 24);
		CHECK_INT(f[2].size, 8);
		CHECK_INT(f[3].size, 3);
		CHECK_INT(m.image->layouts.recs[0].size, 40);
		CHECK_INT(m.image->layouts.recs[1].size, 0);
		CHECK_INT(m.image->layouts.recs[2].size, 0);
		CHECK_INT(count_role(m.image, DT_MAP_SLOTS), 0);
	}
	done(&m);
}

/* What is known or at hand takes no more room than it has. */
static void known_texts(void)
{
	struct made m =
	    make("BEGIN { trace(threadname); trace(zonename); @[threadname, zonename] = count(); }",
	    DT_CTX_RUN, 1);

	if (CHECK_INT(m.rc, 0)) {
		CHECK_INT(m.image->layouts.recs[0].field[0].size, 16);
		CHECK_INT(m.image->layouts.recs[0].field[1].size, 7);
		CHECK_INT(m.image->layouts.aggs[0].key[0].size, 16);
		CHECK_INT(m.image->layouts.aggs[0].key[1].size, 7);
		CHECK_INT(count_role(m.image, DT_MAP_SLOTS), 0);
	}
	done(&m);
}

static void keys(void)
{
	struct made m =
	    make("BEGIN { @a[execname, probefunc, (char)arg0] = count(); @b = min(arg0); @c[probename] = "
	    "count(); @c[\"x\"] = count(); }", DT_CTX_RUN, 1);

	if (CHECK_INT(m.rc, 0) && CHECK_INT(m.image->layouts.naggs, 3)) {
		const struct dt_agglayout *a = &m.image->layouts.aggs[0], *b = &m.image->layouts.aggs[1],
		    *c = &m.image->layouts.aggs[2];
		int64_t words[2] = { 0, 0 }, value = 0;

		CHECK_INT(a->key[0].size, 16);
		CHECK_INT(a->key_probe[0], 0);
		CHECK_INT(a->key_probe[1], 3);		/* 1 + the function's place */
		CHECK_INT(a->key[1].size, 4);
		CHECK_INT(a->key[2].size, 1);
		CHECK_INT(a->keysize, 24);
		CHECK_INT(b->keysize, 0);
		CHECK_INT(b->cpuwords, 2);
		CHECK(!dt_agg_decode(b, words, &value));
		words[1] = 1;
		CHECK(dt_agg_decode(b, words, &value) && value == INT64_MAX);
		words[0] = (int64_t)(INT64_MAX - (uint64_t)-5);
		CHECK(dt_agg_decode(b, words, &value) && value == -5);
		CHECK_INT(c->key_probe[0], 0);		/* once it is another text */
		CHECK_INT(c->key[0].size, 257);
		CHECK_INT(count_role(m.image, DT_MAP_AGGS), 3);
		CHECK_INT(count_role(m.image, DT_MAP_AGG_B), 2);	/* @b has no keys */
	}
	done(&m);
}

static void maps(void)
{
	struct made m =
	    make("BEGIN { x = 1; self->y = 2; z[1] = 3; this->s = \"text\"; self->t[1] = \"s\"; }",
	    DT_CTX_RUN, 1);

	if (CHECK_INT(m.rc, 0)) {
		CHECK_INT(count_role(m.image, DT_MAP_GLOBALS), 1);
		CHECK_INT(count_role(m.image, DT_MAP_TLS), 1);
		CHECK_INT(count_role(m.image, DT_MAP_DYN), 2);
		CHECK_INT(count_role(m.image, DT_MAP_SLOTS), 1);
		CHECK(m.image->btflen > 0);
		for (uint32_t i = 0; i < m.image->nmaps; i++)
			CHECK(m.image->maps[i].role != DT_MAP_TLS || m.image->maps[i].btf_value != 0);
	}
	done(&m);
}

/* A count on all system calls is one piece of code and a table, whatever their number; and it is short. */
static void system_calls(void)
{
	struct made few = make("BEGIN { @[probefunc] = count(); }", DT_CTX_SYS_ENTER, 5);
	struct made many = make("BEGIN { @[probefunc] = count(); }", DT_CTX_SYS_ENTER, 300);

	if (CHECK_INT(few.rc, 0) && CHECK_INT(many.rc, 0)) {
		CHECK_INT(few.image->progs[0].ninsns, many.image->progs[0].ninsns);
		CHECK(many.image->progs[0].ninsns < 100);
		CHECK_INT(count_role(many.image, DT_MAP_SLOTS), 0);
	}
	done(&few);
	done(&many);
}

static void refusals(void)
{
	static const char *const cases[][2] = {
		{ "BEGIN { trace(getf(1)); }",
		    "this kernel's type data does not show where a file descriptor is kept" },
		{ "BEGIN { trace(ppid); }",
		    "this kernel's type data does not show where the parent process is kept" },
		{ "BEGIN { @ = lquantize(arg0, 0, 60000, 1); }",
		    "@_ has 60002 buckets; the kernel holds at most 4000" },
		{ "BEGIN { tracemem(arg0, 2000000); }",
		    "2000000 bytes are more than one record can hold (1048576)" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct made m = make(cases[i][0], DT_CTX_RUN, 1);

		CHECK_INT(m.rc, -ENOTSUP);
		if (!CHECK(strstr(m.msg, cases[i][1]) != NULL))
			fprintf(stderr, "  %s: %s\n", cases[i][0], m.msg);
		CHECK(m.image == NULL);
		done(&m);
	}
}

/* ---- more clauses than one program holds ---- */

static struct made make_many(const char *first, const char *clause, uint32_t n, enum dt_plan_ctx ctx)
{
	size_t len = strlen(clause);
	char *text = malloc(strlen(first) + n * len + 1), *at = stpcpy(text, first);
	struct made m;

	for (uint32_t i = 0; i < n; i++)
		at = stpcpy(at, clause);
	m = make(text, ctx, 1);
	free(text);
	return m;
}

static uint32_t count_calls(const struct dt_image_prog *p, int32_t helper)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->ninsns; i++)
		n += p->insns[i].code == (BPF_JMP | BPF_CALL) && p->insns[i].src_reg == 0 &&
		    p->insns[i].imm == helper;
	return n;
}

static uint32_t count_maps(const struct dt_image_prog *p)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->nrelocs; i++) {
		uint32_t k = 0;

		while (k < i && p->relocs[k].map != p->relocs[i].map)
			k++;
		n += k == i;
	}
	return n;
}

/*
 * Every program but the last goes on to the next; all of a hook name the same array, which is as long as
 * they need.
 */
static void check_chain(const struct dt_image *image)
{
	uint32_t n = image->nprogs + image->nmore;

	CHECK_INT(image->nprogs, 1);
	CHECK_INT(count_role(image, DT_MAP_CHAIN), 1);
	for (uint32_t i = 0; i < n; i++) {
		const struct dt_image_prog *p = &image->progs[i];

		CHECK_INT(p->hook, 0);
		CHECK_INT(p->link, i);
		CHECK_INT(image->maps[p->chain].role, DT_MAP_CHAIN);
		CHECK_INT(image->maps[p->chain].max_entries, image->nmore);
		CHECK_INT(count_calls(p, BPF_FUNC_tail_call), i + 1 < n);
		CHECK(p->nfuncs <= 256 && count_maps(p) <= 64);
	}
}

static void chains(void)
{
	struct made m = make_many("", "BEGIN { @[arg0] = count(); }", 50, DT_CTX_RUN);

	if (CHECK_INT(m.rc, 0)) {		/* not more than one program without need */
		CHECK_INT(m.image->nmore, 0);
		CHECK_INT(count_role(m.image, DT_MAP_CHAIN), 0);
		CHECK_INT(count_calls(&m.image->progs[0], BPF_FUNC_tail_call), 0);
	}
	done(&m);
	m = make_many("", "BEGIN { @[arg0] = count(); }", 10000, DT_CTX_SYS_ENTER);
	if (CHECK_INT(m.rc, 0)) {
		CHECK(m.image->nmore >= 1 && m.image->nmore <= 33);
		CHECK_INT(count_role(m.image, DT_MAP_SLOTS), 1);	/* the firing's generation is there */
		check_chain(m.image);
	}
	done(&m);
	m = make_many("this int x;", "BEGIN { this->x++; }", 10000, DT_CTX_UPROBE);
	if (CHECK_INT(m.rc, 0)) {
		CHECK(m.image->nmore >= 1);
		CHECK_INT(count_role(m.image, DT_MAP_SLOTS), 1);
		check_chain(m.image);
	}
	done(&m);
	m = make_many("",
	    "BEGIN { trace(strjoin(strjoin(execname, \"a\"), \"b\")); trace(arg0); trace(execname); }", 20000,
	    DT_CTX_RUN);
	CHECK_INT(m.rc, -ENOTSUP);
	if (!CHECK(strstr(m.msg,
	    "the 20000 clauses at one probe are more than 34 programs can hold") != NULL))
		fprintf(stderr, "  %s\n", m.msg);
	done(&m);
}

/*
 * A program may name 64 maps. N15: very many aggregations share theirs, also in one clause; arrays do not.
 */
static void many_maps(void)
{
	char *text = malloc(300 * 40), *at = text;
	struct made m;

	for (int i = 0; i < 300; i++)
		at += sprintf(at, "BEGIN { a%d[arg0] = 1; }", i);
	m = make(text, DT_CTX_RUN, 1);
	if (CHECK_INT(m.rc, 0)) {
		CHECK(m.image->nmore >= 4);
		check_chain(m.image);
	}
	done(&m);
	at = text + sprintf(text, "BEGIN { ");
	for (int i = 0; i < 200; i++)
		at += sprintf(at, i % 3 ? "@a%d[arg0] = %s;" : "@a%d = %s;", i,
		    i % 2 ? "count()" : "avg(arg1)");
	strcpy(at, " }");
	m = make(text, DT_CTX_RUN, 1);
	if (CHECK_INT(m.rc, 0)) {
		CHECK_INT(m.image->layouts.naggs, 200);
		CHECK(count_maps(&m.image->progs[0]) <= 16);
	}
	free(text);
	done(&m);

	/* P 4.15: in one clause they cannot be divided; the sentence is ours, and says which clause. */
	text = malloc(70 * 40 + 80);
	at = text + sprintf(text, "BEGIN { trace(1); }\nBEGIN { ");
	for (int i = 0; i < 70; i++)
		at += sprintf(at, "a%d[arg0] = 1;", i);
	strcpy(at, " }");
	m = make(text, DT_CTX_RUN, 1);
	CHECK(m.rc != 0 && strstr(m.msg, ":2:1: the aggregations and arrays of this clause") != NULL);
	free(text);
	done(&m);
}

static void keep(void *ctx, const char *line) { strncat(ctx, line, 1u << 15); }

static void dumps(void)
{
	struct made m = make("BEGIN /arg0 == 7/ { @ = count(); }", DT_CTX_RUN, 1);
	char *text = calloc(1, 1u << 18);

	if (CHECK_INT(m.rc, 0)) {
		dt_image_dump(m.image, keep, text);
		CHECK(strstr(text, "map 0 dt_agg_a: type 6 key 4 value 8 entries 256") != NULL);
		CHECK(strstr(text, "if r1 == 7 goto") != NULL);
		CHECK(strstr(text, "! 00: ldgs") != NULL);
	}
	free(text);
	done(&m);
}

/*
 * R 7.4: registers come from the machine's table, so that an image for any of them can be made on any
 * other.
 */
static void machines(void)
{
	for (const struct dt_machine *const *each = dt_machines(); *each; each++) {
		struct made m = make_for(*each, "BEGIN { trace(arg2); }", DT_CTX_KPROBE, 1);
		char *text = calloc(1, 1u << 18), want[64];

		snprintf(want, sizeof(want), "r0 = *(u64 *)(r7 %+d)", (*each)->regs.arg[2]);
		if (CHECK_INT(m.rc, 0)) {
			dt_image_dump(m.image, keep, text);
			if (!CHECK(strstr(text, want) != NULL))
				fprintf(stderr, "  %s: no %s\n", (*each)->name, want);
		}
		free(text);
		done(&m);
	}
}

/* Every context has its row (bpf/context.c), from which programs have their names; no two have the same. */
static void contexts(void)
{
	char names[DT_CTX_URETSITE][16];

	for (int ctx = DT_CTX_RAWTP; ctx < DT_CTX_URETSITE; ctx++) {
		struct made m = make("BEGIN { @ = count(); }", (enum dt_plan_ctx)ctx, 1);

		names[ctx][0] = '\0';
		if (ctx == DT_CTX_TASK) {	/* the kernel's structs are not known here */
			CHECK(m.rc != 0 && strstr(m.msg, "wall-n") != NULL);
		} else if (CHECK_INT(m.rc, 0)) {
			strcpy(names[ctx], m.image->progs[0].name);
			CHECK(strlen(names[ctx]) > 3);
			for (int i = 0; i < ctx; i++)
				CHECK(strcmp(names[i], names[ctx]) != 0);
		}
		done(&m);
	}
}

/* A kernel without any of the features: what can be made another way is, the rest is refused by name. */
static void without_features(void)
{
	static const struct dt_features none;
	struct made m;

	feat = &none;
	m = make("BEGIN { trace(arg0); ustack(); @[probefunc] = count(); }", DT_CTX_SYS_ENTER, 5);
	if (CHECK_INT(m.rc, 0))
		CHECK_INT(count_calls(&m.image->progs[0], BPF_FUNC_get_current_task_btf), 0);
	done(&m);
	m = make("#pragma D option destructive\nBEGIN { raise(9); }", DT_CTX_SYS_ENTER, 1);
	CHECK_INT(m.rc, -ENOTSUP);
	CHECK(strstr(m.msg, "kernel") != NULL);
	done(&m);
	feat = &all;
}

/* Without members of kernel structs, what reads the kernel is refused: no row that is in the process is. */
static void in_process(void)
{
	size_t at = 0;

	for (const struct dt_builtin *row; (row = dt_builtin_next(&at)) != NULL;) {
		char text[64];
		struct made m;

		if (row->unsupported || row->kind != DT_BI_SCALAR ||
		    (row->where && !(row->where & DT_IN_PROCESS)))
			continue;
		snprintf(text, sizeof(text), "BEGIN { trace(%s); }", row->name);
		m = make_slots(dt_machine_here(), text, (struct dt_plan_hook){ .ctx = DT_CTX_UPROBE }, 1, 16);
		if (!CHECK_INT(m.rc, 0))
			fprintf(stderr, "  %s: %s\n", row->name, m.msg);
		done(&m);
	}
}

int main(void)
{
	elements_and_locks();
	records();
	elements_ahead();
	CHECK(slot_with_step(1) > 0 && slot_with_step(2) > slot_with_step(1));
	known_texts();
	keys();
	maps();
	system_calls();
	refusals();
	chains();
	many_maps();
	dumps();
	machines();
	contexts();
	without_features();
	in_process();
	return CHECK_DONE("image_test");
}
