/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * User stacks of code without frame pointers. -x unwind=auto makes tables for the processes traced, or, when
 * all are traced, for as many as a bounded time allows and for the others while tracing; dwarf makes all of
 * them before the first probe; fp makes none. See doc/SYMBOLS.md.
 */
#include "trace/trace.h"

#include "base/file.h"
#include "dif/action.h"
#include "dif/builtin.h"
#include "process/proc.h"
#include "unwind/unwind.h"

#include <stdlib.h>
#include <unistd.h>

#define FIRST_NS 100000000u		/* for tables of all processes, before tracing begins */
#define STEP_NS 5000000u		/* for tables, between two looks at the buffers */
#define SIZE_MAX_BYTES (1ull << 34)	/* as -x unwindsize allows */
/* of an engine whose tables are in the address space of each traced process: some hundred MB of code */
#define PROCESS_BYTES (256ull << 20)
enum { MEMORY_SHARE = 8 };

/* As much as /proc/meminfo has as MemTotal. */
static uint64_t memory_bytes(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

	return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 1u << 30;
}

uint64_t dt_trace_unwind_size(const struct dtrace_hdl *h)
{
	int64_t size = h->options.val[DT_OPT_unwindsize];
	uint64_t share = memory_bytes() / MEMORY_SHARE, most = SIZE_MAX_BYTES;

	if (h->trace->ops->where == DT_IN_PROCESS)
		most = PROCESS_BYTES;

	if (h->options.val[DT_OPT_unwind] == DT_UNWIND_FP)
		return 0;
	return size >= 0 ? (uint64_t)size : share < most ? share : most;
}

/* Opens the tables if a program walks user stacks. False: none does, or -x unwind=fp. */
bool dt_trace_unwinds(struct dtrace_hdl *h, struct dt_trace *t)
{
	if (h->options.val[DT_OPT_unwind] == DT_UNWIND_FP)
		return false;
	if (!dt_handle_usyms(h))
		return false;
	dt_usyms_native(h->usyms, h->options.val[DT_OPT_stacklang] == DT_STACKLANG_NATIVE);
	return t->ops->unwind != NULL && t->ops->unwind(t->engine, h->usyms, dt_trace_unwind_size(h)) == 0 &&
	    dt_trace_unwinder(t) != NULL;
}

/* Asks for the tables of a process that is still there. */
static void want_process(void *unwind, uint32_t pid, bool ended)
{
	if (!ended)
		dt_unwind_want(unwind, pid);
}

/* What a user can do about it: the size in MiB that holds all files, and a tenth for those to come. */
static const char *way_out(struct dt_trace *t, const struct dtrace_hdl *h, const struct dt_unwind *u)
{
	uint64_t enough = dt_unwind_enough(u), mib = (enough + enough / 10) / (1 << 20) + 1;

	if (enough <= dt_trace_unwind_size(h))
		return "there is no memory for them";
	return dt_arena_printf(t->arena, "-x unwindsize=%llum would be enough", (unsigned long long)mib);
}

/* Once, also if it is more later. */
static void report_left_out(struct dtrace_hdl *h, struct dt_trace *t, struct dt_unwind *u)
{
	if (t->unwind_reported || dt_unwind_stats(u).left_out == 0)
		return;
	t->unwind_reported = true;
	dt_handle_note(t->h, dt_arena_printf(t->arena,
	    "%u files and processes do not fit into the tables for user stacks; their stacks are "
	    "walked by frame pointers: %s", dt_unwind_stats(u).left_out, way_out(t, h, u)));
}

/*
 * Our own libraries come first, because most processes have them too. A process whose tables do not fit is
 * walked by frame pointers, which is reported.
 */
void dt_trace_unwind_start(struct dtrace_hdl *h, struct dt_trace *t, bool few)
{
	struct dt_unwind *u = dt_trace_unwinder(t);

	if (u == NULL)
		return;
	dt_usyms_learn(h->usyms, (uint32_t)getpid());	/* libraries that most have */
	dt_usyms_each_process(h->usyms, want_process, u);
	(void)dt_unwind_work(u, few || h->options.val[DT_OPT_unwind] == DT_UNWIND_DWARF ? UINT64_MAX :
	    FIRST_NS);
	report_left_out(h, t, u);
}

bool dt_trace_unwind_work(struct dtrace_hdl *h, struct dt_trace *t)
{
	struct dt_unwind *u = dt_trace_unwinder(t);
	bool done = u == NULL || dt_unwind_work(u, STEP_NS);

	if (u != NULL)
		report_left_out(h, t, u);
	return done;
}

/* Frames of the kernel's own walk; 0: not known. */
static uint64_t kernel_frames(void)
{
	uint64_t n = 0;
	char *text;
	size_t len;

	if (dt_file_read("/proc/sys/kernel/perf_event_max_stack", 64, &text, &len) != 0)
		return 0;
	n = strtoull(text, NULL, 10);
	free(text);
	return n;
}

/* The most frames that an action with one of these facts asks for. */
static uint64_t frames_asked(const struct dt_trace *t, unsigned facts)
{
	uint64_t most = 0;

	for (size_t i = 0; i < t->enabled.n; i++) {
		const struct dt_ecb *e = t->enabled.v[i].ecb;

		for (uint32_t k = 0; (i == 0 || e != t->enabled.v[i - 1].ecb) && k < e->nacts; k++)
			if (dt_act_is(&e->acts[k], facts) && (uint32_t)e->acts[k].arg > most)
				most = (uint32_t)e->acts[k].arg;
	}
	return most;
}

void dt_trace_note_depth(struct dt_trace *t)
{
	unsigned facts = DT_AF_KSTACK | (dt_trace_unwinder(t) == NULL ? DT_AF_USTACK : 0);
	uint64_t most = kernel_frames(), asked = frames_asked(t, facts);

	if (most != 0 && asked > most)
		dt_handle_note(t->h, dt_arena_printf(t->arena,
		    "stacks that the kernel walks have at most %llu frames, not %llu: sysctl "
		    "kernel.perf_event_max_stack sets the limit", (unsigned long long)most,
		    (unsigned long long)asked));
}
