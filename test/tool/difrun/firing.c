/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Firings and memory as a test's header comment tells them (see main.c): words in, contexts out. A bad
 * directive ends the program.
 */
#include "firing.h"

#include "dif/builtin.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

_Noreturn void fatal(const char *what, const char *text)
{
	printf("difrun: %s: %s\n", what, text);
	exit(2);
}

/* The next word; "quoted text" keeps its blanks. NULL at the end. Cuts the line up. */
char *word(char **line)
{
	char *s = *line, *start;
	bool quoted = false;

	while (isspace((unsigned char)*s))
		s++;
	if (!*s)
		return NULL;
	for (start = s; *s && (quoted || !isspace((unsigned char)*s)); s++) {
		if (*s == '\\' && s[1])
			s++;
		else if (*s == '"')
			quoted = !quoted;
	}
	if (*s)
		*s++ = '\0';
	*line = s;
	return start;
}

static uint64_t number(const char *text)
{
	char *end;
	uint64_t v;

	errno = 0;
	v = text[0] == '-' ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
	if (errno || end == text || *end)
		fatal("not a number", text);
	return v;
}

/* 1,2,3 */
static uint64_t *numbers(struct firings *r, const char *text, uint32_t *n)
{
	DT_VEC(uint64_t) v = { 0 };
	char *copy = dt_arena_strdup(r->arena, text), *save = NULL;

	for (char *p = strtok_r(copy, ",", &save); p; p = strtok_r(NULL, ",", &save))
		dt_vec_push(r->arena, &v, number(p));
	*n = (uint32_t)v.n;
	return v.v;
}

/* C escapes of a quoted word, quotes taken off; returns the length, with a NUL after it. */
size_t unquote(char *s)
{
	static const char from[] = "abfnrtv", to[] = "\a\b\f\n\r\t\v";
	char *in = s, *out = s;

	while (*in) {
		const char *at;

		if (*in == '"') {
			in++;
		} else if (*in != '\\' || !in[1]) {
			*out++ = *in++;
		} else if (in[1] == 'x') {
			*out++ = (char)strtoul(in + 2, &in, 16);
		} else if (in[1] >= '0' && in[1] <= '7') {
			unsigned v = 0;
			in++;
			for (int i = 0; i < 3 && *in >= '0' && *in <= '7'; i++)
				v = v * 8 + (unsigned)(*in++ - '0');
			*out++ = (char)v;
		} else {
			at = strchr(from, in[1]);
			*out++ = at ? to[at - from] : in[1];
			in += 2;
		}
	}
	*out = '\0';
	return (size_t)(out - s);
}

struct setting { const char *name; size_t off, size; };
#define SET(n, field) { n, offsetof(struct dt_context, field), sizeof(((struct dt_context *)0)->field) }
static const struct setting settings[] = {
	SET("arg0", arg[0]), SET("arg1", arg[1]), SET("arg2", arg[2]), SET("arg3", arg[3]),
	    SET("arg4", arg[4]),
	SET("arg5", arg[5]), SET("arg6", arg[6]), SET("arg7", arg[7]), SET("arg8", arg[8]),
	    SET("arg9", arg[9]),
	SET("pid", pid), SET("tid", tid), SET("ppid", ppid), SET("uid", uid), SET("gid", gid),
	    SET("cpu", cpu),
	SET("ipl", ipl), SET("errno", err), SET("timestamp", timestamp), SET("vtimestamp", vtimestamp),
	SET("walltimestamp", walltimestamp), SET("curthread", curthread), SET("caller", caller),
	    SET("ucaller", ucaller),
	SET("random", random), SET("probe_id", probe_id), SET("nspid", nspid),
};

static bool set_number(struct dt_context *c, const char *name, const char *value)
{
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		if (strcmp(settings[i].name, name) != 0)
			continue;
		uint64_t v = number(value);
		memcpy((char *)c + settings[i].off, &v, settings[i].size);	/* little endian */
		return true;
	}
	return false;
}

/* Any other variable that is a number. */
static bool set_given(struct firings *r, struct dt_context *c, const char *name, const char *value)
{
	const struct dt_builtin *row = dt_builtin_find(name);
	struct dt_given *all = DT_NEWN(r->arena, struct dt_given, c->ngiven + 1);

	if (!row || row->kind != DT_BI_SCALAR || row->unsupported || strcmp(row->proto, "string") == 0)
		return false;
	if (c->ngiven)
		memcpy(all, c->given, c->ngiven * sizeof(*all));
	all[c->ngiven++] = (struct dt_given){ row->id, number(value) };
	c->given = all;
	return true;
}

static bool set_list(struct firings *r, struct dt_context *c, const char *name, const char *value)
{
	uint32_t n;

	if (strcmp(name, "stack") == 0)
		c->stack = numbers(r, value, &c->nstack);
	else if (strcmp(name, "ustack") == 0)
		c->ustack = numbers(r, value, &c->nustack);
	else if (strcmp(name, "files") == 0)
		c->files = numbers(r, value, &c->nfiles);
	else if (strcmp(name, "uregs") == 0)
		c->uregs = numbers(r, value, &c->nuregs);
	else if (strcmp(name, "ancestors") == 0) {
		uint64_t *v = numbers(r, value, &n);
		uint32_t *pids = DT_NEWN(r->arena, uint32_t, n + 1);
		for (uint32_t i = 0; i < n; i++)
			pids[i] = (uint32_t)v[i];
		c->ancestors = pids;
		c->nancestors = n;
	} else
		return false;
	return true;
}

static bool set_text(struct dt_context *c, const char *name, char *value)
{
	unquote(value);
	if (strcmp(name, "execname") == 0)
		snprintf(c->execname, sizeof(c->execname), "%s", value);
	else if (strcmp(name, "cwd") == 0)
		c->cwd = value;
	else if (strcmp(name, "root") == 0)
		c->root = value;
	else if (strcmp(name, "zonename") == 0)
		c->zonename = value;
	else if (strcmp(name, "threadname") == 0)
		c->threadname = value;
	else if (strcmp(name, "execargs") == 0)
		c->execargs = value;
	else if (strcmp(name, "execenv") == 0)
		c->execenv = value;
	else if (strcmp(name, "cgroup") == 0)
		c->cgroup = value;
	else if (strcmp(name, "container") == 0)
		c->container = value;
	else
		return false;
	return true;
}

/* A dense id for each probe name, in order of appearance. */
uint32_t probe_id(struct firings *r, const char *name)
{
	for (size_t i = 0; i < r->probes.n; i++)
		if (strcmp(r->probes.v[i], name) == 0)
			return (uint32_t)i + 1;
	dt_vec_push(r->arena, &r->probes, dt_arena_strdup(r->arena, name));
	return (uint32_t)r->probes.n;
}

/* A firing with plain values everywhere; the name is split at its colons from the right. */
struct dt_context firing(struct firings *r, const char *name)
{
	struct dt_context c = { .pid = 100, .tid = 100, .ppid = 1, .execname = "difrun", .cwd = "/",
		.root = "/", .zonename = "global", .random = 1 };
	const char *part[4] = { "", "", "", "" };
	char *copy = dt_arena_strdup(r->arena, name), *colon;

	c.probe_id = probe_id(r, name);
	for (int i = 3; i >= 0; i--) {
		colon = i > 0 ? strrchr(copy, ':') : NULL;
		part[i] = colon ? colon + 1 : copy;
		if (!colon)
			break;
		*colon = '\0';
	}
	c.probe = (struct dt_probedesc){ .prov = part[0], .mod = part[1], .func = part[2], .name = part[3] };
	c.timestamp = c.vtimestamp = 1000000 * (r->fires.n + 1);
	c.walltimestamp = 1000000000ll * 1000000000 + (int64_t)c.timestamp;
	return c;
}

void directive_fire(struct firings *r, char *line)
{
	char *name = word(&line), *w;

	if (!name)
		fatal("@fire: needs a probe", "");
	struct dt_context c = firing(r, name);
	while ((w = word(&line))) {
		char *eq = strchr(w, '=');
		if (!eq)
			fatal("@fire: not name=value", w);
		*eq++ = '\0';
		if (!set_number(&c, w, eq) && !set_list(r, &c, w, eq) && !set_text(&c, w, eq) &&
		    !set_given(r, &c, w, eq))
			fatal("@fire: unknown setting", w);
	}
	dt_vec_push(r->arena, &r->fires, c);
}

/* The bytes of a @mem: line: text, hex digits, or integers of a size. */
static size_t mem_bytes(char *kind, char *line, uint8_t *to)
{
	unsigned size = 1, base = 0;
	size_t n = 0;
	char *w;

	if (kind[0] == '"') {
		n = unquote(kind) + 1;
		memcpy(to, kind, n);
		return n;
	}
	if (strcmp(kind, "hex") == 0)
		base = 16;
	else if (strcmp(kind, "u8") == 0 || strcmp(kind, "u16") == 0 || strcmp(kind, "u32") == 0 ||
	    strcmp(kind, "u64") == 0)
		size = (unsigned)atoi(kind + 1) / 8;
	else
		fatal("@mem: unknown form", kind);
	while ((w = word(&line))) {
		uint64_t v = base ? strtoull(w, NULL, 16) : number(w);
		memcpy(to + n, &v, size);
		n += size;
	}
	return n;
}

void directive_mem(struct firings *r, char *line)
{
	struct dt_region m = { 0 };
	char *space = word(&line), *addr = word(&line), *kind = word(&line);

	if (!kind || (strcmp(space, "kernel") && strcmp(space, "user") && strcmp(space, "user-rw")))
		fatal("@mem: kernel|user|user-rw ADDR bytes", space ? space : "");
	m.user = space[0] == 'u';
	m.writable = strcmp(space, "user-rw") == 0;
	m.addr = number(addr);
	m.bytes = dt_arena_alloc(r->arena, 8 * (strlen(kind) + strlen(line) + 2));
	m.len = mem_bytes(kind, line, m.bytes);
	dt_vec_push(r->arena, &r->regions, m);
}
