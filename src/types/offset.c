/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a member of a named struct lies, by a path that may go into structs inside of it. */
#include "types/type.h"

/*
 * Follows a path like "mm.pgd" from struct to struct. Without a path it is the size of the struct.
 * Kernels differ in their members, so not to find one is an answer, DT_TYPES_NO_OFFSET, and no error.
 */
uint32_t dt_types_offset(struct dt_types *types, const char *tag, const char *path)
{
	const struct dt_type *t = dt_types_find(types, NULL, DT_T_STRUCT, tag);
	uint64_t bits = 0;

	if (path == NULL)
		return t != NULL ? (uint32_t)dt_type_size(types, t) : DT_TYPES_NO_OFFSET;
	while (t != NULL && *path != '\0') {
		size_t len = strcspn(path, ".");
		char name[64];
		struct dt_member m;

		if (len >= sizeof(name))
			return DT_TYPES_NO_OFFSET;
		memcpy(name, path, len);
		name[len] = '\0';
		if (!dt_type_member(types, dt_type_complete(types, dt_type_base(t)), name, &m))
			return DT_TYPES_NO_OFFSET;
		bits += m.bit_off;
		t = m.type;
		path += len + (path[len] == '.');
	}
	return t != NULL ? (uint32_t)(bits / 8) : DT_TYPES_NO_OFFSET;
}
