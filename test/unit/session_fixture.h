/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For the tests of sessions: images written by hand, a few instructions each, with the maps that they all
 * share. A test of sessions opens a fixture, fires it, and closes its session.
 */
#ifndef SESSION_FIXTURE_H
#define SESSION_FIXTURE_H

#include "check.h"

#include "base/count.h"
#include "bpf/image.h"
#include "session/session.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <time.h>
#include <unistd.h>

static inline double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* ---- instructions ---- */

#define I(c, d, s, o, i) { .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) }
#define MOV_R(d, s) I(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define MOV_I(d, i) I(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define ADD_I(d, i) I(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define LOAD(d, s, o) I(BPF_LDX | BPF_MEM | BPF_DW, d, s, o, 0)
#define LOADW(d, s, o) I(BPF_LDX | BPF_MEM | BPF_W, d, s, o, 0)
#define STORE(d, o, s) I(BPF_STX | BPF_MEM | BPF_DW, d, s, o, 0)
#define STOREW(d, o, s) I(BPF_STX | BPF_MEM | BPF_W, d, s, o, 0)
#define JNE_I(d, i, o) I(BPF_JMP | BPF_JNE | BPF_K, d, 0, o, i)
#define JNE_R(d, s, o) I(BPF_JMP | BPF_JNE | BPF_X, d, s, o, 0)
#define JEQ_I(d, i, o) I(BPF_JMP | BPF_JEQ | BPF_K, d, 0, o, i)
#define CALL(f) I(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_##f)
#define MAP(d) I(BPF_LD | BPF_IMM | BPF_DW, d, 0, 0, 0), I(0, 0, 0, 0, 0)
#define XADD(d, o, s) I(BPF_STX | BPF_ATOMIC | BPF_DW, d, s, o, BPF_ADD)
#define EXIT() I(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

/* The maps every image below has, by index. */
enum { M_AGGS, M_A, M_B, M_RINGS, M_RING, M_CONTROL, M_DROPS, M_N };
enum { KEYS = 4096 };

/* Ten minutes, in nanoseconds: longer than any machine needs, so what ends a wait is never the time. */
#define LONG_WAIT 600000000000

static const struct dt_control first_control = { .gen = DT_GEN_FIRST, .taken = DT_GEN_FIRST / DT_GEN_NEXT };

static const struct dt_image_map all_maps[M_N] = {
	[M_AGGS] = { DT_MAP_AGGS, "aggs", BPF_MAP_TYPE_ARRAY_OF_MAPS, 4, 4, 2, .inner = M_A },
	[M_A] = { DT_MAP_AGG_A, "agg_a", BPF_MAP_TYPE_PERCPU_HASH, 8, 8, KEYS, .inner = UINT32_MAX },
	[M_B] = { DT_MAP_AGG_B, "agg_b", BPF_MAP_TYPE_PERCPU_HASH, 8, 8, KEYS, .inner = UINT32_MAX },
	[M_RINGS] = { DT_MAP_RINGS, "rings", BPF_MAP_TYPE_ARRAY_OF_MAPS, 4, 4, 1024, .inner = M_RING },
	[M_RING] = { DT_MAP_RING, "ring", BPF_MAP_TYPE_RINGBUF, 0, 0, 4 << 20, .inner = UINT32_MAX },
	[M_CONTROL] = { DT_MAP_CONTROL, "control", BPF_MAP_TYPE_ARRAY, 4, sizeof(struct dt_control), 1,
		.inner = UINT32_MAX, .data = &first_control, .len = sizeof(first_control) },
	[M_DROPS] = { DT_MAP_DROPS, "drops", BPF_MAP_TYPE_PERCPU_ARRAY, 4, sizeof(struct dt_drops), 1,
		.inner = UINT32_MAX },
};

struct fixture {
	struct dt_image_map maps[M_N];
	struct dt_image_prog prog;
	struct dt_agglayout agg;
	struct dt_image image;
	struct dt_attach attach;
	struct dt_session *session;
	char msg[1024];
};

static inline void fixture_init(struct fixture *f, int kind, const struct bpf_insn *insns, uint32_t n,
    const struct dt_image_reloc *relocs, uint32_t nrelocs)
{
	memset(f, 0, sizeof(*f));
	memcpy(f->maps, all_maps, sizeof(all_maps));
	f->prog = (struct dt_image_prog){ .name = "test", .insns = insns, .ninsns = n, .relocs = relocs,
		.nrelocs = nrelocs };
	f->image = (struct dt_image){ .maps = f->maps, .nmaps = M_N, .progs = &f->prog, .nprogs = 1,
		.layouts = { .aggs = &f->agg, .naggs = 1, .policy = DT_POLICY_FILL }, .ngroups = 1 };
	f->attach = (struct dt_attach){ .kind = kind };
}

static inline int fixture_open(struct fixture *f)
{
	int err = dt_session_open(&f->image, &f->attach, 1, &f->session, f->msg, sizeof(f->msg));

	if (err)
		fprintf(stderr, "%s\n", f->msg);
	return CHECK_INT(err, 0);
}

/* A record { cpu, arg0, arg1, time } into this CPU's ring. */
static const struct bpf_insn ring_insns[] = {
	MOV_R(6, 1),
	CALL(ktime_get_ns),
	STORE(10, -8, 0),
	LOAD(2, 6, 8),
	STORE(10, -16, 2),
	LOAD(2, 6, 0),
	STORE(10, -24, 2),
	CALL(get_smp_processor_id),
	STORE(10, -32, 0),
	STOREW(10, -36, 0),
	MAP(1),				/* 10: rings */
	MOV_R(2, 10),
	ADD_I(2, -36),
	CALL(map_lookup_elem),
	JEQ_I(0, 0, 6),
	MOV_R(1, 0),
	MOV_R(2, 10),
	ADD_I(2, -32),
	MOV_I(3, 32),
	MOV_I(4, BPF_RB_NO_WAKEUP),
	CALL(ringbuf_output),
	MOV_I(0, 0),
	EXIT(),
};

struct rec { uint64_t cpu, arg0, arg1, time; };
struct reading { uint32_t cpu; uint64_t next; unsigned wrong, got; };

static inline int read_one(void *ctx, const void *data, size_t len)
{
	struct reading *r = ctx;
	const struct rec *rec = data;

	r->wrong += len != sizeof(*rec) || rec->cpu != r->cpu || rec->arg0 < r->next ||
	    rec->arg1 != ~rec->arg0;
	r->next = rec->arg0 + 1;
	r->got++;
	return 0;
}

/* control.exited += 1 */
static const struct bpf_insn tick_insns[] = {
	MAP(1),				/* 0: control, its value */
	MOV_I(2, 1),
	I(BPF_STX | BPF_ATOMIC | BPF_W, 1, 2, offsetof(struct dt_control, exited), BPF_ADD),
	MOV_I(0, 0),
	EXIT(),
};
static const struct dt_image_reloc tick_relocs[] = { { 0, M_CONTROL, 0, true } };

/* Whether this process may use bpf(2) at all. If not, it has said so in the last line that a test prints. */
static inline bool may_trace(const char *test, struct dt_features *feat)
{
	char msg[256];

	if (dt_features_probe(feat, msg, sizeof(msg)) == 0)
		return true;
	printf("%s: %s\n%s: 0 passed, 0 failed, 1 skipped\n", test, msg, test);
	return false;
}

#endif
