/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel as an executor of a program over told firings, beside the interpreter: the same calls, the
 * same sink. place.c gives told memory a real place, so that both executors see the same bytes at the same
 * addresses.
 */
#ifndef DIFRUN_KERNEL_H
#define DIFRUN_KERNEL_H

#include "bpf/image.h"
#include "interp/interp.h"

struct kernel;
struct kernel_input {
	const struct dt_prog *prog;
	/* every probe that will fire, by id - 1: dtrace:::BEGIN, END and ERROR first */
	const char *const *probes;
	uint32_t nprobes;
	struct dt_interp_opts opts;
	struct dt_interp_sink sink;
	struct dt_types *types;			/* for offsets in kernel structs */
};

/*
 * NULL: not possible, and msg says why; *refused tells a program the kernel does not take from a lack of
 * rights.
 */
struct kernel *kernel_open(const struct kernel_input *, bool *refused, char *msg, size_t len);
void kernel_close(struct kernel *);		/* NULL is fine */
void kernel_fire(struct kernel *, const struct dt_context *);
/* As dt_interp_vars() and dt_interp_aggs(); the words of an element stay, and may be changed. */
void kernel_vars(struct kernel *, void (*f)(void *, const struct dt_interp_var *), void *ctx);
void kernel_aggs(struct kernel *, dt_interp_agg_f *, void *ctx);

/* ---- place.c ---- */

struct place { uint64_t told, told_len, real; bool user; void *bytes; size_t len; };
struct places { struct place v[16]; uint32_t n; };

/*
 * Real memory for each region: user pages, or the value of a map; which of them holds a word, holds it
 * moved. False: no rights.
 */
bool places_make(struct places *, const struct dt_region *, uint32_t n);
/* The regions as they really are, with their first contents again. */
void places_fill(struct places *, const struct dt_region *told, struct dt_region *real);
/* an address in a told region; else it stays */
uint64_t places_move(const struct places *, uint64_t addr);
/* constants that are such addresses */
void places_move_prog(const struct places *, const struct dt_prog *);
/*
 * What of a firing can only be what this process is: ids, CPU. The name, user and group are made real for
 * it.
 */
void places_real(const struct places *, struct dt_context *);
void places_become(const struct dt_context *);
void places_return(void);
void places_stay(void);			/* on the CPU we are on: records of one CPU come in order */

#endif
