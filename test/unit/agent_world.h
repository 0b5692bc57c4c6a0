/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory as a traced process has it: code with the agent's bytes, data DT_AGENT_SPAN bytes after it, and
 * stacks.
 */
#include "agent/agent_bytes.h"
#include "agent/agent_read.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WORLD_DATA = 32 << 20, WORLD_CODE = 1 << 20, WORLD_MAPS = 1 << 16 };	/* maps lie there, in code */

struct world {
	uint8_t *code;
	struct dt_agent *agent;
	struct dt_agent_process process;
	uint64_t data_used;
	uint32_t nmaps;
};

static inline void world_open(struct world *w)
{
	uint8_t *at = mmap(NULL, (size_t)DT_AGENT_SPAN + WORLD_DATA, PROT_NONE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	void *stacks = mmap(NULL, (size_t)DT_AGENT_THREADS * DT_AGENT_STACK, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	memset(w, 0, sizeof(*w));
	if (at == MAP_FAILED || stacks == MAP_FAILED ||
	    mprotect(at, WORLD_CODE, PROT_READ | PROT_WRITE) ||
	    mprotect(at + DT_AGENT_SPAN, WORLD_DATA, PROT_READ | PROT_WRITE))
		abort();
	memcpy(at, dt_agent_bytes, dt_agent_bytes_len);
	/* the page of maps stays writable: tests add some */
	if (mprotect(at, WORLD_MAPS, PROT_READ | PROT_EXEC))
		abort();
	__builtin___clear_cache((char *)at, (char *)at + dt_agent_bytes_len);
	w->code = at;
	w->agent = (struct dt_agent *)(void *)(at + DT_AGENT_SPAN);
	w->data_used = (sizeof(*w->agent) + 63) & ~63ull;
	*w->agent = (struct dt_agent){ .magic = DT_AGENT_MAGIC, .enabled = 1, .ncpus = 1024 };
	w->process = (struct dt_agent_process){ .enabled = 1, .pid = (uint32_t)getpid(),
		.self = (uint32_t)getpid(),
		.code = (uint64_t)at, .data = (uint64_t)w->agent, .stacks = (uint64_t)stacks,
		.code_size = WORLD_CODE, .data_size = WORLD_DATA };
}

static inline void world_close(struct world *w)
{
	munmap((void *)w->process.stacks, (size_t)DT_AGENT_THREADS * DT_AGENT_STACK);
	munmap(w->code, (size_t)DT_AGENT_SPAN + WORLD_DATA);
}

static inline struct dt_agent_map *world_map(struct world *w, uint32_t type, uint32_t key, uint32_t value,
    uint32_t entries)
{
	struct dt_agent_map *m = (struct dt_agent_map *)(void *)(w->code + WORLD_MAPS) + w->nmaps++;

	*m = (struct dt_agent_map){ .type = type, .key_size = key, .value_size = value,
		.max_entries = entries, .ncpus = 4, .at = DT_AGENT_SPAN + w->data_used };
	w->data_used += (dt_agent_map_size(m) + 63) & ~63ull;
	if (w->data_used > WORLD_DATA)
		abort();
	return m;
}

static inline const struct dt_agent_head *world_head(const struct world *w)
{
	return (const struct dt_agent_head *)(const void *)w->code;
}

static inline dt_agent_f *world_helper(const struct world *w, uint32_t id)
{
	return (dt_agent_f *)(void *)(w->code + world_head(w)->helper[id]);
}
