/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lacking FEATURE... -- COMMAND...: runs a command as on a kernel that lacks the features named. Calls of
 * bpf(2) and perf_event_open(2), by the command and all it starts, come here first (seccomp user
 * notification): requests that need a missing feature get the error, and the line of the verifier, that a
 * kernel without it gives; all others go on to the real kernel. Status: that of the command; 125: this cannot
 * be done here.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_SUPPORTED = 524, INSNS_MAX = 1 << 20 };	/* ENOTSUPP of the kernel is in no header */
enum kind { EVENT, SYSCALL, MAP, HELPER, PROGRAM, LINK };

/* What is asked for by which number, and the kernel's answer where it is missing. */
static const struct feature {
	const char *name;
	enum kind kind;
	uint32_t number;
	int err;
} features[] = {
	{ "bpf", SYSCALL, 0, ENOSYS },			/* without CONFIG_BPF_SYSCALL */
	{ "bpf_permitted", SYSCALL, 0, EPERM },		/* a container's seccomp profile */
	{ "perf_event", EVENT, 0, ENOSYS },		/* without CONFIG_PERF_EVENTS */
	{ "perf_event_permitted", EVENT, 0, EPERM },
	{ "ringbuf", MAP, 27, EINVAL },			/* 5.8 */
	{ "task_storage", MAP, 29, EINVAL },		/* 5.11, as the next */
	{ "task_storage", HELPER, 156, EINVAL },
	{ "stack_trace", MAP, 7, EINVAL },		/* without CONFIG_PERF_EVENTS */
	{ "bpf_loop", HELPER, 181, EINVAL },		/* 5.17 */
	{ "task_btf", HELPER, 158, EINVAL },		/* 5.11 */
	{ "send_signal", HELPER, 109, EINVAL },		/* 5.3 */
	{ "probe_write_user", HELPER, 36, EINVAL },	/* lockdown=integrity */
	{ "probe_read_kernel", HELPER, 113, EINVAL },		/* lockdown=confidentiality */
	{ "fentry", PROGRAM, BPF_PROG_TYPE_TRACING, NOT_SUPPORTED },
	{ "perf_link", LINK, 41, EINVAL },		/* 5.15 */
	{ "kprobe_multi", LINK, 42, EINVAL },		/* 5.18 */
	{ "uprobe_multi", LINK, 48, EINVAL },		/* 6.6 */
};

struct lacks { bool of[sizeof(features) / sizeof(features[0])]; };

/* The filter asks us about the two calls, and lets pass all others. */
static int install_filter(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_bpf, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { sizeof(code) / sizeof(code[0]), code };

	return (int)syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &prog);
}

static bool copy_in(pid_t pid, void *to, uint64_t from, size_t n)
{
	struct iovec here = { to, n }, there = { (void *)(uintptr_t)from, n };

	return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)n;
}

static void copy_out(pid_t pid, uint64_t to, const char *text)
{
	struct iovec here = { (void *)(uintptr_t)text, strlen(text) + 1 };
	struct iovec there = { (void *)(uintptr_t)to, here.iov_len };

	(void)!process_vm_writev(pid, &here, 1, &there, 1, 0);
}

/* Whether a program calls the helper. If so, its log gets the line of a verifier that does not know it. */
static bool calls(pid_t pid, const union bpf_attr *a, uint32_t helper)
{
	size_t n = a->insn_cnt <= INSNS_MAX ? a->insn_cnt : 0;
	struct bpf_insn *insns = calloc(n + 1, sizeof(*insns));
	bool found = false;
	char line[64];

	if (insns == NULL || !copy_in(pid, insns, a->insns, n * sizeof(*insns)))
		n = 0;
	for (size_t i = 0; i < n && !found; i++)
		found = insns[i].code == (BPF_JMP | BPF_CALL) && insns[i].src_reg == 0 &&
		    insns[i].imm == (int32_t)helper;
	free(insns);
	snprintf(line, sizeof(line), "invalid func unknown#%u\n", helper);
	if (found && a->log_buf != 0 && a->log_size > sizeof(line))
		copy_out(pid, a->log_buf, line);
	return found;
}

static bool asks_for(const struct feature *f, pid_t pid, const struct seccomp_data *d,
    const union bpf_attr *a)
{
	uint64_t cmd = d->args[0];

	if (d->nr != __NR_bpf)
		return f->kind == EVENT;
	switch (f->kind) {
	case SYSCALL: return true;
	case MAP: return cmd == BPF_MAP_CREATE && a->map_type == f->number;
	case HELPER: return cmd == BPF_PROG_LOAD && calls(pid, a, f->number);
	case PROGRAM: return cmd == BPF_PROG_LOAD && a->prog_type == f->number;
	case LINK: return cmd == BPF_LINK_CREATE && a->link_create.attach_type == f->number;
	default: return false;
	}
}

/* 0: the kernel decides. */
static int answer(const struct lacks *lacks, pid_t pid, const struct seccomp_data *d)
{
	union bpf_attr a;
	size_t size = d->args[2] < sizeof(a) ? d->args[2] : sizeof(a);

	memset(&a, 0, sizeof(a));
	if (d->nr == __NR_bpf && !copy_in(pid, &a, d->args[1], size))
		return 0;
	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++)
		if (lacks->of[i] && asks_for(&features[i], pid, d, &a))
			return -features[i].err;
	return 0;
}

static void serve(int listener, const struct lacks *lacks)
{
	struct seccomp_notif ask;
	struct seccomp_notif_resp say;

	memset(&ask, 0, sizeof(ask));
	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &ask) != 0)
		return;			/* the caller was killed meanwhile */
	say = (struct seccomp_notif_resp){ .id = ask.id, .error = answer(lacks, (pid_t)ask.pid, &ask.data) };
	say.flags = say.error == 0 ? SECCOMP_USER_NOTIF_FLAG_CONTINUE : 0;
	(void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &say);
}

static int supervise(int listener, pid_t child, const struct lacks *lacks)
{
	int pidfd = (int)syscall(__NR_pidfd_open, child, 0), status = 0;
	struct pollfd fds[] = { { .fd = listener, .events = POLLIN }, { .fd = pidfd, .events = POLLIN } };

	if (pidfd < 0)
		return 125;
	while (poll(fds, 2, -1) >= 0 || errno == EINTR) {
		if (fds[0].revents & POLLIN)
			serve(listener, lacks);
		else if (fds[1].revents & POLLIN)
			break;
	}
	if (waitpid(child, &status, 0) != child)
		return 125;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool choose(struct lacks *lacks, const char *name)
{
	bool known = false;

	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++)
		if (strcmp(features[i].name, name) == 0)
			known = lacks->of[i] = true;
	if (!known)
		fprintf(stderr, "lacking: no feature %s\n", name);
	return known;
}

int main(int argc, char **argv)
{
	struct lacks lacks = { { false } };
	int i = 1, listener;
	pid_t child;

	for (; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (!choose(&lacks, argv[i]))
			return 125;
	if (i + 1 >= argc) {
		fprintf(stderr, "usage: lacking FEATURE... -- COMMAND...\n");
		return 125;
	}
	/* Both of us have the filter; the listener is closed on exec. */
	listener = install_filter();
	if (listener < 0) {
		fprintf(stderr, "lacking: seccomp: %s\n", strerror(errno));
		return 125;
	}
	child = fork();
	if (child == 0) {
		execvp(argv[i + 1], argv + i + 1);
		fprintf(stderr, "lacking: %s: %s\n", argv[i + 1], strerror(errno));
		_exit(127);
	}
	return child < 0 ? 125 : supervise(listener, child, &lacks);
}
