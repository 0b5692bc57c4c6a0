/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The number of the process as whoever traces knows it, to r0: what is written beside its addresses, and compared with the processes that
 * are to be traced. In a container that is its number there; of a process outside of it 0, which nobody has.
 */
#include "bpf/build.h"

void dt_process_number(struct dt_emit *a, const struct dt_image_opts *o, int room)
{
	if (o->pidns_ino == 0) {
		dt_call(a, BPF_FUNC_get_current_pid_tgid);
		dt_alui(a, BPF_RSH, R0, 32);
		return;
	}
	dt_sti(a, B8, FP, room, 0);
	dt_imm(a, R1, o->pidns_dev);
	dt_imm(a, R2, o->pidns_ino);
	dt_fpaddr(a, R3, room);
	dt_imm(a, R4, 8);		/* struct bpf_pidns_info: the thread, the process */
	dt_call(a, BPF_FUNC_get_ns_current_pid_tgid);
	dt_ldx(a, B4, R0, FP, room + 4);
}
