/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * prctl(): what its arguments and its result are depends on the first one. A row for each operation has a
 * letter for each argument after it and one for the result; a letter is a number, a table of names, or a
 * function. Operations that must have zeros after their arguments show them, as strace(1) does.
 */
#include "decode.h"

#include <string.h>

static const struct operation {
	uint32_t v;
	char name[31], ret;		/* ret: 0 is a number */
	char args[5];
} operations[] = {
	{ 1, "PR_SET_PDEATHSIG", 0, "S" }, { 2, "PR_GET_PDEATHSIG", 0, "G" },
	{ 3, "PR_GET_DUMPABLE", 'D', "" }, { 4, "PR_SET_DUMPABLE", 0, "D" },
	{ 5, "PR_GET_UNALIGN", 0, "V" }, { 6, "PR_SET_UNALIGN", 0, "U" },
	{ 7, "PR_GET_KEEPCAPS", 0, "" }, { 8, "PR_SET_KEEPCAPS", 0, "u" },
	{ 9, "PR_GET_FPEMU", 0, "i" }, { 10, "PR_SET_FPEMU", 0, "u" },
	{ 11, "PR_GET_FPEXC", 0, "i" }, { 12, "PR_SET_FPEXC", 0, "u" },
	{ 13, "PR_GET_TIMING", 0, "" }, { 14, "PR_SET_TIMING", 0, "u" },
	{ 15, "PR_SET_NAME", 0, "s" }, { 16, "PR_GET_NAME", 0, "N" },
	{ 19, "PR_GET_ENDIAN", 0, "E" }, { 20, "PR_SET_ENDIAN", 0, "e" },
	{ 21, "PR_GET_SECCOMP", 0, "" }, { 22, "PR_SET_SECCOMP", 0, "qQZZ" },
	{ 23, "PR_CAPBSET_READ", 0, "c" }, { 24, "PR_CAPBSET_DROP", 0, "c" },
	{ 25, "PR_GET_TSC", 0, "T" }, { 26, "PR_SET_TSC", 0, "t" },
	{ 27, "PR_GET_SECUREBITS", 'b', "" }, { 28, "PR_SET_SECUREBITS", 0, "b" },
	{ 29, "PR_SET_TIMERSLACK", 0, "d" }, { 30, "PR_GET_TIMERSLACK", 0, "" },
	{ 31, "PR_TASK_PERF_EVENTS_DISABLE", 0, "" }, { 32, "PR_TASK_PERF_EVENTS_ENABLE", 0, "" },
	{ 33, "PR_MCE_KILL", 0, "mMxx" }, { 34, "PR_MCE_KILL_GET", 'p', "xxxx" },
	{ 35, "PR_SET_MM", 0, "oxxx" },
	{ 36, "PR_SET_CHILD_SUBREAPER", 0, "u" }, { 37, "PR_GET_CHILD_SUBREAPER", 0, "i" },
	{ 38, "PR_SET_NO_NEW_PRIVS", 0, "uxxx" }, { 39, "PR_GET_NO_NEW_PRIVS", 0, "xxxx" },
	{ 40, "PR_GET_TID_ADDRESS", 0, "I" },
	{ 41, "PR_SET_THP_DISABLE", 0, "uxxx" }, { 42, "PR_GET_THP_DISABLE", 0, "xxxx" },
	{ 43, "PR_MPX_ENABLE_MANAGEMENT", 0, "xxxx" }, { 44, "PR_MPX_DISABLE_MANAGEMENT", 0, "xxxx" },
	{ 45, "PR_SET_FP_MODE", 0, "F" }, { 46, "PR_GET_FP_MODE", 'F', "" },
	{ 47, "PR_CAP_AMBIENT", 0, "rRxx" },
	{ 50, "PR_SVE_SET_VL", 'l', "l" }, { 51, "PR_SVE_GET_VL", 'l', "" },
	{ 52, "PR_GET_SPECULATION_CTRL", 'K', "k" }, { 53, "PR_SET_SPECULATION_CTRL", 0, "kK" },
	{ 54, "PR_PAC_RESET_KEYS", 0, "yxxx" },
	{ 55, "PR_SET_TAGGED_ADDR_CTRL", 0, "gxxx" }, { 56, "PR_GET_TAGGED_ADDR_CTRL", 'g', "xxxx" },
	{ 57, "PR_SET_IO_FLUSHER", 0, "uxxx" }, { 58, "PR_GET_IO_FLUSHER", 0, "xxxx" },
	{ 59, "PR_SET_SYSCALL_USER_DISPATCH", 0, "wxxa" },
	{ 60, "PR_PAC_SET_ENABLED_KEYS", 0, "yyxx" }, { 61, "PR_PAC_GET_ENABLED_KEYS", 'y', "xxxx" },
	{ 62, "PR_SCHED_CORE", 0, "Cdja" },
	{ 63, "PR_SME_SET_VL", 'L', "L" }, { 64, "PR_SME_GET_VL", 'L', "" },
	{ 65, "PR_SET_MDWE", 0, "Hxxx" }, { 66, "PR_GET_MDWE", 'H', "xxxx" },
	{ 67, "PR_SET_MEMORY_MERGE", 0, "uxxx" }, { 68, "PR_GET_MEMORY_MERGE", 0, "xxxx" },
	{ 69, "PR_RISCV_V_SET_CONTROL", 0, "x" }, { 70, "PR_RISCV_V_GET_CONTROL", 0, "" },
	{ 71, "PR_RISCV_SET_ICACHE_FLUSH_CTX", 0, "xx" },
	{ 72, "PR_PPC_GET_DEXCR", 0, "xxxx" }, { 73, "PR_PPC_SET_DEXCR", 0, "xxxx" },
	{ 74, "PR_GET_SHADOW_STACK_STATUS", 0, "axxx" }, { 75, "PR_SET_SHADOW_STACK_STATUS", 0, "hxxx" },
	{ 76, "PR_LOCK_SHADOW_STACK_STATUS", 0, "hxxx" },
	{ 77, "PR_TIMER_CREATE_RESTORE_IDS", 0, "uxxx" }, { 78, "PR_FUTEX_HASH", 0, "xxxx" },
	{ 0x41555856, "PR_GET_AUXV", 0, "auxx" },
	{ 0x53564d41, "PR_SET_VMA", 0, "vaun" }, { 0x59616d61, "PR_SET_PTRACER", 0, "P" },
};

static const struct operation *operation_of(const struct call *c)
{
	for (size_t i = 0; i < COUNT(operations); i++)
		if (operations[i].v == (uint32_t)c->a[0])
			return &operations[i];
	return NULL;
}

/* ---- names ---- */

static const struct name capabilities[] = {
	{ 0, "CAP_CHOWN" }, { 1, "CAP_DAC_OVERRIDE" }, { 2, "CAP_DAC_READ_SEARCH" }, { 3, "CAP_FOWNER" },
	{ 4, "CAP_FSETID" }, { 5, "CAP_KILL" }, { 6, "CAP_SETGID" }, { 7, "CAP_SETUID" },
	{ 8, "CAP_SETPCAP" }, { 9, "CAP_LINUX_IMMUTABLE" }, { 10, "CAP_NET_BIND_SERVICE" },
	{ 11, "CAP_NET_BROADCAST" }, { 12, "CAP_NET_ADMIN" }, { 13, "CAP_NET_RAW" }, { 14, "CAP_IPC_LOCK" },
	{ 15, "CAP_IPC_OWNER" }, { 16, "CAP_SYS_MODULE" }, { 17, "CAP_SYS_RAWIO" }, { 18, "CAP_SYS_CHROOT" },
	{ 19, "CAP_SYS_PTRACE" }, { 20, "CAP_SYS_PACCT" }, { 21, "CAP_SYS_ADMIN" }, { 22, "CAP_SYS_BOOT" },
	{ 23, "CAP_SYS_NICE" }, { 24, "CAP_SYS_RESOURCE" }, { 25, "CAP_SYS_TIME" },
	{ 26, "CAP_SYS_TTY_CONFIG" }, { 27, "CAP_MKNOD" }, { 28, "CAP_LEASE" }, { 29, "CAP_AUDIT_WRITE" },
	{ 30, "CAP_AUDIT_CONTROL" }, { 31, "CAP_SETFCAP" }, { 32, "CAP_MAC_OVERRIDE" },
	{ 33, "CAP_MAC_ADMIN" }, { 34, "CAP_SYSLOG" }, { 35, "CAP_WAKE_ALARM" }, { 36, "CAP_BLOCK_SUSPEND" },
	{ 37, "CAP_AUDIT_READ" }, { 38, "CAP_PERFMON" }, { 39, "CAP_BPF" }, { 40, "CAP_CHECKPOINT_RESTORE" },
};
static const struct name dumpable[] = {
	{ 0, "SUID_DUMP_DISABLE" }, { 1, "SUID_DUMP_USER" }, { 2, "SUID_DUMP_ROOT" },
};
static const struct name secure_bits[] = {
	{ 1, "SECBIT_NOROOT" }, { 2, "SECBIT_NOROOT_LOCKED" }, { 4, "SECBIT_NO_SETUID_FIXUP" },
	{ 8, "SECBIT_NO_SETUID_FIXUP_LOCKED" }, { 16, "SECBIT_KEEP_CAPS" }, { 32, "SECBIT_KEEP_CAPS_LOCKED" },
	{ 64, "SECBIT_NO_CAP_AMBIENT_RAISE" },
	{ 256, "SECBIT_EXEC_RESTRICT_FILE" }, { 1024, "SECBIT_EXEC_DENY_INTERACTIVE" },
};
static const struct name mce_ops[] = { { 0, "PR_MCE_KILL_CLEAR" }, { 1, "PR_MCE_KILL_SET" } };
static const struct name mce_policies[] = {
	{ 0, "PR_MCE_KILL_LATE" }, { 1, "PR_MCE_KILL_EARLY" }, { 2, "PR_MCE_KILL_DEFAULT" },
};
static const struct name mm_ops[] = {
	{ 1, "PR_SET_MM_START_CODE" }, { 2, "PR_SET_MM_END_CODE" }, { 3, "PR_SET_MM_START_DATA" },
	{ 4, "PR_SET_MM_END_DATA" }, { 5, "PR_SET_MM_START_STACK" }, { 6, "PR_SET_MM_START_BRK" },
	{ 7, "PR_SET_MM_BRK" }, { 8, "PR_SET_MM_ARG_START" }, { 9, "PR_SET_MM_ARG_END" },
	{ 10, "PR_SET_MM_ENV_START" }, { 11, "PR_SET_MM_ENV_END" }, { 12, "PR_SET_MM_AUXV" },
	{ 13, "PR_SET_MM_EXE_FILE" }, { 14, "PR_SET_MM_MAP" }, { 15, "PR_SET_MM_MAP_SIZE" },
};
static const struct name seccomp_modes[] = {
	{ 0, "SECCOMP_MODE_DISABLED" }, { 1, "SECCOMP_MODE_STRICT" }, { 2, "SECCOMP_MODE_FILTER" },
};
static const struct name ambient_ops[] = {
	{ 1, "PR_CAP_AMBIENT_IS_SET" }, { 2, "PR_CAP_AMBIENT_RAISE" }, { 3, "PR_CAP_AMBIENT_LOWER" },
	{ 4, "PR_CAP_AMBIENT_CLEAR_ALL" },
};
static const struct name tsc[] = { { 1, "PR_TSC_ENABLE" }, { 2, "PR_TSC_SIGSEGV" } };
static const struct name unalign[] = { { 1, "PR_UNALIGN_NOPRINT" }, { 2, "PR_UNALIGN_SIGBUS" } };
static const struct name endian[] = {
	{ 0, "PR_ENDIAN_BIG" }, { 1, "PR_ENDIAN_LITTLE" }, { 2, "PR_ENDIAN_PPC_LITTLE" },
};
static const struct name fp_modes[] = { { 1, "PR_FP_MODE_FR" }, { 2, "PR_FP_MODE_FRE" } };
static const struct name spec_which[] = {
	{ 0, "PR_SPEC_STORE_BYPASS" }, { 1, "PR_SPEC_INDIRECT_BRANCH" }, { 2, "PR_SPEC_L1D_FLUSH" },
};
static const struct name spec_flags[] = {
	{ 0, "PR_SPEC_NOT_AFFECTED" }, { 1, "PR_SPEC_PRCTL" }, { 2, "PR_SPEC_ENABLE" },
	{ 4, "PR_SPEC_DISABLE" }, { 8, "PR_SPEC_FORCE_DISABLE" }, { 16, "PR_SPEC_DISABLE_NOEXEC" },
};
static const struct name keys[] = {
	{ 1, "PR_PAC_APIAKEY" }, { 2, "PR_PAC_APIBKEY" }, { 4, "PR_PAC_APDAKEY" }, { 8, "PR_PAC_APDBKEY" },
	{ 16, "PR_PAC_APGAKEY" },
};
static const struct name tagged[] = {
	{ 1, "PR_TAGGED_ADDR_ENABLE" }, { 2, "PR_MTE_TCF_SYNC" }, { 4, "PR_MTE_TCF_ASYNC" },
};
static const struct name dispatch[] = { { 0, "PR_SYS_DISPATCH_OFF" }, { 1, "PR_SYS_DISPATCH_ON" } };
static const struct name core_ops[] = {
	{ 0, "PR_SCHED_CORE_GET" }, { 1, "PR_SCHED_CORE_CREATE" }, { 2, "PR_SCHED_CORE_SHARE_TO" },
	{ 3, "PR_SCHED_CORE_SHARE_FROM" },
};
static const struct name sve[] = { { 1u << 17, "PR_SVE_VL_INHERIT" }, { 1u << 18, "PR_SVE_SET_VL_ONEXEC" } };
static const struct name sme[] = { { 1u << 17, "PR_SME_VL_INHERIT" }, { 1u << 18, "PR_SME_SET_VL_ONEXEC" } };
static const struct name mdwe[] = { { 1, "PR_MDWE_REFUSE_EXEC_GAIN" }, { 2, "PR_MDWE_NO_INHERIT" } };
static const struct name shadow[] = {
	{ 1, "PR_SHADOW_STACK_ENABLE" }, { 2, "PR_SHADOW_STACK_WRITE" }, { 4, "PR_SHADOW_STACK_PUSH" },
};
static const struct name vma_ops[] = { { 0, "PR_SET_VMA_ANON_NAME" } };

/* A letter of a table. `out`: the argument is an address where the call writes an int. */
static const struct table {
	char letter;
	bool flags, out;
	const struct name *names;
	size_t n;
	const char *family;
} tables[] = {
#define T(letter, flags, out, names, family) { letter, flags, out, names, COUNT(names), family }
	T('c', false, false, capabilities, "CAP_???"),
	T('D', false, false, dumpable, "SUID_DUMP_???"),
	T('b', true, false, secure_bits, NULL), T('m', false, false, mce_ops, "PR_MCE_KILL_???"),
	T('p', false, false, mce_policies, "PR_MCE_KILL_???"),
	T('o', false, false, mm_ops, "PR_SET_MM_???"),
	T('q', false, false, seccomp_modes, "SECCOMP_MODE_???"),
	T('r', false, false, ambient_ops, "PR_CAP_AMBIENT_???"),
	T('t', false, false, tsc, "PR_TSC_???"),
	T('T', false, true, tsc, "PR_TSC_???"), T('U', true, false, unalign, NULL),
	T('V', true, true, unalign, NULL), T('e', false, false, endian, "PR_ENDIAN_???"),
	T('E', false, true, endian, "PR_ENDIAN_???"), T('F', true, false, fp_modes, NULL),
	T('k', false, false, spec_which, "PR_SPEC_???"), T('K', true, false, spec_flags, NULL),
	T('y', true, false, keys, NULL), T('w', false, false, dispatch, "PR_SYS_DISPATCH_???"),
	T('C', false, false, core_ops, "PR_SCHED_CORE_???"), T('l', true, false, sve, NULL),
	T('L', true, false, sme, NULL), T('H', true, false, mdwe, NULL), T('h', true, false, shadow, NULL),
	T('v', false, false, vma_ops, "PR_SET_VMA_???"),
#undef T
};

/* ---- arguments ---- */

/* One of the values says how wrong tags are reported; a mask above it, which tags may be made. */
static void put_tagged(struct text *t, uint64_t v)
{
	uint64_t tags = v >> 3 & 0xffff, low = v & ~(uint64_t)(0xffff << 3);

	if (low != 0) {
		put_flags(t, low, tagged, COUNT(tagged), NULL);
		text_put(t, (low & 6) == 0 ? "|" : "");
	}
	if ((low & 6) == 0)
		text_put(t, "PR_MTE_TCF_NONE");
	if (tags != 0)
		text_format(t, "|%#llx<<PR_MTE_TAG_SHIFT", (unsigned long long)tags);
}

static void put_in_table(struct text *t, const struct table *e, uint64_t v)
{
	if (e->flags)
		put_flags(t, v, e->names, e->n, NULL);
	else
		put_name(t, v, e->names, e->n, e->family);
}

static const struct table *table_of(char letter)
{
	for (size_t i = 0; i < COUNT(tables); i++)
		if (tables[i].letter == letter)
			return &tables[i];
	return NULL;
}

/* What the call has written, between brackets; the address where it failed. Record 1 has it. */
static void put_written(struct text *t, const struct call *c, unsigned arg, char letter)
{
	const struct table *e = table_of(letter);
	uint64_t v = 0;

	if (call_failed(c) || !call_struct(t, c, arg, 1, &v, sizeof(v))) {
		if (call_failed(c))
			text_addr(t, c->a[arg]);
		return;
	}
	text_char(t, '[');
	if (letter == 'I')
		text_addr(t, v);
	else if (letter == 'G' && (int32_t)v != 0)
		put_signal(t, (int)(int32_t)v);
	else if (e != NULL)
		put_in_table(t, e, (uint32_t)v);
	else
		text_int(t, (int32_t)v);
	text_char(t, ']');
}

/* SECCOMP_MODE_FILTER has a struct sock_fprog, SECCOMP_MODE_STRICT nothing; others are numbers. */
static void put_filter(struct text *t, const struct call *c, unsigned arg)
{
	struct {
		uint16_t len;
		uint64_t filter;
	} p;

	if (c->a[1] == 2 && call_struct(t, c, arg, 0, &p, sizeof(p))) {
		text_format(t, "{len=%u, filter=", p.len);
		text_addr(t, p.filter);
		text_char(t, '}');
	} else if (c->a[1] != 1 && c->a[1] != 2) {
		text_hex(t, c->a[arg]);
	}
}

static void put_pid_type(struct text *t, uint64_t v)
{
	static const struct name types[] = { { 0, "PIDTYPE_PID" }, { 1, "PIDTYPE_TGID" },
	    { 2, "PIDTYPE_PGID" }, { 3, "PIDTYPE_SID" } };
	const char *name = v < COUNT(types) ? types[v].n : "PIDTYPE_???";

	text_hex(t, v);
	text_format(t, " /* %s */", name);
}

static void put_ptracer(struct text *t, uint64_t v)
{
	if (v == UINT64_MAX)
		text_put(t, "PR_SET_PTRACER_ANY");
	else
		text_int(t, (int64_t)v);
}

static void put_letter(struct text *t, const struct call *c, unsigned arg, char letter, const struct kind *k)
{
	const struct table *e = table_of(letter);
	uint64_t v = c->a[arg];

	if (e != NULL && !e->out) {
		put_in_table(t, e, v);
		return;
	}
	switch (letter) {
	case 'u': text_uint(t, v); break;
	case 'd': text_int(t, (int64_t)v); break;
	case 'a': text_addr(t, v); break;
	case 'S': put_signal(t, (int)v); break;
	case 's': put_kind_string(t, c, arg, k); break;
	case 'n': put_kind_string(t, c, arg, k); break;
	case 'N':
		if (call_failed(c))
			text_addr(t, v);
		else
			put_kind_string(t, c, arg, k);
		break;
	case 'g': put_tagged(t, v); break;
	case 'j': put_pid_type(t, v); break;
	case 'P': put_ptracer(t, v); break;
	case 'Q': put_filter(t, c, arg); break;
	/* the operation says whether a policy or a capability follows */
	case 'M': c->a[1] == 1 ? put_in_table(t, table_of('p'), v) : text_hex(t, v); break;
	case 'R': c->a[1] != 4 ? put_in_table(t, table_of('c'), v) : text_hex(t, v); break;
	case 'G': case 'i': case 'I': case 'T': case 'V': case 'E': put_written(t, c, arg, letter); break;
	case 'Z': if (c->a[1] != 1 && c->a[1] != 2) text_hex(t, v); break;
	default: text_hex(t, v); break;
	}
}

static void put_operation(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	const struct operation *o = operation_of(c);

	(void)k;
	if (o != NULL)
		text_put(t, o->name);
	else
		put_name(t, (uint32_t)c->a[arg], NULL, 0, "PR_???");
}

static void put_argument(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	const struct operation *o = operation_of(c);

	if (o == NULL)
		text_hex(t, c->a[arg]);
	else if (arg <= strlen(o->args))
		put_letter(t, c, arg, o->args[arg - 1], k);
}

static void put_result(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	const struct operation *o = operation_of(c);
	const struct table *e = o != NULL ? table_of(o->ret) : NULL;
	bool flags = o != NULL && (o->ret == 'g' || (e != NULL && e->flags));

	(void)arg;
	(void)k;
	if (flags && c->ret != 0)
		text_hex(t, (uint64_t)c->ret);
	else
		text_int(t, c->ret);
	if ((e == NULL || (flags && c->ret == 0 && o->ret != 'K')) && (o == NULL || o->ret != 'g'))
		return;
	text_put(t, " (");
	if (e != NULL)
		put_in_table(t, e, (uint64_t)c->ret);
	else
		put_tagged(t, (uint64_t)c->ret);
	text_char(t, ')');
}

/*
 * Records of the first argument: a name, and what operations below 64 write: an int, or an address
 * (PR_GET_TID_ADDRESS). The number has bits 2, 5, 9, 11, 19, 25, 37 and 40 set.
 */
#define WRITES "-(int64_t)((0x12002080a24 >> (self->a0 & 63)) & 1 & (self->a0 < 64))"
static const struct kind list[] = {
	{ .name = "prctl", .put = put_operation },
	{ .name = "prctlarg", .put = put_argument, .nrecs = 2,
	    .fetch = "trace(self->a0 == 15 || (self->a0 == 16 && arg0 >= 0) ? copyinstr(%a) : \"\");"
	    "tracemem(copyin(%a, (4 + 4 * (self->a0 == 40)) & " WRITES " & " NOT_NULL("%a") " & " DONE
	    "), 8);" },
	{ .name = "prctlfilt", .put = put_argument, .nrecs = 1,
	    .fetch = "tracemem(copyin(%a, 16 & -(int64_t)((self->a0 == 22) & (self->a1 == 2)) & "
	    NOT_NULL("%a") "), 16);" },
	{ .name = "prctlmore", .put = put_argument },
	{ .name = "prctlname", .put = put_argument, .nrecs = 1,
	    .fetch = "trace(self->a0 == 0x53564d41 && %a != 0 ? copyinstr(%a) : \"\");" },
	{ .name = "=prctl", .put = put_result },
};
KINDS(kinds_prctl);
