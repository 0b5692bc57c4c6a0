/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file of HTML that stands alone: the views of the live page (web/src/standalone.ts) with data in it. The
 * build embeds it (tools/web-page); where nothing can build it, it is empty and formats refuse to write one.
 */
#ifndef DT_SINK_PAGE_H
#define DT_SINK_PAGE_H

#include "sink/sink.h"

/* False: this build has no page; `why` (len bytes) says so. */
bool dt_page_built(const char *format, char *why, size_t len);
/* What comes before and after the blocks of data. */
void dt_page_begin(struct dt_out *);
void dt_page_end(struct dt_out *);

/*
 * A block of data that a script reads by its id. In it only % and < are escaped (%25, %3C), so no text ends
 * the block or begins a tag.
 */
void dt_page_block(struct dt_out *, const char *id, const char *text, size_t n);
/* The same piece by piece. */
void dt_page_open(struct dt_out *, const char *id);
void dt_page_put(struct dt_out *, const char *text, size_t n);
void dt_page_close(struct dt_out *);
/*
 * The block "about": lines of a word, a tab and what it stands for (`host`, `wall` in ns since 1970, `took`
 * in ns if it is not 0), then an empty line and the programs.
 */
void dt_page_about(struct dt_out *, const struct dt_out *about, uint64_t took);
/* What dt_page_about() needs to know of the start, kept until then. */
void dt_page_about_start(struct dt_out *about, const struct dt_sink_start *);
/* The text of such a block in a page that was written before, in place; NULL: there is none. */
char *dt_page_find(char *page, const char *id, size_t *n);

#endif
