/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals: their names, sets, stacks, and what came with one. Actions: sigaction.c. */
#include "decode.h"

#include <signal.h>
#include <string.h>

#define RT_FIRST 32			/* of the kernel; the C library keeps two of them */

/* "CHLD", "RT_1": sets have them without the SIG. */
static void put_short(struct text *t, int sig)
{
	const char *name = sig == SIGIO ? "IO" : sig > 0 && sig < RT_FIRST ? sigabbrev_np(sig) : NULL;

	if (name != NULL)
		text_put(t, name);
	else if (sig == RT_FIRST)
		text_put(t, "RTMIN");
	else if (sig > RT_FIRST && sig <= 64)
		text_format(t, "RT_%d", sig - RT_FIRST);
	else
		text_int(t, sig);
}

void put_signal(struct text *t, int sig)
{
	if (sig > 0 && sig <= 64)
		text_put(t, "SIG");
	put_short(t, sig);
}

/* The smaller of the set and what is not in it. */
void put_sigset(struct text *t, uint64_t bits)
{
	bool most = __builtin_popcountll(bits) > 42;
	const char *between = "";

	if (most) {
		text_char(t, '~');
		bits = ~bits;
	}
	text_char(t, '[');
	for (int sig = 1; sig <= 64; sig++) {
		if (!(bits >> (sig - 1) & 1))
			continue;
		text_put(t, between);
		put_short(t, sig);
		between = " ";
	}
	text_char(t, ']');
}

static void put_kind_signal(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	(void)k;
	put_signal(t, (int)c->a[arg]);
}

/* nnames: only what a call that succeeded has written */
static void put_kind_sigset(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	uint64_t bits;

	if (k->nnames > 0 && call_failed(c))
		text_addr(t, c->a[arg]);
	else if (call_struct(t, c, arg, 0, &bits, sizeof(bits)))
		put_sigset(t, bits);
}

static const struct name hows[] = { { 0, "SIG_BLOCK" }, { 1, "SIG_UNBLOCK" }, { 2, "SIG_SETMASK" } };

static const struct name stack_flags[] = { { 1, "SS_ONSTACK" }, { 2, "SS_DISABLE" }, { 1u << 31,
    "SS_AUTODISARM" } };

static void put_stack(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	stack_t v;

	if (!call_written(t, c, arg, k->nnames > 0, &v, sizeof(v)))
		return;
	text_put(t, "{ss_sp=");
	text_addr(t, (uint64_t)(uintptr_t)v.ss_sp);
	text_put(t, ", ss_flags=");
	put_flags(t, (uint32_t)v.ss_flags, stack_flags, COUNT(stack_flags), NULL);
	text_format(t, ", ss_size=%zu}", v.ss_size);
}

/* ---- what comes with a signal ---- */

static void put_code(struct text *t, int signo, int code)
{
	static const struct name any[] = {
		{ 0, "SI_USER" }, { 0x80, "SI_KERNEL" }, { (uint32_t)-1, "SI_QUEUE" },
		{ (uint32_t)-2, "SI_TIMER" },
		{ (uint32_t)-3, "SI_MESGQ" }, { (uint32_t)-4, "SI_ASYNCIO" }, { (uint32_t)-5, "SI_SIGIO" },
		{ (uint32_t)-6, "SI_TKILL" },
	};
	static const struct name child[] = {
		{ 1, "CLD_EXITED" }, { 2, "CLD_KILLED" }, { 3, "CLD_DUMPED" }, { 4, "CLD_TRAPPED" },
		{ 5, "CLD_STOPPED" }, { 6, "CLD_CONTINUED" },
	};
	static const struct name segv[] = { { 1, "SEGV_MAPERR" }, { 2, "SEGV_ACCERR" } };
	static const struct name bus[] = { { 1, "BUS_ADRALN" }, { 2, "BUS_ADRERR" }, { 3, "BUS_OBJERR" } };
	static const struct name fpe[] = { { 1, "FPE_INTDIV" }, { 2, "FPE_INTOVF" }, { 3, "FPE_FLTDIV" } };
	static const struct name ill[] = { { 1, "ILL_ILLOPC" }, { 2, "ILL_ILLOPN" }, { 3, "ILL_ILLADR" } };
	static const struct name trap[] = { { 1, "TRAP_BRKPT" }, { 2, "TRAP_TRACE" } };
	static const struct { int signo; const struct name *v; size_t n; } tables[] = {
		{ SIGCHLD, child, COUNT(child) }, { SIGSEGV, segv, COUNT(segv) }, { SIGBUS, bus, COUNT(bus) },
		{ SIGFPE, fpe, COUNT(fpe) }, { SIGILL, ill, COUNT(ill) }, { SIGTRAP, trap, COUNT(trap) },
	};
	const char *name = name_of(any, COUNT(any), (uint32_t)code);

	for (size_t i = 0; name == NULL && i < COUNT(tables); i++)
		if (tables[i].signo == signo)
			name = name_of(tables[i].v, tables[i].n, (uint32_t)code);
	if (name != NULL)
		text_put(t, name);
	else
		text_hex(t, (uint32_t)code);
}

static bool is_fault(int signo)
{
	return signo == SIGSEGV || signo == SIGBUS || signo == SIGILL || signo == SIGFPE || signo == SIGTRAP;
}

void put_siginfo(struct text *t, const struct siginfo_facts *f)
{
	text_put(t, "{si_signo=");
	put_signal(t, f->signo);
	if (!f->whole) {
		text_char(t, '}');
		return;
	}
	text_put(t, ", si_code=");
	put_code(t, f->signo, f->code);
	if (is_fault(f->signo) && f->code > 0) {
		text_put(t, ", si_addr=");
		text_addr(t, f->addr);
	} else if (f->code != 0x80) {
		text_format(t, ", si_pid=%lld, si_uid=%lld", (long long)f->pid, (long long)f->uid);
	}
	if (f->signo == SIGCHLD && f->code > 0) {
		text_put(t, ", si_status=");
		if (f->code == CLD_EXITED)
			text_int(t, f->status);
		else
			put_signal(t, (int)f->status);
		text_format(t, ", si_utime=%lld, si_stime=%lld", (long long)f->utime, (long long)f->stime);
	}
	text_char(t, '}');
}

/* A siginfo_t of the process. */
static void put_kind_siginfo(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	siginfo_t i;
	struct siginfo_facts f;

	if (!call_written(t, c, arg, k->nnames > 0, &i, sizeof(i)))
		return;
	if (i.si_signo == 0) {
		text_put(t, "{}");
		return;
	}
	f = (struct siginfo_facts){ .signo = i.si_signo, .code = i.si_code, .pid = i.si_pid, .uid = i.si_uid,
	    .status = i.si_status, .addr = (uint64_t)(uintptr_t)i.si_addr, .utime = i.si_utime,
	    .stime = i.si_stime, .whole = true };
	put_siginfo(t, &f);
}

/* rt_sigreturn(): the mask that the frame of the handler gives back. */
static void put_frame(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	size_t size = 0;
	const void *p = call_bytes(c, arg, 0, &size);
	uint64_t bits;

	(void)k;
	if (p == NULL || size < sizeof(bits))
		return;
	memcpy(&bits, p, sizeof(bits));
	text_put(t, "{mask=");
	put_sigset(t, bits);
	text_char(t, '}');
}

static void put_ret_signal(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	(void)arg;
	(void)k;
	text_format(t, "%lld (", (long long)c->ret);
	put_signal(t, (int)c->ret);
	text_char(t, ')');
}

static const struct kind list[] = {
	{ .name = "signal", .put = put_kind_signal },
	{ .name = "sigset", .put = put_kind_sigset, .fetch = IN("8"), .nrecs = 1 },
	{ .name = "osigset", .put = put_kind_sigset, .fetch = OUT("8"), .nrecs = 1, .nnames = 1 },
	{ .name = "sighow", .put = put_kind_name, NAMES(hows) },
	{ .name = "sigstack", .put = put_stack, .fetch = IN("24"), .nrecs = 1 },
	{ .name = "osigstack", .put = put_stack, .fetch = OUT("24"), .nrecs = 1, .nnames = 1 },
	{ .name = "siginfo", .put = put_kind_siginfo, .fetch = IN("128"), .nrecs = 1 },
	{ .name = "osiginfo", .put = put_kind_siginfo, .fetch = OUT("128"), .nrecs = 1, .nnames = 1 },
	/* the second one is the result: that of the call that the signal interrupted */
	{ .name = "*sigframe", .put = put_frame, .nrecs = 2, .fetch =
	    "tracemem(copyin(uregs[R_SP] + SIGFRAME_MASK, 8), 8); "
	    "trace(*(int64_t *)copyin(uregs[R_SP] + SIGFRAME_RESULT, 8));" },
	{ .name = "=signal", .put = put_ret_signal },
};
KINDS(kinds_signal);
