/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Types of the arguments of system calls, from table/syscalls.def. It is the same on every kernel, needs
 * no privileges and no tracefs, and costs nothing before args[] is used. Every pointer is to user memory.
 */
#include "provider/provider.h"
#include "machine/machine.h"
#include "provider/syscalls.h"

#include <string.h>

/* Name and types of each row, one after the other: pointers and their relocations would be larger. */
static const char rows[] =
#define S(name, arm, i386, letters, types, result, kinds) #name "\0" types "\0"
#define N(name, number, letters, types, result, kinds) #name "\0" types "\0"
#include "table/syscalls.def"
;

/* The types of a call, "?" if the machine knows them; NULL: no such row. */
static const char *find_types(const char *name)
{
	for (const char *at = rows; *at != '\0'; at += strlen(at) + 1) {
		int order = strcmp(at, name);

		at += strlen(at) + 1;
		if (order >= 0)
			return order == 0 ? at : NULL;
	}
	return NULL;
}

/* "struct stat", "unsigned long", "size_t": NULL if this system does not know it. */
static const struct dt_type *type_named(struct dt_types *types, const char *name)
{
	const struct dt_type *t;

	if (strcmp(name, "void") == 0)
		return dt_types_void(types);
	if (strncmp(name, "struct ", 7) == 0)
		return dt_types_find(types, NULL, DT_T_STRUCT, name + 7);
	if (strncmp(name, "union ", 6) == 0)
		return dt_types_find(types, NULL, DT_T_UNION, name + 6);
	t = dt_types_basic(types, name);
	return t != NULL ? t : dt_types_find(types, NULL, DT_T_TYPEDEF, name);
}

/* One type of a row; the target of a pointer may be unknown. */
static const struct dt_type *one_type(struct dt_arena *arena, struct dt_types *types, const char *text,
    size_t len)
{
	const struct dt_type *t;
	unsigned stars = 0;

	while (len > 0 && (text[len - 1] == '*' || text[len - 1] == ' '))
		stars += text[--len] == '*';
	t = type_named(types, dt_arena_strndup(arena, text, len));
	if (t == NULL && stars > 0)
		t = dt_types_void(types);
	for (; stars > 0; stars--)
		t = dt_type_ptr(types, dt_type_qual(types, t, DT_TQ_USERLAND));
	return t;
}

struct dt_probe_sig *dt_syscall_arguments(struct dt_arena *arena, struct dt_types *types, const char *name)
{
	const char *text = find_types(name);
	struct dt_probe_sig *sig;
	uint32_t n;

	if (text == NULL)
		return NULL;
	if (strcmp(text, "?") == 0)
		text = dt_machine_here()->syscall.clone;
	n = *text != '\0';
	for (const char *c = text; *c != '\0'; c++)
		n += *c == ',';
	sig = dt_sig_new(arena, n);
	for (uint32_t i = 0; i < n; i++) {
		size_t len = strcspn(text, ",");

		sig->in[i] = one_type(arena, types, text, len);
		text += len + strspn(text + len, ", ");
	}
	return sig;
}
