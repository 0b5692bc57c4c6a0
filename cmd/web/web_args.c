/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command line of dtrace(1), as far as a page can do it: programs (-n and its like, -s), processes (-p,
 * -c), options (-x and the letters that stand for one), operands. What has no meaning here (-o, -l, -G ...)
 * is refused, and so is -w: a page never does what changes the system.
 */
#include "web_args.h"

#include "base.h"
#include "beside.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char letters[] = "-:b:c:CD:f:I:L:m:n:O:p:P:qs:tU:vwx:Z";
enum { LONG_WEB = 256, LONG_WORKER, LONG_HELP, LONG_PLAY, LONG_LSP,
	LONG_HOSTS, LONG_BUS, LONG_BUS_CONFIG };
static const struct option long_options[] = {
	{ "help", no_argument, NULL, LONG_HELP }, { "web", optional_argument, NULL, LONG_WEB },
	{ "worker", required_argument, NULL, LONG_WORKER },
	{ "lsp", no_argument, NULL, LONG_LSP },
	{ "hosts", required_argument, NULL, LONG_HOSTS }, { "bus", required_argument, NULL, LONG_BUS },
	{ "bus-config", required_argument, NULL, LONG_BUS_CONFIG },
	{ "play", required_argument, NULL, LONG_PLAY }, { NULL, 0, NULL, 0 },
};

/* Letters that are an option of the library. */
static const struct { char letter; const char *name; } named[] = {
	{ 'b', "bufsize" }, { 'C', "cpp" }, { 'D', "define" }, { 'I', "incdir" }, { 'L', "libdir" },
	{ 'U', "undef" }, { 'Z', "zdefs" },
};

/* How many colons make a description of what follows the letter. */
static const struct { char letter; const char *colons; } specs[] = {
	{ 'n', "" }, { 'f', ":" }, { 'm', "::" }, { 'P', ":::" },
};

static int usage(FILE *f, int status)
{
	fputs("usage: dtrace --web[=address[:port]] [-n program] [-s script] [-p pid | -c command]\n"
	    "\t[-x opt[=val]] [--hosts patterns [--bus url] [--bus-config file]] [args ...]\n"
	    "Serves a page that shows what the program counts, by default on 127.0.0.1.\n", f);
	return status;
}

static int no_memory(void)
{
	fputs("dtrace-web: out of memory\n", stderr);
	return 1;
}

static int add_text(struct args *w, const char *head, size_t headlen, const char *colons, const char *rest)
{
	char *text;

	if (asprintf(&text, "%s%s%.*s%s%s", w->program != NULL ? w->program : "",
	    w->program != NULL ? "\n" : "", (int)headlen, head, colons, rest) < 0)
		return no_memory();
	free(w->program);
	w->program = text;
	w->has_program = true;
	return 0;
}

static int add_script(struct args *w, const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t cap = 0;
	int status = 1;

	if (f == NULL || getdelim(&text, &cap, '\0', f) < 0)
		fprintf(stderr, "dtrace-web: cannot read %s: %s\n", path, errno ? strerror(errno) :
		    "it is empty");
	else
		status = add_text(w, text, 0, "", text);
	free(text);
	if (f != NULL)
		fclose(f);
	return status;
}

/* -x destructive and -w are refused before anything is started. */
static int add_setting(struct args *w, const char *word)
{
	if (strncmp(word, "destructive", 11) == 0 && (word[11] == '\0' || word[11] == '=')) {
		fputs("dtrace-web: destructive actions are never done from a page\n", stderr);
		return 2;
	}
	w->settings[w->nsettings++] = word;
	w->pass[w->npass++] = "-x";
	w->pass[w->npass++] = word;
	return 0;
}

static int add_named(struct args *w, const char *name, const char *value)
{
	char *word;

	if (value == NULL)
		return add_setting(w, name);
	if (asprintf(&word, "%s=%s", name, value) < 0)
		return no_memory();
	return add_setting(w, word);		/* lives as long as the command */
}

static int add_process(struct args *w, const char *flag, const char *word)
{
	if (w->pid != NULL || w->command != NULL) {
		fputs("dtrace-web: only one of -p and -c can be given, and once\n", stderr);
		return 2;
	}
	*(flag[1] == 'p' ? &w->pid : &w->command) = word;
	w->pass[w->npass++] = flag;
	w->pass[w->npass++] = word;
	return 0;
}

/* -O web=ADDR is what --web=ADDR is. */
static int take_format(struct args *w, const char *word)
{
	if (strncmp(word, "web", 3) != 0 || (word[3] != '\0' && word[3] != '=')) {
		fprintf(stderr, "dtrace-web: -O %s: the page is -O web\n", word);
		return 2;
	}
	if (word[3] == '=')
		w->listen = word + 4;
	return 0;
}

static int add_operand(struct args *w, const char *word)
{
	w->operands[w->noperands++] = word;
	return 0;
}

static int add_word(struct args *w, const char **to, const char *flag, const char *word)
{
	*to = word;
	w->pass[w->npass++] = flag;
	w->pass[w->npass++] = word;
	return 0;
}

/* Of the library, for this machine's compiler: hosts compile the program themselves, with their own files. */
static bool is_of_compiler(const char *setting)
{
	static const char *const names[] = { "cpp", "define", "incdir", "libdir", "undef" };
	size_t n = strcspn(setting, "=");

	for (size_t i = 0; i < COUNT(names); i++)
		if (strlen(names[i]) == n && strncmp(setting, names[i], n) == 0)
			return true;
	return false;
}

/* What dtrace(1) refuses with --hosts too, and what the page needs for it. */
static int check_hosts(const struct args *w)
{
	const char *why = NULL;

	if (w->hosts == NULL && w->worker == NULL && (w->bus != NULL || w->bus_config != NULL))
		why = "--bus and --bus-config need --hosts: which hosts?";
	if (w->hosts != NULL && w->play != NULL)
		why = "--play does not go with --hosts: a recording is shown without them";
	if (w->hosts != NULL && w->lsp)
		why = "--lsp does not go with --hosts: it answers for this machine";
	if (w->hosts != NULL && (w->pid != NULL || w->command != NULL))
		why = "-c or -p does not go with --hosts: processes of which host? Write their names in a "
		    "predicate";
	for (int i = 0; i < w->nsettings && w->hosts != NULL; i++)
		if (is_of_compiler(w->settings[i]))
			why = "-C, -D, -I, -L or -U does not go with --hosts: hosts compile the program "
			    "themselves, with their own files";
	if (why == NULL && w->hosts != NULL && !beside_has("dtrace-fleet"))
		why = "--hosts is the command dtrace-fleet, which is not here: make builds it where libnats "
		    "is (apt-get install libnats-dev), and a static build lacks it";
	if (why != NULL)
		fprintf(stderr, "dtrace-web: %s\n", why);
	return why != NULL ? 2 : 0;
}

static int take(struct args *w, int c, char *arg, char *const *argv)
{
	for (size_t i = 0; i < COUNT(named); i++)
		if (named[i].letter == c)
			return add_named(w, named[i].name, arg);
	for (size_t i = 0; i < COUNT(specs); i++)
		if (specs[i].letter == c) {
			size_t n = strcspn(arg, " \t\n/{");

			return add_text(w, arg, n, specs[i].colons, arg + n);
		}
	switch (c) {
	case 1: return add_operand(w, arg);
	case 'c': return add_process(w, "-c", arg);
	case 'O': return take_format(w, arg);
	case 'p': return add_process(w, "-p", arg);
	case 'q': case 't': case 'v': return 0;		/* a page has no columns to leave out */
	case 's': return add_script(w, arg);
	case 'w': return add_setting(w, "destructive");
	case 'x': return add_setting(w, arg);
	case LONG_WEB: w->listen = arg; return 0;
	case LONG_WORKER: w->worker = arg; return 0;
	case LONG_LSP: w->lsp = true; return 0;
	case LONG_PLAY: w->play = arg; return 0;
	case LONG_HOSTS: return add_word(w, &w->hosts, "--hosts", arg);
	case LONG_BUS: return add_word(w, &w->bus, "--bus", arg);
	case LONG_BUS_CONFIG: return add_word(w, &w->bus_config, "--bus-config", arg);
	case LONG_HELP: return usage(stdout, -1);
	default:
		fprintf(stderr, "dtrace-web: %s: %s\n", argv[optind - 1],
		    c == ':' ? "something must follow" : "a page has no such option");
		return usage(stderr, 2);
	}
}

int args_parse(struct args *w, int argc, char **argv)
{
	size_t n = (size_t)argc * 2 + 8;
	int c, status = 0;

	*w = (struct args){ .pass = calloc(n, sizeof(*w->pass)), .settings = calloc(n, sizeof(*w->settings)),
		.operands = calloc(n, sizeof(*w->operands)), .noperands = 1 };
	if (w->pass == NULL || w->settings == NULL || w->operands == NULL)
		return no_memory();
	w->operands[0] = "dtrace";
	opterr = 0;
	while (status == 0 && (c = getopt_long(argc, argv, letters, long_options, NULL)) != -1)
		status = take(w, c, optarg, argv);
	for (int i = optind; status == 0 && i < argc; i++)
		status = add_operand(w, argv[i]);
	if (status == 0)
		status = check_hosts(w);
	if (status == 0 && w->noperands > 1)
		w->pass[w->npass++] = "--";
	for (int i = 1; status == 0 && i < w->noperands; i++)
		w->pass[w->npass++] = w->operands[i];
	return status;
}

void args_free(struct args *w)
{
	free(w->program);
	free(w->pass);
	free(w->settings);
	free(w->operands);
}
