/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The agent as bytes (tools/agent-bytes), to be copied to the beginning of code, at the beginning of a page.
 * They begin with struct dt_agent_head. The length is 0 when this machine has no agent.
 */
#ifndef DT_AGENT_AGENT_BYTES_H
#define DT_AGENT_AGENT_BYTES_H

#include <stdint.h>

extern const uint8_t dt_agent_bytes[];
extern const uint32_t dt_agent_bytes_len;

#endif
