/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel against the interpreter: each D program below is compiled, fired once or more in both with the
 * same arguments, and what came out (records, faults, aggregations, exit status) is written down as text
 * and compared. Without the right to use bpf(2) all is skipped. With arguments, the first is a program to
 * run and show; -d dumps the code.
 */
#include "bpfrun.h"
#include "base/count.h"

static const char *const programs[] = {
#include "bpfrun_programs.h"
};

/* ---- system calls ---- */

struct call { const char *func; uint32_t number; };

static void do_calls(void)
{
	for (int i = 0; i < 1000; i++)
		syscall(SYS_getppid);
	syscall(SYS_getsid, -1L);
	syscall(SYS_lseek, -1L, 5, 1);
}

/* Enables every clause for each of the calls; what our own process did is the result. */
static void system_calls(const char *text, enum dt_plan_ctx ctx, const struct call *calls, uint32_t n,
    const char *want)
{
	dtrace_hdl_t *h = handle();
	dtrace_prog_t *p = h ? dtrace_program_strcompile(h, text, DTRACE_PROBESPEC_NAME, 0, 0, NULL) : NULL;
	const struct dt_prog *prog = p ? dt_handle_prog(p) : NULL;
	const uint32_t self = (uint32_t)getpid();
	struct dt_enabling en[64];
	struct dt_plan_hook hook = { .ctx = ctx, .en = en };
	struct dt_plan_opts opts = { .strsize = 256, .nspec = 1, .bufsize = 1 << 20, .aggsize = 1 << 20,
		.dynvarsize = 1 << 20, .ncpus = (uint32_t)dt_session_possible_cpus(), .feat = &feat,
		.pids = &self, .npids = 1, .machine = dt_machine_here() };
	struct dt_attach attach = { .kind = ctx == DT_CTX_SYS_ENTER ? DT_HOOK_SYS_ENTER : DT_HOOK_SYS_EXIT };
	struct text out = { 0 };
	struct kernel k = { .prog = prog, .out = &out };
	struct dt_ecb ecbs[64];
	struct dt_prog shown = { 0 };
	struct dt_image *image = NULL;
	char msg[4096] = "";

	if (!CHECK(prog != NULL)) {
		fprintf(stderr, "%s: %s\n", text, h ? dtrace_errmsg(h, dtrace_errno(h)) : "");
		return;
	}
	for (uint32_t i = 0; i < prog->necbs; i++) {
		for (uint32_t c = 0; c < n && hook.nen < 64; c++, hook.nen++) {
			ecbs[hook.nen] = prog->ecbs[i];
			en[hook.nen] = (struct dt_enabling){ .ecb = &prog->ecbs[i], .epid = hook.nen + 1,
				.probe_id = 100 + c, .number = calls[c].number, .prov = "syscall",
				.mod = "vmlinux", .func = calls[c].func, .name = "entry" };
		}
	}
	shown.ecbs = ecbs;
	shown.necbs = hook.nen;
	k.prog = &shown;
	say(&out, "%s", "");
	if (CHECK_INT(dt_image_build(&opts, &prog, 1, &hook, 1, &image, msg, sizeof(msg)), 0) &&
	    CHECK_INT(dt_session_open(image, &attach, 1, &k.session, msg, sizeof(msg)), 0) &&
	    CHECK_INT(dt_session_attach(k.session, msg, sizeof(msg)), 0) &&
	    CHECK_INT(dt_session_start(k.session, msg, sizeof(msg)), 0)) {
		if (dump)
			dt_image_dump(image, put_err, NULL);
		k.image = image;
		do_calls();
		dt_session_detach(k.session);
		k_collect(&k);
		if (!CHECK_STR(out.s, want))
			fprintf(stderr, "  of %s\n", text);
	} else {
		fprintf(stderr, "%s: %s\n", text, msg);
	}
	dt_session_close(k.session);
	dt_image_free(image);
	dtrace_close(h);
	free(out.s);
}

static void all_system_calls(void)
{
	static const struct call calls[] = { { "getppid", SYS_getppid }, { "getsid", SYS_getsid },
		{ "lseek", SYS_lseek }, { "setfsuid", SYS_setfsuid }, { "getpriority", SYS_getpriority },
		{ "umask", SYS_umask } };

	system_calls("BEGIN { @ = count(); }", DT_CTX_SYS_ENTER, calls, 1, "@_ = 0:1000\n");
	system_calls("BEGIN { @ = count(); } BEGIN { @b[id] = count(); }", DT_CTX_SYS_ENTER, calls, 3,
	    "@_ = 0:1002\n@b 00000064 = 0:1000\n@b 00000065 = 0:1\n@b 00000066 = 0:1\n");
	system_calls("BEGIN /probefunc == \"lseek\"/ { trace(probefunc); trace(arg0); trace(arg1); "
	    "trace(arg2); }", DT_CTX_SYS_ENTER, calls, 6,
	    "record 0: \"lseek\" 1: ffffffffffffffff 2: 0000000000000005 3: 0000000000000001\n");
	system_calls("BEGIN /id != 100/ { trace(probefunc); trace(arg0); trace(errno); }", DT_CTX_SYS_EXIT,
	    calls, 6,
	    "record 0: \"getsid\" 1: ffffffffffffffff 2: 00000003\n"
	    "record 0: \"lseek\" 1: ffffffffffffffff 2: 00000009\n");
	system_calls("BEGIN /errno == 0/ { self->n++; } BEGIN /id == 102/ { trace(self->n); "
	    "trace(strjoin(probefunc, \"!\")); }", DT_CTX_SYS_EXIT, calls, 6,
	    "record 0: 00000000000003e8 1: \"lseek!\"\n");
}

/* -l FILE…: does the kernel take what these files compile to? Prints what was refused, and why. */
static int load_files(char **files)
{
	static const struct firing none;

	for (; *files; files++) {
		FILE *f = fopen(*files, "r");
		dtrace_hdl_t *h = handle();
		dtrace_prog_t *p = f && h ? dtrace_program_fcompile(h, f, 0, 0, NULL) : NULL;
		struct text out = { 0 };
		char msg[4096] = "";

		if (p && run_engine(dt_handle_prog(p), &none, 0, false, &out, msg, sizeof(msg)) != 0)
			printf("%s: %s\n", *files, msg);
		free(out.s);
		dtrace_close(h);
		if (f)
			fclose(f);
	}
	return 0;
}

/*
 * N15: one clause of some 50,000 instructions. Its branches (predicate, if, faults in all parts of it) reach
 * further than 16 bits.
 */
static void test_long_clause(void)
{
	static const struct firing f[] = {
		{ .arg = { 0, 1, 5000 } }, { .arg = { 0, 5 } }, { .arg = { 0, 1, 0 } },
		{ .arg = { 0, 1, 1500 } }, { .arg = { 0, 1, 2900 } }, { .arg = { 1 } },
		{ .arg = { 0, 1, 7000 } },
	};
	struct text t = { 0 };

	say(&t, "int g, far; BEGIN /arg0 != 1/ { trace(g); if (arg1 != 5) {\n");
	for (int i = 0; i < 3000; i++) {
		say(&t, "g = g * 3 + %d; g ^= g >> 5; ", i);
		if (i % 100 == 0)
			say(&t, "g += 1000 / (arg2 - %d);\n", i);
	}
	say(&t, "} else { far = 1; } trace(g); trace(far); } "
	    "ERROR { trace(arg2); trace(arg3); trace(arg4); }");
	compare(t.s, f, DT_COUNT(f), false);
	free(t.s);
}

int main(int argc, char **argv)
{
	struct firing f[4] = {
		{ .arg = { 7, 3, (uint64_t)-5, 100, 1000000, 0x123456789, 0, 8, 9, 10 } },
		{ .arg = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 } },
		{ .arg = { (uint64_t)INT64_MIN, (uint64_t)-1, INT64_MAX, 12345, 99, 64, 63, 1, 0, 0 } },
		{ .arg = { 7, 0, 11, (uint64_t)-100000, 50, 1, 0, 0, 0, 0 } },
	};
	char msg[512];
	for (int i = 0; i < 4; i++)
		f[i].arg[9] = (uint64_t)(uintptr_t)user_text[0];
	if (dt_features_probe(&feat, msg, sizeof(msg)) != 0) {
		printf("bpfrun_test: %s\nbpfrun_test: 0 passed, 0 failed, 1 skipped\n", msg);
		return 0;
	}
	pin();
	if (argc > 2 && strcmp(argv[1], "-l") == 0)
		return load_files(argv + 2);
	if (argc == 3 && strcmp(argv[1], "-s") == 0) {
		static const struct call one[] = { { "getppid", SYS_getppid }, { "close", SYS_close } };

		dump = true;
		system_calls(argv[2], DT_CTX_SYS_ENTER, one, 2, "");
		return 0;
	}
	if (argc > 2 && strcmp(argv[1], "-d") == 0) {
		dump = true;
		argv++;
		argc--;
	}
	if (argc > 1) {
		compare(argv[1], f, 4, true);
	} else {
		for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
			compare(programs[i], f, 4, false);
		all_system_calls();
		test_long_clause();
	}
	return CHECK_DONE("bpfrun_test");
}
