/* SPDX-License-Identifier: BSD-2-Clause */
/* dtraced(8): settings, the bus, and the loop. See agent.h; dtrace-fleet is this program by another name. */
#include "always.h"

#include "base.h"

#include <dtrace.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/utsname.h>
#include <unistd.h>

#define ASK "dt.ask."
#define RELAY "dt.relay."

/* ---- what askers want ---- */

static void put_host(struct agent *a, const struct message *m, uint64_t came)
{
	struct utsname host;
	bool known = uname(&host) == 0;

	message_begin(&a->out, "here");
	message_put(&a->out, "name", "%s", a->settings.name);
	message_put(&a->out, "instance", "%s", a->instance);
	message_put(&a->out, "kernel", "%s", known ? host.release : "");
	message_put(&a->out, "machine", "%s", known ? host.machine : "");
	message_put(&a->out, "version", "%s", DT_VERSION);
	for (int i = 0; i < a->settings.nlabels; i++)
		message_put(&a->out, "label", "%s", a->settings.label[i]);
	if (a->settings.relay[0] != '\0')
		message_put(&a->out, "relay", "%s", a->settings.relay);
	message_put(&a->out, "t1", "%llu", (unsigned long long)message_number(m, "t1"));
	message_put(&a->out, "t2", "%llu", (unsigned long long)came);
	message_put(&a->out, "t3", "%llu", (unsigned long long)now_ns());
}

/* The sign of life, and the clocks; of a run also how many messages there are. */
static void put_beat(struct agent *a, const struct run *r, const struct message *m, uint64_t came)
{
	message_begin(&a->out, "beat");
	message_put(&a->out, "instance", "%s", a->instance);
	message_put(&a->out, "known", "%d", r != NULL);
	message_put(&a->out, "live", "%d", r != NULL && r->live);
	message_put(&a->out, "sent", "%llu", r != NULL ? (unsigned long long)(r->first + r->n - 1) : 0);
	message_put(&a->out, "t1", "%llu", (unsigned long long)message_number(m, "t1"));
	message_put(&a->out, "t2", "%llu", (unsigned long long)came);
	message_put(&a->out, "t3", "%llu", (unsigned long long)now_ns());
}

/* What the worker of a relay has said of its hosts since what the asker has of it. */
static void send_said(struct agent *a, const struct run *r, const struct message *m)
{
	uint64_t from = message_number(m, "heard");
	size_t n = from < r->len ? r->len - (size_t)from : 0;

	if (a->settings.relay[0] == '\0' || n == 0)
		return;
	message_begin(&a->out, "hosts");
	message_put(&a->out, "instance", "%s", a->instance);
	message_put(&a->out, "from", "%llu", (unsigned long long)from);
	message_body(&a->out, r->text + from, n < 4 * DATA_MAX ? n : 4 * DATA_MAX);
	run_send(a, r->user, r->id);
}

static void answer(struct agent *a, const char *user, const struct message *m, uint64_t came)
{
	const char *id = message_get(m, "run");
	struct run *r;

	if (!name_good(id))
		return;
	r = run_find(a, user, id);
	if (strcmp(m->kind, "hello") == 0) {
		a->counts.asked++;
		if (settings_policy(&a->settings, user) == NULL) {
			run_refuse(
			    a, user, id, "refused", "the policy of this host has no line for this user");
			return;
		}
		put_host(a, m, came);
		run_send(a, user, id);
	} else if (strcmp(m->kind, "run") == 0) {
		run_begin(a, user, m);
	} else if (strcmp(m->kind, "beat") == 0) {
		if (r != NULL)
			run_beat(a, r, m);
		put_beat(a, r, m, came);
		run_send(a, user, id);
		if (r != NULL)
			send_said(a, r, m);
	} else if (strcmp(m->kind, "stop") == 0 && r != NULL) {
		r->heard = now_ns();
		run_stop(r, NULL);
	} else if (strcmp(m->kind, "bye") == 0 && r != NULL) {
		for (int i = 0; i < a->nruns; i++)
			if (a->run[i] == r) {
				run_bye(a, i, message_number(m, "counted") != 0);
				break;
			}
	}
}

/* While a relay of our group is there, it answers those who look for all hosts. */
static bool is_for_relay(const struct agent *a, const char *subject, const struct message *m)
{
	size_t n = strlen(subject);

	return strcmp(m->kind, "hello") == 0 && n > 4 && strcmp(subject + n - 4, ".all") == 0 &&
	    a->relayed != 0 && now_ns() - a->relayed < RELAY_GONE;
}

/* Who asks is the token after dt.ask: the server lets nobody publish there but that user (doc/FLEET.md). */
static void take_message(struct agent *a, const struct bus_message *b)
{
	uint64_t came = now_ns();
	char user[NAME_LENGTH];
	size_t n;
	struct message m;

	if (strncmp(b->subject, RELAY, strlen(RELAY)) == 0)
		a->relayed = came;
	if (strncmp(b->subject, ASK, strlen(ASK)) != 0)
		return;
	n = strcspn(b->subject + strlen(ASK), ".");
	if (n >= sizeof(user))
		return;
	snprintf(user, sizeof(user), "%.*s", (int)n, b->subject + strlen(ASK));
	if (!name_good(user) || !message_read(&m, b->bytes, b->len))
		return;
	if (!is_for_relay(a, b->subject, &m))
		answer(a, user, &m, came);
	message_end(&m);
}

/* ---- the loop ---- */

static void report_trouble(struct agent *a)
{
	char text[512];

	if (a->bus == NULL)
		return;
	bus_trouble(a->bus, text, sizeof(text));
	if (text[0] != '\0')
		fprintf(stderr, "dtraced: the bus: %s\n", text);
}

/* Hosts of our group leave answers to us from the first word on. */
static void show_presence(struct agent *a)
{
	char subject[2 * NAME_LENGTH];

	if (a->bus == NULL || a->settings.relay[0] == '\0' || now_ns() - a->presence < RELAY_SAYS)
		return;
	a->presence = now_ns();
	message_begin(&a->out, "relay");
	message_put(&a->out, "name", "%s", a->settings.name);
	snprintf(subject, sizeof(subject), RELAY "%s", a->settings.relay);
	(void)bus_send(a->bus, subject, a->out.bytes, a->out.len);
}

static void wait_and_work(struct agent *a, int signals, bool *stop)
{
	struct pollfd fd[2 + 2 * RUNS_MAX + 2 * ALWAYS_MAX];
	int n = a->nruns, more = a->always != NULL ? always_fds(a->always, fd + 2 + 2 * n) : 0;
	struct bus_message *b;

	fd[0] = (struct pollfd){ .fd = a->bus != NULL ? bus_fd(a->bus) : -1, .events = POLLIN };
	fd[1] = (struct pollfd){ .fd = signals, .events = POLLIN };
	for (int i = 0; i < n; i++) {
		const struct run *r = a->run[i];

		fd[2 + 2 * i] = (struct pollfd){ .fd = r->said, .events = POLLIN };
		fd[3 + 2 * i] =
		    (struct pollfd){ .fd = r->waiting < WINDOW && (r->live || r->said < 0) ? r->stream : -1,
			    .events = POLLIN };
	}
	if (poll(fd, (nfds_t)(2 + 2 * n + more), 250) < 0)
		return;
	*stop = fd[1].revents != 0;
	for (int i = n - 1; i >= 0; i--)
		run_work(a, i, fd[2 + 2 * i].revents != 0, fd[3 + 2 * i].revents != 0);
	while (a->bus != NULL && (b = bus_take(a->bus)) != NULL) {
		take_message(a, b);
		bus_free(b);
	}
	show_presence(a);
	report_trouble(a);
	if (a->always != NULL)
		always_work(a, a->always);
}

/* Runs end before the agent does, with their END clauses, and each asker gets an end message. */
static void end_runs(struct agent *a, int signals)
{
	uint64_t until = now_ns() + 8 * SECOND_NS;
	bool again, running = true;

	for (int i = 0; i < a->nruns; i++)
		run_stop(a->run[i], "the agent of this host is stopped");
	while (running && now_ns() < until) {
		running = false;
		for (int i = 0; i < a->nruns; i++)
			running |= a->run[i]->pid != 0;
		wait_and_work(a, -1, &again);
	}
	(void)signals;
	while (a->nruns > 0)
		run_free(a, 0);
	if (a->bus != NULL)
		(void)bus_flush(a->bus);
}

static bool join_group(struct agent *a)
{
	char asked[2 * NAME_LENGTH], there[2 * NAME_LENGTH];

	snprintf(asked, sizeof(asked), "dt.ask.*.in.%s", a->settings.group);
	snprintf(there, sizeof(there), RELAY "%s", a->settings.group);
	return a->settings.group[0] == '\0' ||
	    (bus_subscribe(a->bus, asked) == 0 && bus_subscribe(a->bus, there) == 0);
}

static int join_bus(struct agent *a)
{
	char subject[3 * NAME_LENGTH];

	if (a->settings.bus[0] == '\0') {
		fprintf(stderr, "dtraced: %s runs programs of %s; without a bus nobody else is heard\n",
		    a->settings.name, a->settings.always);
		return 0;
	}
	if ((a->bus = bus_open(&a->settings, "dtraced", true)) == NULL)
		return -1;
	snprintf(subject, sizeof(subject), "dt.ask.*.to.%s", a->token);
	if (bus_subscribe(a->bus, "dt.ask.*.all") != 0 || bus_subscribe(a->bus, subject) != 0 ||
	    !join_group(a)) {
		fprintf(stderr, "dtraced: the bus refuses to be listened to\n");
		return -1;
	}
	if (bus_flush(a->bus))
		fprintf(stderr, "dtraced: %s is on the bus %s\n", a->settings.name, a->settings.bus);
	return 0;
}

static int serve(struct agent *a)
{
	struct always always;
	sigset_t set;
	int signals;
	bool stop = false;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);	/* also in the threads of the library, which come now */
	signals = signalfd(-1, &set, SFD_CLOEXEC);
	if (signals < 0 || always_open(&always, &a->settings) != 0)	/* it forks: before any thread */
		return 1;
	if (join_bus(a) != 0 || always_threads(&always, a->bus) != 0) {
		always_end(a, &always);
		return 1;
	}
	a->always = &always;
	while (!stop && (a->bus == NULL || !bus_closed(a->bus)))
		wait_and_work(a, signals, &stop);
	if (!stop)
		fprintf(stderr, "dtraced: the bus does not let us in any more\n");
	a->always = NULL;
	always_end(a, &always);
	end_runs(a, signals);
	if (a->bus != NULL)
		bus_close(a->bus);
	message_free(&a->out);
	return stop ? 0 : 1;
}

/* ---- the command line ---- */

static int usage(FILE *f, int status)
{
	fputs("usage: dtraced [--bus URL] [--config FILE] [--name NAME] [--label NAME=VALUE]...\n"
	    "\t[--group GROUP] [--relay GROUP]\n"
	    "\tthe agent of this host for dtrace --hosts; dtraced(8) describes the settings\n", f);
	return status;
}

static void make_instance(char text[NAME_LENGTH])
{
	unsigned char v[16] = { 0 };
	FILE *f = fopen("/dev/urandom", "re");

	if (f != NULL) {
		if (fread(v, 1, sizeof(v), f) != sizeof(v))
			memset(v, 0, sizeof(v));
		fclose(f);
	}
	for (size_t i = 0; i < sizeof(v); i++)
		sprintf(text + 2 * i, "%02x", v[i]);
}

static int add_label(struct settings *s, const char *text)
{
	const char *eq = strchr(text, '=');
	char token[NAME_LENGTH];

	if (eq == NULL || s->nlabels == LABELS_MAX || strlen(text) >= sizeof(s->label[0]) ||
	    !name_token(eq + 1, token)) {
		fprintf(stderr, "dtraced: --label %s: it is no NAME=VALUE\n", text);
		return 2;
	}
	strcpy(s->label[s->nlabels++], text);
	return 0;
}

static int set_group(char to[NAME_LENGTH], const char *flag, const char *text)
{
	if (!name_good(text)) {
		fprintf(stderr, "dtraced: %s %s: a group is of letters, digits, - and _\n", flag, text);
		return 2;
	}
	strcpy(to, text);
	return 0;
}

static int read_args(struct settings *s, int argc, char **argv)
{
	static const struct option options[] = {
		{ "bus", required_argument, NULL, 'b' }, { "config", required_argument, NULL, 'c' },
		{ "name", required_argument, NULL, 'n' }, { "label", required_argument, NULL, 'l' },
		{ "group", required_argument, NULL, 'g' }, { "relay", required_argument, NULL, 'r' },
		{ "help", no_argument, NULL, 'h' }, { 0 },
	};
	const char *bus = NULL, *name = NULL;
	int c, status = 0;

	while (status == 0 && (c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'b': bus = optarg; break;
		case 'c': status = settings_read(s, optarg, "dtraced") != 0 ? 2 : 0; break;
		case 'n': name = optarg; break;
		case 'l': status = add_label(s, optarg); break;
		case 'g': status = set_group(s->group, "--group", optarg); break;
		case 'r': status = set_group(s->relay, "--relay", optarg); break;
		case 'h': exit(usage(stdout, 0));
		default: return usage(stderr, 2);
		}
	}
	if (status == 0 && optind < argc)
		return usage(stderr, 2);
	if (bus != NULL)
		snprintf(s->bus, sizeof(s->bus), "%s", bus);
	if (name != NULL)
		snprintf(s->name, sizeof(s->name), "%s", name);
	return status;
}

static bool copy_name(struct settings *s, const char *name)
{
	char token[NAME_LENGTH];

	if (!name_token(name, token))
		return false;
	strcpy(s->name, name);
	return true;
}

static int agent_main(int argc, char **argv)
{
	struct agent *a = calloc(1, sizeof(*a));
	struct utsname host;
	int status;

	if (a == NULL)
		return 1;
	settings_defaults(&a->settings);
	status = read_args(&a->settings, argc, argv);
	if (a->settings.name[0] == '\0' && uname(&host) == 0)
		(void)copy_name(&a->settings, host.nodename);
	if (status == 0 && !name_token(a->settings.name, a->token)) {
		fprintf(stderr,
		    "dtraced: the name of the host has to be of letters, digits, points, - and _, "
		    "at most %d of them: --name\n",
		    NAME_LENGTH - 1);
		status = 2;
	}
	if (status == 0 && a->settings.bus[0] == '\0' && access(a->settings.always, F_OK) != 0) {
		fprintf(stderr, "dtraced: there is nothing to do: neither a bus (--bus URL) "
		    "nor programs that run always (%s)\n", a->settings.always);
		status = 2;
	}
	if (status == 0 && a->settings.relay[0] != '\0' &&
	    strcmp(a->settings.relay, a->settings.group) == 0) {
		fprintf(stderr,
		    "dtraced: a relay cannot be in the group that it asks: give it another --group\n");
		status = 2;
	}
	make_instance(a->instance);
	if (status == 0)
		status = serve(a);
	free(a);
	return status;
}

int main(int argc, char **argv)
{
	const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
	const char *name = slash != NULL ? slash + 1 : argc > 0 ? argv[0] : "";

	signal(SIGPIPE, SIG_IGN);
	setlinebuf(stderr);
	if (argc == 2 && strcmp(argv[1], "--worker") == 0)
		return worker_main();
	if (argc == 2 && strcmp(argv[1], "--relay-worker") == 0)
		return relay_main();
	return strcmp(name, "dtrace-fleet") == 0 ? asker_main(argc, argv) : agent_main(argc, argv);
}
