/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What this kernel and these rights allow, row by row (lib/doctor.def), each found by trying. Nothing here
 * needs a right: what cannot be tried without one is not known, and the row says so. Nothing is left behind.
 */
#include "lib/entry.h"

#include "base/count.h"
#include "base/file.h"
#include "bpf/image.h"
#include "kernel/kernel.h"
#include "kernel/kfunc.h"
#include "kernel/rights.h"
#include "kernel/tracefs.h"
#include "process/gate.h"
#include "session/perf_event.h"
#include "session/session.h"
#include "session/uprobe.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { YES = DTRACE_ABLE_YES, NO = DTRACE_ABLE_NO, UNKNOWN = DTRACE_ABLE_UNKNOWN };
enum { DOCTOR_USER, DOCTOR_PID, DOCTOR_BTF, DOCTOR_UPROBE, DOCTOR_KPTR, DOCTOR_PARANOID };
enum { DOCTOR_FENTRY, DOCTOR_KPROBE, DOCTOR_MULTI, DOCTOR_CLOCK, DOCTOR_CYCLES };

/* What is found out once, for all rows. */
struct doctor {
	struct dtrace_hdl *h;
	int permitted;			/* 0: programs can be loaded; or -errno */
	struct dt_kfunc_means means;
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

/* The kernel takes CAP_SYS_ADMIN for the two that were once a part of it. */
static int ask_capability(const struct doctor *d, int cap)
{
	int has = dt_rights_has(cap);

	(void)d;
	if (has == 0 && (cap == CAP_BPF || cap == CAP_PERFMON))
		has = dt_rights_has(CAP_SYS_ADMIN);
	return has < 0 ? UNKNOWN : yes_if(has == 1);
}

/* The namespaces that the kernel began with have inodes of their own (include/linux/proc_ns.h). */
static int ask_namespace(const struct doctor *d, int which)
{
	struct stat st;

	(void)d;
	if (stat(which == DOCTOR_USER ? "/proc/self/ns/user" : "/proc/self/ns/pid", &st) != 0)
		return UNKNOWN;
	return yes_if(st.st_ino == (which == DOCTOR_USER ? 0xeffffffd : 0xeffffffc));
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
	char *text = text_of("/sys/kernel/security/lockdown");
	int answer = text != NULL ? yes_if(strstr(text, "[none]") != NULL) : UNKNOWN;

	(void)d;
	(void)arg;
	free(text);
	return answer;
}

/* Kprobes show in a list of the kernel's; the other means have to be tried with a program. */
static int ask_functions(const struct doctor *d, int which)
{
	return which == DOCTOR_KPROBE ? yes_if(d->means.kprobe) :
	    if_tried(d, which == DOCTOR_FENTRY ? d->means.fentry : d->means.multi);
}

static int ask_uprobe_multi(const struct doctor *d, int arg)
{
	(void)arg;
	return if_tried(d, dt_uprobe_multi());
}

/* Counting cycles needs hardware: without the rights nobody knows whether there is any. */
static int ask_counter(const struct doctor *d, int which)
{
	const char *name = which == DOCTOR_CLOCK ? "cpu_clock" : "cycles";
	struct dt_perf_row row;
	int err = dt_perf_event_find(name, strlen(name), &row) ? dt_perf_event_try(&row) : -ENOENT;

	(void)d;
	return err == -EPERM && which == DOCTOR_CYCLES ? UNKNOWN : yes_if(err == 0);
}

static int ask_feature(const struct doctor *d, int arg)
{
	struct dt_features f;
	char msg[256];

	(void)arg;
	return if_tried(d, dt_features_probe(&f, msg, sizeof(msg)) == 0 && f.probe_write_user);
}

static int ask_gate(const struct doctor *d, int arg)
{
	(void)d;
	(void)arg;
	return yes_if(dt_gate_able() == 0);
}

/* One row of doctor.def: the question, its argument, and what the user is told. */
static const struct {
	const char *name;
	int (*ask)(const struct doctor *, int arg);
	int arg;
	bool needed;
	const char *gives, *change;
} rows[] = {
#define ABLE(...) { __VA_ARGS__ },
#include "lib/doctor.def"
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
	struct doctor d = { .h = h, .permitted = dt_features_permitted() };
	uint32_t tryout = 0;
	int rv = 0;

	if (d.permitted == 0 && h->types != NULL)
		tryout = dt_types_function_id(h->types, "bpf_fentry_test1");
	dt_kfunc_probe(&d.means, tryout);
	for (size_t i = 0; i < DT_COUNT(rows) && rv == 0; i++) {
		int found = rows[i].ask(&d, rows[i].arg);
		dtrace_ability_t row = { .dta_name = rows[i].name, .dta_gives = rows[i].gives,
			.dta_change = change_of(&d, i, found), .dta_found = found,
			.dta_needed = rows[i].needed };

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
