/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the library does, for those who look for the reason of something: -x debug, DTRACE_DEBUG in the
 * environment, or _dtrace_debug, as in history. Without one of them nothing is printed. The two variables of
 * the public header are here; nothing writes them but their users.
 */
#include "handle/handle.h"

#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

int _dtrace_debug;

/* DTRACE_DEBUG=0 and an empty one are off. */
void dt_debug_init(struct dtrace_hdl *h)
{
	const char *value = getenv("DTRACE_DEBUG");

	h->debug = value != NULL && value[0] != '\0' && strcmp(value, "0") != 0;
}

static bool debug_wanted(const struct dtrace_hdl *h)
{
	return h->debug || _dtrace_debug != 0 || dt_options_on(&h->options, DT_OPT_debug);
}

void dt_debug(const struct dtrace_hdl *h, const char *fmt, ...)
{
	va_list ap;

	if (!debug_wanted(h))
		return;
	flockfile(stderr);
	fprintf(stderr, "libdtrace DEBUG %lld: ", (long long)time(NULL));
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	funlockfile(stderr);
}
