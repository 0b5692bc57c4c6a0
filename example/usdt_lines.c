/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usdt_lines: makes a probe while it runs and fires it for each line of its input. Build it with
 *	cc usdt_lines.c $(pkg-config --cflags --libs libdtrace-usdt)
 * and watch it with
 *	dtrace -n 'lines*:::line { printf("%d %s", arg1, copyinstr(arg0)); }'
 */
#include <dtrace/usdt-dynamic.h>

#include <stdio.h>
#include <string.h>

static int fail(int err)
{
	fprintf(stderr, "usdt_lines: %s\n", dtrace_usdt_strerror(err));
	return 1;
}

int main(void)
{
	static const int types[] = { DTRACE_USDT_STRING, DTRACE_USDT_INT32 };
	dtrace_usdt_provider_t *lines;
	dtrace_usdt_probe_t *line;
	char text[1024];
	int err, n = 0;

	if ((err = dtrace_usdt_open("lines", NULL, &lines)) != 0 ||
	    (err = dtrace_usdt_add(lines, "main", "line", types, 2, &line)) != 0 ||
	    (err = dtrace_usdt_load(lines)) != 0)
		return fail(err);
	while (fgets(text, sizeof(text), stdin) != NULL) {
		text[strcspn(text, "\n")] = '\0';
		n++;
		DTRACE_USDT_FIRE(line, text, n);	/* text and n are looked at only while it is traced */
	}
	dtrace_usdt_close(lines);
	return 0;
}
