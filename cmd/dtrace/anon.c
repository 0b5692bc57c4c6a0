/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The saved enabling of -A: where it is, and the messages about it. The file itself is the library's affair
 * (dtrace_anon_save(), dtrace_anon_load()).
 */
#include "anon.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "/var/lib/dtrace"	/* unless -x dofstashpath */

/* The value that an option will have; "" if it is set without one, NULL if it is not set. */
static const char *last_setting(const struct args *a, const char *name)
{
	for (int i = a->nsettings; i > 0; i--)
		if (strcmp(a->settings[i - 1].name, name) == 0)
			return a->settings[i - 1].value != NULL ? a->settings[i - 1].value : "";
	return NULL;
}

/* The library knows the words for off; a value that it refuses is reported when all options are set. */
bool anon_claimed(dtrace_hdl_t *dtp, const struct args *a)
{
	dtrace_optval_t on = DTRACEOPT_UNSET;

	for (int i = 0; i < a->nsettings; i++)
		if (strcmp(a->settings[i].name, "grabanon") == 0 &&
		    (dtrace_setopt(dtp, "grabanon", a->settings[i].value) != 0 ||
		    dtrace_getopt(dtp, "grabanon", &on) != 0))
			return false;
	return on != DTRACEOPT_UNSET;
}

/* -o names another file to write; the one that is claimed is always in its folder. `buf` holds the result. */
static const char *enabling_path(const struct args *a, char *buf, size_t len)
{
	const char *dir = last_setting(a, "dofstashpath");

	if (a->mode == MODE_ANON && a->output != NULL)
		return a->output;
	snprintf(buf, len, "%s/anonymous.dof", dir != NULL && dir[0] != '\0' ? dir : FOLDER);
	return buf;
}

/*
 * The settings as words ("name=value"), malloc()ed; the library knows which of them matter later. False: out
 * of memory, and what was made is in `out` for the caller to free.
 */
static bool collect_options(const struct args *a, char **out)
{
	for (int i = 0; i < a->nsettings; i++) {
		const struct setting *s = &a->settings[i];

		if (asprintf(&out[i], "%s%s%s", s->name, s->value != NULL ? "=" : "", s->value != NULL ?
		    s->value : "") < 0) {
			out[i] = NULL;
			return false;
		}
	}
	return true;
}

/* Saves all programs of the command line in one file, and says how to run them. */
static int save_programs(dtrace_hdl_t *dtp, const struct args *a, dtrace_prog_t *const *programs,
    const char *path)
{
	dtrace_anonprog_t *list = calloc((size_t)a->nprograms, sizeof(*list));
	char **options = calloc((size_t)a->nsettings + 1, sizeof(*options));
	bool ready = list != NULL && options != NULL && collect_options(a, options);
	int err = -1;

	for (int i = 0; list != NULL && i < a->nprograms; i++)
		list[i] = (dtrace_anonprog_t){ programs[i], a->programs[i].file, a->programs[i].text };
	if (ready)
		err = dtrace_anon_save(dtp, path, list, a->nprograms, options);
	if (err != 0)
		fprintf(stderr, "dtrace: failed to save anonymous enabling: %s\n", !ready ? "out of memory" :
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

/* A folder that cannot be made is not reported here: opening the file gives the better message. */
int anon_write(dtrace_hdl_t *dtp, const struct args *a, dtrace_prog_t *const *programs)
{
	char buf[4096], dir[4096];
	const char *path = enabling_path(a, buf, sizeof(buf)), *slash = strrchr(path, '/');

	if (a->nprograms > 0) {
		if (a->output == NULL && slash != NULL && slash != path) {
			snprintf(dir, sizeof(dir), "%.*s", (int)(slash - path), path);
			mkdir(dir, 0700);		/* it exists, or the open will fail */
		}
		return save_programs(dtp, a, programs, path);
	}
	if (unlink(path) == 0)
		fprintf(stderr, "dtrace: cleaned up old anonymous enabling in %s\n", path);
	else if (errno != ENOENT)
		fprintf(stderr, "dtrace: failed to remove %s: %s\n", path, strerror(errno));
	else
		return 0;
	return access(path, F_OK) == 0;
}

/* Programs of the command line and saved ones exclude each other, as in history (EDT_ISANON). */
int anon_read(dtrace_hdl_t *dtp, const struct args *a, struct program **names, dtrace_prog_t ***programs,
    int *count)
{
	dtrace_anonprog_t *list;
	char buf[4096];
	int n;

	if (a->nprograms > 0) {
		fprintf(stderr, "dtrace: could not enable tracing: %s\n", dtrace_errmsg(dtp, EDT_ISANON));
		return 1;
	}
	if (dtrace_anon_load(dtp, enabling_path(a, buf, sizeof(buf)), &list, &n) != 0) {
		fprintf(stderr, "dtrace: could not enable tracing: %s\n",
		    dtrace_errmsg(dtp, dtrace_errno(dtp)));
		return 1;
	}
	*names = calloc((size_t)n, sizeof(**names));
	*programs = calloc((size_t)n, sizeof(**programs));
	if (*names == NULL || *programs == NULL) {
		fprintf(stderr, "dtrace: out of memory\n");
		return 1;
	}
	for (int i = 0; i < n; i++) {
		(*names)[i] = (struct program){ list[i].dtap_script, DTRACE_PROBESPEC_NAME,
		    list[i].dtap_name };
		(*programs)[i] = list[i].dtap_prog;
	}
	*count = n;
	return 0;
}

int anon_consume(const struct args *a)
{
	char buf[4096];
	const char *path = enabling_path(a, buf, sizeof(buf));

	if (unlink(path) == 0)
		return 0;
	if (errno == ENOENT)
		fprintf(stderr, "dtrace: could not enable tracing: another dtrace -a has claimed %s\n", path);
	else
		fprintf(stderr, "dtrace: could not enable tracing: failed to remove %s: %s\n", path,
		    strerror(errno));
	return 1;
}
