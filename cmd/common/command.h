/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands that this binary is: it is called by its name, and is dtrace where it has another. */
#ifndef DT_CMD_COMMON_COMMAND_H
#define DT_CMD_COMMON_COMMAND_H

int dtrace_command(int argc, char **argv);
int dtruss_command(int argc, char **argv);
int lockstat_command(int argc, char **argv);
int plockstat_command(int argc, char **argv);

#endif
