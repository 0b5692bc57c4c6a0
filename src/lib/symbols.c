/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses as text, for stacks and sym(). */
#include "lib/trace.h"

static bool kernel_text(struct dtrace_hdl *h, bool module_only, uint64_t addr, char *buf, size_t len)
{
	const char *module, *name;
	uint64_t start;

	if (h->kernel == NULL && (h->kernel = dt_kernel_new()) == NULL)
		return false;
	if (dt_kernel_lookup(h->kernel, addr, &module, &name, &start) != 0)
		return false;
	if (module_only)
		snprintf(buf, len, "%s", module);
	else if (addr == start)
		snprintf(buf, len, "%s`%s", module, name);
	else
		snprintf(buf, len, "%s`%s+0x%llx", module, name, (unsigned long long)(addr - start));
	return true;
}

bool dt_trace_symbolize(void *ctx, enum dt_symkind kind, uint32_t pid, uint64_t addr, char *buf, size_t len)
{
	(void)pid;
	switch (kind) {
	case DT_SYM_KERNEL: return kernel_text(ctx, false, addr, buf, len);
	case DT_SYM_MODULE: return kernel_text(ctx, true, addr, buf, len);
	default: return false;		/* of processes: addresses */
	}
}
