/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads /etc/services, or /usr/etc/services where distributions keep it there. A line is a name, blanks, and
 * port/protocol; aliases and comments follow. Lines of another form are ignored.
 */
#include "base/services.h"
#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 4 << 20 };

/* name: the first word of the line */
static bool has_port(const char *line, size_t name, uint16_t port)
{
	const char *number = line + name + strspn(line + name, " \t");
	unsigned long value = 0;
	size_t digits = strspn(number, "0123456789");

	if (digits == 0 || digits > 5 || number[digits] != '/')
		return false;
	value = strtoul(number, NULL, 10);
	return value == port;
}

bool dt_service_find(const char *text, uint16_t port, char *name, size_t len)
{
	for (const char *line = text; line != NULL && *line != '\0';) {
		size_t n = strcspn(line, " \t\n#");

		if (n > 0 && (line[n] == ' ' || line[n] == '\t') && has_port(line, n, port)) {
			snprintf(name, len, "%.*s", (int)n, line);
			return true;
		}
		line = strchr(line, '\n');
		if (line != NULL)
			line++;
	}
	return false;
}

bool dt_service_name(uint16_t port, char *name, size_t len)
{
	static const char *const paths[] = { "/etc/services", "/usr/etc/services" };
	bool found = false;

	for (int i = 0; i < 2 && !found; i++) {
		char *text;
		size_t size;

		if (dt_file_read_regular(paths[i], FILE_MAX, &text, &size) != 0)
			continue;
		found = dt_service_find(text, port, name, len);
		free(text);
	}
	return found;
}
