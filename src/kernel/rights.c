/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc/self, /proc/kallsyms and lockdown of securityfs in, rights out. */
#include "kernel/rights.h"
#include "base/file.h"
#include "kernel/kernel.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int dt_rights_has(int cap)
{
	static const char label[] = "\nCapEff:";
	char *text;
	size_t len;
	int err = dt_file_read("/proc/self/status", 1 << 16, &text, &len);
	const char *line;

	if (err)
		return err;
	line = strstr(text, label);
	err = line ? (int)(strtoull(line + sizeof(label) - 1, NULL, 16) >> cap & 1) : -ENOENT;
	free(text);
	return err;
}

/* kptr_restrict 2 hides them from everybody; that the symbol has the address 0 tells both. */
bool dt_rights_hide_names(struct dt_kernel *k)
{
	uint64_t addr = 0;

	return dt_kernel_symbol(k, "vmlinux", "_stext", &addr, NULL) != 0 || addr == 0;
}

const char *dt_rights_names_withheld(void)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	int first = f != NULL ? fgetc(f) : EOF;
	long hidden = 0;

	if (f != NULL)
		fclose(f);
	if (first == EOF)
		return "/proc/kallsyms, the list of them, is missing or empty (mount /proc; CONFIG_KALLSYMS)";
	f = fopen("/proc/sys/kernel/kptr_restrict", "re");
	if (f != NULL) {
		hidden = fscanf(f, "%ld", &hidden) == 1 ? hidden : 0;
		fclose(f);
	}
	return hidden > 1 ? "the kernel hides them (sysctl kernel.kptr_restrict=1 shows them)" : NULL;
}

/* The namespaces that the kernel began with have inodes of their own (include/linux/proc_ns.h). */
static int is_first(const char *path, ino_t first)
{
	struct stat st;

	return stat(path, &st) == 0 ? st.st_ino == first : -errno;
}

int dt_rights_first_user_namespace(void) { return is_first("/proc/self/ns/user", 0xeffffffd); }
int dt_rights_first_pid_namespace(void) { return is_first("/proc/self/ns/pid", 0xeffffffc); }

enum dt_lockdown dt_rights_lockdown(void)
{
	enum dt_lockdown level = DT_LOCKDOWN_UNKNOWN;
	char *text;
	size_t len;

	if (dt_file_read("/sys/kernel/security/lockdown", 4096, &text, &len) != 0)
		return level;
	if (strstr(text, "[none]") != NULL)
		level = DT_LOCKDOWN_NONE;
	else if (strstr(text, "[integrity]") != NULL)
		level = DT_LOCKDOWN_INTEGRITY;
	else if (strstr(text, "[confidentiality]") != NULL)
		level = DT_LOCKDOWN_CONFIDENTIALITY;
	free(text);
	return level;
}

#define REFUSED "DTrace requires additional privileges"

/* CAP_SYS_ADMIN stands for both. */
const char *dt_rights_missing(void)
{
	bool admin = dt_rights_has(CAP_SYS_ADMIN) == 1;

	return admin || (dt_rights_has(CAP_BPF) == 1 && dt_rights_has(CAP_PERFMON) == 1) ? NULL :
	    REFUSED " (run it as root, or with CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE)";
}

/* Lockdown refuses perf events and kprobes to everybody. */
const char *dt_rights_why_refused(void)
{
	const char *missing = dt_rights_missing();

	if (missing != NULL)
		return missing;
	if (dt_rights_first_user_namespace() == 0)
		return REFUSED " (the capabilities of a user namespace do not count, as in a rootless "
		    "container: run it outside, or in a container that root has started with CAP_BPF and "
		    "CAP_PERFMON)";
	if (dt_rights_lockdown() == DT_LOCKDOWN_CONFIDENTIALITY)
		return REFUSED " (the kernel is locked down, see /sys/kernel/security/lockdown: boot it with "
		    "lockdown=integrity or lockdown=none)";
	return REFUSED " (the capabilities are there: a seccomp profile, a security module or lockdown "
	    "forbids bpf(2) or perf_event_open(2); docker run --security-opt seccomp=unconfined allows them)";
}
