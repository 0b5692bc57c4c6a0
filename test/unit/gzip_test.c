/* SPDX-License-Identifier: BSD-2-Clause */
/* The gzip that -O pprof writes, read by gzip itself: sizes around those of a stored block. */
#include "check.h"
#include "sink/gzip.h"

#include <stdlib.h>
#include <unistd.h>

/* What gzip makes of it; -1: it refuses the file. */
static long unpacked(const struct dt_out *o, const uint8_t *want, size_t n)
{
	char path[] = "/tmp/gzip_test.XXXXXX", command[64];
	uint8_t *got = malloc(n + 1);
	int fd = mkstemp(path);
	long len = -1;
	FILE *f;

	if (fd < 0 || got == NULL || write(fd, o->buf, o->len) != (ssize_t)o->len)
		goto out;
	snprintf(command, sizeof(command), "gzip -dc <%s 2>&1", path);
	f = popen(command, "r");
	if (f != NULL) {
		len = (long)fread(got, 1, n + 1, f);
		if (pclose(f) != 0 || (size_t)len != n || memcmp(got, want, n) != 0)
			len = -1;
	}
out:
	if (fd >= 0) {
		close(fd);
		unlink(path);
	}
	free(got);
	return len;
}

int main(void)
{
	static const size_t sizes[] = { 0, 1, 65534, 65535, 65536, 131070, 200000 };
	static uint8_t bytes[200000];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * i >> 7 ^ i);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct dt_out o;

		dt_out_init(&o, NULL, NULL);
		dt_gzip_put(&o, bytes, sizes[i]);
		CHECK_INT(unpacked(&o, bytes, sizes[i]), (long)sizes[i]);
		dt_out_free(&o);
	}
	return check_report("gzip");
}
