/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The prototype of a probe comes in; the places where a function called with it finds its values at its
 * first instruction go out, by the C calling convention of the machine, in the words of a note:
 * "-4@%edi 8@%rsi".
 */
#include "usdt/usdt.h"

#include "machine/machine.h"

struct walk {
	struct dt_arena *arena;
	const struct dt_machine *machine;
	unsigned ints, floats, words;	/* registers used, words on the stack */
};

static unsigned log2_of(uint64_t size)
{
	return size == 1 ? 0 : size == 2 ? 1 : size <= 4 ? 2 : 3;
}

/* Each value on the stack takes a word of eight bytes. */
static const char *on_stack(struct walk *w)
{
	return dt_arena_printf(
	    w->arena, w->machine->usdt.on_stack, w->machine->regs.stack_args + 8 * w->words++);
}

static const char *in_register(struct walk *w, uint64_t size)
{
	return w->ints < w->machine->regs.nargs ? w->machine->usdt.reg[w->ints++][log2_of(size)]
	                                        : on_stack(w);
}

/* Floating-point registers are counted by themselves, as both calling conventions do. */
static const char *in_float(struct walk *w)
{
	return w->floats < 8 ? dt_arena_printf(w->arena, w->machine->usdt.in_float, w->floats++)
	                     : on_stack(w);
}

/* Structs by value are not in D's prototypes; what is no number is a pointer. */
const char *dt_usdt_callargs(struct dt_arena *arena, struct dt_types *types, uint16_t machine,
    const struct dt_probe_sig *sig)
{
	struct walk w = { .arena = arena, .machine = dt_machine_elf(machine) };
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
