/* SPDX-License-Identifier: BSD-2-Clause */
/* A site with up to two programs, in a world (agent_world.h), and its firing by hand (agent_frame.h). */
#include "agent_frame.h"
#include "agent_world.h"
#include "machine/machine.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/uio.h>

struct probe { struct dt_agent_site site; struct dt_agent_call next, end; };

static inline void make_probe(struct world *w, struct probe *p, const void *program)
{
	*p = (struct probe){ .site = { .entry = (uint64_t)w->code + world_head(w)->entry,
		.back = (uint64_t)agent_back, .process = (uint64_t)&w->process, .pc = 0x1234,
		.call = { { (uint64_t)program, 42 } } } };
}

/* What the programs of a site need: all, a stack, or not even registers. */
enum weight { FULL, LIGHT, BARE, WEIGHTS };
static inline void weigh(const struct world *w, struct probe *p, enum weight weight)
{
	p->site.light = weight != FULL;
	p->site.entry = (uint64_t)w->code +
	    (weight == BARE ? world_head(w)->entry_bare : world_head(w)->entry);
}

/*
 * Where the C library has the number of the thread, in the words that pthread_self() points to; 0: not
 * there.
 */
static inline int32_t find_tid(void)
{
	char *self = (char *)pthread_self();
	uint32_t tid = (uint32_t)syscall(SYS_gettid), word;

	for (int at = 0; at < 2048; at += 4) {
		struct iovec to = { &word, 4 }, from = { self + at, 4 };

		if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 4 && word == tid)
			return (int32_t)(self + at - thread_pointer());
	}
	return 0;
}

extern const ptrdiff_t __rseq_offset __attribute__((weak));

/* The agent reads the numbers of thread and CPU from words of the thread, or asks for them. */
static inline void use_words(struct world *w, bool use)
{
	w->process.tid_at = use ? find_tid() : 0;
	w->process.cpu_at = use && &__rseq_offset ? (int32_t)__rseq_offset + 4 : 0;
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
