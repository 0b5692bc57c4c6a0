/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the text of events.h. The text is untrusted: each line is right, or the whole file is refused. */
#include "replay/events.h"

#include "base/file.h"
#include "base/map.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXTS_BEGIN 0x100000ull		/* the address of the first string */

struct reading {
	struct dt_arena *arena;
	struct dt_replay_events *out;
	struct dt_map probes;		/* name -> index + 1 */
	const char *path;
	const char *at;			/* the next character */
	unsigned line;
	uint64_t address;		/* of the next string */
	uint64_t time;			/* of the event before */
	char *msg;
	size_t len;
};

static bool refuse(struct reading *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(struct reading *r, const char *fmt, ...)
{
	va_list ap;
	int n = snprintf(r->msg, r->len, "%s, line %u: ", r->path, r->line);

	va_start(ap, fmt);
	if (n >= 0 && (size_t)n < r->len)
		vsnprintf(r->msg + n, r->len - (size_t)n, fmt, ap);
	va_end(ap);
	return false;
}

static bool is_end(char c) { return c == '\0' || c == '\n' || c == '#'; }

static void skip_blanks(struct reading *r)
{
	while (*r->at == ' ' || *r->at == '\t' || *r->at == '\r')
		r->at++;
}

/* A number in any base of C, with a sign, up to the end of the word. */
static bool read_number(struct reading *r, const char *what, uint64_t *value)
{
	char *end;
	bool negative = *r->at == '-';

	if (!isdigit((unsigned char)r->at[negative]))
		return refuse(r, "%s is not a number", what);
	errno = 0;
	*value = negative ? (uint64_t)strtoll(r->at, &end, 0) : strtoull(r->at, &end, 0);
	if (errno != 0 || !(is_end(*end) || isspace((unsigned char)*end)))
		return refuse(r, "%s is not a number of 64 bits", what);
	r->at = end;
	return true;
}

static int escaped(char c)
{
	switch (c) {
	case 'n': return '\n';
	case 't': return '\t';
	case '\\': case '"': return c;
	default: return -1;
	}
}

/* "text", with \n \t \\ and \": *text gets a copy. */
static bool read_string(struct reading *r, const char **text, uint32_t *len)
{
	size_t n = strcspn(++r->at, "\n");
	char *to = dt_arena_alloc(r->arena, n + 1);
	uint32_t used = 0;

	for (; *r->at != '"'; r->at++) {
		if (*r->at == '\n' || *r->at == '\0')
			return refuse(r, "a string has no end: it lacks a quote");
		if (*r->at == '\\' && escaped(*++r->at) < 0)
			return refuse(r, "a string has an escape other than \\n, \\t, \\\\ and \\\"");
		to[used++] = r->at[-1] == '\\' ? (char)escaped(*r->at) : *r->at;
	}
	r->at++;
	if (!is_end(*r->at) && !isspace((unsigned char)*r->at))
		return refuse(r, "a blank has to follow a string");
	to[used] = '\0';
	*text = to;
	*len = used + 1;
	return true;
}

/* provider:module:function:name, whose parts may be empty but for the last. */
static bool read_probe(struct reading *r, struct dt_replay_event *e)
{
	size_t n = strcspn(r->at, " \t\r\n#");
	char *name = dt_arena_printf(r->arena, "%.*s", (int)n, r->at), *part[4] = { name };
	const char *whole = dt_arena_printf(r->arena, "%s", name);
	uintptr_t known = (uintptr_t)dt_map_get(&r->probes, whole);
	int parts = 1;

	r->at += n;
	if (known != 0) {
		e->probe = (uint32_t)(known - 1);
		return true;
	}
	for (char *c = name; *c != '\0'; c++)
		if (*c == ':' && parts < 5) {
			*c = '\0';
			if (parts < 4)
				part[parts] = c + 1;
			parts++;
		}
	if (parts != 4 || part[0][0] == '\0' || part[3][0] == '\0' || strpbrk(whole, "*?[]") != NULL)
		return refuse(r, "%s is not the full name of a probe: provider:module:function:name", whole);
	e->probe = (uint32_t)r->out->probes.n;
	dt_vec_push(r->arena, &r->out->probes,
	    ((struct dt_replay_probe){ part[0], part[1], part[2], part[3] }));
	dt_map_put(&r->probes, whole, (void *)(uintptr_t)(e->probe + 1));
	return true;
}

/* cpu=1 and the like; *found is false if the next word is none of these. */
static bool read_attribute(struct reading *r, struct dt_replay_event *e, bool *tid_given, bool *found)
{
	static const struct { const char *name; size_t off; uint64_t most; } rows[] = {
		{ "cpu=", offsetof(struct dt_replay_event, cpu), DT_REPLAY_CPUS_MAX - 1 },
		{ "pid=", offsetof(struct dt_replay_event, pid), INT32_MAX },
		{ "tid=", offsetof(struct dt_replay_event, tid), INT32_MAX },
		{ "ppid=", offsetof(struct dt_replay_event, ppid), INT32_MAX },
		{ "uid=", offsetof(struct dt_replay_event, uid), UINT32_MAX },
		{ "gid=", offsetof(struct dt_replay_event, gid), UINT32_MAX },
		{ "errno=", offsetof(struct dt_replay_event, err), 4095 },
	};
	uint64_t value;
	uint32_t len;

	*found = true;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t n = strlen(rows[i].name);

		if (strncmp(r->at, rows[i].name, n) != 0)
			continue;
		r->at += n;
		if (!read_number(r, rows[i].name, &value))
			return false;
		if (value > rows[i].most)
			return refuse(r, "%s%llu is more than %llu", rows[i].name, (unsigned long long)value,
			    (unsigned long long)rows[i].most);
		*(uint32_t *)(void *)((char *)e + rows[i].off) = (uint32_t)value;
		*tid_given |= rows[i].name[0] == 't';
		return true;
	}
	if (strncmp(r->at, "execname=\"", 10) == 0) {
		r->at += 9;
		return read_string(r, &e->execname, &len);
	}
	*found = false;
	if (!isalpha((unsigned char)*r->at))
		return true;
	return refuse(r, "%.*s is no attribute of an event: those are cpu, pid, tid, ppid, uid, gid, errno "
	    "and execname=\"text\"", (int)strcspn(r->at, " \t\n#"), r->at);
}

static bool read_argument(struct reading *r, struct dt_replay_event *e, unsigned n)
{
	struct dt_replay_text *texts;

	if (n == 10)
		return refuse(r, "an event has at most 10 arguments");
	if (*r->at != '"')
		return read_number(r, "an argument", &e->arg[n]);
	texts = DT_NEWN(r->arena, struct dt_replay_text, e->ntexts + 1);
	if (e->ntexts > 0)
		memcpy(texts, e->texts, e->ntexts * sizeof(*texts));
	if (!read_string(r, &texts[e->ntexts].bytes, &texts[e->ntexts].len))
		return false;
	texts[e->ntexts].addr = e->arg[n] = r->address;
	r->address += (texts[e->ntexts].len + 15u) & ~15u;
	e->texts = texts;
	e->ntexts++;
	return true;
}

/* One line that has an event. */
static bool read_event(struct reading *r)
{
	struct dt_replay_event e = { .pid = 1, .execname = "replay" };
	bool tid_given = false, found = true;
	unsigned nargs = 0;

	if (!read_number(r, "the time", &e.time))
		return false;
	if (e.time < r->time)
		return refuse(r, "its time is earlier than that of the event before");
	r->time = e.time;
	skip_blanks(r);
	if (!read_probe(r, &e))
		return false;
	for (skip_blanks(r); !is_end(*r->at); skip_blanks(r)) {
		if (found && nargs == 0 && !read_attribute(r, &e, &tid_given, &found))
			return false;
		if (!found && !read_argument(r, &e, nargs++))
			return false;
	}
	if (!tid_given)
		e.tid = e.pid;
	r->out->ncpus = e.cpu + 1 > r->out->ncpus ? e.cpu + 1 : r->out->ncpus;
	dt_vec_push(r->arena, &r->out->events, e);
	return true;
}

struct dt_replay_events *dt_replay_parse(struct dt_arena *arena, const char *path, const char *text,
    char *msg, size_t len)
{
	struct reading r = { .arena = arena, .out = DT_NEW(arena, struct dt_replay_events), .path = path,
		.at = text, .address = TEXTS_BEGIN, .msg = msg, .len = len };

	dt_map_init(&r.probes, arena);
	r.out->ncpus = 1;
	while (*r.at != '\0') {
		r.line++;
		skip_blanks(&r);
		if (!is_end(*r.at) && !read_event(&r))
			return NULL;
		r.at += strcspn(r.at, "\n");
		r.at += *r.at == '\n';
	}
	return r.out;
}

struct dt_replay_events *dt_replay_read(struct dt_arena *arena, const char *path, char *msg, size_t len)
{
	struct dt_replay_events *out;
	char *text;
	size_t bytes;
	int err = dt_file_read(path, DT_REPLAY_BYTES_MAX, &text, &bytes);

	if (err != 0) {
		snprintf(msg, len, "events cannot be read from %s: %s", path,
		    err == -EFBIG ? "it has more than 256 MiB" : strerror(-err));
		return NULL;
	}
	if (strlen(text) != bytes) {
		free(text);
		snprintf(msg, len, "%s is not text: it has a NUL byte", path);
		return NULL;
	}
	out = dt_replay_parse(arena, path, text, msg, len);
	free(text);
	return out;
}
