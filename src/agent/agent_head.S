/* SPDX-License-Identifier: BSD-2-Clause */
/* struct dt_agent_head, the first bytes of the agent: distances, so that it works wherever it lies. */
	.macro	helper number, function
	.org	dt_agent_head + 20 + 4 * \number
	.long	\function - dt_agent_head
	.endm

	.section .head, "a"
	.balign	64
	.global	dt_agent_head
	.hidden	dt_agent_head
dt_agent_head:
	.long	0x41544450		/* DT_AGENT_MAGIC */
	.long	dt_agent_end - dt_agent_head
	.long	dt_agent_entry - dt_agent_head
	.long	dt_agent_run - dt_agent_head
	.long	dt_agent_entry_bare - dt_agent_head
	helper	1, dt_agent_map_lookup_elem
	helper	2, dt_agent_map_update_elem
	helper	3, dt_agent_map_delete_elem
	helper	5, dt_agent_ktime_get_ns
	helper	7, dt_agent_get_prandom_u32
	helper	8, dt_agent_get_smp_processor_id
	helper	14, dt_agent_get_current_pid_tgid
	helper	15, dt_agent_get_current_uid_gid
	helper	16, dt_agent_get_current_comm
	helper	35, dt_agent_get_current_task
	helper	36, dt_agent_probe_write_user
	helper	67, dt_agent_get_stack
	helper	109, dt_agent_send_signal
	helper	112, dt_agent_probe_read_user
	helper	113, dt_agent_probe_read_kernel
	helper	114, dt_agent_probe_read_user_str
	helper	115, dt_agent_probe_read_kernel_str
	helper	130, dt_agent_ringbuf_output
	helper	131, dt_agent_ringbuf_reserve
	helper	132, dt_agent_ringbuf_submit
	helper	133, dt_agent_ringbuf_discard
	helper	156, dt_agent_task_storage_get
	helper	158, dt_agent_get_current_task	/* get_current_task_btf */
	helper	174, dt_agent_get_attach_cookie
	helper	175, dt_agent_task_pt_regs
	helper	180, dt_agent_find_vma
	helper	181, dt_agent_loop
	helper	212, dt_agent_process		/* DT_HELPER_PROCESS */
	helper	213, dt_agent_sys_enter	/* DT_HELPER_SYS_ENTER */
	helper	214, dt_agent_sys_exit		/* DT_HELPER_SYS_EXIT */
	helper	215, dt_agent_slot		/* DT_HELPER_SLOT */
	.org	dt_agent_head + 20 + 4 * 216	/* DT_AGENT_HELPERS */

	.section .note.GNU-stack, "", %progbits
