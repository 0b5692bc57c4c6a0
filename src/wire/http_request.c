/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any process on the machine may send these bytes. Ambiguous ones are refused: lines that end without a
 * carriage return, folded lines, blanks before a colon, a repeated length or host, chunked bodies.
 */
#include "wire/http_request.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_token(const char *s)
{
	size_t n = 0;

	for (; s[n] != '\0'; n++)
		if (!isalnum((unsigned char)s[n]) && strchr("!#$%&'*+-.^_`|~", s[n]) == NULL)
			return false;
	return n > 0;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ?
	    c - 'A' + 10 : -1;
}

/* %41 and +, in place. False: no such byte, or NUL. */
static bool unescape(char *s)
{
	char *to = s;

	for (; *s != '\0'; s++) {
		if (*s == '%') {
			int high = hex_digit(s[1]), low = high < 0 ? -1 : hex_digit(s[2]);

			if (low < 0 || (high | low) == 0)
				return false;
			*to++ = (char)(high << 4 | low);
			s += 2;
		} else {
			*to++ = *s == '+' ? ' ' : *s;
		}
	}
	*to = '\0';
	return true;
}

static bool parse_args(struct dt_http_request *r, char *text)
{
	while (text != NULL && *text != '\0') {
		char *next = strchr(text, '&'), *value;

		if (next != NULL)
			*next++ = '\0';
		value = strchr(text, '=');
		if (value != NULL)
			*value++ = '\0';
		if (r->nargs == DT_HTTP_ARGS || !unescape(text) || (value != NULL && !unescape(value)))
			return false;
		r->arg[r->nargs++] = (struct dt_http_pair){ text, value != NULL ? value : "" };
		text = next;
	}
	return true;
}

static int parse_line(struct dt_http_request *r, char *line)
{
	char *target = strchr(line, ' '), *version = target != NULL ? strchr(target + 1, ' ') : NULL, *args;

	if (version == NULL)
		return 400;
	*target++ = '\0';
	*version++ = '\0';
	if (strncmp(version, "HTTP/", 5) != 0)
		return 400;
	if (strcmp(version, "HTTP/1.1") != 0 && strcmp(version, "HTTP/1.0") != 0)
		return 505;
	for (const char *p = target; *p != '\0'; p++)
		if ((unsigned char)*p <= ' ' || *p == 0x7f)
			return 400;
	args = strchr(target, '?');
	if (args != NULL)
		*args++ = '\0';
	r->method = line;
	r->path = target;
	r->newer = r->keep = version[7] == '1';
	return is_token(line) && target[0] == '/' && parse_args(r, args) ? 0 : 400;
}

static int parse_field(struct dt_http_request *r, char *line)
{
	char *colon = strchr(line, ':'), *value, *end;

	if (colon == NULL)
		return 400;
	*colon = '\0';
	value = colon + 1 + strspn(colon + 1, " \t");
	end = value + strlen(value);
	while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
		*--end = '\0';
	for (const char *p = value; *p != '\0'; p++)
		if (((unsigned char)*p < ' ' && *p != '\t') || *p == 0x7f)
			return 400;
	if (!is_token(line))
		return 400;
	if (r->nfields == DT_HTTP_FIELDS)
		return 431;
	r->field[r->nfields++] = (struct dt_http_pair){ line, value };
	return 0;
}

static int count_fields(const struct dt_http_request *r, const char *name)
{
	int n = 0;

	for (int i = 0; i < r->nfields; i++)
		n += strcasecmp(r->field[i].name, name) == 0;
	return n;
}

/* What the fields say about the body and the connection. */
static int read_fields(struct dt_http_request *r)
{
	const char *length = dt_http_field(r, "Content-Length"), *expect = dt_http_field(r, "Expect");
	const char *connection = dt_http_field(r, "Connection");

	if (dt_http_field(r, "Transfer-Encoding") != NULL)
		return 501;
	if (count_fields(r, "Content-Length") > 1 || count_fields(r, "Host") > 1 ||
	    count_fields(r, "Origin") > 1)
		return 400;
	if (length != NULL) {
		size_t n = strlen(length);

		if (n == 0 || n > 15 || strspn(length, "0123456789") != n)
			return 400;
		r->length = strtoull(length, NULL, 10);
	}
	if (connection != NULL && strcasestr(connection, "close") != NULL)
		r->keep = false;
	r->expects = r->newer && expect != NULL && strcasecmp(expect, "100-continue") == 0;
	return 0;
}

int dt_http_parse(char *head, size_t len, struct dt_http_request *r)
{
	char *line = head, *end = head + len;
	int status = 0;

	*r = (struct dt_http_request){ .method = "", .path = "" };
	while (status == 0 && line < end) {
		char *stop = memchr(line, '\n', (size_t)(end - line));

		if (stop == NULL || stop == line || stop[-1] != '\r' ||
		    memchr(line, '\0', (size_t)(stop - line)) != NULL)
			return 400;
		stop[-1] = '\0';
		if (line[0] == '\0')	/* the empty line */
			return line == head || stop + 1 != end ? 400 : read_fields(r);
		status = line == head ? parse_line(r, line) : parse_field(r, line);
		line = stop + 1;
	}
	return status != 0 ? status : 400;
}

const char *dt_http_field(const struct dt_http_request *r, const char *name)
{
	for (int i = 0; i < r->nfields; i++)
		if (strcasecmp(r->field[i].name, name) == 0)
			return r->field[i].value;
	return NULL;
}

const char *dt_http_arg(const struct dt_http_request *r, const char *name)
{
	for (int i = 0; i < r->nargs; i++)
		if (strcmp(r->arg[i].name, name) == 0)
			return r->arg[i].value;
	return NULL;
}
