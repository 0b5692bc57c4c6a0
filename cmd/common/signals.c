/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals in, flags out. These are the command's only variables that live outside of a function, because a
 * signal handler has no other way to speak.
 */
#include "signals.h"

#include "base.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* Written by signal handlers; `asked` is taken back once it was answered. */
static volatile sig_atomic_t interrupted, since;	/* since: milliseconds, at the first signal */
static volatile sig_atomic_t asked;			/* for the aggregations as they are */
static volatile sig_atomic_t begun;			/* there may be something to show */

static dtrace_hdl_t *volatile tracing;
static volatile pid_t passed_to;			/* 0: nobody */

/* Signals that come within this time are one. */
#define SIGNAL_WINDOW_MS 300
/* A start that goes on for longer than this after a signal is given up. */
#define START_TIMEOUT_US 50000

/*
 * Compiling, loading and attaching can take long, and have nothing to show. Whatever they wait for, the
 * kernel removes what there is of it when we are gone.
 */
static void on_late(int sig)
{
	const char *name = program_invocation_short_name;

	(void)sig;
	if (begun)
		return;
	(void)!write(STDERR_FILENO, name, strlen(name));
	(void)!write(STDERR_FILENO, ": interrupted\n", 14);
	_exit(1);
}

/*
 * A second signal ends the process at once; the kernel removes what it traced. But timeout(1) signals its
 * child and then its whole group: signals that arrive together are one request to stop, and what was
 * counted is still printed. On a busy machine there may be some time between the two.
 */
static void on_signal(int sig)
{
	static const struct itimerval soon = { .it_value.tv_usec = START_TIMEOUT_US };
	sig_atomic_t ms;

	(void)sig;
	ms = (sig_atomic_t)(now_ns() / 1000000 % 1000000000);
	if (interrupted && (ms < since || ms > since + SIGNAL_WINDOW_MS))
		_exit(1);
	if (!interrupted)
		since = ms;
	if (!interrupted && !begun)
		setitimer(ITIMER_REAL, &soon, NULL);
	interrupted = 1;
	if (passed_to > 0)
		kill(passed_to, SIGTERM);
	if (tracing != NULL)
		dtrace_interrupt(tracing);
}

void signals_pass_to(pid_t pid)
{
	passed_to = pid;
	if (interrupted && pid > 0)
		kill(pid, SIGTERM);
}

void signals_for(dtrace_hdl_t *dtp)
{
	tracing = dtp;
	if (interrupted && dtp != NULL)
		dtrace_interrupt(dtp);
}

void signals_begun(void)
{
	begun = 1;
}

static void on_usr1(int sig)
{
	(void)sig;
	asked = 1;
}

bool signals_interrupted(void)
{
	return interrupted != 0;
}

bool signals_asked(void)
{
	return asked != 0;
}

void signals_answered(void)
{
	asked = 0;
}

/* A handler, not SIG_IGN: commands that we start would inherit that. */
static void on_nothing(int sig)
{
	(void)sig;
}

void signals_begin(void)
{
	struct sigaction sa = { .sa_handler = on_nothing, .sa_flags = SA_RESTART };

	sigemptyset(&sa.sa_mask);
	sigaction(SIGXFSZ, &sa, NULL);
}

/*
 * SIGPIPE stays as it is: without a reader of our output we end, as any other tool does, and nothing of a
 * trace outlives its process.
 */
void signals_catch(void)
{
	struct sigaction sa = { .sa_handler = on_signal }, show = { .sa_handler = on_usr1 };
	struct sigaction old, late = { .sa_handler = on_late, .sa_flags = SA_RESTART };

	/* Shells without job control start background commands with SIGINT ignored; who sends it means it. */
	sigemptyset(&sa.sa_mask);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGQUIT, &sa, NULL);
	sigemptyset(&show.sa_mask);
	sigaction(SIGUSR1, &show, NULL);
	sigemptyset(&late.sa_mask);
	sigaction(SIGALRM, &late, NULL);
	if (sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler != SIG_IGN)	/* nohup */
		sigaction(SIGHUP, &sa, NULL);
}
