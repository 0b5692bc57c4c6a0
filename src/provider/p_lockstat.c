/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lockstat: the kernel's locks (derived.h). Waiting is seen by the contention tracepoints: the
 * beginning stores lock, kind and time in variables of the thread, the end fires. A wait that is
 * interrupted by an interrupt's own wait is not reported. Acquiring and releasing are kernel functions,
 * if those can be traced.
 */
#include "provider/derived.h"

/*
 * Kinds as in contention_begin: SPIN 1, READ 2, WRITE 4, RT 8, PERCPU 16, MUTEX 32. A mutex that spins
 * and then sleeps reports both.
 */
#define LOCK "self->__lockstat_lock"
#define KIND "self->__lockstat_kind"
#define SINCE "self->__lockstat_since"
#define WAITED "self->__lockstat_waited"
#define BEGINS DT_SITE(RAWTP, "contention_begin", "(" LOCK " = arg0, " KIND " = arg1, " SINCE \
	" = timestamp, 0)", DT_ARGS("0"), .required = true)
/* The first clause of a firing looks at the clock, and all others see what it found. */
#define ENDS(kind, ...) DT_SITE(RAWTP, "contention_end", LOCK " == arg0 && arg1 == 0 && (" kind \
	") && (" SINCE " ? (" WAITED " = timestamp - " SINCE ", " SINCE " = 0, 1) : 1)", \
	DT_ARGS("arg0", WAITED, ##__VA_ARGS__), \
	.required = true)
#define READER "(" KIND " & 2) != 0"

/* For functions that sleep: nothing that takes the same kind of lock comes between entry and return. */
#define MUTEX "self->__lockstat_mutex"
#define ENTERS(f) DT_SITE(KFUNC, f, "(" MUTEX " = arg0, 0)", DT_ARGS("0"))
#define LEAVES(f, when, ...) DT_SITE(KRET, f, when, DT_ARGS(MUTEX, ##__VA_ARGS__))
/*
 * For those that do not: interrupts take locks too, and only fexit still knows which lock was asked
 * for.
 */
#define TAKEN(f, when, ...) DT_SITE(KRET, f, when, DT_ARGS("arg2", ##__VA_ARGS__), .needs_fexit = true)
#define GIVEN(f, ...) DT_SITE(KFUNC, f, DT_ALWAYS, DT_ARGS("arg0", ##__VA_ARGS__))

/* A program that is traced while it holds the lock of a map, and writes to that map, waits for ever. */
#define SPINLOCK "programs take spinlocks themselves, and would wait for those that their own CPU holds: " \
	"lockstat:::spin-spin shows the threads that wait"

static const struct dt_derived lockstat_probes[] = {
	{ "adaptive-spin", DT_AT(BEGINS, ENDS("(" KIND " & 33) == 33")) },
	{ "adaptive-block", DT_AT(BEGINS, ENDS("(" KIND " & 33) == 32")) },
	{ "adaptive-acquire",
	    DT_AT(ENTERS("mutex_lock"), LEAVES("mutex_lock", DT_ALWAYS), ENTERS("mutex_lock_interruptible"),
		LEAVES("mutex_lock_interruptible", "arg1 == 0"), ENTERS("mutex_lock_killable"),
		LEAVES("mutex_lock_killable", "arg1 == 0"), ENTERS("mutex_trylock"),
		LEAVES("mutex_trylock", "(int)arg1 == 1")) },
	{ "adaptive-acquire-error",
	    DT_AT(ENTERS("mutex_lock_interruptible"),
		LEAVES("mutex_lock_interruptible", "(int)arg1 != 0", "-(int)arg1"),
		ENTERS("mutex_lock_killable"),
		LEAVES("mutex_lock_killable", "(int)arg1 != 0", "-(int)arg1")) },
	{ "adaptive-release", DT_AT(GIVEN("mutex_unlock")) },
	{ "spin-spin", DT_AT(BEGINS, ENDS("(" KIND " & 39) == 1")) },
	{ "spin-acquire", .never = SPINLOCK, .idle = true },
	{ "spin-release", .never = SPINLOCK, .idle = true },
	{ "rw-spin", DT_AT(BEGINS, ENDS("(" KIND " & 1) == 1 && (" KIND " & 6) != 0", READER)) },
	{ "rw-block",
	    DT_AT(BEGINS,
		ENDS("(" KIND " & 1) == 0 && (" KIND " & 6) != 0", READER,
		    "(((struct rw_semaphore *)arg0)->count.counter & 1) != 0",
		    "((struct rw_semaphore *)arg0)->count.counter >> 8")) },
	{ "rw-acquire",
	    DT_AT(ENTERS("down_read"), LEAVES("down_read", DT_ALWAYS, "1"), ENTERS("down_write"),
		LEAVES("down_write", DT_ALWAYS, "0"), TAKEN("_raw_read_lock", DT_ALWAYS, "1"),
		TAKEN("_raw_write_lock", DT_ALWAYS, "0"), TAKEN("_raw_write_lock_irq", DT_ALWAYS, "0")) },
	{ "rw-release",
	    DT_AT(GIVEN("up_read", "1"), GIVEN("up_write", "0"), GIVEN("_raw_read_unlock", "1"),
		GIVEN("_raw_write_unlock", "0"), GIVEN("_raw_write_unlock_irq", "0")) },
	{ "rw-downgrade", DT_AT(GIVEN("downgrade_write")) },
	{ "rw-upgrade", .never = "Linux has no lock that a reader can turn into a writer's", .idle = true },
	{ "thread-spin", .never = "Linux has no thread locks: lockstat:::spin-spin reports run queues too",
	    .idle = true },
	{ "" },
};

const struct dt_provider dt_provider_lockstat = {
	.name = "lockstat",
	.form = "lockstat:::NAME",
	.doc = "Locks of the kernel: waiting, taking, giving back.",
	.attrs = { { EEC, PPU, PPU, EEC, EEC } },
	DT_DERIVED(lockstat_probes),
};
