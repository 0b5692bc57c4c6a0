/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A probe's prototype in, the places out where a function called with it finds its values at its first
 * instruction, by the C conventions of the machine, in the words of a note: "-4@%edi 8@%rsi".
 */
#include "usdt/usdt.h"

#include <elf.h>

static const char *const x86_regs[6][4] = {
	/* of 1, 2, 4 and 8 bytes */
	{ "dil", "di", "edi", "rdi" },
	{ "sil", "si", "esi", "rsi" },
	{ "dl", "dx", "edx", "rdx" },
	{ "cl", "cx", "ecx", "rcx" },
	{ "r8b", "r8w", "r8d", "r8" },
	{ "r9b", "r9w", "r9d", "r9" },
};

struct walk {
	struct dt_arena *arena;
	uint16_t machine;
	unsigned ints, floats, words;	/* registers used, words on the stack */
};

static unsigned log2_of(uint64_t size)
{
	return size == 1 ? 0 : size == 2 ? 1 : size <= 4 ? 2 : 3;
}

static const char *on_stack(struct walk *w)
{
	unsigned at = 8 * w->words++;

	if (w->machine == EM_X86_64)
		return dt_arena_printf(w->arena, "%u(%%rsp)", at + 8);	/* above the return address */
	return dt_arena_printf(w->arena, "[sp, %u]", at);
}

static const char *in_register(struct walk *w, uint64_t size)
{
	if (w->machine == EM_X86_64)
		return w->ints < 6 ? dt_arena_printf(w->arena, "%%%s", x86_regs[w->ints++][log2_of(size)]) :
				     on_stack(w);
	return w->ints < 8 ? dt_arena_printf(w->arena, "x%u", w->ints++) : on_stack(w);
}

static const char *in_float(struct walk *w)
{
	if (w->floats >= 8)
		return on_stack(w);
	return dt_arena_printf(w->arena, w->machine == EM_X86_64 ? "%%xmm%u" : "v%u", w->floats++);
}

const char *dt_usdt_callargs(struct dt_arena *arena, struct dt_types *types, uint16_t machine,
    const struct dt_probe_sig *sig)
{
	struct walk w = { .arena = arena, .machine = machine };
	const char *out = "";

	for (uint32_t i = 0; i < sig->nin; i++) {
		const struct dt_type *t = dt_type_base(sig->in[i]);
		bool real = t->kind == DT_T_FLOAT, scalar = real || dt_type_is_integer(t);
		uint64_t size = scalar ? dt_type_size(types, t) : 8;

		if (size != 1 && size != 2 && size != 4)
			size = 8;
		out = dt_arena_printf(arena, "%s%s%s%u%s@%s", out, i > 0 ? " " : "",
		    !real && dt_type_is_signed(t) ? "-" : "", (unsigned)size, real ? "f" : "",
		    real ? in_float(&w) : in_register(&w, size));
	}
	return out;
}
