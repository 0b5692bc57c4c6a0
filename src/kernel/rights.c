/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc/self/status and /proc/kallsyms in, rights out. */
#include "kernel/rights.h"
#include "base/file.h"
#include "kernel/kernel.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>

int dt_rights_has(int cap)
{
	static const char label[] = "\nCapEff:";
	char *text;
	size_t len;
	int err = dt_file_read("/proc/self/status", 1 << 16, &text, &len);
	const char *line;

	if (err)
		return err;
	line = strstr(text, label);
	err = line ? (int)(strtoull(line + sizeof(label) - 1, NULL, 16) >> cap & 1) : -ENOENT;
	free(text);
	return err;
}

/* kptr_restrict 2 hides them from everybody; that the symbol has the address 0 tells both. */
bool dt_rights_hide_names(struct dt_kernel *k)
{
	uint64_t addr = 0;

	return dt_kernel_symbol(k, "vmlinux", "_stext", &addr, NULL) != 0 || addr == 0;
}
