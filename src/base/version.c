/* SPDX-License-Identifier: BSD-2-Clause */
/* The version of D, a variable of the public header: on the lowest floor, so that all may print it. */
#include "dtrace.h"

const char *const _dtrace_version = "D 1.14";
