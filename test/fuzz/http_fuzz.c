/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes as the head of an HTTP request: every string that comes out ends inside of them. */
#include "wire/http_request.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void inside(const char *s, const char *head, size_t len)
{
	if (s[0] != '\0' && (s < head || s + strlen(s) >= head + len))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *head = malloc(len + 1);
	struct dt_http_request r;

	if (head == NULL)
		return 0;
	if (len > 0)
		memcpy(head, data, len);
	if (dt_http_parse(head, len, &r) == 0) {
		inside(r.method, head, len);
		inside(r.path, head, len);
		for (int i = 0; i < r.nfields; i++)
			inside(r.field[i].value, head, len);
		for (int i = 0; i < r.nargs; i++)
			inside(r.arg[i].value, head, len);
	}
	free(head);
	return 0;
}
