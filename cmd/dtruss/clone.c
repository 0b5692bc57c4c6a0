/* SPDX-License-Identifier: BSD-2-Clause */
/* clone(), clone3(), unshare(), setns(). */
#include "decode.h"

#include <linux/sched.h>
#include <sched.h>
#include <string.h>

static const struct name flags[] = {
	{ CLONE_VM, "CLONE_VM" }, { CLONE_FS, "CLONE_FS" }, { CLONE_FILES, "CLONE_FILES" },
	{ CLONE_SIGHAND, "CLONE_SIGHAND" }, { 0x1000, "CLONE_PIDFD" }, { CLONE_PTRACE, "CLONE_PTRACE" },
	{ CLONE_VFORK, "CLONE_VFORK" }, { CLONE_PARENT, "CLONE_PARENT" }, { CLONE_THREAD, "CLONE_THREAD" },
	{ CLONE_NEWNS, "CLONE_NEWNS" }, { CLONE_SYSVSEM, "CLONE_SYSVSEM" }, { CLONE_SETTLS, "CLONE_SETTLS" },
	{ CLONE_PARENT_SETTID, "CLONE_PARENT_SETTID" }, { CLONE_CHILD_CLEARTID, "CLONE_CHILD_CLEARTID" },
	{ CLONE_DETACHED, "CLONE_DETACHED" }, { CLONE_UNTRACED, "CLONE_UNTRACED" },
	{ CLONE_CHILD_SETTID, "CLONE_CHILD_SETTID" }, { CLONE_NEWCGROUP, "CLONE_NEWCGROUP" },
	{ CLONE_NEWUTS, "CLONE_NEWUTS" }, { CLONE_NEWIPC, "CLONE_NEWIPC" },
	{ CLONE_NEWUSER, "CLONE_NEWUSER" },
	{ CLONE_NEWPID, "CLONE_NEWPID" }, { CLONE_NEWNET, "CLONE_NEWNET" }, { CLONE_IO, "CLONE_IO" },
};

/*
 * All arguments at once: strace(1) names them and leaves out those that the flags do not ask for. The order
 * of the last two differs between machines: the address of the child's number is the one that is a pointer.
 */
static void put_clone(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	uint64_t f = c->a[0];
	unsigned child_tid = c->row->pointers & 1 << 4 ? 4 : 3, tls = 7 - child_tid;

	(void)arg;
	(void)k;
	text_put(t, "child_stack=");
	text_addr(t, c->a[1]);
	text_put(t, ", flags=");
	if (f & ~0xffull)
		put_flags(t, f & ~0xffull, flags, COUNT(flags), NULL);
	if (f & 0xff) {
		text_put(t, f & ~0xffull ? "|" : "");
		put_signal(t, (int)(f & 0xff));
	} else if (!(f & ~0xffull)) {
		text_char(t, '0');
	}
	if (f & (CLONE_PARENT_SETTID | 0x1000)) {
		text_put(t, ", parent_tid=");
		if (c->ret > 0 && (f & CLONE_PARENT_SETTID))
			text_format(t, "[%lld]", (long long)c->ret);
		else
			text_addr(t, c->a[2]);
	}
	if (f & CLONE_SETTLS) {
		text_put(t, ", tls=");
		text_hex(t, c->a[tls]);
	}
	if (f & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID)) {
		text_put(t, ", child_tidptr=");
		text_addr(t, c->a[child_tid]);
	}
}

static void put_clone3(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	struct clone_args v = { 0 };

	(void)k;
	if (!call_struct(t, c, arg, 0, &v, 64))
		return;
	text_put(t, "{flags=");
	put_flags(t, v.flags, flags, COUNT(flags), NULL);
	if (v.flags & 0x1000) {
		text_put(t, ", pidfd=");
		text_hex(t, v.pidfd);
	}
	if (v.flags & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID)) {
		text_put(t, ", child_tid=");
		text_hex(t, v.child_tid);
	}
	if (v.flags & CLONE_PARENT_SETTID) {
		text_put(t, ", parent_tid=");
		text_hex(t, v.parent_tid);
	}
	text_put(t, ", exit_signal=");
	put_signal(t, (int)v.exit_signal);
	text_put(t, ", stack=");
	text_addr(t, v.stack);
	text_put(t, ", stack_size=");
	text_hex(t, v.stack_size);
	if (v.flags & CLONE_SETTLS) {
		text_put(t, ", tls=");
		text_hex(t, v.tls);
	}
	text_char(t, '}');
	if ((v.flags & CLONE_PARENT_SETTID) && c->ret > 0)
		text_format(t, " => {parent_tid=[%lld]}", (long long)c->ret);
}

static const struct name spaces[] = {
	{ CLONE_NEWNS, "CLONE_NEWNS" }, { CLONE_NEWCGROUP, "CLONE_NEWCGROUP" },
	{ CLONE_NEWUTS, "CLONE_NEWUTS" },
	{ CLONE_NEWIPC, "CLONE_NEWIPC" }, { CLONE_NEWUSER, "CLONE_NEWUSER" },
	{ CLONE_NEWPID, "CLONE_NEWPID" },
	{ CLONE_NEWNET, "CLONE_NEWNET" },
};

static const struct kind list[] = {
	{ .name = "*clone", .put = put_clone },
	{ .name = "clone3", .put = put_clone3, .fetch = MEM("self->a1", "64"), .nrecs = 1 },
	{ .name = "cloneflags", .put = put_kind_flags, NAMES(flags) },
	{ .name = "nstype", .put = put_kind_flags, NAMES(spaces) },
};
KINDS(kinds_clone);
