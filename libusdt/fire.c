/* SPDX-License-Identifier: BSD-2-Clause */
/* Firing a probe: without a lock, and without anything but two loads and a compare if nobody traces it. */
#include "libusdt.h"

#include <string.h>

enum { TOUCHED = 4096 };		/* of a string: more is rarely recorded */

/* A tracer reads strings where it may not wait for a page, so their pages are brought in here. */
static void touch(const char *text)
{
	size_t len = text != NULL ? strnlen(text, TOUCHED) : 0;

	__asm__ volatile("" : : "r"(len) : "memory");
}

static __attribute__((noinline)) void call_site(const struct probe *p, const uint64_t *argv, int argc)
{
	site_f *site = __atomic_load_n(&p->site, __ATOMIC_ACQUIRE);
	uint64_t v[DTRACE_USDT_MAXARGS] = { 0 };

	for (int i = 0; i < p->ntypes && i < argc; i++) {
		v[i] = argv[i];
		if (p->type[i] == DTRACE_USDT_STRING)
			touch((const char *)(uintptr_t)v[i]);
	}
	site(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11]);
}

void dtrace_usdt_fire(const dtrace_usdt_probe_t *probe, const uint64_t *argv, int argc)
{
	if (dtrace_usdt_enabled(probe))
		call_site((const struct probe *)probe, argv, argc);
}

int dtrace_usdt_probe_enabled(const dtrace_usdt_probe_t *probe)
{
	return dtrace_usdt_enabled(probe);
}
