/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * argv in, struct args out. Options and operands may be mixed freely: each word that is no option is an
 * operand, and `--` makes operands of all that follows. Three tables say what a letter means; plain_letter()
 * has the rest.
 */
#include "args.h"

#include "base.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

/* The leading `-` makes getopt give operands in their place, as value 1; `:` leaves the messages to us. */
static const char letters[] = "-:3:6:aAb:Bc:CdD:ef:FGhHi:I:lL:m:n:o:O:p:P:qs:StU:vVwW:x:X:Z";

enum { LONG_HELP = 256, LONG_VERSION, LONG_DOCTOR, LONG_LIST, LONG_LIVE, LONG_WEB, LONG_PLAY, LONG_REPLAY,
	LONG_COMPLETE, LONG_TOOL, LONG_HOSTS, LONG_BUS, LONG_BUS_CONFIG, LONG_LSP };
static const struct option long_options[] = {
	{ "bus", required_argument, NULL, LONG_BUS },
	{ "bus-config", required_argument, NULL, LONG_BUS_CONFIG },
	{ "help", no_argument, NULL, LONG_HELP },
	{ "hosts", required_argument, NULL, LONG_HOSTS },
	{ "complete", required_argument, NULL, LONG_COMPLETE },
	{ "doctor", no_argument, NULL, LONG_DOCTOR },
	{ "list", required_argument, NULL, LONG_LIST },
	{ "live", no_argument, NULL, LONG_LIVE },
	{ "lsp", no_argument, NULL, LONG_LSP },
	{ "play", required_argument, NULL, LONG_PLAY },
	{ "replay", required_argument, NULL, LONG_REPLAY },
	{ "tool", required_argument, NULL, LONG_TOOL },
	{ "version", no_argument, NULL, LONG_VERSION },
	{ "web", optional_argument, NULL, LONG_WEB },
	{ NULL, 0, NULL, 0 },
};

/* Letters that say what to do instead of tracing; only one of them may be given. */
static const struct { char letter; enum mode mode; } modes[] = {
	{ 'A', MODE_ANON }, { 'G', MODE_LINK }, { 'h', MODE_HEADER }, { 'l', MODE_LIST },
	{ 'V', MODE_VERSION },
};

/* Letters that are options of the library under another name. A letter may be several options. */
static const struct { char letter; bool takes; const char *name, *value; } settings[] = {
	{ 'a', false, "grabanon", NULL }, { 'b', true, "bufsize", NULL }, { 'C', false, "cpp", NULL },
	{ 'D', true, "define", NULL }, { 'F', false, "flowindent", NULL }, { 'H', false, "cpphdrs", NULL },
	{ 'I', true, "incdir", NULL }, { 'L', true, "libdir", NULL }, { 'O', true, "oformat", NULL },
	{ 'q', false, "quiet", NULL }, { 'S', false, "verbose", NULL }, { 'U', true, "undef", NULL },
	{ 'w', false, "destructive", NULL }, { 'X', true, "stdc", NULL }, { 'Z', false, "zdefs", NULL },
	{ 'G', false, "linkmode", "dynamic" }, { 'G', false, "unodefs", NULL }, { 'G', false, "zdefs", NULL },
	{ 'l', false, "zdefs", NULL }, { 'd', false, "tree", "8" },
};

/* Letters that are followed by a program; they say what a bare word in it means. */
static const struct { char letter; dtrace_probespec_t spec; } specs[] = {
	{ 'P', DTRACE_PROBESPEC_PROVIDER }, { 'm', DTRACE_PROBESPEC_MOD }, { 'f', DTRACE_PROBESPEC_FUNC },
	{ 'n', DTRACE_PROBESPEC_NAME }, { 'i', DTRACE_PROBESPEC_NAME },
};

void args_usage(FILE *f)
{
	fputs("usage: dtrace [-32|-64] [-aABCdeFGhHlqStvVwZ] [-b bufsz] [-c cmd] [-D name[=def]]\n"
	    "\t[-I path] [-L path] [-o output] [-O format] [-p pid] [-s script] [-U name]\n"
	    "\t[-W name] [-x opt[=val]] [-X a|c|s|t]\n"
	    "\t[-P provider [[ predicate ] action ]]\n"
	    "\t[-m [ provider: ] module [[ predicate ] action ]]\n"
	    "\t[-f [[ provider: ] module: ] func [[ predicate ] action ]]\n"
	    "\t[-n [[[ provider: ] module: ] func: ] name [[ predicate ] action ]]\n"
	    "\t[-i probe-id [[ predicate ] action ]] [ args ... ]\n"
	    "\n"
	    "\tpredicate -> '/' D-expression '/'\n"
	    "\t   action -> '{' D-statements '}'\n"
	    "\n"
	    "\t-32 generate 32-bit D programs\n"
	    "\t-64 generate 64-bit D programs\n"
	    "\n"
	    "\t-a  run what -A has saved, and remove it\n"
	    "\t-A  save the programs for dtrace -a; without any, remove them\n"
	    "\t-b  set the trace buffer size\n"
	    "\t-B  hand out trace data through the buffered handler\n"
	    "\t-c  run a command and exit when it ends\n"
	    "\t-C  run cpp(1) on script files\n"
	    "\t-d  print programs as they were parsed\n"
	    "\t-D  define a symbol for the preprocessor\n"
	    "\t-e  exit after compiling, before enabling probes\n"
	    "\t-f  enable or list probes by function name\n"
	    "\t-F  indent output by function entry and return\n"
	    "\t-G  generate an object with the program and its static probes\n"
	    "\t-h  generate a header for static probes\n"
	    "\t-H  print the files the preprocessor includes\n"
	    "\t-i  enable or list probes by id\n"
	    "\t-I  add a directory to the preprocessor's search path\n"
	    "\t-l  list probes\n"
	    "\t-L  add a directory to the D library search path\n"
	    "\t-m  enable or list probes by module name\n"
	    "\t-n  enable or list probes by name\n"
	    "\t-o  set the output file\n"
	    "\t-O  set the output format (text, json, ...; a wrong one lists them)\n"
	    "\t-p  grab a process by id\n"
	    "\t-P  enable or list probes by provider name\n"
	    "\t-q  print only what the program traces\n"
	    "\t-s  enable or list probes of a D script\n"
	    "\t-S  print the intermediate code of the compiler\n"
	    "\t-t  print a column of times\n"
	    "\t-U  undefine a symbol for the preprocessor\n"
	    "\t-v  print stability attributes, or arguments with -l\n"
	    "\t-V  print the version of the D language and of the program\n"
	    "\t-w  permit destructive actions\n"
	    "\t-W  wait for a process of that name\n"
	    "\t-x  set an option of the compiler or of tracing; -x help lists them\n"
	    "\t-X  set the preprocessor's conformance to ISO C\n"
	    "\t-Z  permit descriptions that match no probe\n"
	    "\n"
	    "\t--list functions|variables|options|providers|aggregations|actions|conversions\n"
	    "\t          print what there is, a line each; names and patterns after it select\n"
	    "\t--tool    run a script with the command line that its head describes (doc/TOOLS.md)\n"
	    "\t--play    show a recording of -O record=FILE, as text or in the format of -O\n"
	    "\t--replay  run the program on the events of a text file, without tracing\n"
	    "\t--live    show the aggregations on the whole terminal, drawn anew every second\n"
	    "\t--web[=address[:port]]\n"
	    "\t          show what the program counts on a live page; -O web is the same\n"
	    "\t--hosts   trace on these hosts: names, patterns, label=value (dtraced(8)); --bus URL;\n"
	    "\t          with --web on a page\n"
	    "\t--lsp     serve an editor: the language server of D, on standard input and output\n"
	    "\t--doctor  say what this kernel and these rights allow, and what to change\n", f);
}

/* Behind a message about one option: the status is 2, as always. */
static int see_help(void)
{
	fputs("dtrace --help lists the options\n", stderr);
	return 2;
}

/*
 * argv bounds every list, so each is allocated once: no list can hold more than three entries for each word.
 */
static bool allocate_lists(struct args *a, int argc)
{
	size_t n = (size_t)argc * 3 + 8;
	memset(a, 0, sizeof(*a));
	a->settings = calloc(n, sizeof(*a->settings));
	a->programs = calloc(n, sizeof(*a->programs));
	a->targets = calloc(n, sizeof(*a->targets));
	a->operands = calloc(n, sizeof(*a->operands));
	a->noperands = 1;
	return a->settings && a->programs && a->targets && a->operands;
}

void args_free(struct args *a)
{
	for (int i = 0; i < a->nsettings; i++)
		free(a->settings[i].name);
	free(a->settings);
	free(a->programs);
	free(a->targets);
	free(a->operands);
}

/* The name is copied, since it may be the part of a word before `=`. */
static int add_setting(struct args *a, char flag, const char *name, size_t len, const char *value)
{
	char *copy = strndup(name, len);
	if (!copy) {
		fprintf(stderr, "dtrace: out of memory\n");
		return 2;
	}
	a->settings[a->nsettings++] = (struct setting){ flag, copy, value };
	return 0;
}

/* The same letter twice is fine. */
static int set_mode(struct args *a, enum mode mode)
{
	if (a->mode != MODE_TRACE && a->mode != mode) {
		fprintf(stderr, "dtrace: only one of the [-AGhlV] options can be specified at a time\n");
		return 2;
	}
	a->mode = mode;
	return 0;
}

/* --list LIST; the library knows which there are, but for probes, which -l lists. */
static int list_words(struct args *a, const char *list)
{
	if (strcmp(list, "probes") == 0)
		return set_mode(a, MODE_LIST);
	a->words = list;
	return set_mode(a, MODE_WORDS);
}

/* -x name[=value]; `help` is no option. */
static int option_x(struct args *a, const char *word)
{
	size_t n = strcspn(word, "=");

	if (strcmp(word, "help") == 0)
		return list_words(a, "options");
	return add_setting(a, 'x', word, n, word[n] ? word + n + 1 : NULL);
}

/* -32 and -64 look like options -3 and -6 with an argument to getopt. */
static int data_model(struct args *a, int letter, const char *arg)
{
	if (strcmp(arg, letter == '3' ? "2" : "4") != 0) {
		fprintf(stderr, "dtrace: illegal option -- %c%s\n", letter, arg);
		return see_help();
	}
	a->oflags &= ~(DTRACE_O_ILP32 | DTRACE_O_LP64);
	a->oflags |= letter == '3' ? DTRACE_O_ILP32 : DTRACE_O_LP64;
	return 0;
}

/* -p: only a whole positive number is a pid. */
static int add_pid(struct args *a, const char *arg)
{
	char *end;
	errno = 0;
	long pid = strtol(arg, &end, 10);
	if (errno || end == arg || *end || pid <= 0 || pid > INT32_MAX) {
		fprintf(stderr, "dtrace: invalid pid: %s\n", arg);
		return 1;
	}
	a->targets[a->ntargets++] = (struct target){ false, arg, pid };
	return 0;
}

static int add_program(struct args *a, bool file, dtrace_probespec_t spec, const char *text)
{
	a->programs[a->nprograms++] = (struct program){ file, spec, text };
	return 0;
}

static int add_operand(struct args *a, char *word)
{
	a->operands[a->noperands++] = word;
	return 0;
}

/* The historic sentences of getopt, with our name in front. */
static int bad_option(int c, const char *const *argv)
{
	if (c == ':' && optopt >= 256)
		fprintf(stderr, "dtrace: option requires an argument -- %s\n", argv[optind - 1]);
	else if (c == ':')
		fprintf(stderr, "dtrace: option requires an argument -- %c\n", optopt);
	else if (optopt > 0 && optopt < 256)
		fprintf(stderr, "dtrace: illegal option -- %c\n", optopt);
	else
		fprintf(stderr, "dtrace: illegal option -- %s\n", argv[optind - 1]);
	return see_help();
}

/* As the first word it is no option of ours: what follows are words of the tool (tool.h). */
static int tool_not_first(const char *file)
{
	fprintf(stderr, "dtrace: --tool %s must come first: all words after it belong to the tool\n", file);
	return 2;
}

/*
 * The letters that are in none of the tables. -W is a target without a pid: its text is the name to wait for.
 */
static int plain_letter(struct args *a, int c, char *arg)
{
	switch (c) {
	case 1: return add_operand(a, arg);
	case '3': case '6': return data_model(a, c, arg);
	case 'B': a->buffered = true; return 0;
	case 'c': a->targets[a->ntargets++] = (struct target){ true, arg, 0 }; return 0;
	case 'e': a->compile_only = true; return 0;
	case 'o': a->output = arg; return 0;
	case 'p': return add_pid(a, arg);
	case 's': return add_program(a, true, DTRACE_PROBESPEC_NAME, arg);
	case 't': a->time_column = true; return 0;
	case 'v': a->verbose = true; return 0;
	case 'W': a->targets[a->ntargets++] = (struct target){ false, arg, 0 }; return 0;
	case 'x': return option_x(a, arg);
	case LONG_HELP: a->mode = MODE_HELP; return 0;
	case LONG_LIST: return list_words(a, arg);
	case LONG_COMPLETE: a->words = arg; return set_mode(a, MODE_COMPLETE);
	case LONG_LIVE: a->live = true; return 0;
	case LONG_PLAY: a->play = arg; return set_mode(a, MODE_PLAY);
	case LONG_REPLAY:
		a->replays = true;
		return add_setting(a, 'x', "replay", strlen("replay"), arg);
	case LONG_HOSTS: a->hosts = arg; return 0;
	case LONG_BUS: a->bus = arg; return 0;
	case LONG_BUS_CONFIG: a->bus_config = arg; return 0;
	case LONG_DOCTOR: return set_mode(a, MODE_DOCTOR);
	case LONG_LSP: return set_mode(a, MODE_LSP);
	case LONG_TOOL: return tool_not_first(arg);
	case LONG_VERSION: return set_mode(a, MODE_VERSION);
	default: return 0;
	}
}

/* -O web, with or without an address, is no format of the library. */
static bool wants_page(int c, const char *arg)
{
	return c == 'O' && strncmp(arg, "web", 3) == 0 && (arg[3] == '\0' || arg[3] == '=');
}

/* A letter may be in several tables: -G is a mode and three settings. */
static int take_letter(struct args *a, int c, char *arg)
{
	int status = 0;
	if (wants_page(c, arg) || c == LONG_WEB) {
		a->page = true;
		return 0;
	}
	for (size_t i = 0; i < COUNT(modes) && !status; i++)
		if (modes[i].letter == c)
			status = set_mode(a, modes[i].mode);
	for (size_t i = 0; i < COUNT(specs) && !status; i++)
		if (specs[i].letter == c)
			status = add_program(a, false, specs[i].spec, arg);
	for (size_t i = 0; i < COUNT(settings) && !status; i++)
		if (settings[i].letter == c)
			status = add_setting(a, (char)c, settings[i].name, strlen(settings[i].name),
			    settings[i].takes ? arg : settings[i].value);
	return status ? status : plain_letter(a, c, arg);
}

/* Options that exclude each other, reported before anything is opened. */
static int check_combinations(const struct args *a)
{
	if (a->buffered && a->mode != MODE_TRACE) {
		fprintf(stderr, "dtrace: -B not valid in combination with [-AGhlV] options\n");
		return 2;
	}
	if (a->buffered && a->output) {
		fprintf(stderr, "dtrace: -B not valid in combination with -o\n");
		return 2;
	}
	if (a->live && (a->buffered || a->output || a->mode != MODE_TRACE || a->compile_only)) {
		fprintf(stderr,
		    "dtrace: --live not valid in combination with -B, -e, -o or the [-AGhlV] options\n");
		return 2;
	}
	if (a->replays && (a->ntargets > 0 || (a->mode != MODE_TRACE && a->mode != MODE_LIST))) {
		fprintf(stderr,
		    "dtrace: --replay traces nothing: not valid in combination with -c, -p, -W or the "
		    "[-AGhV] options\n");
		return 2;
	}
	if (a->mode == MODE_ANON && a->ntargets > 0) {
		fprintf(stderr, "dtrace: -A saves no processes: -c, -p and -W go with dtrace -a\n");
		return 2;
	}
	return 0;
}

int args_parse(struct args *a, int argc, char **argv)
{
	int c, status = 0;
	if (!allocate_lists(a, argc)) {
		fprintf(stderr, "dtrace: out of memory\n");
		return 2;
	}
	if (argc <= 1) {
		args_usage(stderr);
		return 2;
	}
	opterr = 0;
	while (!status && (c = getopt_long(argc, argv, letters, long_options, NULL)) != -1) {
		if (c == '?' || c == ':')
			return bad_option(c, (const char *const *)argv);
		status = take_letter(a, c, optarg);
	}
	for (int i = optind; !status && i < argc; i++)
		status = add_operand(a, argv[i]);
	return status ? status : check_combinations(a);
}
