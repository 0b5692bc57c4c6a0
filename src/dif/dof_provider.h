/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Providers as DOF: what `dtrace -G` puts into section .SUNW_dof of a program, so that a tracer knows
 * the types that the provider declared. Types are C text; whoever reads them has to know the names. The
 * section of a linked program holds one DOF after another, each as long as its header says, with zeros
 * between them.
 */
#ifndef DT_DIF_DOF_PROVIDER_H
#define DT_DIF_DOF_PROVIDER_H

#include "dif/dif.h"

struct dt_dofprobe {
	const char *name;		/* query-start */
	const char *func;		/* "" when the notes of the sites tell where they are */
	uint32_t nin, nout;
	const char *const *in, *const *out;	/* types as written at the site and as D sees them */
	const uint8_t *map;		/* out k is made of in map[k] */
};

struct dt_dofprov {
	const char *name;
	struct dt_attr attrs[5];	/* provider, module, function, name, arguments */
	const struct dt_dofprobe *probes;
	uint32_t nprobes;
};

/* malloc'ed bytes. -EFBIG: more than a DOF may hold; -ENOMEM. */
int dt_dofprov_write(const struct dt_dofprov *, uint32_t n, void **data, size_t *len);
/*
 * All providers of a section, in the arena. Reads any bytes: a DOF that is damaged ends the reading
 * with -EINVAL, and those before it are still there.
 */
int dt_dofprov_read(struct dt_arena *, const void *section, size_t len, struct dt_dofprov **, uint32_t *n);

#endif
