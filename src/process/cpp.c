/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Script text comes in, preprocessed text goes out. The child reads the script from a memory file, so
 * nothing can block. A `#!` first line becomes empty, so line numbers stay.
 */
#include "process/cpp.h"
#include "base/count.h"
#include "machine/machine.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int write_all(int fd, const char *text, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			text += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

/* The script as a file to be read from its start. A pipe would need a process to fill it. */
static int script_fd(const struct dt_cpp *c)
{
	const char *text = c->text;
	size_t len = c->len;
	int fd = memfd_create("script", MFD_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	if (len >= 2 && text[0] == '#' && text[1] == '!') {
		const char *nl = memchr(text, '\n', len);

		len = nl != NULL ? len - (size_t)(nl - text) : 0;
		text = nl != NULL ? nl : text;
	}
	err = write_all(fd, text, len);
	if (err == 0 && lseek(fd, 0, SEEK_SET) < 0)
		err = -errno;
	if (err != 0) {
		close(fd);
		return err;
	}
	return fd;
}

/*
 * The last lines are for C headers: GNU C words that say nothing about types vanish, and those that
 * name types become standard C. 128-bit integers, which D lacks, become 16 bytes that D cannot compute
 * with.
 */
static const char *const fixed[] = {
	"-D__SUNW_D=1",
	"-D__SUNW_D_64",
	"-D__unix",
	"-D__SVR4",
	"-D__linux",
	"-D__Linux",
	"-U__GNUC__",
	"-D__attribute__(xyz)=",
	"-D__attribute(xyz)=",
	"-D__asm__(xyz)=",
	"-D__asm(xyz)=",
	"-D_Static_assert(a,b)=",
	"-D_Alignas(xyz)=",
	"-D__extension__=",
	"-D__inline=",
	"-D__inline__=",
	"-D_Noreturn=",
	"-D__restrict=",
	"-D__restrict__=",
	"-D__thread=",
	"-D_Thread_local=",
	"-D__const=const",
	"-D__volatile__=volatile",
	"-D__signed__=signed",
	"-D__signed=signed",
	"-D__builtin_va_list=void *",
	"-D__float128=long double",
	"-D_Complex=",
	"-U__SIZEOF_INT128__",
	"-D__int128_t=long double",
	"-D__uint128_t=long double",
};
#define NFIXED (DT_COUNT(fixed))

struct command {
	char **argv;
	char version[48];
	char *include;		/* "-Idir" of the script */
};

/* The historic macros first, then ours, then the user's -D, -U and -I, which therefore win. */
static int build_command(const struct dt_cpp *c, struct command *cmd)
{
	const char *slash = c->name != NULL ? strrchr(c->name, '/') : NULL;
	size_t n = 0;

	cmd->argv = calloc(NFIXED + c->nargs + 9, sizeof(char *));
	if (cmd->argv == NULL)
		return -ENOMEM;
	if (asprintf(&cmd->include, "-I%.*s", slash != NULL ? (int)(slash - c->name) + 1 : 1,
		slash != NULL ? c->name : ".") < 0) {
		free(cmd->argv);
		return -ENOMEM;
	}
	snprintf(cmd->version, sizeof(cmd->version), "-D__SUNW_D_VERSION=0x%08x",
	    (c->version >> 16 & 0xff) << 24 | (c->version >> 8 & 0xff) << 12 | (c->version & 0xff));
	cmd->argv[n++] = (char *)(c->path != NULL ? c->path : "cpp");
	for (size_t i = 0; i < NFIXED; i++)
		cmd->argv[n++] = (char *)fixed[i];
	cmd->argv[n++] = (char *)dt_machine_here()->define;
	cmd->argv[n++] = cmd->version;
	if (c->headers)
		cmd->argv[n++] = (char *)"-H";
	if (c->traditional)
		cmd->argv[n++] = (char *)"-traditional-cpp";
	for (size_t i = 0; i < c->nargs; i++)
		cmd->argv[n++] = (char *)c->args[i];
	cmd->argv[n++] = cmd->include;
	cmd->argv[n++] = (char *)"-";
	return 0;
}

/* Its stderr is ours, where its messages belong. */
static int start_preprocessor(const struct dt_cpp *c, int in, int out, pid_t *pid)
{
	posix_spawn_file_actions_t fa;
	struct command cmd = { 0 };
	int err = build_command(c, &cmd);

	if (err != 0)
		return err;
	err = -posix_spawn_file_actions_init(&fa);
	if (err == 0) {
		posix_spawn_file_actions_adddup2(&fa, in, STDIN_FILENO);
		posix_spawn_file_actions_adddup2(&fa, out, STDOUT_FILENO);
		err = -posix_spawnp(pid, cmd.argv[0], &fa, NULL, cmd.argv, environ);
		posix_spawn_file_actions_destroy(&fa);
	}
	free(cmd.include);
	free(cmd.argv);
	return err;
}

/* 127 is what a shell, and posix_spawn() on some systems, says when there is no such program. */
static int wait_for_preprocessor(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return -ENOENT;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -ECHILD;
}

/*
 * Its output is read to the end before it is waited for, so it can never block on a full pipe. *out is
 * the caller's only when this returns 0.
 */
int dt_cpp_run(const struct dt_cpp *c, size_t max, char **out, size_t *outlen)
{
	int in = script_fd(c), pipefd[2], err, status;
	pid_t pid;

	if (in < 0)
		return in;
	if (pipe2(pipefd, O_CLOEXEC) != 0) {
		err = -errno;
		close(in);
		return err;
	}
	err = start_preprocessor(c, in, pipefd[1], &pid);
	close(in);
	close(pipefd[1]);
	if (err == 0) {
		err = dt_file_readfd(pipefd[0], max, out, outlen);
		close(pipefd[0]);	/* a preprocessor that has more to say ends by SIGPIPE */
		pipefd[0] = -1;
		status = wait_for_preprocessor(pid);
		if (err == 0 && status != 0) {
			free(*out);
			err = status;
		}
	}
	if (pipefd[0] >= 0)
		close(pipefd[0]);
	return err;
}
