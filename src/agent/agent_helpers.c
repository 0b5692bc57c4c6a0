/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers about time, the thread and the process; and the loop. */
#include "agent/agent_impl.h"
#include "agent/helpers.h"

#include <linux/prctl.h>

#define IGNORE5 (void)a, (void)b, (void)c, (void)d, (void)e
#define HELPER(name) \
	uint64_t name(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, struct dt_firing *f)

enum { LOOPS = 1 << 23, COMM = 16, MONOTONIC = 1, SIGNALS = 64 };

struct time { int64_t sec, nsec; };

HELPER(dt_agent_ktime_get_ns)
{
	struct time t = { 0, 0 };
	uint64_t clock = f->process->clock;

	IGNORE5;
	if (f->process->sample)
		return f->process->sample->time;
	if (clock)
		((int (*)(int, struct time *))clock)(MONOTONIC, &t);
	else
		dt_raw_syscall(__NR_clock_gettime, MONOTONIC, (uint64_t)&t, 0, 0, 0, 0);
	return (uint64_t)t.sec * 1000000000 + (uint64_t)t.nsec;
}

/* xorshift64*: each thread has a sequence of its own */
HELPER(dt_agent_get_prandom_u32)
{
	uint64_t x = f->thread->random;

	IGNORE5;
	if (x == 0)
		x = (dt_agent_ktime_get_ns(0, 0, 0, 0, 0, f) ^ f->thread->owner << 20) | 1;
	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	f->thread->random = x;
	return x * 0x2545f4914f6cdd1dull >> 32;
}

HELPER(dt_agent_get_smp_processor_id) { IGNORE5; return f->cpu; }
HELPER(dt_agent_slot) { IGNORE5; return f->slot; }
HELPER(dt_agent_get_current_pid_tgid) { IGNORE5; return f->ids; }
HELPER(dt_agent_get_current_task) { IGNORE5; return (uint64_t)f->thread; }
HELPER(dt_agent_task_pt_regs) { IGNORE5; return (uint64_t)f->regs; }
HELPER(dt_agent_get_attach_cookie) { IGNORE5; return f->cookie; }

/* Asked for each time: a process may change them. */
HELPER(dt_agent_get_current_uid_gid)
{
	const struct dt_agent_sample *s = f->process->sample;
	uint64_t uid;

	IGNORE5;
	if (s)
		return (uint64_t)s->gid << 32 | s->uid;
	if (f->process->no_calls)
		return (uint64_t)f->process->gid << 32 | f->process->uid;
	uid = (uint32_t)dt_raw_syscall(__NR_getuid, 0, 0, 0, 0, 0, 0);
	return (uint64_t)dt_raw_syscall(__NR_getgid, 0, 0, 0, 0, 0, 0) << 32 | uid;
}

HELPER(dt_agent_get_current_comm)
{
	const struct dt_agent_sample *s = f->process->sample;
	uint8_t name[COMM] = { 0 }, *to = (uint8_t *)a;
	uint64_t n = (uint32_t)b;

	(void)c, (void)d, (void)e;
	if (n == 0)
		return (uint64_t)-EINVAL;
	dt_agent_zero(to, n);
	if (s)
		dt_agent_copy(name, s->name, COMM);
	else if (f->process->no_calls)
		dt_agent_copy(name, f->process->comm, sizeof(name));
	else if (dt_raw_syscall(__NR_prctl, PR_GET_NAME, (uint64_t)name, 0, 0, 0, 0) < 0)
		return (uint64_t)-EINVAL;
	for (uint64_t i = 0; i + 1 < n && i < COMM - 1 && name[i]; i++)
		to[i] = name[i];
	return 0;
}

/* It is sent when the programs have ended: a handler must not run on their stack. */
HELPER(dt_agent_send_signal)
{
	(void)b, (void)c, (void)d, (void)e;
	if ((uint32_t)a > SIGNALS)
		return (uint64_t)-EINVAL;
	if (f->process->no_calls)
		return (uint64_t)-EPERM;
	if ((uint32_t)a > 0)
		f->signals |= 1ull << ((uint32_t)a - 1);
	return 0;
}

/* Mappings of a process come from its list (record/unwind.h); there is no other source here. */
HELPER(dt_agent_find_vma) { IGNORE5; (void)f; return (uint64_t)-ENOENT; }

HELPER(dt_agent_loop)
{
	uint64_t n = (uint32_t)a, i = 0;
	struct dt_agent_window window;

	(void)e;
	if (d)
		return (uint64_t)-EINVAL;
	if (n > LOOPS)
		return (uint64_t)-E2BIG;
	window.n = 0;
	window.outer = f->window;
	f->window = &window;
	while (i < n) {
		if (((dt_agent_f *)b)(i++, c, 0, 0, 0, f))
			break;
	}
	f->window = window.outer;
	return i;
}
