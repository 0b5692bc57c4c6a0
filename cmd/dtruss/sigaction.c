/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rt_sigaction(). Its struct is the kernel's, whose layout is not the C library's and differs between
 * machines: some have no restorer. The kernel's header defines names that the C library's define too, and
 * that of x86 includes <linux/time.h>, which does the same and is not needed.
 */
#include "decode.h"

#include <string.h>

#define _LINUX_TIME_H
#define sigset_t kernel_sigset_t
#define stack_t kernel_stack_t
#define sigaction kernel_sigaction
#include <asm/signal.h>
#undef sigset_t
#undef stack_t
#undef sigaction

static const struct name action_flags[] = {
	{ 0x04000000, "SA_RESTORER" }, { 0x08000000, "SA_ONSTACK" }, { 0x10000000, "SA_RESTART" },
	{ 0x40000000, "SA_NODEFER" }, { 0x80000000, "SA_RESETHAND" }, { 4, "SA_SIGINFO" },
	{ 1, "SA_NOCLDSTOP" }, { 2, "SA_NOCLDWAIT" }, { 0x800, "SA_EXPOSE_TAGBITS" },
};

static void put_restorer(struct text *t, const struct kernel_sigaction *v)
{
#ifdef SA_RESTORER
	if (!(v->sa_flags & SA_RESTORER))
		return;
	text_put(t, ", sa_restorer=");
	text_hex(t, (uint64_t)(uintptr_t)v->sa_restorer);
#else
	(void)t;
	(void)v;
#endif
}

/* nnames: only what a call that succeeded has written */
static void put_action(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	struct kernel_sigaction v;
	uint64_t handler, mask;

	if (!call_written(t, c, arg, k->nnames > 0, &v, sizeof(v)))
		return;
	handler = (uint64_t)(uintptr_t)v.sa_handler;
	memcpy(&mask, &v.sa_mask, sizeof(mask));
	text_put(t, "{sa_handler=");
	if (handler <= 1)
		text_put(t, handler == 0 ? "SIG_DFL" : "SIG_IGN");
	else
		text_hex(t, handler);
	text_put(t, ", sa_mask=");
	put_sigset(t, mask);
	text_put(t, ", sa_flags=");
	put_flags(t, v.sa_flags, action_flags, COUNT(action_flags), NULL);
	put_restorer(t, &v);
	text_char(t, '}');
}

static const struct kind list[] = {
	{ .name = "sigact", .put = put_action, .fetch = IN("%z"), .nrecs = 1,
	    .size = sizeof(struct kernel_sigaction) },
	{ .name = "osigact", .put = put_action, .fetch = OUT("%z"), .nrecs = 1, .nnames = 1,
	    .size = sizeof(struct kernel_sigaction) },
};
KINDS(kinds_sigaction);
