/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Refusals of the kernel come in. If the reason is a part of eBPF that this kernel lacks, a sentence goes out
 * that names it, what it is for and which kernels have it (missing.def).
 */
#include "base/count.h"
#include "session/impl.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const struct row { uint32_t number; const char *name, *purpose, *has; } helpers[] = {
#define HELPER(name, purpose, has) { BPF_FUNC_##name, "bpf_" #name "()", purpose, has },
#define MAP(type, name, purpose, has)
#include "session/missing.def"
#undef HELPER
#undef MAP
}, maps[] = {
#define HELPER(name, purpose, has)
#define MAP(type, name, purpose, has) { BPF_MAP_TYPE_##type, name, purpose, has },
#include "session/missing.def"
#undef HELPER
#undef MAP
};

static bool explain(const struct row *r, const char *target, char *msg, size_t len)
{
	if (target != NULL)
		snprintf(msg, len, "this kernel lacks %s, which the program for %s needs for %s: use %s",
		    r->name, target, r->purpose, r->has);
	else
		snprintf(msg, len, "this kernel lacks %s, which programs need for %s: use %s", r->name,
		    r->purpose, r->has);
	return true;
}

/* "invalid func unknown#181", "unknown func bpf_loop#181", "… cannot use helper bpf_loop#181" */
bool dt_missing_helper(const char *why, const char *target, char *msg, size_t len)
{
	const char *hash = strrchr(why, '#');
	unsigned long number = hash != NULL ? strtoul(hash + 1, NULL, 10) : 0;

	if (!strstr(why, "invalid func ") && !strstr(why, "unknown func ") &&
	    !strstr(why, "cannot use helper "))
		return false;
	for (size_t i = 0; i < DT_COUNT(helpers); i++)
		if (helpers[i].number == number)
			return explain(&helpers[i], target, msg, len);
	return false;
}

bool dt_missing_map(uint32_t type, int err, char *msg, size_t len)
{
	for (size_t i = 0; i < DT_COUNT(maps) && err == -EINVAL; i++)
		if (maps[i].number == type)
			return explain(&maps[i], NULL, msg, len);
	return false;
}

/* Asked only after a failure: one page, which any kernel that has them can make. */
bool dt_session_has_rings(char *msg, size_t len)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "dt_try", 0, 0, (uint32_t)sysconf(_SC_PAGESIZE), NULL);

	if (fd < 0)
		return !dt_missing_map(BPF_MAP_TYPE_RINGBUF, -errno, msg, len);
	close(fd);
	return true;
}
