/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes as a file of events: refused with a sentence, or every event is inside its bounds. */
#include "replay/events.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct dt_arena *arena = dt_arena_new();
	char *text = malloc(len + 1), msg[256] = "";
	struct dt_replay_events *out;

	if (arena == NULL || text == NULL)
		return 0;
	if (len > 0)
		memcpy(text, data, len);
	text[len] = '\0';
	out = dt_replay_parse(arena, "events", text, msg, sizeof(msg));
	if ((out == NULL) != (msg[0] != '\0'))
		abort();
	for (size_t i = 0; out != NULL && i < out->events.n; i++) {
		const struct dt_replay_event *e = &out->events.v[i];

		if (e->probe >= out->probes.n || e->cpu >= out->ncpus || e->ntexts > 10)
			abort();
		for (uint32_t k = 0; k < e->ntexts; k++)
			if (e->texts[k].bytes[e->texts[k].len - 1] != '\0')
				abort();
	}
	dt_arena_free(arena);
	free(text);
	return 0;
}
