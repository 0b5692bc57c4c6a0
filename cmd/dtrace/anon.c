/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The saved enabling: where it is, which options go into it, and what the user is told. Only run-time options are saved;
 * those of the compiler have done their work, but for the few that are looked at while tracing.
 */
#include "anon.h"

#include "lib/anon.h"
#include "lib/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *last_setting(const struct args *a, const char *name)
{
	for (int i = a->nsettings; i > 0; i--)
		if (strcmp(a->settings[i - 1].name, name) == 0)
			return a->settings[i - 1].value != NULL ? a->settings[i - 1].value : "";
	return NULL;
}

bool anon_claimed(const struct args *a)
{
	return last_setting(a, "grabanon") != NULL;
}

/* -o names another file to write; the one that is claimed is always in its folder. */
static const char *where(const struct args *a, char *buf, size_t len)
{
	const char *dir = last_setting(a, "dofstashpath");

	if (a->mode == MODE_ANON && a->output != NULL)
		return a->output;
	snprintf(buf, len, "%s/" DT_ANON_FILE, dir != NULL && dir[0] != '\0' ? dir : DT_ANON_DIR);
	return buf;
}

static bool kept(const char *name)
{
	static const char *const tracing[] = { "droptags", "encoding" };

	for (size_t i = 0; i < sizeof(tracing) / sizeof(tracing[0]); i++)
		if (strcmp(name, tracing[i]) == 0)
			return true;
	for (int i = 0; i < DT_NOPTS; i++)
		if (strcmp(dt_options_row((enum dt_opt)i)->name, name) == 0)
			return dt_options_row((enum dt_opt)i)->cls != 'C' && strcmp(name, "grabanon") != 0;
	return false;
}

static size_t collect_options(const struct args *a, char **out)
{
	size_t n = 0;

	for (int i = 0; i < a->nsettings; i++) {
		const struct setting *s = &a->settings[i];

		if (kept(s->name) && asprintf(&out[n], "%s%s%s", s->name, s->value != NULL ? "=" : "", s->value != NULL ? s->value : "") >= 0)
			n++;
	}
	return n;
}

static int save(dtrace_hdl_t *dtp, const struct args *a, dtrace_prog_t *const *programs, const char *path)
{
	struct dt_anon_prog *list = calloc((size_t)a->nprograms, sizeof(*list));
	char **options = calloc((size_t)a->nsettings + 1, sizeof(*options));
	int err = -1;

	for (int i = 0; list != NULL && i < a->nprograms; i++)
		list[i] = (struct dt_anon_prog){ programs[i], a->programs[i].file, a->programs[i].text };
	if (list != NULL && options != NULL)
		err = dt_anon_save(dtp, path, list, (size_t)a->nprograms, (const char *const *)options, collect_options(a, options));
	if (err != 0)
		fprintf(stderr, "dtrace: failed to save anonymous enabling: %s\n", list == NULL || options == NULL ? "out of memory" :
		    dtrace_errmsg(dtp, dtrace_errno(dtp)));
	else
		fprintf(stderr, "dtrace: saved anonymous enabling in %s\n"
		    "dtrace: run 'dtrace -a' to start it, now or from a service at boot\n", path);
	for (int i = 0; options != NULL && options[i] != NULL; i++)
		free(options[i]);
	free(options);
	free(list);
	return err != 0;
}

int anon_write(dtrace_hdl_t *dtp, const struct args *a, dtrace_prog_t *const *programs)
{
	char buf[4096], dir[4096];
	const char *path = where(a, buf, sizeof(buf)), *slash = strrchr(path, '/');

	if (a->nprograms > 0) {
		if (a->output == NULL && slash != NULL && slash != path) {
			snprintf(dir, sizeof(dir), "%.*s", (int)(slash - path), path);
			mkdir(dir, 0700);		/* there already, or the open will tell */
		}
		return save(dtp, a, programs, path);
	}
	if (unlink(path) == 0)
		fprintf(stderr, "dtrace: cleaned up old anonymous enabling in %s\n", path);
	else if (errno != ENOENT)
		fprintf(stderr, "dtrace: failed to remove %s: %s\n", path, strerror(errno));
	else
		return 0;
	return access(path, F_OK) == 0;
}

int anon_read(dtrace_hdl_t *dtp, const struct args *a, struct program **names, dtrace_prog_t ***programs, int *count)
{
	struct dt_anon_prog *list;
	char buf[4096];
	size_t n;

	if (a->nprograms > 0) {
		fprintf(stderr, "dtrace: could not enable tracing: %s\n", dtrace_errmsg(dtp, EDT_ISANON));
		return 1;
	}
	if (dt_anon_load(dtp, where(a, buf, sizeof(buf)), &list, &n) != 0) {
		fprintf(stderr, "dtrace: could not enable tracing: %s\n", dtrace_errmsg(dtp, dtrace_errno(dtp)));
		return 1;
	}
	*names = calloc(n, sizeof(**names));
	*programs = calloc(n, sizeof(**programs));
	if (*names == NULL || *programs == NULL) {
		fprintf(stderr, "dtrace: out of memory\n");
		return 1;
	}
	for (size_t i = 0; i < n; i++) {
		(*names)[i] = (struct program){ list[i].file, DTRACE_PROBESPEC_NAME, list[i].name };
		(*programs)[i] = list[i].prog;
	}
	*count = (int)n;
	return 0;
}

int anon_consume(const struct args *a)
{
	char buf[4096];
	const char *path = where(a, buf, sizeof(buf));

	if (unlink(path) == 0)
		return 0;
	if (errno == ENOENT)
		fprintf(stderr, "dtrace: could not enable tracing: another dtrace -a has claimed %s\n", path);
	else
		fprintf(stderr, "dtrace: could not enable tracing: failed to remove %s: %s\n", path, strerror(errno));
	return 1;
}
