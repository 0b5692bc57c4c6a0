/* SPDX-License-Identifier: BSD-2-Clause */
/* What a part of a probe description can mean, as all providers ask it. */
#include "provider/provider.h"

bool dt_part_literal(const char *part)
{
	return part[0] != '\0' && strpbrk(part, "*?[\\") == NULL;
}

bool dt_part_matches_empty(const char *part)
{
	return part[strspn(part, "*")] == '\0';
}
