/* SPDX-License-Identifier: BSD-2-Clause */
/* -h and -G: what programs need to have static probes. */
#ifndef DTRACE_USDT_BUILD_H
#define DTRACE_USDT_BUILD_H

#include "args.h"

/* After all programs are compiled. The exit status comes back. */
int usdt_header(dtrace_hdl_t *, const struct args *);
int usdt_link(dtrace_hdl_t *, const struct args *, dtrace_prog_t *const *programs);

#endif
