/* SPDX-License-Identifier: BSD-2-Clause */
/* A site with up to two programs, in a world (agent_world.h), and its firing by hand (agent_frame.h). */
#include "agent_frame.h"
#include "agent_world.h"
#include "machine/machine.h"

#include <sys/auxv.h>

struct probe { struct dt_agent_site site; struct dt_agent_call next, end; };

static inline void make_probe(struct world *w, struct probe *p, const void *program)
{
	*p = (struct probe){ .site = { .entry = (uint64_t)w->code + world_head(w)->entry,
		.back = (uint64_t)agent_back, .process = (uint64_t)&w->process, .pc = 0x1234,
		.call = { { (uint64_t)program, 42 } } } };
}

static inline void fire(const struct probe *p)
{
	static struct frame in, out;

	in.word[FLAGS] = 0;
	agent_frame(&(struct frame_args){ &in, &out, p });
}

/* dt_agent_process.atomics of this machine */
static inline uint32_t can_atomics(void)
{
	return (getauxval(AT_HWCAP) & dt_machine_here()->hwcap_atomics) != 0;
}
