/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kinst: the instruction at a decimal byte offset from the start of a kernel function,
 * kinst::vfs_read:20. Created when named; the kernel tells when it is enabled whether an instruction
 * begins there.
 */
#include "kernel/kfunc.h"
#include "machine/machine.h"
#include "provider/derived.h"
#include "provider/provider.h"

#include <stdlib.h>

enum { OFFSET_MAX = 1 << 20 };

static bool is_offset(const char *s)
{
	return s[0] != '\0' && strlen(s) < 8 && s[strspn(s, "0123456789")] == '\0';
}

static bool kinst_may_match(const struct dt_provider *row, const struct dt_probedesc *d)
{
	(void)row;
	return strcmp(d->prov, "kinst") == 0;
}

static const char *kinst_make_probe(struct dt_probes *p, const struct dt_provider *row,
    const struct dt_probedesc *want)
{
	const char *module = dt_part_literal(want->mod) ? want->mod : "vmlinux";
	struct dt_hook hook = { .kind = DT_HOOK_KFUNC, .by_kprobe = true };
	const struct dt_machine *here = dt_machine_here();
	struct dt_probe *probe;

	if (!dt_probes_functions(p))
		return "the functions of this kernel cannot be traced: it has no kprobes, or lockdown "
		       "forbids them";
	if (!dt_part_literal(want->func) || !is_offset(want->name))
		return "a probe of kinst is named by a function and an offset in bytes: kinst::vfs_read:20";
	if (dt_kfunc_ours(want->func) != NULL)
		return dt_arena_printf(p->arena, "%s is not probed: %s", want->func,
		    dt_kfunc_ours(want->func));
	hook.offset = strtoul(want->name, NULL, 10);
	if (hook.offset % here->insn_align != 0)
		return dt_arena_printf(p->arena, "instructions of %s begin at multiples of %u", here->name,
		    here->insn_align);
	if (hook.offset > OFFSET_MAX)
		return "no function is as long as that";
	probe = dt_probes_add(p, row, module, want->func, want->name, &hook);
	probe->hook.target = strcmp(module, "vmlinux") == 0 ?
	    probe->func :
	    dt_arena_printf(p->arena, "%s`%s", module, probe->func);
	return NULL;
}

static int kinst_provide(struct dt_probes *p, const struct dt_provider *row, const struct dt_probedesc *want,
    const char **why)
{
	if (want != NULL && strcmp(want->prov, row->name) == 0)
		*why = kinst_make_probe(p, row, want);
	return 0;
}

const struct dt_provider dt_provider_kinst = {
	.name = "kinst",
	.form = "kinst::FUNCTION:OFFSET",
	.doc = "Instructions of the kernel.",
	.attrs = { { PPI, PPI, PPI, PPI, PPI } },
	.provide = kinst_provide,
	.may_match = kinst_may_match,
};
