/* SPDX-License-Identifier: BSD-2-Clause */
/* See page.h. */
#include "sink/page.h"

#define OPEN "<script type=\"text/plain\" id=\"%s\">"
#define CLOSE "</script>"

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

/* The page is somebody's file: whatever stands in it only becomes text. */
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
