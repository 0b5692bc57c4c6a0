/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ends of a function (ends.c) come in; the hooks of a probe that fires where its caller continues go out.
 *
 * A function that is jumped to is also called by others, so its end means something only when it was jumped
 * to. Calls on their way are kept in a variable of D, by process, function and stack pointer, which is the
 * same at the jump, at the beginning and at the end of what is jumped to, and which no other call that has
 * not ended has: 1 the jump is made, 2 it has arrived. If what is jumped to begins without a jump at a stack
 * pointer where a call is kept, that call was left by an exception or longjmp(): it is forgotten.
 */
#include "provider/objects.h"

#include "machine/machine.h"

const char *dt_hook_when(struct dt_arena *arena, const char *a, const char *b)
{
	return a == NULL ? b : b == NULL ? a : dt_arena_printf(arena, "%s && (%s)", a, b);
}

static struct dt_hook *append(struct dt_probes *p, struct dt_end_hooks *to, const struct dt_end *end)
{
	struct dt_hook *hook = DT_NEW(p->arena, struct dt_hook);

	*hook = to->like;
	hook->kind = DT_HOOK_URETSITE;
	hook->target = end->in->obj->target;
	hook->offset = end->offset;
	hook->when = dt_hook_when(p->arena, to->like.when, end->when);
	if (to->last != NULL)
		to->last->next = hook;
	else
		to->first = hook;
	to->last = hook;
	return hook;
}

/* A place where the variable is read or changed; `site` is the number of the function there. */
static struct dt_hook *add_step(struct dt_probes *p, struct dt_end_hooks *to, const struct dt_end *end,
    enum dt_hook_order order, const char *text)
{
	const struct dt_machine *machine = dt_machine_elf(dt_elf_machine(end->in->obj->elf));
	const char *key = dt_arena_printf(p->arena, "__returned[pid, arg0, uregs[%d]]",
	    machine->regs.sp / 8);
	struct dt_hook *hook = append(p, to, end);

	hook->when = dt_hook_when(p->arena, hook->when, dt_arena_printf(p->arena, text, key, key, key));
	hook->site = p->tails;
	hook->order = order;
	hook->once = order != DT_ORDER_NEXT;
	return hook;
}

static void add_end(struct dt_probes *p, struct dt_end_hooks *to, const struct dt_end *end)
{
	struct dt_hook *hook;

	switch (end->kind) {
	case DT_END_RET:
		hook = append(p, to, end);
		hook->site = end->at;
		hook->when = dt_hook_when(p->arena, hook->when, to->when);
		break;
	case DT_END_JUMP:
		add_step(p, to, end, DT_ORDER_BEGIN, "(%s = 1) * 0");
		break;
	case DT_END_ENTRY:
		add_step(p, to, end, DT_ORDER_ARRIVE, "%s != 0 && (%s = %s == 1 ? 2 : 0) * 0");
		break;
	case DT_END_NEXT_RET:
		hook = add_step(p, to, end, DT_ORDER_NEXT, "%s == 2");
		hook->when = dt_hook_when(p->arena, hook->when, to->when);
		if (hook->args[0] == NULL) {
			hook->args[0] = "0";
			hook->args[1] = "arg1";
		}
		add_step(p, to, end, DT_ORDER_DONE, "%s != 0 && (%s = 0)");
		break;
	case DT_END_NEXT_JUMP:
		add_step(p, to, end, DT_ORDER_PASS, "%s == 2 && (%s = 1) * 0");
		break;
	}
}

void dt_ends_hooks(struct dt_probes *p, const struct dt_ends *ends, struct dt_end_hooks *to)
{
	p->tails++;
	for (size_t i = 0; i < ends->n; i++)
		add_end(p, to, &ends->v[i]);
}
