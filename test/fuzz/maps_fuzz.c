/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text in as /proc/PID/maps and as a perf map: what comes out is a range, and has a name that can be
 * printed.
 */
#include "symbol/maps.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *text = malloc(len + 1);
	struct dt_perfmap jit = { 0 };
	struct dt_mapping m;
	const char *p = text;

	if (text == NULL)
		return 0;
	if (len > 0)
		memcpy(text, data, len);
	text[len] = '\0';
	while (dt_maps_next(&p, &m))
		if (m.start >= m.end || strlen(m.path) >= sizeof(m.path) || p > text + len)
			abort();
	if (dt_perfmap_add(&jit, text) == 0)
		dt_perfmap_sort(&jit);
	for (size_t i = 0; i < jit.n; i++) {
		const struct dt_jit_function *f = dt_perfmap_at(&jit, jit.func[i].start);

		if (f == NULL && jit.n < 200)
			abort();
		if (f != NULL && (jit.func[i].start - f->start >= f->size || f->name[0] == '\0'))
			abort();
	}
	dt_perfmap_free(&jit);
	return 0;
}
