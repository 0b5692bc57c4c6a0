/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What this kernel can do, found by trying: a program that only calls a helper is refused because of
 * the helper if it does not exist, and for another reason (or not at all) if it does. Each question
 * takes about 20 µs.
 */
#include "session/impl.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <unistd.h>

bool dt_features_helper(int helper)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_JMP | BPF_CALL, .imm = helper },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	char log[4096] = "";
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .log_level = 1, .log_buf = log, .log_size = sizeof(log));
	int fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, NULL, "Dual BSD/GPL", insns, 2, &opts);

	if (fd >= 0) {
		close(fd);
		return true;
	}
	/* "invalid func unknown#…", "unknown func …", "program of this type cannot use helper …" */
	return log[0] && !strstr(log, "invalid func ") && !strstr(log, "unknown func ") &&
	    !strstr(log, "cannot use helper ");
}

/* The question about privileges: loads the smallest program. */
static int try_load(void)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, NULL, "Dual BSD/GPL", insns, 2, NULL);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

int dt_features_permitted(void)
{
	int err = try_load();

	return err == -EACCES ? -EPERM : err;
}

int dt_features_probe(struct dt_features *f, char *msg, size_t len)
{
	int err = dt_features_permitted();

	*f = (struct dt_features){ 0 };
	if (err == -ENOSYS)
		return dt_session_fail(msg, len, err, "this kernel has no eBPF, which DTrace needs");
	if (err)
		return dt_session_fail(msg, len, err, "cannot load the smallest eBPF program");
#define FEATURE(name, helper) f->name = dt_features_helper(helper);
#include "bpf/features.def"
#undef FEATURE
	return 0;
}
