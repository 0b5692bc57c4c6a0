/* SPDX-License-Identifier: BSD-2-Clause */
#include "worker_process.h"

#include "base.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define ANSWER_MAX (4u << 20)
#define ANSWER_MS 20000
#define END_MS 3000
#define END_HOSTS_MS 20000		/* hosts are asked to end, and one that is silent is waited for */

/* A file in memory: it needs no reader, so a long program blocks no writer. */
static int text_file(const char *text, size_t len)
{
	int fd = memfd_create("program", MFD_CLOEXEC);

	for (size_t at = 0; fd >= 0 && at < len;) {
		ssize_t n = write(fd, text + at, len - at);

		if (n <= 0) {
			close(fd);
			return -1;
		}
		at += (size_t)n;
	}
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}

static const char **words(const struct args *w, const char *mode, const char *pid)
{
	const char **v = calloc((size_t)w->npass + 8, sizeof(*v));
	int n = 0;

	if (v == NULL)
		return NULL;
	v[n++] = "dtrace-web";
	v[n++] = "--worker";
	v[n++] = mode;
	if (pid != NULL) {
		v[n++] = "-p";
		v[n++] = pid;
	}
	for (int i = 0; i < w->npass; i++) {
		bool process = strcmp(w->pass[i], "-p") == 0 || strcmp(w->pass[i], "-c") == 0;

		if (strcmp(w->pass[i], "--") == 0)
			pid = NULL;			/* operands follow */
		if (process && pid != NULL)
			i++;
		else
			v[n++] = w->pass[i];
	}
	return v;
}

static void close_all(const int *fds, int n)
{
	for (int i = 0; i < n; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

/* Its descriptors: the program, what it says, its recording, those of hosts (-1: none). 0, or errno. */
static int spawn(struct child *c, const char **argv, const int fds[4])
{
	posix_spawn_file_actions_t act;
	int err;

	posix_spawn_file_actions_init(&act);
	posix_spawn_file_actions_adddup2(&act, fds[0], 0);
	posix_spawn_file_actions_adddup2(&act, fds[1], 1);
	if (fds[2] >= 0)
		posix_spawn_file_actions_adddup2(&act, fds[2], STREAM_FD);
	if (fds[3] >= 0)
		posix_spawn_file_actions_adddup2(&act, fds[3], HOSTS_FD);
	err = posix_spawn(&c->pid, "/proc/self/exe", &act, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&act);
	return err;
}

int child_start(struct child *c, const struct args *w, const char *mode, const char *pid, const char *text,
    size_t len)
{
	const char **argv = words(w, mode, pid);
	int in = text_file(text, len), out[2] = { -1, -1 }, stream[2] = { -1, -1 }, hosts[2] = { -1, -1 };
	bool traces = strcmp(mode, "trace") == 0;
	int err;

	*c = (struct child){ .out = -1, .stream = -1, .hosts = -1 };
	if (argv == NULL || in < 0 || pipe2(out, O_CLOEXEC) != 0 ||
	    (traces && pipe2(stream, O_CLOEXEC) != 0) ||
	    (traces && w->hosts != NULL && pipe2(hosts, O_CLOEXEC) != 0))
		err = errno;
	else
		err = spawn(c, argv, (const int[]){ in, out[1], stream[1], hosts[1] });
	close_all((const int[]){ in, out[1], stream[1], hosts[1] }, 4);
	if (err != 0) {
		close_all((const int[]){ out[0], stream[0], hosts[0] }, 3);
	} else {
		c->out = out[0];
		c->stream = stream[0];
		c->hosts = hosts[0];
	}
	free(argv);
	errno = err;
	return err == 0 ? 0 : -1;
}

static char *read_all(int fd)
{
	uint64_t until = now_ns() + ANSWER_MS * 1000000ull, now;
	char *text = malloc(ANSWER_MAX + 1);
	size_t n = 0;

	while (text != NULL && (now = now_ns()) < until && n < ANSWER_MAX) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		ssize_t got = poll(&p, 1, (int)((until - now) / 1000000) + 1) > 0 ?
		    read(fd, text + n, ANSWER_MAX - n) : 0;

		if (got < 0 && errno == EINTR)
			continue;
		if (got == 0 && p.revents != 0) {
			text[n] = '\0';
			return text;
		}
		n += got > 0 ? (size_t)got : 0;
	}
	free(text);
	return NULL;
}

char *child_ask(const struct args *w, const char *mode, const char *pid, const char *text, size_t len)
{
	struct child c;
	char *answer;

	if (child_start(&c, w, mode, pid, text, len) != 0)
		return NULL;
	answer = read_all(c.out);
	close(c.out);
	child_end(&c);
	return answer;
}

void child_end(struct child *c)
{
	kill(c->pid, SIGTERM);
	for (int ms = 0; ms < (c->hosts >= 0 ? END_HOSTS_MS : END_MS); ms += 10) {
		if (waitpid(c->pid, NULL, WNOHANG) != 0)
			return;
		usleep(10000);
	}
	kill(c->pid, SIGKILL);
	waitpid(c->pid, NULL, 0);
}
