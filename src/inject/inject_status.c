/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc/PID/status comes in, what it says about tracing goes out; and why a process cannot be traced. */
#include "inject/inject_impl.h"
#include "base/file.h"
#include "base/printable.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STATUS_MAX = 64 << 10, CAP_PTRACE = 19 };

/* The text after "Name:" of a line; NULL: there is no such line. */
static const char *line_of(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = text; p != NULL && *p != '\0'; p = strchr(p, '\n'), p += p != NULL)
		if (strncmp(p, name, len) == 0 && p[len] == ':')
			return p + len + 1;
	return NULL;
}

static uint32_t number_of(const char *text, const char *name, int nth, int base)
{
	const char *p = line_of(text, name);
	unsigned long v = 0;
	char *end;

	for (int i = 0; p != NULL && i <= nth; i++, p = end) {
		unsigned long next = strtoul(p, &end, base);

		if (end == p || memchr(p, '\n', (size_t)(end - p)) != NULL)
			break;
		v = next;
	}
	return (uint32_t)v;
}

/* The last number of NSpid is the one in the innermost namespace. */
static uint32_t last_of(const char *text, const char *name) { return number_of(text, name, 64, 10); }

int dt_inject_status(pid_t pid, pid_t tid, struct dt_inject_status *s)
{
	char path[64], *text;
	const char *state;
	size_t len;
	int err;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)pid, (int)tid);
	err = dt_file_read(path, STATUS_MAX, &text, &len);
	if (err != 0)
		return err == -ENOENT ? -ESRCH : err;
	state = line_of(text, "State");
	*s = (struct dt_inject_status){
		.state = state != NULL ? state[strspn(state, " \t")] : '?',
		.uid = number_of(text, "Uid", 0, 10), .euid = number_of(text, "Uid", 1, 10),
		.gid = number_of(text, "Gid", 0, 10),
		.tracer = number_of(text, "TracerPid", 0, 10), .parent = number_of(text, "PPid", 0, 10),
		.self = last_of(text, "NSpid"), .seccomp = number_of(text, "Seccomp", 0, 10),
		.filters = number_of(text, "Seccomp_filters", 0, 10),
		.kernel = line_of(text, "VmSize") == NULL,
	};
	if (s->self == 0)
		s->self = (uint32_t)tid;
	free(text);
	return 0;
}

static void name_of(uint32_t pid, char *name, size_t len)
{
	char path[64], *text;
	size_t n;

	snprintf(name, len, "?");
	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	if (dt_file_read(path, 256, &text, &n) != 0)
		return;
	text[strcspn(text, "\n")] = '\0';
	if (text[0] != '\0')
		snprintf(name, len, "%s", text);
	for (char *p = name; *p != '\0'; p++)	/* the name is the other process's own choice */
		if ((unsigned char)*p < ' ' || *p == 127)
			*p = '?';
	free(text);
}

/* ---- why not ---- */

static int ptrace_scope(void)
{
	char *text;
	size_t len;
	int scope = 0;

	if (dt_file_read("/proc/sys/kernel/yama/ptrace_scope", 16, &text, &len) == 0) {
		scope = atoi(text);
		free(text);
	}
	return scope;
}

static bool may_trace_all(void)
{
	char *text;
	const char *caps;
	size_t len;
	bool can = false;

	if (dt_file_read("/proc/self/status", STATUS_MAX, &text, &len) == 0) {
		caps = line_of(text, "CapEff");
		can = caps != NULL && (strtoull(caps, NULL, 16) >> CAP_PTRACE & 1) != 0;
		free(text);
	}
	return can;
}

/* The kernel shows files of processes that are not dumpable as root's. */
static bool dumpable(pid_t pid, const struct dt_inject_status *s)
{
	struct stat st;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	return stat(path, &st) != 0 || st.st_uid == s->euid;
}

int dt_inject_busy(uint32_t tracer, char *msg, size_t len)
{
	char name[32];

	name_of(tracer, name, sizeof(name));
	snprintf(msg, len, "it is traced by process %u (%s): a process has one tracer; end that one first",
	    tracer, name);
	return -EBUSY;
}

/* Why the kernel refuses; %u is for the user's number. */
static const char *reason(pid_t pid, const struct dt_inject_status *s)
{
	int scope = ptrace_scope();

	if (scope == 3)
		return "kernel.yama.ptrace_scope is 3: no process can be traced until the next boot";
	if (may_trace_all())
		return "a security module, or its user namespace, does not allow it";
	if (s->uid != getuid())
		return "it is a process of another user (%u): run dtrace as that user or as root";
	if (s->euid != s->uid)
		return "it is a set-user-ID program of user %u: run dtrace as root";
	if (!dumpable(pid, s))
		return "it does not allow tracing (not dumpable: set-user-ID, capabilities, an unreadable "
		    "program file, or prctl(PR_SET_DUMPABLE)): run dtrace as root";
	if (scope == 1)
		return "kernel.yama.ptrace_scope is 1: only its parent can trace it; start the program with "
		    "`dtrace -c`, run dtrace as root, or set it to 0 (sysctl kernel.yama.ptrace_scope=0)";
	if (scope == 2)
		return "kernel.yama.ptrace_scope is 2: only root can trace processes";
	return "a security module, or its user namespace, does not allow it";
}

int dt_inject_explain(pid_t pid, int err, char *msg, size_t len)
{
	struct dt_inject_status s;

	if (err == -ESRCH || dt_inject_status(pid, pid, &s) != 0) {
		snprintf(msg, len, "it has ended");
		return -ESRCH;
	}
	if (err != -EPERM && err != -EACCES) {
		snprintf(msg, len, "%s", strerror(-err));
		return err;
	}
	if (s.tracer != 0 && s.tracer != (uint32_t)gettid())
		return dt_inject_busy(s.tracer, msg, len);
	snprintf(msg, len, reason(pid, &s), s.uid != getuid() ? s.uid : s.euid);
	return -EPERM;
}
