/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recording instead of a trace: the library plays it as JSON, and each of its lines is told as it is. The
 * page knows what they mean.
 */
#include "worker.h"

#include "json.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct lines { bool open; };

/* Whole lines become messages, however they are cut into pieces. */
static ssize_t write_piece(void *arg, const char *text, size_t len)
{
	struct lines *l = arg;

	for (size_t i = 0; i < len; i++) {
		if (!l->open)
			fputs("D{\"t\":\"json\",\"j\":", stdout);
		l->open = text[i] != '\n';
		if (text[i] == '\n')
			putchar('}');
		if (text[i] == '<')
			fputs("\\u003c", stdout);
		else
			putchar(text[i]);
	}
	return ferror(stdout) ? 0 : (ssize_t)len;	/* nobody listens any more */
}

int worker_play(const struct wish *w)
{
	struct lines l = { false };
	cookie_io_functions_t io = { .write = write_piece };
	int err = 0, rv = -1;
	dtrace_hdl_t *dtp = worker_open(w, DTRACE_O_NODEV, &err);
	char *path = worker_input();
	FILE *f = fopencookie(&l, "w", io);

	puts("D{\"t\":\"start\",\"wall\":0,\"program\":\"\"}");
	if (dtp != NULL && path != NULL && f != NULL) {
		puts("D{\"t\":\"live\"}");
		rv = dtrace_setopt(dtp, "oformat", "json") != 0 ? -1 : dtrace_play(dtp, path, f);
		fclose(f);
		if (rv != 0)
			worker_error(dtp, "L", "the recording cannot be played");
	}
	puts("L{\"t\":\"end\"}");
	free(path);
	if (dtp != NULL)
		dtrace_close(dtp);
	return rv != 0;
}
