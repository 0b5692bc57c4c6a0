/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside src/patch: the bytes of a trampoline while they are made, and the machines. */
#ifndef DT_PATCH_PATCH_CODE_H
#define DT_PATCH_PATCH_CODE_H

#include "patch/patch.h"

struct dt_x86;

/* A trampoline at `addr`. `full` is the one error: more bytes than it has room for. */
struct dt_patch_code {
	struct dt_patch *out;
	uint64_t addr;
	bool full;
};

void dt_patch_emit(struct dt_patch_code *, const void *bytes, size_t n);
void dt_patch_emit_int(struct dt_patch_code *, uint64_t value, size_t n);	/* little-endian */
static inline uint64_t dt_patch_here(const struct dt_patch_code *c) { return c->addr + c->out->tramp_len; }
/* The next byte of the trampoline means what the byte `from` of the original means. */
void dt_patch_same(struct dt_patch_code *, uint64_t from);
/* Does v fit in a signed field of so many bits? */
static inline bool dt_patch_fits(int64_t v, unsigned bits)
{
	return v >= -((int64_t)1 << (bits - 1)) && v < (int64_t)1 << (bits - 1);
}

/* Each returns NULL, or why not. */
const char *dt_patch_aarch64(const struct dt_patch_site *, struct dt_patch_code *, uint64_t site_addr);
const char *dt_patch_x86(const struct dt_patch_site *, struct dt_patch_code *, uint64_t site_addr);

/* Appends the instruction at `at` so that it means the same. */
const char *dt_patch_aarch64_move(struct dt_patch_code *, uint32_t word, uint64_t at, bool shadow_stack);
const char *dt_patch_x86_move(struct dt_patch_code *, const struct dt_x86 *, const uint8_t *bytes,
    uint64_t at, bool shadow_stack);
bool dt_patch_x86_jump(struct dt_patch_code *, uint64_t to);	/* jmp rel32; false: too far */

/* In a register of aarch64 */
void dt_patch_aarch64_address(struct dt_patch_code *, unsigned reg, uint64_t value);
/* ldxr … stxr, by their first and last instruction; 0: neither */
enum dt_exclusive { DT_EXCLUSIVE_NONE, DT_EXCLUSIVE_LOAD, DT_EXCLUSIVE_STORE };
enum dt_exclusive dt_patch_aarch64_exclusive(uint32_t word);
bool dt_patch_aarch64_prefix(uint32_t word);	/* movprfx, which changes the next instruction */

#endif
