/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * provider_checks DIR: what security modules and capabilities are asked for, between two calls of times(2):
 * 4 files opened, 2 modes changed, 1 file removed, chroot(2) 3 times as root; then a child without
 * capabilities asks for chroot(2) twice, in vain. provider_checks audit-on, audit-off: the kernel's audit,
 * with a rule for mkdirat(2). provider_checks mkdir DIR: 3 folders made and removed.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/netlink.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <unistd.h>

static void must(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		_exit(2);
	}
}

static void send_audit(int type, const void *data, size_t len)
{
	struct { struct nlmsghdr h; char data[sizeof(struct audit_rule_data) + 64]; } m = {
		.h = { .nlmsg_len = (uint32_t)(sizeof(m.h) + len), .nlmsg_type = (uint16_t)type,
		    .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK } };
	struct { struct nlmsghdr h; struct nlmsgerr e; char room[4096]; } answer;
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_AUDIT);

	memcpy(m.data, data, len);
	must(fd >= 0 && send(fd, &m, m.h.nlmsg_len, 0) >= 0, "audit");
	do {
		must(recv(fd, &answer, sizeof(answer), 0) > 0, "audit's answer");
	} while (answer.h.nlmsg_type != NLMSG_ERROR);
	errno = -answer.e.error;
	must(answer.e.error == 0, "audit's answer");
	close(fd);
}

static void audit(int on)
{
	struct audit_status status = { .mask = AUDIT_STATUS_ENABLED, .enabled = (uint32_t)on };
	struct audit_rule_data rule = { .flags = AUDIT_FILTER_EXIT, .action = AUDIT_ALWAYS };

	rule.mask[AUDIT_WORD(SYS_mkdirat)] = (uint32_t)AUDIT_BIT(SYS_mkdirat);
	send_audit(on ? AUDIT_ADD_RULE : AUDIT_DEL_RULE, &rule, sizeof(rule));
	send_audit(AUDIT_SET, &status, sizeof(status));
}

static void folders(void)
{
	char name[] = "f0";

	for (int i = 0; i < 3; i++) {
		name[1] = (char)('0' + i);
		must(syscall(SYS_mkdirat, AT_FDCWD, name, 0700) == 0 && rmdir(name) == 0, "mkdirat");
	}
}

static void checks(void)
{
	struct tms t;

	times(&t);
	for (int i = 0; i < 4; i++)
		close(open("checked", O_CREAT | O_RDWR, 0600));
	must(chmod("checked", 0640) == 0 && chmod("checked", 0600) == 0 && unlink("checked") == 0, "chmod");
	for (int i = 0; i < 3; i++)
		must(chroot("/") == 0, "chroot");
	times(&t);
	if (fork() == 0) {
		must(setresuid(65534, 65534, 65534) == 0, "setresuid");
		for (int i = 0; i < 2; i++)
			must(chroot("/") < 0 && errno == EPERM, "chroot in vain");
		_exit(0);
	}
	wait(NULL);
}

int main(int argc, char **argv)
{
	if (argc == 2 && strncmp(argv[1], "audit-", 6) == 0) {
		audit(strcmp(argv[1], "audit-on") == 0);
		return 0;
	}
	must(argc >= 2 && chdir(argv[argc - 1]) == 0, "DIR");
	if (argc == 3)
		folders();
	else
		checks();
	return 0;
}
