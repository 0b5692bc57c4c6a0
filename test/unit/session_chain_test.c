/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * More clauses than one program of the kernel holds: the image has several programs, and one runs after the
 * other.
 */
#include "session_fixture.h"

#include "dtrace.h"
#include "handle/handle.h"

#include <stdlib.h>

enum { CLAUSES = 3000, RUNS = 6 };

/* What the last clause that ran left in the one global variable, and the firings that were lost. */
static void run_chain(const struct dt_image *image, uint64_t *left, uint64_t *lost)
{
	struct dt_attach attach = { .kind = DT_HOOK_RUN };
	struct dt_session *s = NULL;
	struct dt_drops d;
	char msg[1024];

	if (!CHECK_INT(dt_session_open(image, &attach, 1, &s, msg, sizeof(msg)), 0)) {
		fprintf(stderr, "%s\n", msg);
		return;
	}
	for (int i = 0; i < RUNS; i++)
		CHECK_INT(dt_session_run(s, 0, NULL, 0), 0);
	for (uint32_t cpu = 0; cpu < dt_session_ncpus(s); cpu++) {
		CHECK_INT(dt_session_drops(s, cpu, &d), 0);
		*lost += d.slot;
	}
	for (uint32_t m = 0; m < image->nmaps; m++)
		if (image->maps[m].role == DT_MAP_GLOBALS)
			CHECK_INT(dt_session_lookup(s, m, &(uint32_t){ 0 }, left), 0);
	dt_session_close(s);
}

/*
 * Without the programs behind the first each run is a drop, and gives its slot back, of which there are
 * four.
 */
static void check_chain(struct dt_image *image)
{
	uint64_t left = 0, lost = 0;

	CHECK(image->nmore > 0);
	run_chain(image, &left, &lost);
	CHECK_INT(left, CLAUSES);
	CHECK_INT(lost, 0);
	image->nmore = 0;
	run_chain(image, &left, &lost);
	CHECK(left > 0 && left < CLAUSES);
	CHECK_INT(lost, RUNS);
}

static void test_chain(const struct dt_features *feat)
{
	static const char clause[] = "BEGIN { this->x++; y = this->x; }";
	struct dt_plan_opts opts = { .strsize = 256, .nspec = 1, .bufsize = 1 << 16, .aggsize = 1 << 16,
		.dynvarsize = 1 << 16, .ncpus = (uint32_t)dt_session_possible_cpus(),
		.machine = dt_machine_here(), .feat = feat };
	struct dt_enabling *en = calloc(CLAUSES, sizeof(*en));
	struct dt_plan_hook hook = { .ctx = DT_CTX_RUN, .en = en, .nen = CLAUSES };
	char *text = malloc(CLAUSES * sizeof(clause) + 32), *at = stpcpy(text, "this int x; int y; "),
	    msg[1024] = "";
	int err = 0;
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &err);
	dtrace_prog_t *p;

	for (int i = 0; i < CLAUSES; i++)
		at = stpcpy(at, clause);
	p = h ? dtrace_program_strcompile(h, text, DTRACE_PROBESPEC_NAME, 0, 0, NULL) : NULL;
	if (CHECK(p != NULL)) {
		const struct dt_prog *prog = dt_handle_prog(p);
		struct dt_image *image = NULL;

		for (uint32_t i = 0; i < CLAUSES; i++)
			en[i] = (struct dt_enabling){ .ecb = &prog->ecbs[i], .epid = i + 1, .probe_id = 1 };
		if (CHECK_INT(dt_image_build(&opts, &prog, 1, &hook, 1, &image, msg, sizeof(msg)), 0))
			check_chain(image);
		dt_image_free(image);
	}
	dtrace_close(h);
	free(en);
	free(text);
}

int main(void)
{
	struct dt_features feat;

	if (!may_trace("session_chain_test", &feat))
		return 0;
	test_chain(&feat);
	return CHECK_DONE("session_chain_test");
}
