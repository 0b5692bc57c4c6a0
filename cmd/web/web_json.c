/* SPDX-License-Identifier: BSD-2-Clause */
#include "web_json.h"

#include "wire/json_quote.h"

#include <string.h>

static bool put_bytes(void *to, const void *bytes, size_t n)
{
	return fwrite(bytes, 1, n, to) == n;
}

void json_string(FILE *f, const char *text, size_t len)
{
	dt_json_quote(put_bytes, f, text, len, true);
}

void json_text(FILE *f, const char *text)
{
	json_string(f, text, strlen(text));
}
