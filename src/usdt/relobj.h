/* SPDX-License-Identifier: BSD-2-Clause */
/* Object files given to `dtrace -G`: checked once, then read by file/elf.h. The bytes are hostile. */
#ifndef DT_USDT_RELOBJ_H
#define DT_USDT_RELOBJ_H

#include "file/elf.h"

/*
 * Takes over the malloc'ed bytes. 0: *elf is the caller's to close; 1: a file of a compiler that links later
 * (LLVM bitcode), in which nothing can be seen; -EINVAL: msg says why.
 */
int dt_relobj_open(struct dt_elf **elf, void *data, size_t len, char *msg, size_t msglen);

#endif
