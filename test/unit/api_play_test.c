/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recordings through the API: dtrace_record_file() without one, and playing of streams made here, from a
 * file, from memory and from a descriptor.
 */
#include "check.h"

#include <dtrace.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define MARK "dtrace recording 2\n"
#define TIMES "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define HOST_OF(order) "H\060\0\0\0" order "\0\0\0\10\0\0\0\1\0\0\0" TIMES \
	"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define HOST HOST_OF("\1")

struct stream { const void *bytes; size_t n; };
#define STREAM(text) (struct stream){ text, sizeof(text) - 1 }

enum way { FILE_PATH, MEMORY, DESCRIPTOR, WAYS };

/* What comes out, or the message without the name in front of it, in `got`. */
static int play(dtrace_hdl_t *h, enum way way, struct stream s, char *got, size_t len)
{
	char path[] = "/tmp/api_play_test.XXXXXX", *text = NULL;
	const char *said;
	int fd = mkstemp(path), rv;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	CHECK(fd >= 0 && write(fd, s.bytes, s.n) == (ssize_t)s.n && out != NULL);
	CHECK(lseek(fd, 0, SEEK_SET) == 0);
	rv = way == FILE_PATH ? dtrace_play(h, path, out) : way == MEMORY ?
	    dtrace_play_memory(h, s.bytes, s.n, out) : dtrace_play_fd(h, fd, out);
	fclose(out);
	said = rv != 0 ? dtrace_errmsg(h, dtrace_errno(h)) : "";
	snprintf(got, len, "%s", rv == 0 ? text : strstr(said, ": ") != NULL ? strstr(said, ": ") + 2 : said);
	free(text);
	close(fd);
	unlink(path);
	return rv;
}

static void check(dtrace_hdl_t *h, struct stream s, int rv, const char *want)
{
	char got[600];

	for (enum way way = 0; way < WAYS; way++) {
		CHECK_INT(play(h, way, s, got, sizeof(got)), rv);
		CHECK_STR(got, want);
	}
}

int main(void)
{
	int err;
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &err);

	if (!CHECK(h != NULL))
		return check_report("api_play");
	CHECK(dtrace_record_file(h, stdout) == stdout);
	check(h, STREAM(MARK HOST "T\7\0\0\0\0\0\0\0a\nbT\5\0\0\0\1\0\0\0c"), 0, "a\nbc");
	check(h, STREAM(MARK HOST "T\7\0\0\0\0\0\0\0a\nbT\7\0\0\0\0\0\0\0c"), 0, "a\nb");
	check(h, STREAM(MARK HOST "z\0\0\0\0q\1\0\0\0aT\5\0\0\0\0\0\0\0c"), 0, "c");
	check(h, STREAM(MARK HOST "!\1\0\0\0a"), -1, "it has a block of an unknown kind");
	check(h, STREAM(MARK HOST "T\377\377\377\377a"), -1, "it has a block of more than 256 MiB");
	check(h, STREAM(MARK "T\5\0\0\0\0\0\0\0c"), -1, "it does not begin with its host");
	check(h, STREAM(MARK HOST_OF("\2")), -1, "it was recorded on a machine with another byte order or "
	    "size of pointers (): play it on such a machine");
	check(h, STREAM("x"), -1, "it is no recording of -O record=FILE");
	check(h, STREAM("dtrace recording 1\nT\1\0\0\0c"), -1, "it was recorded by another version of dtrace "
	    "(format 1, this one reads 2): play it with that version");
	CHECK_INT(dtrace_setopt(h, "oformat", "json"), 0);
	check(h, STREAM(MARK HOST "E\1\0\0\0a"), -1, "something stands before the start");
	CHECK_INT(dtrace_play(h, "/nonexistent", stdout), -1);
	CHECK_INT(dtrace_play_fd(h, -1, stdout), -1);
	CHECK_INT(dtrace_play_memory(h, NULL, 0, NULL), -1);
	CHECK_INT(dtrace_record_fd(h, -1, 0), -1);
	CHECK_INT(dtrace_errno(h), EINVAL);
	CHECK_INT(dtrace_setopt(h, "oformat", "record"), -1);
	CHECK_INT(dtrace_setopt(h, "oformat", "record=x"), 0);
	check(h, STREAM(MARK HOST), -1, "a recording cannot be recorded: copy the file");
	FILE *both = dtrace_record_file(h, stdout);
	CHECK(both != NULL && both != stdout);
	CHECK_INT(fputs("text goes through\n", both) >= 0 && fclose(both) == 0, 1);
	dtrace_close(h);
	return check_report("api_play");
}
