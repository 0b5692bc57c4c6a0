/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of dtrace-fleet, which dtrace(1) writes, and the request that is made of it. See asker.h.
 */
#include "asker.h"

#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WHO "dtrace"

/* ---- which hosts ---- */

bool asker_pattern_good(const char *s)
{
	return s[0] != '\0' && strlen(s) < 2 * NAME_LENGTH && strspn(s,
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.*?[]!=") == strlen(s);
}

static int take_patterns(struct asker *a, char *text)
{
	char *save = NULL;

	for (char *p = strtok_r(text, ",", &save); p != NULL; p = strtok_r(NULL, ",", &save)) {
		if (!asker_pattern_good(p) || a->npatterns == PATTERNS_MAX) {
			fprintf(stderr, WHO ": --hosts: a pattern is of letters, digits, . - _ * ? [ ], or "
			    "LABEL=VALUE; patterns are separated by commas\n");
			return 2;
		}
		a->pattern[a->npatterns++] = p;
	}
	return 0;
}

static bool label_matches(const char *pattern, const struct message *here)
{
	for (int i = 0; i < here->n; i++)
		if (strcmp(here->v[i].word, "label") == 0 && fnmatch(pattern, here->v[i].value, 0) == 0)
			return true;
	return false;
}

bool asker_wants(struct asker *a, const char *name, const struct message *here)
{
	bool wants = false;

	for (int i = 0; i < a->npatterns; i++) {
		const char *p = a->pattern[i];
		bool match = strchr(p, '=') != NULL ? here != NULL && label_matches(p, here) :
		    fnmatch(p, name, 0) == 0;

		a->found[i] |= match;
		wants |= match;
	}
	return wants;
}

/* ---- the request ---- */

static char *read_script(const char *path, size_t *len)
{
	FILE *f = fopen(path, "re");
	char *text = malloc(MESSAGE_MAX);

	if (f == NULL || text == NULL) {
		fprintf(stderr, WHO ": failed to open %s: %s\n", path, strerror(errno));
		free(text);
		return NULL;
	}
	*len = fread(text, 1, MESSAGE_MAX, f);
	fclose(f);
	return text;
}

/* Agents would throw it away. */
static int check_request(const struct asker *a)
{
	struct message m;

	if (message_read(&m, a->request.bytes, a->request.len)) {
		message_end(&m);
		return 0;
	}
	fprintf(stderr,
	    WHO ": --hosts: options, operands and hosts are more than a message may name (%d, %d KiB)\n",
	    MESSAGE_WORDS, MESSAGE_HEAD >> 10);
	return 1;
}

/* `program TYPE LENGTH` for each, then their texts one after the other. */
static int make_request(struct asker *a)
{
	struct out_message texts = { 0 };
	int status = 0;

	message_begin(&a->request, "run");
	message_put(&a->request, "run", "%s", a->run);
	message_put(&a->request, "root", "%s", a->run);
	message_put(&a->request, "mode", "%s", a->lists ? "list" : "trace");
	if (a->snapshots)
		message_put(&a->request, "snapshots", "1");
	for (int i = 0; i < a->npatterns; i++)
		message_put(&a->request, "host", "%s", a->pattern[i]);
	for (int i = 0; i < a->noptions; i++)
		message_put(&a->request, "option", "%s", a->option[i]);
	for (int i = 0; i < a->nprograms && status == 0; i++) {
		const char *blank = strchr(a->program[i], ' '), *text = blank != NULL ? blank + 1 : "";
		size_t len = strlen(text);
		bool file = strncmp(a->program[i], "file ", 5) == 0;
		char *script = file ? read_script(text, &len) : NULL;

		if (file && script == NULL)
			status = 1;
		else
			message_more(&texts, file ? script : text, len);
		message_put(
		    &a->request, "program", "%.*s %zu", (int)(blank - a->program[i]), a->program[i], len);
		free(script);
	}
	for (int i = 0; i < a->noperands; i++) {
		message_put(&a->request, "operand", "%zu", strlen(a->operand[i]));
		message_more(&texts, a->operand[i], strlen(a->operand[i]));
	}
	message_body(&a->request, texts.bytes, texts.len);
	if (status == 0 && (a->request.failed || texts.failed || a->request.len > MESSAGE_MAX - (64 << 10))) {
		fprintf(stderr,
		    WHO ": --hosts: the programs are longer than a message of the bus may be (1 MB)\n");
		status = 1;
	}
	message_free(&texts);
	return status == 0 ? check_request(a) : status;
}

/* ---- words ---- */

static int read_settings(struct asker *a, const char *path, const char *bus)
{
	static const char usual[] = "/etc/dtrace/bus.conf";

	if (path == NULL)
		path = getenv("DTRACE_BUS_CONFIG");
	if (path == NULL && access(usual, R_OK) == 0)
		path = usual;
	if (path != NULL && settings_read(&a->settings, path, WHO) != 0)
		return 1;
	if (bus != NULL)
		snprintf(a->settings.bus, sizeof(a->settings.bus), "%s", bus);
	if (a->settings.user[0] == '\0')
		snprintf(a->settings.user, sizeof(a->settings.user), "uid%u", (unsigned)getuid());
	strcpy(a->user, a->settings.user);
	a->root = a->run;
	a->out_fd = STDOUT_FILENO;
	return 0;
}

void asker_make_run(char text[NAME_LENGTH])
{
	unsigned char v[12] = { 0 };
	FILE *f = fopen("/dev/urandom", "re");

	if (f != NULL) {
		if (fread(v, 1, sizeof(v), f) != sizeof(v))
			memset(v, 0, sizeof(v));
		fclose(f);
	}
	for (size_t i = 0; i < sizeof(v); i++)
		sprintf(text + 2 * i, "%02x", v[i]);
}

static int usage(void)
{
	fputs("dtrace-fleet: it is started by dtrace --hosts\n", stderr);
	return 2;
}

int asker_args(struct asker *a, int argc, char **argv)
{
	static const struct option options[] = {
		{ "hosts", required_argument, NULL, 'h' },
		{ "bus", required_argument, NULL, 'b' },
		{ "bus-config", required_argument, NULL, 'c' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "list", no_argument, NULL, 'l' },
		{ "snapshots", no_argument, NULL, 's' },
		{ "page", no_argument, NULL, 'P' },
		{ "option", required_argument, NULL, 'x' },
		{ "program", required_argument, NULL, 'p' },
		{ "operand", required_argument, NULL, 'o' },
		{ 0 },
	};
	const char *bus = NULL, *path = NULL;
	int c, status = 0;

	if (argc >= WORDS_MAX) {
		fprintf(stderr, WHO ": --hosts: the command line has too many words\n");
		return 2;
	}
	while (status == 0 && (c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'h': status = take_patterns(a, optarg); break;
		case 'b': bus = optarg; break;
		case 'c': path = optarg; break;
		case 'v': a->verbose = true; break;
		case 'l': a->lists = true; break;
		case 's': a->snapshots = true; break;
		case 'P': a->page = true; break;
		case 'x': a->option[a->noptions++] = optarg; break;
		case 'p': a->program[a->nprograms++] = optarg; break;
		case 'o': a->operand[a->noperands++] = optarg; break;
		default: return usage();
		}
	}
	if (status != 0 || a->npatterns == 0 || a->nprograms == 0)
		return status != 0 ? status : usage();
	asker_make_run(a->run);
	status = read_settings(a, path, bus);
	return status != 0 ? status : make_request(a);
}
