/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes in as an .eh_frame or .debug_frame section, the first byte telling which, and the machine: rows
 * come out, in order, or none.
 */
#include "file/cfi.h"

#include <elf.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct dt_cfi c = { 0 };

	if (len < 1)
		return 0;
	if (data[0] & 2)
		(void)dt_cfi_read_debug(&c, data[0] & 1 ? EM_X86_64 : EM_AARCH64, data + 1, len - 1);
	else
		(void)dt_cfi_read(&c, data[0] & 1 ? EM_X86_64 : EM_AARCH64, data + 1, len - 1, 0x10001);
	dt_cfi_finish(&c);
	for (size_t i = 0; i < c.n; i++) {
		const struct dt_unwind_rule *r = &c.rule[c.row[i].rule];

		if (c.row[i].rule >= c.nrules)
			abort();
		if ((i > 0 && c.row[i - 1].pc >= c.row[i].pc) || r->cfa > DT_CFA_END || r->ra > DT_REG_LOST ||
		    r->fp > DT_REG_LOST || r->signal > 1)
			abort();
		if (dt_cfi_at(&c, c.base + c.row[i].pc) != &c.row[i])
			abort();
	}
	dt_cfi_free(&c);
	return 0;
}
