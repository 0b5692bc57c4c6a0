/* SPDX-License-Identifier: BSD-2-Clause */
/* What all commands and tools do alike with their command line. */
#ifndef DT_CMD_COMMON_ARGUMENTS_H
#define DT_CMD_COMMON_ARGUMENTS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/*
 * The long options that mean the same in every command and tool, also where history gave their letters
 * another meaning: --help, --pid, --name, --container, --time.
 */
enum { ARG_HELP = 256, ARG_PID, ARG_NAME, ARG_CONTAINER, ARG_TIME };
extern const struct option arguments_common[];

/*
 * getopt() gave '?' or ':' and optopt: one sentence on stderr names the option and points at --help. `name`
 * is the command's. Returns 2, the status to exit with.
 */
int arguments_refuse(const char *name, int c, char *const *argv);
/* Words are missing, or there are too many: a line with `usage` that points at --help. Returns 2. */
int arguments_usage(const char *name, const char *usage);
/* A number from `least` to `most` without anything after it. No message. */
bool arguments_number(const char *text, long least, long most, long *out);
/*
 * The only process whose name, as /proc/PID/comm has it, is `wanted`. 0, or 2 after a message: there is
 * none, or there are several. This process itself does not count.
 */
int arguments_process(const char *name, const char *wanted, pid_t *out);
/* A name as the kernel keeps it, as a string constant of D, cut to `size`. */
void arguments_quote(const char *name, char *out, size_t size);
/* The time of day on a line of its own, as D's %Y has it. */
void arguments_put_time(FILE *);

#endif
