/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The methods by which functions of the running kernel can be traced. Configurations and lockdown differ
 * in each, and none can be asked for: each is tried on something harmless.
 */
#include "kernel/kfunc.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { IN_REGISTERS = 6 };	/* arguments that every kernel's trampolines pass */

static const struct bpf_insn nothing[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
	{ .code = BPF_JMP | BPF_EXIT },
};

static int load_nothing(enum bpf_prog_type type, enum bpf_attach_type at, uint32_t btf_id, int btf)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = at, .attach_btf_id = btf_id,
	    .attach_btf_obj_fd = (uint32_t)btf);

	return bpf_prog_load(type, NULL, "Dual BSD/GPL", nothing, 2, &opts);
}

/* Some kernels allow the load and refuse the attachment, so it is attached for a moment. */
static bool can_attach(int prog)
{
	int link = bpf_raw_tracepoint_open(NULL, prog);

	if (link >= 0)
		close(link);
	return link >= 0;
}

static bool has_fentry(uint32_t btf_id)
{
	int prog = btf_id != 0 ? load_nothing(BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, btf_id, 0) : -1;
	bool good = prog >= 0 && can_attach(prog);

	if (prog >= 0)
		close(prog);
	return good;
}

/*
 * Tries a function that does not exist: "no such function" comes from kernels that understood the
 * request.
 */
static bool has_multi(void)
{
	const char *names[] = { "dt:no:such:function" };
	LIBBPF_OPTS(bpf_link_create_opts, opts, .kprobe_multi.syms = names, .kprobe_multi.cnt = 1);
	int prog = load_nothing(BPF_PROG_TYPE_KPROBE, BPF_TRACE_KPROBE_MULTI, 0, 0), link, err;

	if (prog < 0)
		return false;
	link = bpf_link_create(prog, 0, BPF_TRACE_KPROBE_MULTI, &opts);
	err = errno;
	close(prog);
	if (link >= 0)
		close(link);
	return link >= 0 || err == ESRCH || err == ENOENT;
}

static bool has_kprobe(void)
{
	return access("/sys/bus/event_source/devices/kprobe/type", R_OK) == 0;
}

void dt_kfunc_probe(struct dt_kfunc_methods *m, uint32_t btf_id)
{
	m->kprobe = has_kprobe();
	m->multi = has_multi();
	m->fentry = has_fentry(btf_id);
}

/* The type data of a module have its name. */
static bool is_btf_of(int fd, const char *target, size_t len)
{
	char name[64] = "";
	struct bpf_btf_info info = { .name = (uint64_t)(uintptr_t)name, .name_len = sizeof(name) };
	uint32_t size = sizeof(info);

	return bpf_obj_get_info_by_fd(fd, &info, &size) == 0 && info.kernel_btf && strlen(name) == len &&
	    memcmp(name, target, len) == 0;
}

int dt_kfunc_btf(const char *target)
{
	const char *tick = strchr(target, '`');
	uint32_t id = 0;
	int fd;

	if (tick == NULL)
		return 0;
	while (bpf_btf_get_next_id(id, &id) == 0) {
		fd = bpf_btf_get_fd_by_id(id);
		if (fd >= 0 && is_btf_of(fd, target, (size_t)(tick - target)))
			return fd;
		if (fd >= 0)
			close(fd);
		else if (errno != ENOENT)	/* gone meanwhile */
			return -errno;
	}
	return -ENOENT;
}

bool dt_kfunc_trampoline(const char *target, uint32_t btf_id, bool ret, uint32_t words)
{
	int btf = dt_kfunc_btf(target);
	int prog = btf >= 0 ?
	    load_nothing(BPF_PROG_TYPE_TRACING, ret ? BPF_TRACE_FEXIT : BPF_TRACE_FENTRY, btf_id, btf) :
	    -1;

	bool good = prog >= 0 && (words <= IN_REGISTERS || can_attach(prog));

	if (btf > 0)
		close(btf);
	if (prog >= 0)
		close(prog);
	return good;
}

bool dt_kfunc_likely(void) { return has_kprobe() || has_multi(); }

bool dt_kfunc_any(uint32_t btf_id)
{
	return dt_kfunc_likely() || has_fentry(btf_id);
}
