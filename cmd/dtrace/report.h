/* SPDX-License-Identifier: BSD-2-Clause */
/* The stability report of -v: of a program, and three lines of one triple. */
#ifndef DTRACE_REPORT_H
#define DTRACE_REPORT_H

#include "args.h"

void report_stability(dtrace_hdl_t *, const struct program *, dtrace_prog_t *, FILE *);
void report_attributes(FILE *, const char *title, dtrace_attribute_t);

#endif
