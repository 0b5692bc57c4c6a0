/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One binary, several commands: each is a link to it, and its name says which one is meant. So they
 * share the library without a library path, and each needs a row here and a folder beside this file.
 */
#include "base.h"
#include "command.h"
#include "signals.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>

/* By the last part of argv[0]. */
static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "dtrace", dtrace_command },
	{ "dtruss", dtruss_command },
	{ "lockstat", lockstat_command },
	{ "plockstat", plockstat_command },
};

/*
 * Descriptors 0 to 2 that are closed would be those of the next files that are opened: messages would be
 * written into them. Writing to a standard output that is not there stays an error.
 */
static void fill_streams(void)
{
	static const int flags[] = { O_RDONLY, O_RDONLY, O_WRONLY };

	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", flags[fd]) < 0)
			(void)!open("/", O_PATH);	/* occupies the number if /dev/null is missing */
}

/* Under any other name the binary is dtrace, so that a copy or a test may be called what it likes. */
int main(int argc, char **argv)
{
	const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL, *name = slash != NULL ?
	    slash + 1 : argv[0];

	fill_streams();
	signals_begin();
	for (size_t i = 0; argc > 0 && i < COUNT(commands); i++)
		if (strcmp(name, commands[i].name) == 0)
			return commands[i].run(argc, argv);
	return dtrace_command(argc, argv);
}
