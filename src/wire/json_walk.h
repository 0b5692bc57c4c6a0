/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads an untrusted JSON text: its strings one after another, or one value by its place. */
#ifndef DT_WIRE_JSON_WALK_H
#define DT_WIRE_JSON_WALK_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Calls f for each string that is a value, with where it is: "/Name", "/3/names/0". Names and values that are
 * longer than 255 bytes are cut. f ends the walk with false. False: the text is not JSON, or is nested more
 * than 32 deep; f was called for what came before that.
 */
typedef bool dt_jsonwalk_f(void *ctx, const char *where, const char *value);
bool dt_jsonwalk(const char *text, size_t len, dt_jsonwalk_f *f, void *ctx);

/* The value at that place, "/params/position/line", as it is written. False: there is none. */
bool dt_json_find(const char *text, size_t len, const char *where, const char **value, size_t *n);
/* The characters of a value that is a string, to be freed; NULL: it is none, or there is no memory. */
char *dt_json_unquote(const char *value, size_t n);

#endif
