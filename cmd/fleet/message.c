/* SPDX-License-Identifier: BSD-2-Clause */
/* See message.h. */
#include "message.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK "dtrace fleet 1 "

/* ---- names ---- */

bool name_good(const char *s)
{
	size_t n = strlen(s);

	return n > 0 && n < NAME_LENGTH &&
	    strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") == n;
}

bool name_token(const char *name, char token[NAME_LENGTH])
{
	if (strlen(name) >= NAME_LENGTH)
		return false;
	strcpy(token, name);
	for (char *p = token; *p != '\0'; p++)
		if (*p == '.')
			*p = '_';
	return name_good(token);
}

void text_clean(char *s)
{
	for (; *s != '\0'; s++)
		if ((unsigned char)*s >= 0x7f || ((unsigned char)*s < ' ' && *s != '\n' && *s != '\t'))
			*s = '?';
}

/* ---- writing ---- */

static void put(struct out_message *m, const void *p, size_t n)
{
	if (m->failed)
		return;
	if (m->len + n + 1 > m->cap) {
		size_t cap = 2 * (m->len + n) + 1024;
		char *more = realloc(m->bytes, cap);

		if (more == NULL) {
			m->failed = true;
			return;
		}
		m->bytes = more;
		m->cap = cap;
	}
	if (n > 0)
		memcpy(m->bytes + m->len, p, n);
	m->len += n;
}

void message_begin(struct out_message *m, const char *kind)
{
	m->len = 0;
	m->failed = false;
	put(m, MARK, strlen(MARK));
	put(m, kind, strlen(kind));
	put(m, "\n", 1);
}

void message_put(struct out_message *m, const char *word, const char *fmt, ...)
{
	char text[2048];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	text_clean(text);
	for (char *p = text; *p != '\0'; p++)
		if (*p == '\n' || *p == '\t')
			*p = ' ';
	put(m, word, strlen(word));
	put(m, " ", 1);
	put(m, text, strlen(text));
	put(m, "\n", 1);
}

void message_body(struct out_message *m, const void *p, size_t len)
{
	put(m, "\n", 1);
	put(m, p, len);
}

void message_more(struct out_message *m, const void *p, size_t len) { put(m, p, len); }

void message_free(struct out_message *m)
{
	free(m->bytes);
	*m = (struct out_message){ 0 };
}

/* ---- reading ---- */

static bool printable(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (((unsigned char)p[i] < ' ' && p[i] != '\n') || (unsigned char)p[i] >= 0x7f)
			return false;
	return true;
}

static bool cut(struct message *m, char *line)
{
	char *next, *value;

	if ((next = strchr(line, '\n')) == NULL)
		return false;
	*next = '\0';
	m->kind = line;
	for (line = next + 1; *line != '\0'; line = next + 1) {
		if ((next = strchr(line, '\n')) == NULL || (value = strchr(line, ' ')) == NULL ||
		    value > next || m->n == MESSAGE_WORDS)
			return false;
		*next = *value = '\0';
		m->v[m->n].word = line;
		m->v[m->n++].value = value + 1;
	}
	return true;
}

bool message_read(struct message *m, const char *bytes, size_t len)
{
	const char *end = len > 0 ? memmem(bytes, len, "\n\n", 2) : NULL;
	size_t head = end != NULL ? (size_t)(end - bytes) + 1 : len, mark = strlen(MARK);

	memset(m, 0, sizeof(*m));
	if (len > MESSAGE_MAX || head > MESSAGE_HEAD || head <= mark || memcmp(bytes, MARK, mark) != 0 ||
	    bytes[head - 1] != '\n' || !printable(bytes, head) ||
	    (m->head = strndup(bytes + mark, head - mark)) == NULL)
		return false;
	m->body = end != NULL ? end + 2 : bytes + len;
	m->len = (size_t)(bytes + len - m->body);
	if (cut(m, m->head))
		return true;
	message_end(m);
	return false;
}

void message_end(struct message *m)
{
	free(m->head);
	m->head = NULL;
}

const char *message_get(const struct message *m, const char *word)
{
	for (int i = 0; i < m->n; i++)
		if (strcmp(m->v[i].word, word) == 0)
			return m->v[i].value;
	return "";
}

uint64_t message_number(const struct message *m, const char *word)
{
	const char *text = message_get(m, word);
	char *end;
	uint64_t v;

	errno = 0;
	v = strtoull(text, &end, 10);
	return errno == 0 && *text != '-' && *text != '\0' && *end == '\0' ? v : 0;
}
