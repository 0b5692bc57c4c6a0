/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which kernel functions implement a system call. A tracepoint for system calls makes every call on the
 * machine take the kernel's slow path; a trampoline on the function costs nothing for other calls.
 * The kernel builds the names of these functions by macros, from the name of the call and from what the
 * architecture needs for 32-bit programs. Here all possible names are built, and those that the type
 * data contain are used. A function that serves another call does no harm, since programs check the
 * number. If nothing is found for a call of 32-bit programs although the kernel runs such programs, the
 * answer is false.
 */
#include "base/compat.h"
#include "base/count.h"
#include "machine/machine.h"
#include "provider/syscalls.h"
#include "types/type.h"

#include <stdio.h>
#include <string.h>

/*
 * A call without arguments has one function for all programs; the type data may contain only the name
 * that the others are aliases of.
 */
static const char without_arguments[] = "__do_sys_";

/* What the kernel puts before and after the name of a call. */
static const char *const before[] = { "", "ia32_", "aarch32_", "old_", "old", "new" };
static const char *const suffixes[] = { "", "16", "32", "_time32" };
/* What the C library puts before it and the kernel does not. */
static const char *const not_kernel[] = { "arm_", "_new", "_", "u" };

struct search {
	struct dt_arena *arena;
	struct dt_types *types;
	struct dt_names *out;
	bool found;
};

static void offer_function(struct search *s, const char *name)
{
	if (dt_types_function_id(s->types, name) == 0)
		return;
	s->found = true;
	for (size_t i = 0; i < s->out->list.n; i++)
		if (strcmp(s->out->list.v[i], name) == 0)
			return;
	dt_vec_push(s->arena, &s->out->list, dt_arena_strdup(s->arena, name));
}

static void offer_as(struct search *s, const char *first, const char *call, const char *last)
{
	char name[128];

	if (snprintf(name, sizeof(name), "%s%s%s", first, call, last) < (int)sizeof(name))
		offer_function(s, name);
}

static void offer_forms(struct search *s, const char *call)
{
	char first[64];

	for (const char *const *p = dt_machine_here()->syscall.compat; *p != NULL; p++)
		for (size_t i = 0; i < DT_COUNT(before); i++) {
			snprintf(first, sizeof(first), "%s%s", *p, before[i]);
			for (size_t k = 0; k < DT_COUNT(suffixes); k++)
				offer_as(s, first, call, suffixes[k]);
		}
}

static void offer_compat(struct search *s, const char *call)
{
	offer_forms(s, call);
	for (size_t i = 0; i < DT_COUNT(not_kernel); i++)
		if (strncmp(call, not_kernel[i], strlen(not_kernel[i])) == 0)
			offer_forms(s, call + strlen(not_kernel[i]));
}

static bool find_native(struct search *s, const char *call)
{
	const char *const *native = dt_machine_here()->syscall.native;
	const char *kernel = dt_syscall_kernel_name(call);

	s->found = false;
	for (const char *const *p = native; *p != NULL; p++)
		offer_as(s, *p, call, "");
	if (kernel != NULL)
		offer_as(s, native[0], kernel, "");
	if (!s->found)
		offer_as(s, without_arguments, call, "");
	return s->found;
}

static bool find_compat(struct search *s, const char *call, uint32_t number)
{
	const char *runs_compat = dt_machine_here()->syscall.runs_compat, *name = dt_compat_names;

	if (runs_compat == NULL || dt_types_function_id(s->types, runs_compat) == 0)
		return true;
	for (uint32_t i = 0; i < dt_ncompat_syscalls; i++, name += strlen(name) + 1) {
		if (dt_compat_syscalls[i] != number || name[0] == '\0')
			continue;
		s->found = false;
		offer_compat(s, name);
		offer_compat(s, call);
		if (!s->found)
			offer_as(s, without_arguments, name, "");
		if (!s->found)
			offer_as(s, without_arguments, call, "");
		if (!s->found)
			return false;
	}
	return true;
}

bool dt_syscall_functions(struct dt_arena *arena, struct dt_types *types, uint32_t number, bool ret,
    struct dt_names *out)
{
	struct search s = { arena, types, out, false };

	for (const struct dt_syscall *c = dt_syscalls; c->name[0] != '\0'; c++)
		if (c->number == number)
			/* a second return has not passed the function's entry */
			return !(ret && (c->flags & DT_SYSCALL_RETURNS_TWICE)) &&
			    find_native(&s, c->name) && find_compat(&s, c->name, number);
	return false;
}
