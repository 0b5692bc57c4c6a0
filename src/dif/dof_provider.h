/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Providers as DOF: `dtrace -G` puts this into section .SUNW_dof of a program, so that a tracer knows
 * the types that the provider declared. Types are C text; the reader must know their names. The section
 * of a linked program contains one DOF after another, each as long as its header says, with zeros in
 * between.
 */
#ifndef DT_DIF_DOF_PROVIDER_H
#define DT_DIF_DOF_PROVIDER_H

#include "dif/dif.h"

struct dt_dofprobe {
	const char *name;		/* query-start */
	const char *func;		/* "" if the notes of the sites tell the functions */
	uint32_t nin, nout;
	const char *const *in, *const *out;	/* types at the site, and as D sees them */
	const uint8_t *map;		/* out[k] is made from in[map[k]] */
};

struct dt_dofprov {
	const char *name;
	struct dt_attr attrs[5];	/* provider, module, function, name, arguments */
	const struct dt_dofprobe *probes;
	uint32_t nprobes;
};

/* Returns malloc'ed bytes. -EFBIG: more than a DOF may hold; -ENOMEM. */
int dt_dofprov_write(const struct dt_dofprov *, uint32_t n, void **data, size_t *len);
/*
 * Reads all providers of a section into the arena. It accepts any bytes: a damaged DOF ends the reading
 * with -EINVAL, and the providers before it are still returned.
 */
int dt_dofprov_read(struct dt_arena *, const void *section, size_t len, struct dt_dofprov **, uint32_t *n);

#endif
