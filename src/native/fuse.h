/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions that are made into something shorter together. */
#ifndef DT_NATIVE_FUSE_H
#define DT_NATIVE_FUSE_H

#include "native/code.h"

/* Writes dt_note.make of the instructions of a function. */
void dt_native_fuse(struct dt_native *, const struct dt_func *);
/* prune.c: the same for what is never reached. */
void dt_native_prune(struct dt_native *, const struct dt_func *);
/* prune.c: the same for stores to the frame that nothing reads. */
void dt_native_drop_stores(struct dt_native *, const struct dt_func *);

#endif
