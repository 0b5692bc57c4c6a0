/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * audit: audit:event:CALL:commit fires when the record of a system call that a rule wants is created,
 * :bsm for every piece of text sent for it. The functions are those of the kernel's audit, which must
 * be enabled; without rules there are no records.
 */
#include "kernel/audit.h"
#include "provider/derived.h"
#include "provider/provider.h"
#include "provider/syscalls.h"

#include <errno.h>

#define CONTEXT "curthread->audit_context"
#define BUFFER "((struct audit_buffer *)arg0)"
#define HEADER 16	/* of netlink, before the text */

#define STRING_(n) #n
#define STRING(n) STRING_(n)

static void audit_add_probe(struct dt_probes *p, const struct dt_provider *row,
    const struct dt_syscall *s)
{
	const char *name = dt_arena_printf(p->arena, "\"%s\"", s->name);
	const char *is = dt_arena_printf(p->arena, "(uint64_t)" CONTEXT " != 0 && " CONTEXT "->major == %u",
	    s->number);
	struct dt_hook commit = { .kind = DT_HOOK_KFUNC,
		.target = "audit_log_exit",
		.when = is,
		.args = { name, "(uint64_t)" CONTEXT } };
	struct dt_hook bsm = { .kind = DT_HOOK_KFUNC,
		.target = "audit_log_end",
		.when = dt_arena_printf(p->arena,
		    "arg0 != 0 && (uint64_t)" BUFFER "->skb != 0 && %s && " BUFFER "->ctx == " CONTEXT, is),
		.args = { name, "(uint64_t)" CONTEXT, "(uint64_t)" BUFFER "->skb->data + " STRING(HEADER),
		    BUFFER "->skb->len - " STRING(HEADER) } };

	dt_probes_add(p, row, "event", s->name, "commit", &commit);
	dt_probes_add(p, row, "event", s->name, "bsm", &bsm);
}

/* NULL: records can be seen. */
static const char *audit_missing(struct dt_probes *p)
{
	int on;

	if (!dt_probes_functions(p))
		return "audit records cannot be seen: this kernel has no way to trace its functions "
		       "(audit_log_exit is the one)";
	if (dt_types_function_id(p->types, "audit_log_exit") == 0 ||
	    dt_types_function_id(p->types, "audit_log_end") == 0)
		return "audit records cannot be seen: this kernel has no function audit_log_exit";
	on = dt_audit_enabled();
	if (on == 0)
		return "the kernel's audit is off: auditctl -e 1 turns it on, and auditctl -a always,exit -S "
		       "openat asks for records";
	if (on == -EPROTONOSUPPORT)
		return "this kernel was built without audit";
	if (on < 0)
		return dt_arena_printf(p->arena, "the state of the kernel's audit cannot be had: %s",
		    strerror(-on));
	return NULL;
}

static bool audit_may_match(const struct dt_provider *row, const struct dt_probedesc *d)
{
	(void)row;
	return !dt_part_literal(d->name) || strcmp(d->name, "commit") == 0 || strcmp(d->name, "bsm") == 0;
}

/* FreeBSD names its events after its calls: aue_openat_rwtc, aue_kill. */
static const char *unknown(struct dt_probes *p, const char *func)
{
	if (strncmp(func, "aue_", 4) == 0)
		return dt_arena_printf(p->arena,
		    "events are named as the system calls are: audit:event:%s:commit",
		    func[4] != '\0' ? func + 4 : "openat");
	return dt_arena_printf(p->arena, "there is no system call %s, and audit records are of those", func);
}

static int audit_provide(struct dt_probes *p, const struct dt_provider *row, const struct dt_probedesc *want,
    const char **why)
{
	const char *not = want == NULL || strcmp(want->prov, row->name) == 0 ? audit_missing(p) : NULL;

	if (want != NULL && strcmp(want->prov, row->name) == 0)
		*why = not != NULL ? not : dt_part_literal(want->func) ? unknown(p, want->func) : NULL;
	else if (want == NULL && not == NULL)
		for (const struct dt_syscall *s = dt_syscalls; s->name[0] != '\0'; s++)
			audit_add_probe(p, row, s);
	return 0;
}

const struct dt_provider dt_provider_audit = {
	.name = "audit",
	.form = "audit:event:CALL:commit, bsm",
	.doc = "Records of audit.",
	.attrs = { { EEI, PPU, PPU, EEI, EEI } },
	.provide = audit_provide,
	.may_match = audit_may_match,
};
