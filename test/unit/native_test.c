/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Machine code made of eBPF: thousands of random programs do the same as a reference that executes one
 * instruction after the other; programs of special form; what is refused. Programs are also made for the
 * other machine, and a disassembler must know all of it. native_test SEED: that one program.
 */
#include "native_random.h"
#include "native_reference.h"

#include <unistd.h>

enum { PROGRAMS = 6000, DISASSEMBLED = 400 };

static char msg[256];

static void fill_data(uint64_t seed)
{
	struct random_prog g = { .state = seed | 1 };

	for (size_t i = 0; i < DATA_SIZE; i += 8) {
		uint64_t v = edge(&g);

		memcpy(region + CODE_SIZE + i, &v, 8);
	}
	the_firing = (struct dt_firing){ .cpu = below(&g, NCPUS), .pid = (uint32_t)rnd(&g),
		.tid = (uint32_t)rnd(&g), .cookie = rnd(&g) };
}

static uint64_t run_reference(const struct dt_image_prog *p)
{
	struct reference f = { .p = p };
	uint64_t args[5] = { (uint64_t)(uintptr_t)&the_firing, 2, 3, 4, 5 };

	return ref_call(&f, 0, args);
}

/* Runs a program at a place; UINT64_MAX - 1, which no program here returns by design: it was refused. */
static uint64_t run_native(const struct dt_image_prog *p, uint64_t at, bool lse)
{
	struct dt_native_place place = place_on(dt_machine_here(), at, lse);
	struct dt_native_code code;
	uint64_t result;

	if (!CHECK_INT(dt_native_translate(p, &place, &code, msg, sizeof(msg)), 0)) {
		fprintf(stderr, "%s\n", msg);
		return UINT64_MAX - 1;
	}
	put_code(at, &code);
	result = run_code(at);
	free(code.bytes);
	return result;
}

/* ---- the same as the reference ---- */

static void put_text(void *ctx, const char *s) { fputs(s, ctx); }

static void explain(const struct dt_image_prog *p)
{
	struct dt_image_prog copy = *p;
	struct dt_image_map names[MAPS] = { 0 };
	struct dt_image image = { .maps = names, .progs = &copy, .nprogs = 1 };
	const struct dt_difo **none = calloc(p->ninsns, sizeof(*none));

	copy.difo_at = (const struct dt_difo *const *)none;
	dt_image_dump(&image, put_text, stderr);
	free(none);
}

static bool compare_program(const struct dt_image_prog *p, uint64_t seed, bool lse)
{
	static uint8_t want_data[DATA_SIZE];
	uint64_t want, got, broken = native_call_broken, wrong = wrong_calls;
	bool same, same_data;

	fill_data(seed);
	want = run_reference(p);
	memcpy(want_data, region + CODE_SIZE, DATA_SIZE);
	fill_data(seed);
	got = run_native(p, FIRST_PROGRAM + 4 * (seed % 999), lse);
	same_data = memcmp(want_data, region + CODE_SIZE, DATA_SIZE) == 0;
	same = got == want && same_data && native_call_broken == broken && wrong_calls == wrong;
	if (!same)
		fprintf(stderr, "seed %llu%s: got %#llx, expected %#llx, data %s, %u registers lost, %u "
		    "wrong calls\n",
		    (unsigned long long)seed, lse ? " with atomics" : "", (unsigned long long)got,
		    (unsigned long long)want, same_data ? "agree" : "differ",
		    (unsigned)(native_call_broken - broken), (unsigned)(wrong_calls - wrong));
	return same;
}

static bool compare(uint64_t seed, bool lse, bool show)
{
	static struct random_prog g;
	struct dt_image_prog p = random_program(&g, seed);

	if (show)
		explain(&p);
	return compare_program(&p, seed, lse);
}

static void random_programs(uint64_t from, uint64_t count, bool show)
{
	unsigned failed = 0;

	for (uint64_t seed = from; seed < from + count && failed < 5; seed++) {
		bool good = compare(seed, false, show) && (!has_lse() || compare(seed, true, show));

		CHECK(good);
		failed += !good;
	}
}

/* ---- both machines ---- */

static uint64_t no_map(void *ctx, uint32_t map, const struct dt_agent_map **desc)
{
	static struct dt_agent_map copy;

	map_at(ctx, map, desc);
	if (*desc) {
		copy = **desc;
		copy.at = 0;
		*desc = &copy;
	}
	return 0;
}
static uint64_t no_value(void *ctx, uint32_t map, uint32_t off) { return (void)ctx, (void)map, off; }

/* Places unknown: the length must be the same. */
static void same_length(const struct dt_image_prog *p, const struct dt_machine *machine, bool lse, size_t len)
{
	struct dt_native_place place = place_on(machine, 0, lse);
	struct dt_native_code code;

	place.map = no_map;
	place.value = no_value;
	if (CHECK_INT(dt_native_translate(p, &place, &code, msg, sizeof(msg)), 0))
		CHECK_INT(code.len, len);
	free(code.bytes);
}

static const char *disassembler(const struct dt_machine *machine)
{
	static const char *const names[][2] = { { "x86_64-linux-gnu-objdump", "aarch64-linux-gnu-objdump" },
		{ "objdump", "objdump" } };

	for (size_t i = 0; i < 2; i++) {
		const char *name = names[i][machine == &dt_machine_aarch64];
		char command[128];

		if (i == 1 && machine != dt_machine_here())
			continue;
		snprintf(command, sizeof(command), "%s --version >/dev/null 2>&1", name);
		if (system(command) == 0)
			return name;
	}
	return NULL;
}

static unsigned unknown_instructions(const struct dt_machine *machine, const char *tool, const char *file)
{
	char command[256], line[512];
	unsigned bad = 0, lines = 0;
	FILE *f;

	snprintf(command, sizeof(command), "%s -D -b binary -m %s %s", tool,
	    machine == &dt_machine_aarch64 ? "aarch64" : "i386:x86-64", file);
	f = popen(command, "r");
	while (f && fgets(line, sizeof(line), f)) {
		lines++;
		if (strstr(line, "(bad)") || strstr(line, "undefined") || strstr(line, ".inst") ||
		    strstr(line, "udf")) {
			fputs(line, stderr);
			bad++;
		}
	}
	if (f)
		pclose(f);
	CHECK(lines > 1000);
	return bad;
}

static void on_machine(const struct dt_machine *machine)
{
	static struct random_prog g;
	const char *tool = disassembler(machine);
	char file[] = "/tmp/native_test.XXXXXX";
	int fd = mkstemp(file);

	for (uint64_t seed = 1; seed <= DISASSEMBLED; seed++) {
		struct dt_image_prog p = random_program(&g, seed);
		struct dt_native_place place = place_on(machine, FIRST_PROGRAM, seed & 1);
		struct dt_native_code code;

		if (!CHECK_INT(dt_native_translate(&p, &place, &code, msg, sizeof(msg)), 0))
			fprintf(stderr, "seed %llu: %s\n", (unsigned long long)seed, msg);
		CHECK(write(fd, code.bytes, code.len) == (ssize_t)code.len);
		same_length(&p, machine, seed & 1, code.len);
		free(code.bytes);
	}
	close(fd);
	if (tool)
		CHECK_INT(unknown_instructions(machine, tool, file), 0);
	else
		CHECK_SKIP("no disassembler for one of the machines");
	unlink(file);
}

/* ---- programs of special form ---- */

#define INSN(c, d, s, o, i) { .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) }
#define EXIT INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define MOVK(d, i) INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define PROG(v) { .name = "special", .insns = (v), .ninsns = sizeof(v) / sizeof((v)[0]) }

/* A jump to the first instruction does not begin the function again. */
static void jump_to_the_beginning(void)
{
	static const struct bpf_insn v[] = { MOVK(1, 5),
		INSN(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 1), EXIT,
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, 1, 0, 0, -1), INSN(BPF_ST | BPF_MEM | BPF_DW, 10, 0, -8, 3),
		INSN(BPF_JMP | BPF_JNE | BPF_K, 1, 0, -3, 0), INSN(BPF_ALU64 | BPF_MOV | BPF_X, 0, 1, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, 0, 0, 0, 9), EXIT };
	struct dt_image_prog p = PROG(v);

	CHECK_INT(run_native(&p, FIRST_PROGRAM, false), 9);
	CHECK_INT(native_call_broken, 0);
}

/* The second program gets the context and the firing of the first. */
static void tail_call(void)
{
	static const struct bpf_insn first[] = { INSN(BPF_ALU64 | BPF_MOV | BPF_X, 7, 1, 0, 0),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_trace_printk),
		INSN(BPF_ST | BPF_MEM | BPF_DW, 10, 0, -64, 3), INSN(BPF_ALU64 | BPF_MOV | BPF_X, 1, 7, 0, 0),
		INSN(BPF_LD | BPF_DW | BPF_IMM, 2, BPF_PSEUDO_MAP_FD, 0, 0), INSN(0, 0, 0, 0, 0), MOVK(3, 2),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_tail_call), MOVK(0, 1), EXIT };
	static const struct bpf_insn second[] = { INSN(BPF_ALU64 | BPF_MOV | BPF_X, 6, 1, 0, 0),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_trace_printk),
		INSN(BPF_LDX | BPF_MEM | BPF_DW, 6, 6, 8, 0),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_get_attach_cookie),
		INSN(BPF_ALU64 | BPF_ADD | BPF_X, 0, 6, 0, 0), EXIT };
	static const struct dt_image_reloc reloc = { .insn = 4, .map = MAP_CHAIN };
	struct dt_image_prog a = PROG(first), b = PROG(second);
	struct dt_native_place place = place_on(dt_machine_here(), FIRST_PROGRAM, false);
	struct dt_native_code code;

	a.relocs = &reloc;
	a.nrelocs = 1;
	the_firing.regs[1] = 1000;
	the_firing.cookie = 7;
	chain_at[2] = FIRST_PROGRAM + 4096;
	CHECK_INT(dt_native_translate(&a, &place, &code, msg, sizeof(msg)), 0);
	put_code(FIRST_PROGRAM, &code);
	chain_at[2] = 0;
	same_length(&a, dt_machine_here(), false, code.len);
	free(code.bytes);
	run_native(&b, FIRST_PROGRAM + 4096, false);
	CHECK_INT(run_code(FIRST_PROGRAM), 1007);
	CHECK_INT(native_call_broken, 0);
	CHECK_INT(wrong_calls, 0);
}

/* Loads and stores at the offsets where their forms end. */
static void offsets(void)
{
	static const int edges[] = { -32768, -4096, -256, -128, 0, 127, 128, 255, 256, 4095, 8190, 16380,
		32752 };
	enum { EDGES = sizeof(edges) / sizeof(edges[0]), AROUND = 9, N = EDGES * AROUND * 8 + 8 };
	struct bpf_insn *v = calloc(N, sizeof(*v));
	struct dt_image_reloc reloc = { .insn = 0, .map = MAP_VALUE, .value = true };
	struct dt_image_prog p = { .name = "offsets", .insns = v, .relocs = &reloc, .nrelocs = 1 };
	uint32_t n = 4;
	uint64_t want;

	v[0] = (struct bpf_insn)INSN(BPF_LD | BPF_DW | BPF_IMM, 6, BPF_PSEUDO_MAP_VALUE, 0, 0);
	v[2] = (struct bpf_insn)MOVK(0, 0);
	v[3] = (struct bpf_insn)MOVK(2, 0);
	for (int i = 0; i < EDGES * AROUND; i++) {
		int off = edges[i / AROUND] + i % AROUND - AROUND / 2;

		for (int size = 0; size < 4 && off >= -32768; size++) {
			v[n++] = (struct bpf_insn)INSN(BPF_LDX | BPF_MEM | sizes[size], 1, 6,
			    (int16_t)off, 0);
			v[n++] = (struct bpf_insn)INSN(BPF_ALU64 | BPF_ADD | BPF_X, 0, 1, 0, 0);
		}
	}
	v[n++] = (struct bpf_insn)INSN(BPF_ALU64 | BPF_MUL | BPF_K, 0, 0, 0, 7);
	v[n++] = (struct bpf_insn)EXIT;
	p.ninsns = n;
	fill_data(9);
	want = run_reference(&p);
	CHECK(run_native(&p, FIRST_PROGRAM, false) == want);
	for (uint32_t i = 4; i + 2 < n; i += 2)
		v[i] = (struct bpf_insn)INSN(BPF_STX | BPF_MEM | BPF_SIZE(v[i].code), 6, 0, v[i].off, 0);
	for (uint32_t i = 5; i + 2 < n; i += 2)
		v[i] = (struct bpf_insn)INSN(BPF_ALU64 | BPF_ADD | BPF_K, 0, 0, 0, 3);
	CHECK(compare_program(&p, 9, false));
	free(v);
}

/* The index of a lookup stays in the register that was stored as its key, also if nothing else reads it. */
static void index_in_register(void)
{
	static const struct bpf_insn v[] = { MOVK(0, 3), INSN(BPF_ALU64 | BPF_MOV | BPF_X, 6, 0, 0, 0),
		INSN(BPF_STX | BPF_MEM | BPF_W, 10, 6, -4, 0),
		INSN(BPF_LD | BPF_DW | BPF_IMM, 1, BPF_PSEUDO_MAP_FD, 0, 0), INSN(0, 0, 0, 0, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 2, 10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -4),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem),
		INSN(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1, 0), INSN(BPF_LDX | BPF_MEM | BPF_DW, 0, 0, 0, 0),
		EXIT };
	static const struct dt_image_reloc reloc = { .insn = 3, .map = MAP_ARRAY };
	struct dt_image_prog p = PROG(v);

	p.relocs = &reloc;
	p.nrelocs = 1;
	CHECK(compare_program(&p, 9, false));
}

/* A branch over more than its instruction reaches on aarch64. */
static void long_branch(void)
{
	enum { N = 32000 };
	struct bpf_insn *v = calloc(N + 8, sizeof(*v)), in = INSN(BPF_STX | BPF_ATOMIC | BPF_DW, 6, 2, 4104,
	    BPF_CMPXCHG);
	struct dt_image_reloc reloc = { .insn = 0, .map = 0, .value = true };
	struct dt_image_prog p = { .name = "long", .insns = v, .ninsns = N + 7, .relocs = &reloc,
	    .nrelocs = 1 };

	v[0] = (struct bpf_insn)INSN(BPF_LD | BPF_DW | BPF_IMM, 6, BPF_PSEUDO_MAP_VALUE, 0, 0);
	v[2] = (struct bpf_insn)MOVK(0, 5);
	v[3] = (struct bpf_insn)MOVK(2, 6);
	v[4] = (struct bpf_insn)INSN(BPF_JMP | BPF_JNE | BPF_K, 1, 0, N, 3);
	for (int i = 0; i < N; i++)
		v[5 + i] = in;
	v[5 + N] = (struct bpf_insn)INSN(BPF_ALU64 | BPF_ADD | BPF_K, 0, 0, 0, 2);
	v[6 + N] = (struct bpf_insn)EXIT;
	CHECK_INT(run_native(&p, FIRST_PROGRAM, false), 7);
	v[4].code = BPF_JMP | BPF_JEQ | BPF_K;
	memset(region + CODE_SIZE, 0, DATA_SIZE);
	CHECK_INT(run_native(&p, FIRST_PROGRAM, false), 8);	/* 0, then 6, which it finds */
	free(v);
}

/* ---- what is refused ---- */

static void refused(const struct bpf_insn *v, uint32_t n, int rc, const char *why)
{
	struct dt_image_prog p = { .name = "bad", .insns = v, .ninsns = n };

	for (size_t i = 0; i < 2; i++) {
		const struct dt_machine *machine = i ? &dt_machine_x86_64 : &dt_machine_aarch64;
		struct dt_native_place place = place_on(machine, 0, true);
		struct dt_native_code code;

		msg[0] = '\0';
		CHECK_INT(dt_native_translate(&p, &place, &code, msg, sizeof(msg)), rc);
		if (!CHECK(strstr(msg, why) != NULL))
			fprintf(stderr, "%s, expected %s\n", msg, why);
		CHECK(code.bytes == NULL);
		free(code.bytes);
	}
}

#define REFUSED(rc, why, ...) do { \
	static const struct bpf_insn v_[] = { __VA_ARGS__ }; \
	refused(v_, sizeof(v_) / sizeof(v_[0]), rc, why); \
} while (0)

static void refusals(void)
{
	REFUSED(-ENOTSUP, "get_current_task (helper 35)",
	    INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_get_current_task), EXIT);
	REFUSED(-ENOTSUP, "tail call", INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_tail_call), EXIT);
	REFUSED(-ENOTSUP, "no translation", INSN(BPF_JMP | 0xe0, 0, 0, 0, 0), EXIT);
	REFUSED(-ENOTSUP, "no translation", INSN(BPF_ALU64 | 0xe0, 0, 0, 0, 0), EXIT);
	REFUSED(-ENOTSUP, "no translation", INSN(BPF_ALU64 | BPF_MOV | BPF_X, 0, 1, 5, 0), EXIT);
	REFUSED(-ENOTSUP, "no translation", INSN(BPF_STX | BPF_ATOMIC | BPF_DW, 1, 0, 0, 0x100), EXIT);
	REFUSED(-ENOTSUP, "no translation", INSN(BPF_STX | BPF_ATOMIC | BPF_B, 1, 0, 0, BPF_ADD), EXIT);
	REFUSED(-ENOTSUP, "no translation", INSN(BPF_JMP | BPF_CALL, 0, 2, 0, 1), EXIT);
	REFUSED(-ENOTSUP, "packet", INSN(BPF_LD | BPF_ABS | BPF_W, 0, 0, 0, 0), EXIT);
	REFUSED(-EINVAL, "writes to r10", MOVK(10, 0), EXIT);
	REFUSED(-EINVAL, "register", MOVK(11, 0), EXIT);
	REFUSED(-EINVAL, "second half", MOVK(0, 0), INSN(BPF_LD | BPF_DW | BPF_IMM, 2, 0, 0, 0));
	REFUSED(-EINVAL, "no instruction", INSN(BPF_JMP | BPF_JA, 0, 0, 5, 0), EXIT);
	REFUSED(-EINVAL, "no instruction", INSN(BPF_JMP | BPF_JA, 0, 0, -5, 0), EXIT);
	REFUSED(-EINVAL, "no instruction", INSN(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 900), EXIT);
	REFUSED(-EINVAL, "no instruction", INSN(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1, 0),
	    INSN(BPF_LD | BPF_DW | BPF_IMM, 2, 0, 0, 0), INSN(0, 0, 0, 0, 0), EXIT);
	REFUSED(-EINVAL, "leaves its function", INSN(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 1), EXIT,
	    INSN(BPF_JMP | BPF_JA, 0, 0, -2, 0));
	REFUSED(-EINVAL, "without leaving it", MOVK(0, 0));
	REFUSED(-EINVAL, "outside of its stack", INSN(BPF_ST | BPF_MEM | BPF_DW, 10, 0, -520, 0), EXIT);
	REFUSED(-EINVAL, "outside of its stack", INSN(BPF_ST | BPF_MEM | BPF_DW, 10, 0, 0, 0), EXIT);
	refused(NULL, 0, -EINVAL, "empty");
}

static void other_machines(void)
{
	static const struct bpf_insn v[] = { MOVK(0, 0), EXIT };
	struct dt_image_prog p = PROG(v);
	struct dt_native_place place = place_on(&dt_machine_riscv64, 0, false);
	struct dt_native_code code;

	CHECK_INT(dt_native_translate(&p, &place, &code, msg, sizeof(msg)), -ENOTSUP);
}

/*
 * Light is what calls nothing, comes back, and has a small frame once stores that nothing reads are left out;
 * bare is what does not look at its context either, on no path.
 */
static enum dt_native_light light_of(const struct dt_image_prog *p, const struct dt_machine *m)
{
	struct dt_native_place place = place_on(m, 0x100000, true);
	struct dt_native_code code;

	CHECK_INT(dt_native_translate(p, &place, &code, msg, sizeof(msg)), 0);
	free(code.bytes);
	return code.light;
}

static void light(const struct dt_machine *m)
{
	static const struct bpf_insn
	    plain[] = { MOVK(0, 0), EXIT },
	    small[] = { INSN(BPF_STX | BPF_MEM | BPF_DW, 10, 1, -64, 0),
		INSN(BPF_LDX | BPF_MEM | BPF_DW, 0, 10, -64, 0), EXIT },
	    deep[] = { INSN(BPF_STX | BPF_MEM | BPF_DW, 10, 1, -72, 0),
		INSN(BPF_LDX | BPF_MEM | BPF_DW, 0, 10, -72, 0), EXIT },
	    unread[] = { INSN(BPF_STX | BPF_MEM | BPF_DW, 10, 1, -512, 0), MOVK(0, 0), EXIT },
	    half[] = { INSN(BPF_ST | BPF_MEM | BPF_DW, 10, 0, -200, 0),
		INSN(BPF_LDX | BPF_MEM | BPF_W, 0, 10, -196, 0), EXIT },
	    calls[] = { INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_trace_printk), EXIT },
	    goes_on[] = { INSN(BPF_LD | BPF_DW | BPF_IMM, 2, BPF_PSEUDO_MAP_FD, 0, 0), INSN(0, 0, 0, 0, 0),
		MOVK(3, 2), INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_tail_call), MOVK(0, 1), EXIT },
	    /* r1 is something else by then; the copy in r7 is not used */
	    other[] = { MOVK(1, 3), INSN(BPF_ALU64 | BPF_MOV | BPF_X, 0, 1, 0, 0), EXIT },
	    kept[] = { INSN(BPF_ALU64 | BPF_MOV | BPF_X, 7, 1, 0, 0), MOVK(0, 1), EXIT },
	    member[] = { INSN(BPF_LDX | BPF_MEM | BPF_DW, 0, 1, 8, 0), EXIT },
	    copied[] = { INSN(BPF_ALU64 | BPF_MOV | BPF_X, 7, 1, 0, 0),
		INSN(BPF_LDX | BPF_MEM | BPF_DW, 0, 7, 8, 0), EXIT },
	    one_path[] = { MOVK(0, 0), INSN(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1, 5), MOVK(1, 3),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 0, 1, 0, 0), EXIT },
	    to_memory[] = { MOVK(0, 0), INSN(BPF_STX | BPF_MEM | BPF_DW, 1, 0, 8, 0), EXIT };
	static const struct dt_image_reloc reloc = { .map = MAP_CHAIN };
	struct dt_image_prog tail = PROG(goes_on);

#define LIGHT_OF(v) light_of(&(struct dt_image_prog)PROG(v), m)
	CHECK_INT(LIGHT_OF(plain), DT_NATIVE_BARE);
	CHECK_INT(LIGHT_OF(small), DT_NATIVE_LIGHT);
	CHECK_INT(LIGHT_OF(deep), DT_NATIVE_FULL);
	CHECK_INT(LIGHT_OF(unread), DT_NATIVE_BARE);
	CHECK_INT(LIGHT_OF(half), DT_NATIVE_FULL);
	CHECK_INT(LIGHT_OF(calls), DT_NATIVE_FULL);
	CHECK_INT(LIGHT_OF(other), DT_NATIVE_BARE);
	CHECK_INT(LIGHT_OF(kept), DT_NATIVE_BARE);
	CHECK_INT(LIGHT_OF(member), DT_NATIVE_LIGHT);
	CHECK_INT(LIGHT_OF(copied), DT_NATIVE_LIGHT);
	CHECK_INT(LIGHT_OF(one_path), DT_NATIVE_LIGHT);
	CHECK_INT(LIGHT_OF(to_memory), DT_NATIVE_LIGHT);
	tail.relocs = &reloc;
	tail.nrelocs = 1;
	CHECK_INT(light_of(&tail, m), DT_NATIVE_FULL);
}

int main(int argc, char **argv)
{
	if (!CHECK(open_region()))
		return CHECK_DONE("native_test");
	if (argc > 1) {
		random_programs(strtoull(argv[1], NULL, 0), 1, true);
		return CHECK_DONE("native_test");
	}
	jump_to_the_beginning();
	tail_call();
	offsets();
	index_in_register();
	long_branch();
	refusals();
	other_machines();
	light(&dt_machine_aarch64);
	light(&dt_machine_x86_64);
	random_programs(1, PROGRAMS, false);
	on_machine(&dt_machine_aarch64);
	on_machine(&dt_machine_x86_64);
	return CHECK_DONE("native_test");
}
