/* SPDX-License-Identifier: BSD-2-Clause */
/* See page.h. */
#include "sink/page.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#define OPEN "<script type=\"text/plain\" id=\"%s\">"
#define CLOSE "</script>"

/* Packed by gzip when we were built (tools/embed-page); empty: there is no page. */
extern const unsigned char dt_page_head_begin[], dt_page_head_end[], dt_page_tail_begin[], dt_page_tail_end[];

bool dt_page_built(const char *format, char *why, size_t len)
{
	if (dt_page_head_end - dt_page_head_begin > 0)
		return true;
	snprintf(why, len, "-O %s: this build has no pages: build dtrace where npm is installed, or with "
	    "make ESBUILD=esbuild", format);
	return false;
}

static void put_unpacked(struct dt_out *o, const unsigned char *from, const unsigned char *end)
{
	z_stream z = { .next_in = (unsigned char *)from, .avail_in = (unsigned)(end - from) };
	int ret = inflateInit2(&z, MAX_WBITS + 16);	/* 16: gzip */
	unsigned char piece[4096];

	while (ret == Z_OK) {
		z.next_out = piece;
		z.avail_out = sizeof(piece);
		ret = inflate(&z, Z_NO_FLUSH);
		dt_out_put(o, piece, sizeof(piece) - z.avail_out);
	}
	inflateEnd(&z);
	if (ret != Z_STREAM_END)
		dt_out_fail(o, ENOMEM);
}

void dt_page_begin(struct dt_out *o)
{
	put_unpacked(o, dt_page_head_begin, dt_page_head_end);
}

void dt_page_end(struct dt_out *o)
{
	put_unpacked(o, dt_page_tail_begin, dt_page_tail_end);
}

void dt_page_open(struct dt_out *o, const char *id)
{
	dt_out_printf(o, OPEN "\n", id);
}

void dt_page_close(struct dt_out *o)
{
	dt_out_str(o, CLOSE "\n");
}

void dt_page_put(struct dt_out *o, const char *text, size_t n)
{
	for (size_t i = 0, from = 0; i <= n; i++) {
		if (i < n && text[i] != '%' && text[i] != '<')
			continue;
		dt_out_put(o, text + from, i - from);
		if (i < n)
			dt_out_str(o, text[i] == '%' ? "%25" : "%3C");
		from = i + 1;
	}
}

void dt_page_block(struct dt_out *o, const char *id, const char *text, size_t n)
{
	dt_page_open(o, id);
	dt_page_put(o, text, n);
	dt_page_close(o);
}

void dt_page_about_start(struct dt_out *about, const struct dt_sink_start *start)
{
	dt_out_clear(about);
	dt_out_str(about, "host\t");
	for (const char *p = start->host != NULL ? start->host : ""; *p != '\0'; p++)
		dt_out_put(about, (unsigned char)*p >= ' ' ? p : "?", 1);
	dt_out_printf(about, "\nwall\t%llu\n\n", (unsigned long long)start->wall);
	for (uint32_t i = 0; i < start->nprograms; i++)
		if (start->sources[i] != NULL)
			dt_out_printf(about, "%s\n", start->sources[i]);
}

void dt_page_about(struct dt_out *o, const struct dt_out *about, uint64_t took)
{
	dt_page_open(o, "about");
	if (took > 0)
		dt_out_printf(o, "took\t%llu\n", (unsigned long long)took);
	dt_page_put(o, dt_out_text(about), about->len);
	dt_page_close(o);
}

/* The file is untrusted: whatever is in it only becomes text. */
char *dt_page_find(char *page, const char *id, size_t *n)
{
	char open[64], *from, *end, *to;

	snprintf(open, sizeof(open), OPEN, id);
	from = strstr(page, open);
	end = from != NULL ? strstr(from, CLOSE) : NULL;
	if (end == NULL)
		return NULL;
	from += strlen(open);
	from += *from == '\n';
	to = from;
	for (char *p = from; p < end; p++) {
		bool less = strncmp(p, "%3C", 3) == 0, percent = strncmp(p, "%25", 3) == 0;

		*to++ = less ? '<' : *p;
		p += less || percent ? 2 : 0;
	}
	*n = (size_t)(to - from);
	return from;
}
