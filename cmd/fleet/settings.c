/* SPDX-License-Identifier: BSD-2-Clause */
/* See settings.h. */
#include "settings.h"

#include "arguments.h"
#include "base.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\r\n"

static bool copy(char *to, size_t size, const char *from)
{
	if (from == NULL || strlen(from) >= size)
		return false;
	strcpy(to, from);
	return true;
}

/* ---- policies ---- */

static bool set_limit(struct policy *p, const char *word, const char *value)
{
	if (strcmp(word, "providers") == 0)
		return snprintf(p->providers, sizeof(p->providers), ",%s,", value) <
		    (int)sizeof(p->providers);
	if (strcmp(word, "cgroup") == 0)
		return copy(p->cgroup, sizeof(p->cgroup), value);
	if (strcmp(word, "seconds") == 0)
		return arguments_number(value, 1, 86400 * 366, &p->seconds);
	if (strcmp(word, "memory") == 0)	/* MiB */
		return arguments_number(value, 64, 1 << 20, &p->memory);
	return strcmp(word, "runs") == 0 && arguments_number(value, 0, 1000, &p->runs);
}

static bool add_policy(struct settings *s, char *rest)
{
	struct policy *p = &s->policy[s->npolicies];
	char *save = NULL, *word = strtok_r(rest, BLANKS, &save);

	if (s->npolicies == POLICIES_MAX || !copy(p->user, sizeof(p->user), word) ||
	    (strcmp(p->user, "*") != 0 && !name_good(p->user)))
		return false;
	p->runs = 4;
	while ((word = strtok_r(NULL, BLANKS, &save)) != NULL) {
		char *value = strchr(word, '=');

		if (value == NULL)
			return false;
		*value = '\0';
		if (!set_limit(p, word, value + 1))
			return false;
	}
	s->npolicies++;
	return true;
}

const struct policy *settings_policy(const struct settings *s, const char *user)
{
	for (int i = 0; i < s->npolicies; i++)
		if (strcmp(s->policy[i].user, "*") == 0 || strcmp(s->policy[i].user, user) == 0)
			return &s->policy[i];
	return NULL;
}

/* ---- programs that run always ---- */

const char *const otlp_schemas[] = { "no", "1.8", "1.9", "1.10", NULL };

/* After the first word of a line: `name=VALUE`, a number or one of `words`, which is stored as its index. */
struct number { const char *name; long least, most; long *to; const char *const *words; };

static bool set_number(const struct number *n, const char *value)
{
	if (n->words == NULL)
		return arguments_number(value, n->least, n->most, n->to);
	for (*n->to = 0; n->words[*n->to] != NULL; ++*n->to)
		if (strcmp(n->words[*n->to], value) == 0)
			return true;
	return false;
}

static bool set_place(char *rest, char *to, size_t size, const struct number *numbers, size_t n)
{
	char *save = NULL, *word = strtok_r(rest, BLANKS, &save);

	if (!copy(to, size, word))
		return false;
	while ((word = strtok_r(NULL, BLANKS, &save)) != NULL) {
		char *value = strchr(word, '=');
		size_t i = 0;

		if (value == NULL)
			return false;
		*value++ = '\0';
		while (i < n && strcmp(numbers[i].name, word) != 0)
			i++;
		if (i == n || !set_number(&numbers[i], value))
			return false;
	}
	return true;
}

static bool set_always(struct settings *s, char *rest)
{
	const struct number budget[] = {
		{ "memory", 1, 1 << 20, &s->budget.memory, NULL },
		{ "cpu", 1, 100 * 1024, &s->budget.cpu, NULL },
		{ "rate", 1, 100000000, &s->budget.rate, NULL },
		{ "samples", 1, 10000000, &s->budget.samples, NULL },
	};

	return set_place(rest, s->always, sizeof(s->always), budget, COUNT(budget));
}

static bool set_otlp(struct settings *s, char *rest)
{
	const struct number numbers[] = {
		{ "every", 1, 3600, &s->otlp_every, NULL },
		{ "profiles", 0, 0, &s->otlp_profiles, otlp_schemas },
	};

	return set_place(rest, s->otlp, sizeof(s->otlp), numbers, COUNT(numbers));
}

static bool set_history(struct settings *s, char *rest)
{
	const struct number limits[] = {
		{ "every", 1, 3600, &s->history_every, NULL }, { "age", 1, 24 * 366, &s->history_age, NULL },
		{ "size", 1, 1 << 24, &s->history_size, NULL },
	};

	return set_place(rest, s->history, sizeof(s->history), limits, COUNT(limits)) &&
	    name_good(s->history);
}

void settings_defaults(struct settings *s)
{
	s->runs = 16;
	strcpy(s->always, "/etc/dtrace/always.d");
	s->budget.memory = 128;
	s->budget.cpu = 10;
	s->budget.rate = 1000;
	s->budget.samples = 10000;
	s->otlp_every = 10;
	s->history_every = 10;
	s->history_age = 24;
	s->history_size = 1024;
}

/* ---- lines ---- */

static bool add_label(struct settings *s, const char *text)
{
	const char *eq = text != NULL ? strchr(text, '=') : NULL;
	char name[NAME_LENGTH], value[NAME_LENGTH];

	if (eq == NULL || (size_t)(eq - text) >= sizeof(name) || s->nlabels == LABELS_MAX)
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)(eq - text), text);
	return name_good(name) && name_token(eq + 1, value) &&
	    copy(s->label[s->nlabels++], sizeof(s->label[0]), text);
}

static bool set_line(struct settings *s, const char *word, char *rest)
{
	struct { const char *word; char *to; size_t size; } texts[] = {
		{ "bus", s->bus, sizeof(s->bus) }, { "ca", s->ca, sizeof(s->ca) },
		{ "cert", s->cert, sizeof(s->cert) }, { "key", s->key, sizeof(s->key) },
		{ "password-file", s->password_file, sizeof(s->password_file) },
		{ "nkey", s->nkey, sizeof(s->nkey) }, { "seed", s->seed, sizeof(s->seed) },
		{ "metrics", s->metrics, sizeof(s->metrics) },
		{ "hostroot", s->hostroot, sizeof(s->hostroot) },
	};
	char token[NAME_LENGTH], *save = NULL;

	if (strcmp(word, "allow") == 0)
		return add_policy(s, rest);
	if (strcmp(word, "always") == 0)
		return set_always(s, rest);
	if (strcmp(word, "otlp") == 0)
		return set_otlp(s, rest);
	if (strcmp(word, "history") == 0)
		return set_history(s, rest);
	rest = strtok_r(rest, BLANKS, &save);
	if (rest == NULL || strtok_r(NULL, BLANKS, &save) != NULL)
		return false;
	if (strcmp(word, "label") == 0)
		return add_label(s, rest);
	if (strcmp(word, "name") == 0)
		return name_token(rest, token) && copy(s->name, sizeof(s->name), rest);
	if (strcmp(word, "group") == 0 || strcmp(word, "relay") == 0)
		return name_good(rest) && copy(*word == 'g' ? s->group : s->relay, sizeof(s->group), rest);
	if (strcmp(word, "user") == 0)
		return name_good(rest) && copy(s->user, sizeof(s->user), rest);
	if (strcmp(word, "runs") == 0)
		return arguments_number(rest, 1, 1000, &s->runs);
	for (size_t i = 0; i < COUNT(texts); i++)
		if (strcmp(texts[i].word, word) == 0)
			return copy(texts[i].to, texts[i].size, rest);
	return false;
}

int settings_read(struct settings *s, const char *path, const char *who)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t cap = 0;
	int number = 0, status = 0;

	if (f == NULL) {
		fprintf(stderr, "%s: %s: %s\n", who, path, strerror(errno));
		return -1;
	}
	while (status == 0 && getline(&line, &cap, f) > 0) {
		char *word, *rest;

		number++;
		line[strcspn(line, "#")] = '\0';
		word = line + strspn(line, BLANKS);
		rest = word + strcspn(word, BLANKS);
		if (*word == '\0')
			continue;
		if (*rest != '\0')
			*rest++ = '\0';
		if (!set_line(s, word, rest)) {
			fprintf(stderr, "%s: %s, line %d: \"%s\" is no setting, or has a wrong value "
			    "(dtraced(8) lists them)\n", who, path, number, word);
			status = -1;
		}
	}
	free(line);
	fclose(f);
	return status;
}
