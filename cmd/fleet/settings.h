/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file that says where the bus is and who we are there; for an agent also what it may be asked
 * (doc/FLEET.md). A line is a word and what belongs to it; # begins a comment.
 */
#ifndef DT_CMD_FLEET_SETTINGS_H
#define DT_CMD_FLEET_SETTINGS_H

#include "message.h"

enum { LABELS_MAX = 32, POLICIES_MAX = 64, PROVIDERS_LENGTH = 512 };

struct policy {				/* `allow USER word=value…` */
	char user[NAME_LENGTH];		/* or * */
	char providers[PROVIDERS_LENGTH];	/* ,a,b, or empty: all */
	char cgroup[256];		/* "": all processes */
	long seconds;			/* 0: as long as the asker wants */
	long memory;			/* MiB of address space; 0: no limit */
	long runs;			/* at once */
};

struct settings {
	char bus[512], ca[256], cert[256], key[256];
	char user[NAME_LENGTH]; /* how askers are known: the token of their subjects; and to the server */
	char password_file[256], nkey[128], seed[256];
	char name[NAME_LENGTH];		/* of the host */
	char group[NAME_LENGTH];	/* of hosts that a relay asks, which this host is in; "" none */
	char relay[NAME_LENGTH];	/* the group that this agent asks; "": it is no relay */
	char label[LABELS_MAX][128];
	int nlabels;
	struct policy policy[POLICIES_MAX];
	int npolicies;
	long runs;			/* of all users at once */
	/* programs that run always (always.h) */
	char always[256];		/* their folder */
	struct { long memory, cpu, rate, samples; } budget;	/* of each: MiB, % of a CPU, records a s */
	char metrics[64];		/* [ADDRESS:]PORT where Prometheus finds them; "": nowhere */
	char hostroot[256];		/* where the files of the host are, for names of containers; "": / */
	char otlp[256];			/* http://…; "": nowhere */
	long otlp_every;		/* seconds */
	long otlp_profiles;		/* index into otlp_schemas; 0: no profiles are sent */
	/* what programs have recorded, in a stream of the bus: its name, "" none; and how often, how much */
	char history[NAME_LENGTH];
	long history_every, history_age, history_size;	/* seconds, hours, MiB */
};

/* Supported versions of OTLP profiles; ends with NULL. */
extern const char *const otlp_schemas[];

void settings_defaults(struct settings *);
/* 0, or -1 after a message that begins with `who`. */
int settings_read(struct settings *, const char *path, const char *who);
/* The first that names the user, or *; NULL: nobody may ask. */
const struct policy *settings_policy(const struct settings *, const char *user);

#endif
