/* SPDX-License-Identifier: BSD-2-Clause */
/* A digest grows; also an array of anything else, where memory may run out. */
#include "file/digest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The limit is checked first, so that no sum below can overflow. */
int dt_digest_put(struct dt_digest *d, const void *bytes, size_t len)
{
	if (len > DT_DIGEST_MAX - d->len)
		return -EFBIG;
	if (len > d->cap - d->len) {
		size_t cap = (d->len + len) * 3 / 2 + 256;
		uint8_t *more = realloc(d->bytes, cap);

		if (more == NULL)
			return -ENOMEM;
		d->bytes = more;
		d->cap = cap;
	}
	if (len > 0)
		memcpy(d->bytes + d->len, bytes, len);
	d->len += len;
	return 0;
}
