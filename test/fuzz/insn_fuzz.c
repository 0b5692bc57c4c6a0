/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes as machine code of both machines: instructions follow each other and end inside of them. */
#include "file/insn.h"
#include "machine/x86.h"

#include <elf.h>
#include <stdlib.h>

struct walk { uint64_t next, size; };

static bool follows(void *ctx, const struct dt_insn *in)
{
	struct walk *w = ctx;

	if (in->off < w->next || in->off >= w->size)
		abort();
	w->next = in->off + 1;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct walk w = { 0, len };
	struct dt_x86 x;

	(void)dt_insn_walk_bytes(EM_X86_64, data, len, 0x1000, follows, &w);
	w.next = 0;
	(void)dt_insn_walk_bytes(EM_AARCH64, data, len, 0x1000, follows, &w);
	if (dt_x86_decode(data, len, &x) && (x.length == 0 || x.length > 15 || x.length > len))
		abort();
	return 0;
}
