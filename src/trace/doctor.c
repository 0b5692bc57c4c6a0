/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What this kernel and these rights allow, row by row (trace/doctor.def), each found by trying. Nothing here
 * needs a right: what cannot be tried without one is not known, and the row says so. Nothing is left behind.
 */
#include "handle/entry.h"

#include "base/count.h"
#include "base/file.h"
#include "bpf/image.h"
#include "dif/builtin.h"
#include "kernel/kernel.h"
#include "kernel/kfunc.h"
#include "kernel/rights.h"
#include "kernel/tracefs.h"
#include "process/cgroup.h"
#include "process/gate.h"
#include "trace/trace.h"
#include "session/perf_event.h"
#include "session/session.h"
#include "session/uprobe.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum { YES = DTRACE_ABLE_YES, NO = DTRACE_ABLE_NO, UNKNOWN = DTRACE_ABLE_UNKNOWN };
enum { DOCTOR_USER, DOCTOR_PID, DOCTOR_BTF, DOCTOR_UPROBE, DOCTOR_KPTR, DOCTOR_PARANOID };
enum { DOCTOR_FENTRY, DOCTOR_KPROBE, DOCTOR_MULTI, DOCTOR_CLOCK, DOCTOR_CYCLES };

/* What is found out once, for all rows. */
struct doctor {
	struct dtrace_hdl *h;
	int permitted;			/* 0: programs can be loaded; or -errno */
	bool process;			/* the engine process can run */
	struct dt_kfunc_methods methods;
};

static int yes_if(bool yes) { return yes ? YES : NO; }

/* What only a program can tell is not known while none can be loaded. */
static int if_tried(const struct doctor *d, bool yes) { return d->permitted == 0 ? yes_if(yes) : UNKNOWN; }

/* The whole of a small file of the kernel, which the caller frees; NULL: it cannot be read. */
static char *text_of(const char *path)
{
	char *text = NULL;
	size_t len;

	return dt_file_read(path, 1 << 16, &text, &len) == 0 ? text : NULL;
}

static int ask_program(const struct doctor *d, int arg)
{
	(void)arg;
	return yes_if(d->permitted == 0);
}

/* A ring of one page, closed at once. */
static int ask_ring(const struct doctor *d, int arg)
{
	uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
	int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "dt_doctor", 0, 0, page, NULL);

	(void)arg;
	if (fd >= 0)
		close(fd);
	return if_tried(d, fd >= 0);
}

/* ---- processes without rights ---- */

/* A child of ours: no security module that lets anybody trace refuses that one. */
static bool may_ptrace(void)
{
	pid_t pid = fork();
	bool may = false;

	if (pid == 0)
		for (;;)
			pause();
	if (pid > 0) {
		may = ptrace(PTRACE_SEIZE, pid, NULL, NULL) == 0;
		kill(pid, SIGKILL);
		while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
			;
	}
	return may;
}

/* Code of the engine is a file without a name that is mapped to be executed. */
static bool may_map_code(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = memfd_create("dt_doctor", MFD_CLOEXEC);
	void *at = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, (off_t)page) == 0)
		at = mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	if (at != MAP_FAILED)
		munmap(at, page);
	if (fd >= 0)
		close(fd);
	return at != MAP_FAILED;
}

static int ask_process(const struct doctor *d, int arg)
{
	(void)arg;
	return yes_if(d->process);
}

/* Yama's switch: 1 permits children and their descendants alone, 2 needs the right, 3 permits nothing. */
static int ask_scope(const struct doctor *d, int arg)
{
	char *text = text_of("/proc/sys/kernel/yama/ptrace_scope");
	long scope = text != NULL ? strtol(text, NULL, 10) : 0;

	(void)d, (void)arg;
	free(text);
	return yes_if(scope == 0 || (scope < 3 && dt_rights_has(CAP_SYS_PTRACE) == 1));
}

/* The kernel takes CAP_SYS_ADMIN for the two that were once a part of it. */
static int ask_capability(const struct doctor *d, int cap)
{
	int has = dt_rights_has(cap);

	(void)d;
	if (has == 0 && (cap == CAP_BPF || cap == CAP_PERFMON))
		has = dt_rights_has(CAP_SYS_ADMIN);
	return has < 0 ? UNKNOWN : yes_if(has == 1);
}

static int ask_namespace(const struct doctor *d, int which)
{
	int first = which == DOCTOR_USER ? dt_rights_first_user_namespace() : dt_rights_first_pid_namespace();

	(void)d;
	return first < 0 ? UNKNOWN : yes_if(first == 1);
}

/* Files that only exist, or can only be read, if the kernel has the thing. */
static int ask_readable(const struct doctor *d, int which)
{
	(void)d;
	return yes_if(access(which == DOCTOR_BTF ? "/sys/kernel/btf/vmlinux" :
	    "/sys/bus/event_source/devices/uprobe/type", R_OK) == 0);
}

static int ask_tracefs(const struct doctor *d, int arg)
{
	int fd = dt_tracefs_open("events", O_RDONLY | O_DIRECTORY);

	(void)d;
	(void)arg;
	if (fd >= 0)
		close(fd);
	return yes_if(fd >= 0);
}

/* With kptr_restrict the symbols are there, but their addresses are 0. */
static int ask_kernel_names(const struct doctor *d, int arg)
{
	struct dt_kernel *k = dt_kernel_new(d->h->arena);
	bool hidden = dt_rights_hide_names(k);

	(void)arg;
	dt_kernel_free(k);
	return yes_if(!hidden);
}

/* Both switches allow enough at 0 and 1, and too little above. */
static int ask_at_most(const struct doctor *d, int which)
{
	char *text = text_of(which == DOCTOR_KPTR ? "/proc/sys/kernel/kptr_restrict" :
	    "/proc/sys/kernel/perf_event_paranoid");
	int answer = text != NULL ? yes_if(strtol(text, NULL, 10) <= 1) : UNKNOWN;

	(void)d;
	free(text);
	return answer;
}

static int ask_lockdown(const struct doctor *d, int arg)
{
	enum dt_lockdown level = dt_rights_lockdown();

	(void)d;
	(void)arg;
	return level == DT_LOCKDOWN_UNKNOWN ? UNKNOWN : yes_if(level == DT_LOCKDOWN_NONE);
}

/* Kprobes show in a list of the kernel's; the other methods have to be tried with a program. */
static int ask_functions(const struct doctor *d, int which)
{
	return which == DOCTOR_KPROBE ? yes_if(d->methods.kprobe) :
	    if_tried(d, which == DOCTOR_FENTRY ? d->methods.fentry : d->methods.multi);
}

static int ask_uprobe_multi(const struct doctor *d, int arg)
{
	(void)arg;
	return if_tried(d, dt_uprobe_multi());
}

/* Counting cycles needs hardware: without the rights it is not known whether there is any. */
static int ask_counter(const struct doctor *d, int which)
{
	const char *name = which == DOCTOR_CLOCK ? "cpu_clock" : "cycles";
	struct dt_perf_row row;
	int err = dt_perf_event_find(name, strlen(name), &row) ? dt_perf_event_try(&row) : -ENOENT;

	(void)d;
	return err == -EPERM && which == DOCTOR_CYCLES ? UNKNOWN : yes_if(err == 0);
}

/* A program with a call of the helper is tried. */
static int ask_helper(const struct doctor *d, int helper)
{
	return if_tried(d, dt_features_helper(helper));
}

/* Beside version 1 those of version 2 are there, but are not what containers and services are put into. */
static int ask_cgroups(const struct doctor *d, int arg)
{
	const char *root = d->h->options.str[DT_OPT_hostroot];
	struct dt_cgroups *groups = NULL;
	bool whole = dt_cgroups_open(root != NULL ? root : "", &groups) == 0 && dt_cgroups_alone(groups);

	(void)arg;
	dt_cgroups_close(groups);
	return yes_if(whole);
}

static int ask_gate(const struct doctor *d, int arg)
{
	(void)d;
	(void)arg;
	return yes_if(dt_gate_able() == 0);
}

/* One row of doctor.def: the question, its argument, and the text for the user. */
static const struct {
	const char *name;
	int (*ask)(const struct doctor *, int arg);
	int arg;
	bool needed;
	const char *gives, *change;
} rows[] = {
#define ABLE(...) { __VA_ARGS__ },
#include "trace/doctor.def"
#undef ABLE
};

/* Without the rights to try it, those come first. */
static const char *change_of(const struct doctor *d, size_t i, int found)
{
	if (found == YES)
		return NULL;
	if (found == UNKNOWN && d->permitted != 0)
		return "the rights above are needed to find out";
	return rows[i].change;
}

/*
 * Asks each row in the order of the list; rows further down depend on those above. The caller's nonzero value
 * ends it.
 */
static int ask_rows(struct dtrace_hdl *h, dtrace_ability_f *f, void *arg)
{
	struct doctor d = { .h = h, .permitted = dt_features_permitted(),
		.process = dt_engine_in(DT_IN_PROCESS) != NULL && may_ptrace() && may_map_code() };
	uint32_t tryout = 0;
	int rv = 0;

	if (d.permitted == 0 && h->types != NULL)
		tryout = dt_types_function_id(h->types, "bpf_fentry_test1");
	dt_kfunc_probe(&d.methods, tryout);
	for (size_t i = 0; i < DT_COUNT(rows) && rv == 0; i++) {
		int found = rows[i].ask(&d, rows[i].arg);
		dtrace_ability_t row = { .dta_name = rows[i].name, .dta_gives = rows[i].gives,
			.dta_change = change_of(&d, i, found), .dta_found = found,
			.dta_needed = rows[i].needed ? 1 + d.process : 0 };

		rv = f(h, &row, arg);
	}
	return rv;
}

int dtrace_ability_iter(dtrace_hdl_t *h, dtrace_ability_f *f, void *arg)
{
	if (f == NULL)
		return dt_handle_error(h, EINVAL);
	DT_PUBLIC(h, -1, ask_rows(h, f, arg));
}
