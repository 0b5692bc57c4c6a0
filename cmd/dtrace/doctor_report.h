/* SPDX-License-Identifier: BSD-2-Clause */
/* --doctor: what this kernel and these rights allow, as a table. */
#ifndef DTRACE_DOCTOR_REPORT_H
#define DTRACE_DOCTOR_REPORT_H

#include <dtrace.h>

/* The exit status: 0 if something can be traced, else 1. */
int doctor(FILE *);

#endif
