/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private to the pid provider: which processes are meant (p_pid.c), the probes of a module (p_pid_make.c),
 * those of returns (pid_return.c).
 */
#ifndef DT_PROVIDER_P_PID_H
#define DT_PROVIDER_P_PID_H

#include "provider/objects.h"

struct dt_pid_chosen { const struct dt_elf_function *f; uint64_t offset; };

struct dt_pid_making {
	struct dt_probes *p;
	const struct dt_provider *row;
	const struct dt_probedesc *want;
	const char *prov;		/* "pid123" */
	uint32_t pid;
	bool every;			/* all processes; pid is 0 */
	const char *when;
	const struct dt_process *proc;	/* NULL: no process runs the module */
	const struct dt_loaded *in;
	bool entry, ret, offsets;	/* which names are wanted */
	bool returned;			/* … instead of return */
	bool go;			/* the module is of Go */
	bool unwinds;			/* the kernel's return probes would break the process */
	DT_VEC(struct dt_pid_chosen) chosen;	/* of IFUNCs that a pattern means */
	uint64_t offset;		/* the one that is */
	bool one_offset;
	uint32_t seen, made;		/* functions of the name; probes */
	bool again;			/* while tracing: modules that were looked through are passed over */
	const char *why;		/* of the last that could not be made */
	enum dt_tag tag;		/* with it */
};

/* pid_return.c */
void dt_pid_add_probe(struct dt_pid_making *, const char *func, const char *alt, const char *name,
    enum dt_hook_kind, uint64_t offset);
/* The probe return, or returned. `offset` is that of the function, or of what an IFUNC was resolved to. */
void dt_pid_add_return(struct dt_pid_making *, const struct dt_elf_function *, const char *shown,
    uint64_t offset);
/*
 * Why something cannot be found out. Lack of memory is left to the caller: it does not concern this
 * description.
 */
const char *dt_pid_reason(const struct dt_pid_making *, int err);
/* False: there is no such name, and m->why says so. */
bool dt_pid_parse_name(struct dt_pid_making *);
/* All probes of the module m->in that the description means. */
void dt_pid_probe_object(struct dt_pid_making *);

#endif
