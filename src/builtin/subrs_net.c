/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Subroutines for what travels on a network: byte order (both machines here are little-endian) and addresses
 * as text.
 */
#include "builtin/row.h"

/* Linux's numbers for families and hardware; programs from other systems use their names. */
enum { AF_IP4 = 2, AF_IP6 = 10 };		/* Linux's numbers */
enum { LINK_ETHERNET = 1, LINK_INFINIBAND = 32 };

/* ---- byte order ---- */

/* htons() and ntohs() are the same function, and so are the others in pairs. */
static uint64_t call_swap16(struct dt_interp *ip, const struct dt_subr_call *call)
{
	(void)ip;
	return __builtin_bswap16((uint16_t)call->arg[0].value);
}
static uint64_t call_swap32(struct dt_interp *ip, const struct dt_subr_call *call)
{
	(void)ip;
	return __builtin_bswap32((uint32_t)call->arg[0].value);
}
static uint64_t call_swap64(struct dt_interp *ip, const struct dt_subr_call *call)
{
	(void)ip;
	return __builtin_bswap64(call->arg[0].value);
}

static void lower_swap(struct dt_lower *l, int bits)
{
	dt_tuple_arg(l, 0, R0);
	dt_swap(dt_code(l), R0, bits);
}
static void lower_swap16(struct dt_lower *l) { lower_swap(l, 16); }
static void lower_swap32(struct dt_lower *l) { lower_swap(l, 32); }
static void lower_swap64(struct dt_lower *l) { lower_swap(l, 64); }

const struct dt_builtin dt_subr_htons = {
	DT_SUBR(htons, "uint16_t(uint16_t)", V(1, 3), EVOLVING),
	.call = call_swap16, .lower = lower_swap16, .scratch = DT_SCRATCH_NONE,
	.doc = "16 bits from the machine's byte order to that of networks.",
};

const struct dt_builtin dt_subr_htonl = {
	DT_SUBR(htonl, "uint32_t(uint32_t)", V(1, 3), EVOLVING),
	.call = call_swap32, .lower = lower_swap32, .scratch = DT_SCRATCH_NONE,
	.doc = "32 bits from the machine's byte order to that of networks.",
};

const struct dt_builtin dt_subr_htonll = {
	DT_SUBR(htonll, "uint64_t(uint64_t)", V(1, 3), EVOLVING),
	.call = call_swap64, .lower = lower_swap64, .scratch = DT_SCRATCH_NONE,
	.doc = "64 bits from the machine's byte order to that of networks.",
};

const struct dt_builtin dt_subr_ntohs = {
	DT_SUBR(ntohs, "uint16_t(uint16_t)", V(1, 3), EVOLVING),
	.call = call_swap16, .lower = lower_swap16, .scratch = DT_SCRATCH_NONE,
	.doc = "16 bits from the byte order of networks to the machine's.",
};

const struct dt_builtin dt_subr_ntohl = {
	DT_SUBR(ntohl, "uint32_t(uint32_t)", V(1, 3), EVOLVING),
	.call = call_swap32, .lower = lower_swap32, .scratch = DT_SCRATCH_NONE,
	.doc = "32 bits from the byte order of networks to the machine's.",
};

const struct dt_builtin dt_subr_ntohll = {
	DT_SUBR(ntohll, "uint64_t(uint64_t)", V(1, 3), EVOLVING),
	.call = call_swap64, .lower = lower_swap64, .scratch = DT_SCRATCH_NONE,
	.doc = "64 bits from the byte order of networks to the machine's.",
};

/* ---- addresses ---- */

/* An IPv4 address as text, in scratch. */
static uint64_t put4(struct dt_interp *ip, uint64_t addr)
{
	struct dt_rt_call c;

	return dt_rt_bytes(ip, addr, 4, &c) ? dt_rt_text(ip, &c, dt_rt_inet4) : 0;
}

/* An IPv6 address. `strict`: an IPv4 address inside of it keeps its prefix. */
static uint64_t put6(struct dt_interp *ip, uint64_t addr, bool strict)
{
	struct dt_rt_call c;

	if (!dt_rt_bytes(ip, addr, 16, &c))
		return 0;
	c.w.m = strict;
	return dt_rt_text(ip, &c, dt_rt_inet6);
}

/*
 * Reads `size` bytes at argument i into the first buffer. If strings are shorter than that, they reach into
 * the second buffer, which is unused then.
 */
static void read_bytes(struct dt_lower *l, uint32_t i, uint32_t size)
{
	struct dt_emit *a = dt_code(l);

	dt_tuple_arg(l, i, R3);
	dt_stx(a, B8, FP, F_T1, R3);
	dt_mov(a, R1, dt_slot_reg(l));
	dt_alui(a, BPF_ADD, R1, (int32_t)dt_slot_buffer(l, DT_BUF_A));
	dt_imm(a, R2, size);
	dt_help(l, BPF_FUNC_probe_read_kernel);
	dt_jmpi(a, BPF_JNE, R0, 0, dt_fault_label(l, DT_FLT_BADADDR, F_T1));
}

static void lower_inet4(struct dt_lower *l, uint32_t i)
{
	read_bytes(l, i, 4);
	dt_runtime(l, "rt_inet4");
	dt_runtime_take(l);
}

static void lower_inet6(struct dt_lower *l, uint32_t i)
{
	read_bytes(l, i, 16);
	dt_runtime(l, "rt_inet6");
	dt_runtime_take(l);
}

static uint64_t call_inet_ntop(struct dt_interp *ip, const struct dt_subr_call *call)
{
	switch (dt_subr_int(call, 0)) {
	case AF_IP4: return put4(ip, call->arg[1].value);
	case AF_IP6: return put6(ip, call->arg[1].value, true);
	default: return dt_interp_fault(ip, DT_FLT_ILLOP, call->arg[0].value);
	}
}

/* Anything but 2 and 10 faults. */
static void lower_inet_ntop(struct dt_lower *l)
{
	struct dt_emit *a = dt_code(l);
	uint32_t six = dt_label(a), done = dt_label(a);

	dt_work_imm(l, W_M, 1);
	dt_tuple_int(l, 0, R1);
	dt_stx(a, B8, FP, F_T1, R1);
	dt_jmpi(a, BPF_JNE, R1, 2, six);
	lower_inet4(l, 1);
	dt_ja(a, done);
	dt_put(a, six);
	dt_ldx(a, B8, R1, FP, F_T1);
	dt_jmpi(a, BPF_JNE, R1, 10, dt_fault_label(l, DT_FLT_ILLOP, F_T1));
	lower_inet6(l, 1);
	dt_put(a, done);
}

const struct dt_builtin dt_subr_inet_ntop = {
	DT_SUBR(inet_ntop, "string(int, void *)", V(1, 5), STABLE),
	.call = call_inet_ntop, .lower = lower_inet_ntop, .scratch = DT_SCRATCH_STRING,
	.doc = "An IPv4 or IPv6 address as text; the first argument is AF_INET or AF_INET6.",
};

static uint64_t call_inet_ntoa(struct dt_interp *ip, const struct dt_subr_call *call)
{
	return put4(ip, call->arg[0].value);
}

static void lower_inet_ntoa(struct dt_lower *l) { lower_inet4(l, 0); }

const struct dt_builtin dt_subr_inet_ntoa = {
	DT_SUBR(inet_ntoa, "string(void *)", V(1, 5), STABLE),
	.call = call_inet_ntoa, .lower = lower_inet_ntoa, .scratch = DT_SCRATCH_STRING,
	.doc = "An IPv4 address as text.",
};

static uint64_t call_inet_ntoa6(struct dt_interp *ip, const struct dt_subr_call *call)
{
	return put6(ip, call->arg[0].value, call->nargs > 1 && dt_subr_int(call, 1));
}

static void lower_inet_ntoa6(struct dt_lower *l)
{
	dt_tuple_int(l, 1, R1);
	dt_work(l, W_M, R1);
	lower_inet6(l, 0);
}

const struct dt_builtin dt_subr_inet_ntoa6 = {
	DT_SUBR(inet_ntoa6, "string(in6_addr_t *, [int])", V(1, 5), STABLE),
	.call = call_inet_ntoa6, .lower = lower_inet_ntoa6, .scratch = DT_SCRATCH_STRING,
	.doc = "An IPv6 address as text; with a second argument that is not 0 an IPv4 address inside keeps "
	    "its prefix.",
};

/*
 * Bytes in hexadecimal: `between` stands before each byte that has a bit in `where`; `ten` is the letter for
 * 10, which decides the case.
 */
struct form { uint32_t size, where; char between, ten; };
static const struct form ethernet = { 6, 0x3e, ':', 'a' }, infiniband = { 20, 0xffffe, ':', 'a' };
/* In groups of 4, 2, 2, 2 and 6 bytes, in capitals, as macOS writes them. */
static const struct form uuid = { 16, 1 << 4 | 1 << 6 | 1 << 8 | 1 << 10, '-', 'A' };

static uint64_t put_hexbytes(struct dt_interp *ip, uint64_t addr, const struct form *f)
{
	struct dt_rt_call c;

	if (!dt_rt_bytes(ip, addr, f->size, &c))
		return 0;
	c.w.la = f->size;
	c.w.n = (dt_word)f->between;
	c.w.m = f->where;
	c.w.y = (dt_word)f->ten;
	return dt_rt_text(ip, &c, dt_rt_hexbytes);
}

static void lower_hexbytes(struct dt_lower *l, uint32_t i, const struct form *f)
{
	read_bytes(l, i, f->size);
	dt_work_imm(l, W_LA, (int32_t)f->size);
	dt_work_imm(l, W_N, f->between);
	dt_work_imm(l, W_M, (int32_t)f->where);
	dt_work_imm(l, W_Y, f->ten);
	dt_runtime(l, "rt_hexbytes");
	dt_runtime_take(l);
}

/* Hardware addresses: bytes in hexadecimal with colons. */
static uint64_t call_link_ntop(struct dt_interp *ip, const struct dt_subr_call *call)
{
	switch (dt_subr_int(call, 0)) {
	case LINK_ETHERNET: return put_hexbytes(ip, call->arg[1].value, &ethernet);
	case LINK_INFINIBAND: return put_hexbytes(ip, call->arg[1].value, &infiniband);
	default: return dt_interp_fault(ip, DT_FLT_ILLOP, call->arg[0].value);
	}
}

/* Ethernet is 1, InfiniBand 32; anything else faults. */
static void lower_link_ntop(struct dt_lower *l)
{
	struct dt_emit *a = dt_code(l);
	uint32_t other = dt_label(a), done = dt_label(a);

	dt_tuple_int(l, 0, R1);
	dt_stx(a, B8, FP, F_T1, R1);
	dt_jmpi(a, BPF_JNE, R1, 1, other);
	lower_hexbytes(l, 1, &ethernet);
	dt_ja(a, done);
	dt_put(a, other);
	dt_ldx(a, B8, R1, FP, F_T1);
	dt_jmpi(a, BPF_JNE, R1, 32, dt_fault_label(l, DT_FLT_ILLOP, F_T1));
	lower_hexbytes(l, 1, &infiniband);
	dt_put(a, done);
}

const struct dt_builtin dt_subr_link_ntop = {
	DT_SUBR(link_ntop, "string(int, void *)", V(1, 5), STABLE),
	.call = call_link_ntop, .lower = lower_link_ntop, .scratch = DT_SCRATCH_STRING,
	.doc = "A hardware address as text; the first argument is ARPHRD_ETHER or ARPHRD_INFINIBAND.",
};

static uint64_t call_uuidstr(struct dt_interp *ip, const struct dt_subr_call *call)
{
	return put_hexbytes(ip, call->arg[0].value, &uuid);
}

static void lower_uuidstr(struct dt_lower *l) { lower_hexbytes(l, 0, &uuid); }

const struct dt_builtin dt_subr_uuidstr = {
	DT_SUBR(uuidstr, "string(void *)", V(1, 0), EVOLVING),
	.call = call_uuidstr, .lower = lower_uuidstr, .scratch = DT_SCRATCH_STRING,
	.doc = "A UUID of 16 bytes as text.",
};
