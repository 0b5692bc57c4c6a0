/* SPDX-License-Identifier: BSD-2-Clause */
/* Recordings through the API: dtrace_record_file() without one, dtrace_play() of files made here. */
#include "check.h"

#include <dtrace.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Plays these bytes; what comes out, or the message, in `got`. */
static int play(dtrace_hdl_t *h, const void *bytes, size_t n, char *got, size_t len)
{
	char path[] = "/tmp/api_play_test.XXXXXX", *text = NULL;
	int fd = mkstemp(path), rv;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	CHECK(fd >= 0 && write(fd, bytes, n) == (ssize_t)n && out != NULL);
	rv = dtrace_play(h, path, out);
	fclose(out);
	snprintf(got, len, "%s", rv == 0 ? text : dtrace_errmsg(h, dtrace_errno(h)) + strlen(path) + 2);
	free(text);
	close(fd);
	unlink(path);
	return rv;
}

int main(void)
{
	static const char good[] = "dtrace recording 1\nT\3\0\0\0a\nbT\1\0\0\0c";
	static const char cut[] = "dtrace recording 1\nT\3\0\0\0a\nbT\7\0\0\0c";
	static const char early[] = "dtrace recording 1\nE\1\0\0\0a";
	static const char odd[] = "dtrace recording 1\n!\1\0\0\0a";
	char got[600];
	int err;
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &err);

	if (!CHECK(h != NULL))
		return check_report("api_play");
	CHECK(dtrace_record_file(h, stdout) == stdout);
	CHECK_INT(play(h, good, sizeof(good) - 1, got, sizeof(got)), 0);
	CHECK_STR(got, "a\nbc");
	CHECK_INT(play(h, cut, sizeof(cut) - 1, got, sizeof(got)), 0);
	CHECK_STR(got, "a\nb");
	CHECK_INT(play(h, odd, sizeof(odd) - 1, got, sizeof(got)), -1);
	CHECK_STR(got, "it has a block of an unknown kind");
	CHECK_INT(play(h, "x", 1, got, sizeof(got)), -1);
	CHECK_STR(got, "it is no recording of -O record=FILE");
	CHECK_INT(dtrace_setopt(h, "oformat", "json"), 0);
	CHECK_INT(play(h, early, sizeof(early) - 1, got, sizeof(got)), -1);
	CHECK_STR(got, "something stands before the start");
	CHECK_INT(dtrace_play(h, "/nonexistent", stdout), -1);
	CHECK_INT(dtrace_setopt(h, "oformat", "record"), -1);
	CHECK_INT(dtrace_setopt(h, "oformat", "record=x"), 0);
	CHECK_INT(play(h, good, sizeof(good) - 1, got, sizeof(got)), -1);
	CHECK_STR(got, "a recording cannot be recorded: copy the file");
	FILE *both = dtrace_record_file(h, stdout);
	CHECK(both != NULL && both != stdout);
	CHECK_INT(fputs("text goes through\n", both) >= 0 && fclose(both) == 0, 1);
	dtrace_close(h);
	return check_report("api_play");
}
