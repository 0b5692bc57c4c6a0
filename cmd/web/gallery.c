/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tools of dtools/, from where they are: beside the build folder, or in the folder of this command where
 * they are installed. The comment at a tool's top says what it is and which question it answers; what is in
 * the folder and has none is no tool.
 */
#include "gallery.h"

#include "web_json.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TOOL_MAX (64 << 10)

static char *read_tool(const char *folder, const char *name)
{
	char path[PATH_MAX], *text = malloc(TOOL_MAX);
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = text != NULL && access(path, X_OK) == 0 ? fopen(path, "re") : NULL;
	if (f != NULL && getc(f) == '#' && getc(f) == '!') {
		rewind(f);
		n = fread(text, 1, TOOL_MAX - 1, f);
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
static void write_after(FILE *f, const char *text, const char *mark)
{
	const char *p = strstr(text, mark);

	if (p != NULL)
		p += strlen(mark);
	json_string(f, p != NULL ? p : "", p != NULL ? strcspn(p, "\n") : 0);
}

static int write_tool(FILE *f, const char *name, const char *text, int n, gallery_why_f *why, void *ctx)
{
	char mark[NAME_MAX + 8];

	fprintf(f, "%s{\"name\":", n != 0 ? ",\n" : "");
	json_text(f, name);
	fputs(",\"what\":", f);
	snprintf(mark, sizeof(mark), "* %s - ", name);
	write_after(f, text, mark);
	fputs(",\"question\":", f);
	write_after(f, text, "QUESTION\t");
	fputs(",\"usage\":", f);
	write_after(f, text, "USAGE\t");
	fputs(",\"needs\":", f);
	write_after(f, text, "NEEDS\t");
	fputs(",\"text\":", f);
	json_text(f, text);
	putc(',', f);
	why(f, text, ctx);
	putc('}', f);
	return n + 1;
}

static int write_folder(FILE *f, const char *folder, gallery_why_f *why, void *ctx)
{
	struct dirent **v = NULL;
	int n = scandir(folder, &v, NULL, alphasort), written = 0;

	for (int i = 0; i < n; i++) {
		char *text = v[i]->d_type != DT_DIR ? read_tool(folder, v[i]->d_name) : NULL;

		if (text != NULL)
			written = write_tool(f, v[i]->d_name, text, written, why, ctx);
		free(text);
		free(v[i]);
	}
	free(v);
	return written;
}

void gallery_write(FILE *f, gallery_why_f *why, void *ctx)
{
	char self[PATH_MAX], folder[PATH_MAX + 32];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n > 0 ? n : 0] = '\0';
	if (strrchr(self, '/') != NULL)
		*strrchr(self, '/') = '\0';
	putc('[', f);
	snprintf(folder, sizeof(folder), "%s/../dtools", self);
	if (write_folder(f, folder, why, ctx) == 0)
		write_folder(f, self, why, ctx);
	putc(']', f);
}
