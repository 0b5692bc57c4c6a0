/* SPDX-License-Identifier: BSD-2-Clause */
/* The command of -c, as all commands split it. */
#ifndef DT_CMD_COMMON_SPLIT_H
#define DT_CMD_COMMON_SPLIT_H

/*
 * Its words, with a NULL at the end, as one allocation that the caller frees. Quotes keep white space in a
 * word and go away, and a backslash takes the next character as it is; that is all of the shell there is.
 * NULL: *why says what is wrong.
 */
char **split_command(const char *command, const char **why);

#endif
