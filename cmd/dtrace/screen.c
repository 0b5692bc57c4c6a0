/* SPDX-License-Identifier: BSD-2-Clause */
/* See screen.h. */
#include "screen.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* The other screen, no cursor, long lines are cut by the terminal; and back. */
#define ENTER "\033[?1049h\033[?25l\033[?7l"
#define LEAVE "\033[?7h\033[?25h\033[?1049l"

enum { KEPT = 256 << 10, TAIL = 4096 };	/* text that is kept for the end, and the part that is shown */

static void put(int fd, const char *text, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return;
		text += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
}

static void restore(const struct termios *saved)
{
	put(STDOUT_FILENO, LEAVE, sizeof(LEAVE) - 1);
	(void)tcsetattr(STDOUT_FILENO, TCSANOW, saved);
}

/*
 * The child has nothing but the terminal and one end of a pipe. The other end is closed by its parent, or
 * by the parent's end: either way the terminal is to be restored. It ignores signals.
 */
static void wait_for_end(int pipe, const struct termios *saved)
{
	char c;

	dup2(pipe, STDIN_FILENO);
	close_range(STDERR_FILENO, ~0u, 0);
	while (read(STDIN_FILENO, &c, 1) < 0 && errno == EINTR)
		;
	restore(saved);
	_exit(0);
}

static void start_guard(struct screen *s)
{
	sigset_t all, old;
	int fds[2];

	s->guard = -1;
	if (pipe2(fds, O_CLOEXEC) != 0)
		return;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	s->child = fork();
	if (s->child == 0)
		wait_for_end(fds[0], &s->saved);
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(fds[0]);
	if (s->child > 0)
		s->guard = fds[1];
	else
		close(fds[1]);
}

/* The child restores the terminal in any case; when it has, we go on. */
static void end_guard(struct screen *s)
{
	if (s->guard < 0) {
		restore(&s->saved);
		return;
	}
	close(s->guard);
	while (waitpid(s->child, NULL, 0) < 0 && errno == EINTR)
		;
}

/* Signals of the terminal still come; ^Z does not, as it would leave the screen to the shell. */
static void set_keys(const struct termios *saved)
{
	struct termios raw = *saved;

	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	raw.c_cc[VSUSP] = _POSIX_VDISABLE;
	(void)tcsetattr(STDOUT_FILENO, TCSANOW, &raw);
}

static bool open_kept(struct screen *s)
{
	int fd;

	s->messages = -1;
	s->kept = memfd_create("dtrace", MFD_CLOEXEC);
	fd = s->kept >= 0 && fcntl(s->kept, F_SETFL, O_APPEND) == 0 ? fcntl(s->kept, F_DUPFD_CLOEXEC, 3) : -1;
	s->text = fd >= 0 ? fdopen(fd, "a") : NULL;
	return s->text != NULL;
}

bool screen_open(struct screen *s)
{
	if (tcgetattr(STDOUT_FILENO, &s->saved) != 0 || !open_kept(s)) {
		fprintf(stderr, "dtrace: --live: %s\n", strerror(errno));
		return false;
	}
	fflush(stdout);
	fflush(stderr);
	s->keys = isatty(STDIN_FILENO) ? STDIN_FILENO : open("/dev/tty", O_RDONLY | O_CLOEXEC);
	start_guard(s);
	s->open = true;
	if (isatty(STDERR_FILENO) && (s->messages = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)) >= 0)
		dup2(s->kept, STDERR_FILENO);
	set_keys(&s->saved);
	put(STDOUT_FILENO, ENTER, sizeof(ENTER) - 1);
	return true;
}

/* Writes what is kept; the terminal is an ordinary one again. */
static void put_kept(struct screen *s)
{
	char block[4096];
	off_t at = 0;
	ssize_t n;

	if (s->lost)
		fprintf(stderr, "dtrace: more was printed than --live keeps; this is the end of it\n");
	while ((n = pread(s->kept, block, sizeof(block), at)) > 0) {
		put(STDOUT_FILENO, block, (size_t)n);
		at += n;
	}
}

void screen_close(struct screen *s)
{
	if (!s->open)
		return;
	s->open = false;
	fflush(s->text);
	fflush(stderr);
	end_guard(s);
	if (s->messages >= 0) {
		dup2(s->messages, STDERR_FILENO);
		close(s->messages);
	}
	put_kept(s);
	fclose(s->text);
	close(s->kept);
	if (s->keys > STDERR_FILENO)
		close(s->keys);
}

void screen_size(int *rows, int *columns)
{
	struct winsize size;

	*rows = 24;
	*columns = 80;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
		*rows = size.ws_row;
		*columns = size.ws_col;
	}
}

int screen_wait(struct screen *s, int fd, int ms)
{
	struct pollfd p[] = { { .fd = fd, .events = POLLIN }, { .fd = s->keys, .events = POLLIN } };
	unsigned char key;

	if (poll(p, 2, ms) <= 0 || p[1].revents == 0)
		return 0;
	if (read(s->keys, &key, 1) == 1)
		return key;
	s->keys = -1;		/* the terminal is gone */
	return 0;
}

void screen_draw(const char *frame, size_t len)
{
	put(STDOUT_FILENO, frame, len);
}

/* Forgets all but the end of what is kept when there is too much of it. */
static void forget(struct screen *s, off_t size)
{
	char *end = malloc(KEPT / 2);
	ssize_t n = end != NULL ? pread(s->kept, end, KEPT / 2, size - KEPT / 2) : -1;

	if (n > 0 && ftruncate(s->kept, 0) == 0) {
		put(s->kept, end, (size_t)n);
		s->lost = true;
	}
	free(end);
}

char *screen_tail(struct screen *s, int lines)
{
	char *text = malloc(TAIL + 1), *p;
	off_t size;
	ssize_t n;

	fflush(s->text);
	fflush(stderr);
	if ((size = lseek(s->kept, 0, SEEK_END)) > KEPT)
		forget(s, size);
	size = lseek(s->kept, 0, SEEK_END);
	n = text != NULL && size > 0 ? pread(s->kept, text, TAIL, size > TAIL ? size - TAIL : 0) : 0;
	if (n <= 0) {
		free(text);
		return NULL;
	}
	text[n - (text[n - 1] == '\n')] = '\0';
	text[n] = '\0';
	for (p = text + strlen(text); p > text; p--)
		if (p[-1] == '\n' && --lines == 0)
			break;
	memmove(text, p, strlen(p) + 1);
	return text;
}
