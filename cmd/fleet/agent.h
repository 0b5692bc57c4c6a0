/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dtraced: it tells askers which host this is, and runs what they ask for within the policy of its settings,
 * each program in a process of its own (agent_worker.c), so that a trace can be ended whatever it does and
 * nothing stays attached when any of us is killed. A relay runs programs on the hosts of its group: its
 * workers are askers, and what they merge goes up as the stream of one host.
 */
#ifndef DT_CMD_FLEET_AGENT_H
#define DT_CMD_FLEET_AGENT_H

#include "bus.h"

#include <dtrace.h>
#include <poll.h>
#include <sys/types.h>

enum { STREAM_FD = 3, RUNS_MAX = 64, WINDOW = 4 << 20, DONE_MAX = 256 };
#define RELAY_SAYS (2 * SECOND_NS)	/* so often a relay says that it is there */
#define RELAY_GONE (7 * SECOND_NS)	/* without a word of it hosts answer for themselves again */
#define SECOND_NS 1000000000ull
#define ASKER_GONE (10 * SECOND_NS)	/* without a word of the asker */

struct chunk { char *bytes; size_t len; };	/* a message that the asker has not confirmed yet */

struct run {
	char user[NAME_LENGTH], id[NAME_LENGTH];
	char root[NAME_LENGTH];		/* the asker's own run: that of a relay has another id */
	pid_t pid;			/* 0: it has ended */
	int said, stream;		/* descriptors; -1: no more */
	int status;
	struct chunk *chunk;		/* of numbers first … first + n - 1 */
	uint64_t first, n, cap;
	size_t waiting;			/* bytes of them */
	char *text;			/* what the worker says */
	size_t len;
	bool cut;			/* it has said more than we keep */
	bool live, finished;		/* the worker's probes are enabled; the end was sent */
	bool ends;			/* the asker wants the end, once it is live */
	const char *reason;		/* why we have ended it; NULL: we have not */
	uint64_t heard, until, killed;	/* times: of the asker, of the policy, when we have asked it to end */
};

struct agent {
	struct settings settings;
	struct bus *bus;
	char token[NAME_LENGTH], instance[NAME_LENGTH];
	uint64_t relayed, presence;	/* times: a relay of our group was there; we were, as a relay */
	struct { char user[NAME_LENGTH], root[NAME_LENGTH]; } done[DONE_MAX];	/* the last ones counted */
	unsigned ndone;
	struct run *run[RUNS_MAX];
	int nruns;
	struct out_message out;
	struct always *always;		/* programs of its own; NULL until they may be started */
	struct { uint64_t asked, begun, refused; } counts;
};

/* agent_runs.c */
void run_begin(struct agent *, const char *user, const struct message *);
struct run *run_find(struct agent *, const char *user, const char *id);
void run_beat(struct agent *, struct run *, const struct message *);
void run_stop(struct run *, const char *reason);	/* NULL: the asker wants it */
void run_send(struct agent *, const char *user, const char *id);	/* a->out, to the asker */
void run_bye(struct agent *, int i, bool counted);	/* the asker needs it no more */
/* Takes what workers have written, and ends what has to end. fds are those that poll() found something at. */
void run_work(struct agent *, int i, bool said, bool stream);
void run_free(struct agent *, int i);
void run_refuse(struct agent *, const char *user, const char *id, const char *kind, const char *text);

/* mode: --worker or --relay-worker. Its standard input is `in`; what it says, its stream. 0, or an errno. */
int worker_spawn(const char *mode, int in, pid_t *, int *said, int *stream);
int worker_request(const char *bytes, size_t len);	/* such an input; -1 */

/* agent_worker.c: the process that traces; the request is its standard input */
int worker_main(void);
bool worker_begin(struct message *);	/* reads the request; false: it cannot be read */

int relay_main(void);			/* relay.c: the same for a relay */

int asker_main(int argc, char **argv);	/* asker.c: dtrace-fleet */

#endif
