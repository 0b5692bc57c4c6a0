/* SPDX-License-Identifier: BSD-2-Clause */
/* Where instructions begin in machine code of a file. */
#ifndef DT_INSN_H
#define DT_INSN_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Calls f for each instruction of the function at offset … offset + size of the file: its offset from the start, and whether it returns from
 * the function; false ends the walk. 0; -ENOEXEC: what is there is no code that can be told apart; -EFBIG; -EIO; -EOPNOTSUPP: of
 * a machine that is not known.
 */
typedef bool dt_insn_f(void *ctx, uint64_t off, bool is_ret);
int dt_insn_walk(int fd, uint16_t machine, uint64_t offset, uint64_t size, dt_insn_f *, void *ctx);

#endif
