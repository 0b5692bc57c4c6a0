/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * .eh_frame or .debug_frame as bytes in, sorted rows out (record/unwind.h). The bytes are untrusted:
 * bad entries are left out.
 */
#ifndef DT_FILE_CFI_H
#define DT_FILE_CFI_H

#include "record/unwind.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dt_unwind_row { uint32_t pc, rule; };	/* pc: from the object's base */

struct dt_cfi {
	/* when all is finished: by pc, which counts from base, each with another rule than the one before */
	struct dt_unwind_row *row;
	size_t n;
	uint64_t base;
	/* the rules that rows have, each once; number 0 is DT_CFA_NONE */
	struct dt_unwind_rule *rule;
	uint32_t nrules, caprules;	/* the latter is 0 or a power of two */
	/* row and rule are part of a digest, which outlives this; `digest` if it is ours */
	bool borrowed;
	void *digest;
	uint32_t *slot;			/* hash of 2 * caprules: numbers of rules, 0 free */
	/* functions, until then: raw rows first … first + n - 1, and where the function ends */
	struct dt_cfi_raw { uint32_t off, rule; } *raw;	/* off: from the function's pc, UINT32_MAX at most */
	size_t nraw, capraw;
	struct dt_cfi_group { uint64_t pc, end; uint32_t first, n; } *group;
	size_t ngroups, capgroups;
	uint64_t functions, bad;	/* entries taken, and left out */
};

/*
 * machine: EM_…; one that dt_machine_elf() does not know has no rows. addr: where the section is in memory.
 * 0 or -ENOMEM.
 */
int dt_cfi_read(struct dt_cfi *, uint16_t machine, const void *data, size_t len, uint64_t addr);
int dt_cfi_read_debug(struct dt_cfi *, uint16_t machine, const void *data, size_t len);	/* of .debug_frame */
/* Rows of one function, ascending, one after the other; before dt_cfi_finish(). */
int dt_cfi_begin(struct dt_cfi *, uint64_t pc);
int dt_cfi_add(struct dt_cfi *, uint64_t pc, const struct dt_unwind_rule *);
void dt_cfi_end(struct dt_cfi *, uint64_t pc);	/* what lies after it */
void dt_cfi_finish(struct dt_cfi *);		/* sorted, and neighbours that are alike become one */
const struct dt_unwind_row *dt_cfi_at(const struct dt_cfi *, uint64_t pc);	/* NULL: none */
void dt_cfi_free(struct dt_cfi *);

/*
 * cfi_read.c: those of a file, finished. 0 (there may be none); -EBADF: the file is closed already; or
 * why not.
 */
struct dt_elf;
int dt_elf_rows(struct dt_elf *, bool vdso, struct dt_cfi *);

#endif
