/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --complete DESCRIPTION: how the beginning of a probe description can go on, for shells (completion/).
 * Each line is the description with its last part completed, and with a colon unless it was the name.
 */
#ifndef DTRACE_COMPLETE_H
#define DTRACE_COMPLETE_H

#include <dtrace.h>
#include <stdio.h>

int complete(const char *description, FILE *out);

#endif
