/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private to src/trace: enablings on their way to a plan for the kernel. go.c owns the struct and its steps,
 * hooks.c fills the hooks, offsets.c answers questions about kernel structs. Everything lives in the trace's
 * arena and stays for grafts while tracing (late_probes.c).
 */
#ifndef DT_TRACE_BUILD_H
#define DT_TRACE_BUILD_H

#include "bpf/image.h"
#include "kernel/kfunc.h"
#include "session/session.h"
#include "trace/trace.h"

struct dt_bhook {			/* a program to make */
	struct dt_hook hook;
	uint32_t generation;
	enum dt_keep keep;
	DT_VEC(struct dt_enabling) en;
	DT_VEC(struct dt_point) points;
	struct dt_map point_of;		/* text of a point -> its place in points */
};

struct dt_kmember { const char *tag, *path; uint32_t offset; };	/* of a kernel struct */

/* What dtrace_go() works on; one for each trace. */
struct dt_gobuild {
	struct dtrace_hdl *h;
	struct dt_trace *t;
	DT_VEC(struct dt_bhook *) hooks;
	DT_VEC(struct dt_enabling) errors;
	DT_VEC(struct dt_kmember) members;	/* those that programs asked for */
	struct dt_features feat;
	struct dt_plan_opts opts;
	struct dt_kfunc_methods methods;	/* tried when kernel functions are enabled, or would serve */
	bool methods_asked;
	/* D text of derived probes -> its DIFO: the same text is the same code */
	struct dt_map exprs;
	struct dt_map once;		/* hooks of which one enabling is enough */
	DT_VEC(uint32_t) roots;		/* -x follow */
	uint32_t nfuncs;		/* enablings of kernel functions */
	bool sys_functions;		/* system calls are seen in the functions they are made in */
	size_t done;			/* enablings that are in hooks */
	/* 0 the beginning; what comes while tracing has programs of its own */
	uint32_t generation;
};

/* hooks.c: what is enabled, by the place where it fires. 0, or -1 with the handle's error set. */
int dt_gobuild_hooks(struct dt_gobuild *);
void dt_gobuild_plan_hook(struct dt_gobuild *, const struct dt_bhook *, struct dt_plan_hook *);
void dt_gobuild_attach(struct dt_gobuild *, const struct dt_bhook *, struct dt_attach *);

/* What this kernel has for its functions, asked once. */
const struct dt_kfunc_methods *dt_gobuild_methods(struct dt_gobuild *);
/* Trampolines are for functions that have type data, with arguments that fit. */
bool dt_gobuild_trampoline(struct dt_gobuild *, const char *target, bool ret);

/* trace_plan.c: all hooks for the engine, as long as the trace lives; and which of them are BEGIN and END. */
const struct dt_plan *dt_gobuild_plan(struct dt_gobuild *);
void dt_gobuild_ends(struct dt_gobuild *);
void dt_trace_index(struct dt_trace *);		/* t->ecbs of what is enabled */

/* hooks_sys.c: are the enabled system calls so few that they are better seen in their functions? */
bool dt_gobuild_sys_functions(struct dt_gobuild *);

/* choose.c: whether the engine has what derived probes use. 0, or -1 with the handle's error set. */
int dt_trace_check_derived(struct dt_gobuild *);

/* offsets.c: `member` of struct dt_plan_opts */
uint32_t dt_gobuild_member(void *build, const char *tag, const char *path);

#endif
