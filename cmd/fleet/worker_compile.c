/* SPDX-License-Identifier: BSD-2-Clause */
/* The options and programs of a request become enablings, or a message that names what is wrong. */
#include "worker.h"

#include "base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int worker_set_options(struct work *w)
{
	static const char *const first[][2] = {
		{ "temporal", "yes" }, { "switchrate", "5hz" }, { "aggrate", "10s" }, { "aggmerge", "yes" },
	};

	for (size_t i = 0; i < COUNT(first); i++)
		if (dtrace_setopt(w->dtp, first[i][0], first[i][1]) != 0)
			return worker_fail_library(w, "failed", first[i][0]);
	if (message_get(&w->m, "always")[0] != '\0' && dtrace_setopt(w->dtp, "aggrate", "5s") != 0)
		return worker_fail_library(w, "failed", "aggrate");
	for (int i = 0; i < w->m.n; i++) {
		const char *value = w->m.v[i].value;
		size_t n = strcspn(value, "=");
		char name[64];

		if (strcmp(w->m.v[i].word, "option") != 0)
			continue;
		if (!worker_option_good(value, n))
			return worker_fail("refused", "agents do not take this option of askers", value);
		snprintf(name, sizeof(name), "%.*s", (int)n, value);
		if (dtrace_setopt(w->dtp, name, value[n] == '=' ? value + n + 1 : NULL) != 0)
			return worker_fail_library(w, "compile", name);
	}
	return 0;
}

/* A message that names the program, as dtrace(1) does. */
static int compile_failed(struct work *w, int i)
{
	char what[128];

	if (strncmp(w->type[i], "file ", 5) == 0)
		snprintf(what, sizeof(what), "failed to compile the script");
	else
		snprintf(what, sizeof(what), "invalid probe specifier %.*s%s",
		    (int)strcspn(w->text[i], "\n") < 72 ? (int)strcspn(w->text[i], "\n") : 48, w->text[i],
		    strlen(w->text[i]) > 72 || strchr(w->text[i], '\n') != NULL ? " ..." : "");
	return worker_fail_library(w, "compile", what);
}

/* A script is read from a descriptor. NULL: there is none. */
static FILE *file_of(const char *text)
{
	int fd = memfd_create("program", MFD_CLOEXEC);
	FILE *f = fd >= 0 ? fdopen(fd, "w+") : NULL;

	if (f != NULL && fputs(text, f) >= 0 && fflush(f) == 0) {
		rewind(f);
		return f;
	}
	if (f != NULL)
		fclose(f);
	return NULL;
}

static dtrace_prog_t *compile(struct work *w, int i)
{
	dtrace_prog_t *prog;
	FILE *f;

	if (strncmp(w->type[i], "file ", 5) != 0)
		return dtrace_program_strcompile(
		    w->dtp, w->text[i], atoi(w->type[i]), 0, w->noperands, w->operand);
	if ((f = file_of(w->text[i])) == NULL)
		return NULL;
	prog = dtrace_program_fcompile(w->dtp, f, 0, w->noperands, w->operand);
	fclose(f);
	return prog;
}

int worker_compile_all(struct work *w)
{
	dtrace_prog_t *prog[PROGRAMS_MAX];

	for (int i = 0; i < w->nprograms; i++) {
		const char *bad = worker_bad_pragma(w->text[i]);
		int status;

		if (bad != NULL) {
			char name[64];

			snprintf(name, sizeof(name), "%.*s", (int)strcspn(bad, "= \n"), bad);
			return worker_fail("refused", "agents do not take this option of programs", name);
		}
		if ((prog[i] = compile(w, i)) == NULL)
			return compile_failed(w, i);
		if ((status = worker_check_program(w, prog[i])) != 0)
			return status;
	}
	if (worker_set_limits(w) != 0)
		return 1;
	for (int i = 0; i < w->nprograms; i++)
		if (dtrace_program_exec(w->dtp, prog[i], NULL) != 0)
			return compile_failed(w, i);
	return 0;
}
