/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The worker of a trace over several hosts: it starts dtrace-fleet, which asks them and writes the merged
 * recording (STREAM_FD) and those of single hosts (HOSTS_FD) itself. What dtrace-fleet says about hosts
 * (cmd/fleet/page.h) and on its standard error becomes messages of JSON, as trace_worker.c writes them. Names
 * and reasons come from hosts: they are text, whatever they contain.
 */
#include "worker.h"

#include "base.h"
#include "beside.h"
#include "signals.h"
#include "web_json.h"
#include "worker_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAGE_LOG = 3, PAGE_STREAMS = 4 };	/* descriptors of dtrace-fleet --page */
enum { LINE = 8 << 10 };			/* what is longer is cut */

/* Lines of a descriptor. */
struct lines { int fd; char text[LINE]; size_t n; };

struct fleet {
	pid_t pid;
	struct lines log, said;
	char first[LINE];		/* the first thing that was wrong */
};

/* ---- its command line ---- */

/* As trace_worker.c has them; the rest of what a page needs is each agent's business. */
static const char *const options[] = { "bufsize=4m", "aggsize=4m", "stackframes=50", "ustackframes=50",
	"defaultargs", "quiet", "aggrate=1s" };

struct words { const char **v; int n; char *program; };

static void add(struct words *w, const char *flag, const char *value)
{
	w->v[w->n++] = flag;
	if (value != NULL)
		w->v[w->n++] = value;
}

/* With a clause it is a script, as worker_program() has it; dtrace-fleet reads it from our standard input. */
static char *program_word(const char *text)
{
	char *word;

	if (strchr(text, '{') != NULL)
		return strdup("file /dev/stdin");
	return asprintf(&word, "%d %s", DTRACE_PROBESPEC_NAME, text) < 0 ? NULL : word;
}

static bool make_words(struct words *w, const struct args *args, const char *text)
{
	w->program = program_word(text);
	w->v = calloc((size_t)(args->nsettings + args->noperands) * 2 + COUNT(options) * 2 + 16,
	    sizeof(*w->v));
	if (w->v == NULL || w->program == NULL)
		return false;
	add(w, "dtrace-fleet", NULL);
	add(w, "--page", NULL);
	add(w, "--snapshots", NULL);
	add(w, "--hosts", args->hosts);
	if (args->bus != NULL)
		add(w, "--bus", args->bus);
	if (args->bus_config != NULL)
		add(w, "--bus-config", args->bus_config);
	for (size_t i = 0; i < COUNT(options); i++)
		add(w, "--option", options[i]);
	for (int i = 0; i < args->nsettings; i++)
		add(w, "--option", args->settings[i]);
	add(w, "--program", w->program);
	for (int i = 1; i < args->noperands; i++)
		add(w, "--operand", args->operands[i]);
	return true;
}

/* ---- the process ---- */

/* In the child: HOSTS_FD stays where it is, the log takes the place of STREAM_FD. */
static void become(const struct words *w, pid_t parent, int log, int said)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent || dup2(STREAM_FD, STDOUT_FILENO) < 0 || dup2(said, STDERR_FILENO) < 0 ||
	    dup2(log, PAGE_LOG) < 0)
		_exit(1);
	if (beside_exec("dtrace-fleet", (char **)(uintptr_t)w->v) < 0)
		fprintf(stderr, "dtrace: dtrace-fleet is not here any more\n");
	_exit(1);
}

_Static_assert(PAGE_LOG == STREAM_FD && PAGE_STREAMS == HOSTS_FD, "the descriptors that dtrace-fleet has");

static bool start(struct fleet *f, const struct words *w)
{
	int log[2], said[2];
	pid_t parent = getpid();

	if (pipe2(log, O_CLOEXEC) != 0)
		return false;
	if (pipe2(said, O_CLOEXEC) != 0 || (f->pid = fork()) < 0)
		return false;
	if (f->pid == 0)
		become(w, parent, log[1], said[1]);
	close(log[1]);
	close(said[1]);
	close(STREAM_FD);
	close(HOSTS_FD);
	f->log.fd = log[0];
	f->said.fd = said[0];
	return true;
}

/* ---- what it says ---- */

static void put_notice(const char *text)
{
	fputs("D{\"t\":\"notice\",\"msg\":", stdout);
	json_text(stdout, text);
	fputs("}\n", stdout);
}

static void take_said(struct fleet *f, const char *line)
{
	if (strncmp(line, "dtrace: ", 8) == 0)
		line += 8;
	if (f->first[0] == '\0')
		snprintf(f->first, sizeof(f->first), "%s", line);
	put_notice(line);
}

/* A line of cmd/fleet/page.h; one that is none is shown, never passed over. */
static void take_log(struct fleet *f, const char *line)
{
	unsigned long long restarts, again, doubled, bound;
	char state[16], name[256], via[256];
	int number, own, at = 0;
	long long offset;

	(void)f;
	if (sscanf(line, "host %d %15s %llu %llu %llu %lld %llu %d %255s %255s %n", &number, state, &restarts,
	    &again, &doubled, &offset, &bound, &own, name, via, &at) != 10 || at == 0) {
		put_notice(line);
		return;
	}
	printf("D{\"t\":\"host\",\"i\":%d,\"state\":\"%s\",\"restarts\":%llu,\"again\":%llu,\"doubled\":%llu,"
	    "\"offset\":%lld,\"bound\":%llu,\"own\":%s,\"name\":", number, state, restarts, again, doubled,
	    offset, bound, own != 0 ? "true" : "false");
	json_text(stdout, name);
	fputs(",\"via\":", stdout);
	json_text(stdout, strcmp(via, "-") == 0 ? "" : via);
	fputs(",\"why\":", stdout);
	json_text(stdout, line + at);
	fputs("}\n", stdout);
}

static void take_lines(struct fleet *f, struct lines *l, void (*take)(struct fleet *, const char *))
{
	char *line = l->text, *end;

	l->text[l->n] = '\0';
	for (; (end = strchr(line, '\n')) != NULL; line = end + 1) {
		*end = '\0';
		take(f, line);
	}
	l->n -= (size_t)(line - l->text);
	memmove(l->text, line, l->n);
	if (l->n == sizeof(l->text) - 1) {
		l->text[l->n] = '\0';
		take(f, l->text);
		l->n = 0;
	}
}

/* False: it has nothing more to say. */
static bool read_some(struct fleet *f, struct lines *l, void (*take)(struct fleet *, const char *))
{
	ssize_t n = read(l->fd, l->text + l->n, sizeof(l->text) - 1 - l->n);

	if (n < 0 && errno == EINTR)
		return true;
	if (n <= 0) {
		close(l->fd);
		l->fd = -1;
		return false;
	}
	l->n += (size_t)n;
	for (char *p = l->text; p < l->text + l->n; p++)
		if (*p == '\0')
			*p = ' ';
	take_lines(f, l, take);
	fflush(stdout);
	return true;
}

static int follow(struct fleet *f)
{
	int status = 0;

	while (f->log.fd >= 0 || f->said.fd >= 0) {
		struct pollfd fd[] = { { .fd = f->log.fd, .events = POLLIN },
			{ .fd = f->said.fd, .events = POLLIN } };

		if (poll(fd, COUNT(fd), -1) < 0)
			continue;
		if (fd[0].revents != 0)
			(void)read_some(f, &f->log, take_log);
		if (fd[1].revents != 0)
			(void)read_some(f, &f->said, take_said);
	}
	while (waitpid(f->pid, &status, 0) < 0 && errno == EINTR)
		;
	signals_pass_to(0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* ---- the trace ---- */

static void begin(const char *text)
{
	struct timespec wall;

	clock_gettime(CLOCK_REALTIME, &wall);
	printf("D{\"t\":\"start\",\"wall\":%lld.%03ld,\"program\":", (long long)wall.tv_sec,
	    wall.tv_nsec / 1000000);
	json_text(stdout, text);
	fputs("}\n", stdout);
	fflush(stdout);
}

static int ask_hosts(struct fleet *f, const struct args *args, const char *text)
{
	struct words w = { 0 };
	bool started = make_words(&w, args, text) && start(f, &w);
	int status = 1, err = errno;

	free(w.v);
	free(w.program);
	if (!started) {
		worker_say("L", "the hosts cannot be asked", strerror(err));
		return status;
	}
	signals_pass_to(f->pid);
	status = follow(f);
	if (status == 1 || status == 2)
		worker_say("L", "No host has answered as it should", f->first);
	return status;
}

int worker_hosts(const struct args *args)
{
	struct fleet *f = calloc(1, sizeof(*f));
	char *text = worker_input();
	int status = 1;

	if (f != NULL && text != NULL) {
		signals_catch();
		signals_begun();
		begin(text);
		status = ask_hosts(f, args, text);
		fputs("L{\"t\":\"end\"}\n", stdout);
		fflush(stdout);
	}
	free(f);
	free(text);
	return status;
}
