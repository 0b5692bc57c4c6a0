/* SPDX-License-Identifier: BSD-2-Clause */
/* The agent's helpers: those of enum bpf_func_id by their names there. agent_head.S has their numbers. */
#ifndef DT_AGENT_HELPERS_H
#define DT_AGENT_HELPERS_H

#include "agent/agent.h"

dt_agent_f dt_agent_map_lookup_elem, dt_agent_map_update_elem, dt_agent_map_delete_elem,
    dt_agent_task_storage_get, dt_agent_ringbuf_output, dt_agent_ringbuf_reserve,
    dt_agent_ringbuf_submit, dt_agent_ringbuf_discard;
dt_agent_f dt_agent_probe_read_user, dt_agent_probe_read_kernel, dt_agent_probe_read_user_str,
    dt_agent_probe_read_kernel_str, dt_agent_probe_write_user, dt_agent_get_stack;
dt_agent_f dt_agent_ktime_get_ns, dt_agent_get_prandom_u32, dt_agent_get_smp_processor_id, dt_agent_slot,
    dt_agent_get_current_pid_tgid, dt_agent_get_current_uid_gid, dt_agent_get_current_comm,
    dt_agent_get_current_task, dt_agent_task_pt_regs, dt_agent_get_attach_cookie, dt_agent_send_signal,
    dt_agent_loop, dt_agent_find_vma, dt_agent_process, dt_agent_sys_enter, dt_agent_sys_exit;

#endif
