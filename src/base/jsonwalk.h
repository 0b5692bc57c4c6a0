/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the strings of an untrusted JSON text. */
#ifndef DT_BASE_JSONWALK_H
#define DT_BASE_JSONWALK_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Calls f for each string that is a value, with where it is: "/Name", "/3/names/0". Names and values that are
 * longer than 255 bytes are cut. f ends the walk with false. False: the text is not JSON, or is nested more
 * than 32 deep; f was called for what came before that.
 */
typedef bool dt_jsonwalk_f(void *ctx, const char *where, const char *value);
bool dt_jsonwalk(const char *text, size_t len, dt_jsonwalk_f *f, void *ctx);

#endif
