/* SPDX-License-Identifier: BSD-2-Clause */
/* Where instructions begin in the machine code of a file, and which of them leave their function. */
#ifndef DT_FILE_INSN_H
#define DT_FILE_INSN_H

#include "machine/insn.h"

/*
 * Calls f for each instruction of the function at offset … offset + size of the file. 0; -ENOEXEC: the
 * bytes cannot be decoded; -EFBIG; -EIO; -EOPNOTSUPP: unknown machine.
 */
struct dt_elf;
int dt_insn_walk(struct dt_elf *, uint64_t offset, uint64_t size, dt_insn_f *, void *ctx);
/* vaddr: where the first byte is linked; some machines address data by pages */
int dt_insn_walk_bytes(uint16_t machine, const void *code, uint64_t size, uint64_t vaddr, dt_insn_f *,
    void *ctx);

#endif
