/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The floor of bench/trace.sh: what somebody who knows the one question, and nothing else, would write by
 * hand. No test whether tracing has stopped, no second buffer, no atomic addition (each element is one
 * CPU's, and the program cannot interrupt itself), no filter by number on the way out (the time in the
 * thread tells), no header on a record.
 */
#include "floor.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define COUNT(x) (sizeof(x) / sizeof((x)[0]))
#define RING_BYTES (16 << 20)

#define INSN(c, d, s, o, i) ((struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), \
	.imm = (i) })
#define MOV(d, s) INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define MOVI(d, i) INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define ALU(op, d, s) INSN(BPF_ALU64 | (op) | BPF_X, d, s, 0, 0)
#define ALUI(op, d, i) INSN(BPF_ALU64 | (op) | BPF_K, d, 0, 0, i)
#define LDX(sz, d, s, o) INSN(BPF_LDX | BPF_MEM | (sz), d, s, o, 0)
#define STX(sz, d, o, s) INSN(BPF_STX | BPF_MEM | (sz), d, s, o, 0)
#define ST(sz, d, o, i) INSN(BPF_ST | BPF_MEM | (sz), d, 0, o, i)
#define JMPI(op, d, i, o) INSN(BPF_JMP | (op) | BPF_K, d, 0, o, i)
#define CALL(f) INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_##f)
#define MAP(d, fd) INSN(BPF_LD | BPF_IMM | BPF_DW, d, BPF_PSEUDO_MAP_FD, 0, fd), INSN(0, 0, 0, 0, 0)
#define EXIT() INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

static int load(const struct bpf_insn *insns, size_t n)
{
	int fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "floor", "Dual BSD/GPL", insns, n, NULL);

	return fd < 0 ? -errno : fd;
}

static int make_map(enum bpf_map_type type, uint32_t key, uint32_t value, uint32_t n)
{
	int fd = bpf_map_create(type, "floor", key, value, n, NULL);

	return fd < 0 ? -errno : fd;
}

/* ---- counting ---- */

static int load_count(struct floor *f, int number)
{
	(void)number;
	f->map = make_map(BPF_MAP_TYPE_PERCPU_ARRAY, 4, 8, 1);
	struct bpf_insn p[] = {
		ST(BPF_W, 10, -4, 0),
		MAP(1, f->map), MOV(2, 10), ALUI(BPF_ADD, 2, -4), CALL(map_lookup_elem),
		JMPI(BPF_JEQ, 0, 0, 3),
		LDX(BPF_DW, 1, 0, 0), ALUI(BPF_ADD, 1, 1), STX(BPF_DW, 0, 0, 1),
		MOVI(0, 0), EXIT(),
	};
	return f->prog[0] = load(p, COUNT(p));
}

static int load_one(struct floor *f, int number)
{
	f->map = make_map(BPF_MAP_TYPE_PERCPU_ARRAY, 4, 8, 1);
	struct bpf_insn p[] = {
		LDX(BPF_DW, 1, 1, 8), JMPI(BPF_JNE, 1, number, 10),
		ST(BPF_W, 10, -4, 0),
		MAP(1, f->map), MOV(2, 10), ALUI(BPF_ADD, 2, -4), CALL(map_lookup_elem),
		JMPI(BPF_JEQ, 0, 0, 3),
		LDX(BPF_DW, 1, 0, 0), ALUI(BPF_ADD, 1, 1), STX(BPF_DW, 0, 0, 1),
		MOVI(0, 0), EXIT(),
	};
	return f->prog[0] = load(p, COUNT(p));
}

static int load_comm(struct floor *f, int number)
{
	(void)number;
	f->map = make_map(BPF_MAP_TYPE_PERCPU_HASH, 16, 8, 10240);
	struct bpf_insn p[] = {
		MOV(1, 10), ALUI(BPF_ADD, 1, -16), MOVI(2, 16), CALL(get_current_comm),
		MAP(1, f->map), MOV(2, 10), ALUI(BPF_ADD, 2, -16), CALL(map_lookup_elem),
		JMPI(BPF_JEQ, 0, 0, 5),
		LDX(BPF_DW, 1, 0, 0), ALUI(BPF_ADD, 1, 1), STX(BPF_DW, 0, 0, 1),
		MOVI(0, 0), EXIT(),
		ST(BPF_DW, 10, -24, 1),
		MAP(1, f->map), MOV(2, 10), ALUI(BPF_ADD, 2, -16), MOV(3, 10), ALUI(BPF_ADD, 3, -24),
		    MOVI(4, 0), CALL(map_update_elem),
		MOVI(0, 0), EXIT(),
	};
	return f->prog[0] = load(p, COUNT(p));
}

static int load_number(struct floor *f, int number)
{
	(void)number;
	f->map = make_map(BPF_MAP_TYPE_PERCPU_HASH, 8, 8, 10240);
	struct bpf_insn p[] = {
		LDX(BPF_DW, 1, 1, 8), STX(BPF_DW, 10, -8, 1),
		MAP(1, f->map), MOV(2, 10), ALUI(BPF_ADD, 2, -8), CALL(map_lookup_elem),
		JMPI(BPF_JEQ, 0, 0, 5),
		LDX(BPF_DW, 1, 0, 0), ALUI(BPF_ADD, 1, 1), STX(BPF_DW, 0, 0, 1),
		MOVI(0, 0), EXIT(),
		ST(BPF_DW, 10, -16, 1),
		MAP(1, f->map), MOV(2, 10), ALUI(BPF_ADD, 2, -8), MOV(3, 10), ALUI(BPF_ADD, 3, -16),
		    MOVI(4, 0), CALL(map_update_elem),
		MOVI(0, 0), EXIT(),
	};
	return f->prog[0] = load(p, COUNT(p));
}

/* ---- time between ---- */

/* Task storage needs types: an int as the key, a 64-bit word as the value. */
static int storage(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);
	struct btf *btf = btf__new_empty();
	int fd, key, value;

	if (!btf)
		return -errno;
	key = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	value = btf__add_int(btf, "long", 8, BTF_INT_SIGNED);
	if (btf__load_into_kernel(btf) < 0) {
		btf__free(btf);
		return -EINVAL;
	}
	opts.btf_fd = (uint32_t)btf__fd(btf);
	opts.btf_key_type_id = (uint32_t)key;
	opts.btf_value_type_id = (uint32_t)value;
	fd = bpf_map_create(BPF_MAP_TYPE_TASK_STORAGE, "floor", 4, 8, 0, &opts);
	fd = fd < 0 ? -errno : fd;
	btf__free(btf);
	return fd;
}

/* r1 its log2 in r2 */
#define LOG2_STEP(bits) \
	MOV(3, 1), ALUI(BPF_RSH, 3, bits), JMPI(BPF_JEQ, 3, 0, 2), MOV(1, 3), ALUI(BPF_ADD, 2, bits)

static int load_latency(struct floor *f, int number)
{
	int start = storage();

	f->map = make_map(BPF_MAP_TYPE_PERCPU_ARRAY, 4, 64 * 8, 1);
	if (start < 0)
		return start;
	struct bpf_insn enter[] = {
		LDX(BPF_DW, 1, 1, 8), JMPI(BPF_JNE, 1, number, 11),
		CALL(get_current_task_btf),
		MAP(1, start), MOV(2, 0), MOVI(3, 0), MOVI(4, BPF_LOCAL_STORAGE_GET_F_CREATE),
		    CALL(task_storage_get),
		JMPI(BPF_JEQ, 0, 0, 3),
		MOV(6, 0), CALL(ktime_get_ns), STX(BPF_DW, 6, 0, 0),
		MOVI(0, 0), EXIT(),
	};
	struct bpf_insn leave[] = {
		CALL(get_current_task_btf),
		MAP(1, start), MOV(2, 0), MOVI(3, 0), MOVI(4, 0), CALL(task_storage_get),
		JMPI(BPF_JEQ, 0, 0, 48),
		LDX(BPF_DW, 6, 0, 0), JMPI(BPF_JEQ, 6, 0, 46), ST(BPF_DW, 0, 0, 0),
		CALL(ktime_get_ns), ALU(BPF_SUB, 0, 6), MOV(6, 0),
		ST(BPF_W, 10, -4, 0),
		MAP(1, f->map), MOV(2, 10), ALUI(BPF_ADD, 2, -4), CALL(map_lookup_elem),
		JMPI(BPF_JEQ, 0, 0, 35),
		MOV(1, 6), MOVI(2, 0),
		LOG2_STEP(32), LOG2_STEP(16), LOG2_STEP(8), LOG2_STEP(4), LOG2_STEP(2),
		/* the last step adds the bit itself */
		ALUI(BPF_RSH, 1, 1), ALU(BPF_ADD, 2, 1), ALUI(BPF_AND, 2, 63),
		ALUI(BPF_LSH, 2, 3), ALU(BPF_ADD, 0, 2),
		LDX(BPF_DW, 1, 0, 0), ALUI(BPF_ADD, 1, 1), STX(BPF_DW, 0, 0, 1),
		MOVI(0, 0), EXIT(),
	};
	f->prog[0] = load(enter, COUNT(enter));
	f->prog[1] = load(leave, COUNT(leave));
	close(start);
	return f->prog[0] < 0 ? f->prog[0] : f->prog[1];
}

/* ---- a record ---- */

static int forget(void *ctx, void *data, size_t size) { (void)ctx; (void)data; (void)size; return 0; }

/* The name, the process, the thread. */
static int load_record(struct floor *f, int number)
{
	f->map = make_map(BPF_MAP_TYPE_RINGBUF, 0, 0, RING_BYTES);
	struct bpf_insn p[] = {
		LDX(BPF_DW, 1, 1, 8), JMPI(BPF_JNE, 1, number, 18),
		MAP(1, f->map), MOVI(2, 24), MOVI(3, 0), CALL(ringbuf_reserve),
		JMPI(BPF_JEQ, 0, 0, 12),
		MOV(6, 0), MOV(1, 6), MOVI(2, 16), CALL(get_current_comm),
		CALL(get_current_pid_tgid),
		STX(BPF_W, 6, 16, 0), ALUI(BPF_RSH, 0, 32), STX(BPF_W, 6, 20, 0),
		MOV(1, 6), MOVI(2, BPF_RB_NO_WAKEUP), CALL(ringbuf_submit), MOVI(0, 0),
		MOVI(0, 0), EXIT(),
	};
	f->prog[0] = load(p, COUNT(p));
	if (f->prog[0] >= 0)
		f->ring = ring_buffer__new(f->map, forget, NULL, NULL);
	return f->prog[0];
}

/* ---- all of them ---- */

static int (*const loaders[])(struct floor *, int) = {
	[FLOOR_COUNT] = load_count, [FLOOR_COMM] = load_comm, [FLOOR_NUMBER] = load_number,
	[FLOOR_ONE] = load_one, [FLOOR_LATENCY] = load_latency, [FLOOR_RECORD] = load_record,
};

int floor_load(struct floor *f, enum floor_kind kind, int number)
{
	int err;

	*f = (struct floor){ -1, { -1, -1 }, { -1, -1 }, NULL };
	err = loaders[kind](f, number);
	return err < 0 ? err : 0;
}

int floor_attach(struct floor *f)
{
	static const char *const where[] = { "sys_enter", "sys_exit" };

	for (int i = 0; i < 2; i++) {
		if (f->prog[i] < 0)
			continue;
		f->link[i] = bpf_raw_tracepoint_open(where[i], f->prog[i]);
		if (f->link[i] < 0)
			return -errno;
	}
	return 0;
}

void floor_detach(struct floor *f)
{
	for (int i = 0; i < 2; i++) {
		if (f->link[i] >= 0)
			close(f->link[i]);
		f->link[i] = -1;
	}
	if (f->ring)
		ring_buffer__consume(f->ring);
}

void floor_free(struct floor *f)
{
	const int fds[] = { f->map, f->prog[0], f->prog[1] };

	floor_detach(f);
	if (f->ring)
		ring_buffer__free(f->ring);
	for (size_t i = 0; i < COUNT(fds); i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
}
