/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tool is a script that is run by its name: `execsnoop --help` is `dtrace -s execsnoop --help`. It is
 * answered with the comment at the head of the script: the first one that opens with a line of its own.
 */
#include "help.h"

#include <stdlib.h>
#include <string.h>

static bool print_head(FILE *out, FILE *script)
{
	char *line = NULL;
	size_t size = 0;
	bool inside = false, ended = false;

	for (int i = 0; i < 200 && !ended && getline(&line, &size, script) > 0; i++) {
		line[strcspn(line, "\n")] = '\0';
		if (!inside) {
			inside = strcmp(line, "/*") == 0;
		} else if (strcmp(line, " */") == 0) {
			ended = true;
		} else {
			const char *text = strncmp(line, " *", 2) == 0 ? line + 2 : line;

			fprintf(out, "%s\n", *text == ' ' ? text + 1 : text);
		}
	}
	free(line);
	return inside;
}

bool help_script(FILE *out, const struct args *a)
{
	FILE *script;
	bool printed;

	if (a->nprograms == 0 || !a->programs[0].file || (script = fopen(a->programs[0].text, "r")) == NULL)
		return false;
	printed = print_head(out, script);
	fclose(script);
	return printed;
}
