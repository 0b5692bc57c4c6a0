/* SPDX-License-Identifier: BSD-2-Clause */
/* What all commands and tools do alike with their command line. */
#ifndef DT_CMD_COMMON_ARGUMENTS_H
#define DT_CMD_COMMON_ARGUMENTS_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * getopt() gave '?' or ':' and optopt: one sentence on stderr names the option and points at --help. `name`
 * is the command's. Returns 2, the status to exit with.
 */
int arguments_refuse(const char *name, int c, char *const *argv);
/* A number from `least` to `most` without anything behind it. No message. */
bool arguments_number(const char *text, long least, long most, long *out);
/*
 * The only process whose name, as /proc/PID/comm has it, is `wanted`. 0, or 2 after a message: there is
 * none, or there are several. This process itself does not count.
 */
int arguments_process(const char *name, const char *wanted, pid_t *out);

#endif
