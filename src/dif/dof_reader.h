/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the reader of DOF: the file in hand, and what each of its parts may ask of it. */
#ifndef DT_DIF_DOF_READER_H
#define DT_DIF_DOF_READER_H

#include "dif/dof.h"

#include <setjmp.h>

struct dt_dof_in {
	struct dt_arena *arena;		/* the program's */
	jmp_buf env;			/* for dt_dof_fail() and for an arena that is out of memory */
	bool failed;
	char *msg;
	size_t msglen;
	const unsigned char *file;	/* our copy, aligned */
	size_t len;
	struct dt_dof_hdr hdr;
	const struct dt_dof_sec *secs;
	bool *used;			/* by section: belongs to a DIFO */
	struct dt_difo **difos;		/* by section: the DIFOHDR decoded, or NULL */
	struct dt_act **acts;		/* by section: the ACTDESC decoded, or NULL */
	struct dt_ecb **ecbs;		/* by section: the clause of an ECBDESC, or NULL */
	struct dt_prog *p;
};

/* Ends the reading with a message. */
_Noreturn void dt_dof_fail(struct dt_dof_in *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* The bytes of a checked section; a string of a string table, which `what` names in messages. */
const void *dt_dof_bytes(const struct dt_dof_in *, const struct dt_dof_sec *);
const char *dt_dof_string(struct dt_dof_in *, uint32_t strtab, uint64_t off, const char *what);
/* The options that the program sets (dof_options.c). */
void dt_dof_options(struct dt_dof_in *);

#endif
