/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes and rates as asked for and as got: dtrace_go() may lower them, which is reported. */
#ifndef DTRACE_SIZES_H
#define DTRACE_SIZES_H

#include <dtrace.h>

struct sizes { dtrace_optval_t value[7]; };

void sizes_read(struct sizes *, dtrace_hdl_t *);
void sizes_notice(const struct sizes *before, dtrace_hdl_t *);	/* unless -x quietresize */

#endif
