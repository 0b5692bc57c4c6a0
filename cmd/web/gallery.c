/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tools of dtools/, from where they are: beside the build folder, or in the folder of this command where
 * they are installed. The comment at a tool's top says what it is and which question it answers; what is in
 * the folder and has none is no tool.
 */
#include "gallery.h"

#include "json.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_TOOL (64 << 10)

static char *read_tool(const char *folder, const char *name)
{
	char path[PATH_MAX], *text = malloc(MOST_TOOL);
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = text != NULL && access(path, X_OK) == 0 ? fopen(path, "re") : NULL;
	if (f != NULL && getc(f) == '#' && getc(f) == '!') {
		rewind(f);
		n = fread(text, 1, MOST_TOOL - 1, f);
	}
	if (f != NULL)
		fclose(f);
	if (text != NULL)
		text[n] = '\0';
	if (n != 0 && strstr(text, "\n * QUESTION\t") != NULL)
		return text;
	free(text);
	return NULL;
}

/* What follows `mark` on its line. */
static void tell_after(FILE *f, const char *text, const char *mark)
{
	const char *p = strstr(text, mark);

	if (p != NULL)
		p += strlen(mark);
	json_string(f, p != NULL ? p : "", p != NULL ? strcspn(p, "\n") : 0);
}

static int tell_tool(FILE *f, const char *name, const char *text, int n)
{
	char mark[NAME_MAX + 8];

	fprintf(f, "%s{\"name\":", n != 0 ? ",\n" : "");
	json_text(f, name);
	fputs(",\"what\":", f);
	snprintf(mark, sizeof(mark), "* %s - ", name);
	tell_after(f, text, mark);
	fputs(",\"question\":", f);
	tell_after(f, text, "QUESTION\t");
	fputs(",\"usage\":", f);
	tell_after(f, text, "USAGE\t");
	fputs(",\"text\":", f);
	json_text(f, text);
	putc('}', f);
	return n + 1;
}

static int tell_folder(FILE *f, const char *folder)
{
	struct dirent **v = NULL;
	int n = scandir(folder, &v, NULL, alphasort), told = 0;

	for (int i = 0; i < n; i++) {
		char *text = v[i]->d_type != DT_DIR ? read_tool(folder, v[i]->d_name) : NULL;

		if (text != NULL)
			told = tell_tool(f, v[i]->d_name, text, told);
		free(text);
		free(v[i]);
	}
	free(v);
	return told;
}

char *gallery_json(void)
{
	char self[PATH_MAX], folder[PATH_MAX + 32], *text = NULL;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (f == NULL)
		return NULL;
	self[n > 0 ? n : 0] = '\0';
	if (strrchr(self, '/') != NULL)
		*strrchr(self, '/') = '\0';
	putc('[', f);
	snprintf(folder, sizeof(folder), "%s/../dtools", self);
	if (tell_folder(f, folder) == 0)
		tell_folder(f, self);
	putc(']', f);
	return fclose(f) == 0 ? text : NULL;
}
