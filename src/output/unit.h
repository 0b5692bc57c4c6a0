/* SPDX-License-Identifier: BSD-2-Clause */
/* -x units: what the numbers of an aggregation are, and how people write them. */
#ifndef DT_OUTPUT_UNIT_H
#define DT_OUTPUT_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dt_aggunit { DT_UNIT_NONE, DT_UNIT_NS, DT_UNIT_US, DT_UNIT_MS, DT_UNIT_S, DT_UNIT_BYTES, DT_NUNITS };

/*
 * `spec` is the option's text: words separated by commas, "lat:ns" for @lat, "ns" for all without a word of
 * their own; NULL: there are no units. Where no word says it, the name does: @ns, @wait_ns. Counts have none.
 */
enum dt_aggunit dt_aggunit_of(const char *spec, const char *name, unsigned aggkind);
/* NULL: every word is right; else the first that is not, in `word`, which is returned. */
const char *dt_unit_wrong(const char *spec, char *word, size_t len);
const char *dt_unit_name(enum dt_aggunit);		/* "ns"; NULL for none */
/* "1.05ms", "4KiB": three digits, unless fewer say it exactly. Without a unit the number. */
enum { DT_UNIT_TEXT = 32 };
void dt_unit_text(enum dt_aggunit, long double value, char text[DT_UNIT_TEXT]);

#endif
