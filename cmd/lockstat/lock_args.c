/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command line of lockstat in, struct lock_args out. The letters are historic; the status of a wrong one
 * is 2.
 */
#include "lock_args.h"

#include "arguments.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int help(void)
{
	fputs("usage: lockstat [options] command [arg...]\n"
	    "lockstat - show what happens with the locks of the kernel while a command runs\n"
	    "\nEvents:\n"
	    "  -C              watch contention (the default)\n"
	    "  -H              watch hold times\n"
	    "  -A              watch both\n"
	    "  -E              watch errors\n"
	    "  -I              watch the profiling interrupt\n"
	    "  -i rate         of the profiling interrupt, in Hz (97)\n"
	    "  -e list         events by number: 0,1,32-35\n"
	    "\nData gathering:\n"
	    "  -b              lock, caller and number of events\n"
	    "  -t              and times (the default)\n"
	    "  -h              and histograms of times\n"
	    "  -s depth        and stacks of so many frames\n"
	    "  -n number       of records there is room for\n"
	    "  -x opt[=val]    set an option of dtrace\n"
	    "\nFiltering:\n"
	    "  --pid PID       only events of this process\n"
	    "  --name NAME     only events of processes of this name\n"
	    "  --container NAME  only events of processes of this container\n"
	    "  -l lock[,size]  only this lock, a name or an address\n"
	    "  -f func[,size]  only events that this function causes\n"
	    "  -d duration     only events that take so many ns\n"
	    "  -T              print each event as it comes\n"
	    "\nReporting:\n"
	    "  -c              elements of an array are one lock\n"
	    "  -k              places in a function are one caller\n"
	    "  -g              an event counts for every function of its stack\n"
	    "  -w              wherever: callers are not distinguished\n"
	    "  -W              whichever: locks are not distinguished\n"
	    "  -R              rates instead of counts\n"
	    "  -p              parsable: fields between tabs\n"
	    "  -P              sort by count times time\n"
	    "  -D number       of rows of each event\n"
	    "  -o file         write there\n"
	    "  -V              print the D program\n"
	    "  --time          begin with the time of day; with -T, each event\n"
	    "  --help          print this and exit\n"
	    "\nexample:\n"
	    "  lockstat -C -D 10 sleep 5\n"
	    "      the ten locks of each kind that were fought for most in five seconds\n", stdout);
	return -1;
}

static int usage(void) { return arguments_usage("lockstat", "[options] command [arg...]"); }

/* An event that is asked for twice is watched once; by_number stays if one of them named it. */
static int add_event(struct lock_args *w, const struct lock_event *e, bool by_number)
{
	for (int i = 0; i < w->nevents; i++)
		if (w->events[i] == e) {
			w->by_number[i] |= by_number;
			return 0;
		}
	if (w->nevents == EVENTS_MAX) {
		fprintf(stderr, "lockstat: more than %d events\n", EVENTS_MAX);
		return 2;
	}
	w->by_number[w->nevents] = by_number;
	w->events[w->nevents++] = e;
	return 0;
}

/* All events of the classes: C contention, H holds, E errors, I the profiling interrupt. */
static int add_class(struct lock_args *w, const char *classes)
{
	int status = 0;

	for (const struct lock_event *e = lock_events; e->title != NULL && status == 0; e++)
		if (strchr(classes, e->class) != NULL)
			status = add_event(w, e, false);
	return status;
}

/* -e "0,1,32-35". A range may have gaps, but must name at least one event. */
static int add_list(struct lock_args *w, const char *list)
{
	const char *at = list;

	while (*at != '\0') {
		char *end;
		unsigned long from = strtoul(at, &end, 10), to = from;
		bool any = false;

		if (end != at && *end == '-')
			to = strtoul(at = end + 1, &end, 10);
		if (end == at || (*end != ',' && *end != '\0') || to > 63 || from > to) {
			fprintf(stderr, "lockstat: -e %s: it must be numbers up to 63, as in 0,1,32-35\n",
			    list);
			return 2;
		}
		for (unsigned long n = from; n <= to; n++) {
			const struct lock_event *e = lock_event_find((uint32_t)n);

			if (e != NULL && add_event(w, e, true) != 0)
				return 2;
			any |= e != NULL;
		}
		if (!any) {
			fprintf(stderr, "lockstat: -e %s: there is no event %lu\n", list, from);
			return 2;
		}
		at = *end == ',' ? end + 1 : end;
	}
	return 0;
}

/* -l and -f: "name", "name,size", "0xffff...,size". A symbol has its own size unless one is given. */
static int add_place(struct run *r, int letter, const char *text, struct lock_place *v, int *n)
{
	char name[256], *end;
	const char *comma = strchr(text, ',');
	size_t len = comma != NULL ? (size_t)(comma - text) : strlen(text);
	uint64_t size = comma != NULL ? strtoull(comma + 1, &end, 0) : 0;
	GElf_Sym sym;

	if (*n == PLACES_MAX || len >= sizeof(name) || (comma != NULL && (*end != '\0' || size == 0))) {
		fprintf(stderr, *n == PLACES_MAX ? "lockstat: -%c %s: there are too many\n" :
		    "lockstat: -%c %s: it must be a name or an address, and may have a size: name,size\n",
		    letter, text);
		return 2;
	}
	snprintf(name, sizeof(name), "%.*s", (int)len, text);
	v[*n].from = strtoull(name, &end, 16);
	if (*end != '\0' || strncmp(name, "0x", 2) != 0) {
		if (dtrace_lookup_by_name(r->dtp, DTRACE_OBJ_EVERY, name, &sym, NULL) != 0) {
			fprintf(stderr, "lockstat: -%c %s: the kernel has no such symbol\n", letter, text);
			return 2;
		}
		v[*n].from = sym.st_value;
		size = size != 0 ? size : sym.st_size;
	}
	v[*n].to = v[*n].from + (size != 0 ? size : 1);
	++*n;
	return 0;
}

static int take_number(struct run *r, int letter, long *out)
{
	return run_number(r, letter, optarg, 1, out) ? 0 : 2;
}

static int take_pid(struct lock_args *w)
{
	if (arguments_number(optarg, 1, INT_MAX, &w->pid))
		return 0;
	fprintf(stderr, "lockstat: --pid %s is no number of a process; see lockstat --help\n", optarg);
	return 2;
}

/* The letters of these have another meaning here. */
static int take_common(struct lock_args *w, struct run *r, int c, char *const *argv)
{
	switch (c) {
	case ARG_HELP: return help();
	case ARG_PID: return take_pid(w);
	case ARG_NAME: w->name = optarg; return 0;
	case ARG_CONTAINER: return run_option(r, "container", optarg) != 0 ? 2 : 0;
	case ARG_TIME: w->time = true; return 0;
	default: return arguments_refuse("lockstat", c, argv);
	}
}

/* Options of what is gathered; those of the report are in take_option(). */
static int take_data_option(struct lock_args *w, struct run *r, int letter, char *const *argv)
{
	switch (letter) {
	case 'A': return add_class(w, "CH");
	case 'C': return add_class(w, "C");
	case 'H': return add_class(w, "H");
	case 'E': return add_class(w, "E");
	case 'I': return add_class(w, "I");
	case 'e': return add_list(w, optarg);
	case 'i': return take_number(r, letter, &w->rate);
	case 'b': w->detail = DETAIL_BASIC; return 0;
	case 't': w->detail = DETAIL_TIMES; return 0;
	case 'h': w->detail = DETAIL_HISTOGRAM; return 0;
	case 's': w->detail = DETAIL_STACKS; return take_number(r, letter, &w->depth);
	case 'n': return take_number(r, letter, &w->records);
	case 'x': return run_option_text(r, optarg) != 0 ? 2 : 0;
	case 'l': return add_place(r, letter, optarg, w->locks, &w->nlocks);
	case 'f': return add_place(r, letter, optarg, w->callers, &w->ncallers);
	case 'd': return take_number(r, letter, &w->duration);
	default: return take_common(w, r, letter, argv);
	}
}

static int take_option(struct lock_args *w, struct run *r, int letter, char *const *argv)
{
	switch (letter) {
	case 'T': w->trace = true; return 0;
	case 'c': w->arrays = true; return 0;
	case 'k': w->functions = true; return 0;
	case 'g': w->total = true; return 0;
	case 'w': w->any_caller = true; return 0;
	case 'W': w->any_lock = true; return 0;
	case 'R': w->rates = true; return 0;
	case 'p': w->parsable = true; return 0;
	case 'P': w->product = true; return 0;
	case 'V': w->print = true; return 0;
	case 'D': return take_number(r, letter, &w->most);
	case 'o': w->output = optarg; return 0;
	default: return take_data_option(w, r, letter, argv);
	}
}

/* Without a class or a number, contention is watched. */
int lock_args_help(void)
{
	return help(), 0;
}

int lock_args_parse(struct lock_args *w, struct run *r, int argc, char **argv)
{
	int letter, status = 0;

	*w = (struct lock_args){ .detail = DETAIL_TIMES, .rate = 97 };
	opterr = 0;
	while (status == 0 && (letter = getopt_long(argc, argv, "+:AbcCd:D:e:Ef:ghHi:Ikl:n:o:pPRs:tTVwWx:",
	    arguments_common, NULL)) != -1)
		status = take_option(w, r, letter, argv);
	w->command = argv + optind;
	if (status == 0 && optind >= argc)
		return usage();
	if (status == 0 && w->trace && w->ncallers > 0) {
		fprintf(stderr, "lockstat: -f cannot be used with -T: an event is printed before its caller "
		    "is known; see lockstat --help\n");
		return 2;
	}
	if (status == 0 && w->nevents == 0)
		status = add_class(w, "C");
	return status;
}
