/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pages that stand alone: HTML with style and script in it, and data between the two parts. They are written
 * in src/sink/page/ and embedded by tools/embed-page.
 */
#ifndef DT_SINK_PAGE_H
#define DT_SINK_PAGE_H

#include "output/out.h"

struct dt_page { const char *before, *behind; };

extern const struct dt_page dt_page_flame, dt_page_heatmap;

/*
 * A block of data that a script reads by its id. In it only % and < are escaped (%25, %3C), so no text ends
 * the block or begins a tag.
 */
void dt_page_block(struct dt_out *, const char *id, const char *text, size_t n);
/* The same piece by piece. */
void dt_page_open(struct dt_out *, const char *id);
void dt_page_put(struct dt_out *, const char *text, size_t n);
void dt_page_close(struct dt_out *);
/* The text of such a block in a page that was written before, in place; NULL: there is none. */
char *dt_page_find(char *page, const char *id, size_t *n);

#endif
