/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The D program (wish.h). A call leaves one record, when it returns: its arguments are kept at the entry, and
 * what they point to is read at the return, when the kernel has touched the pages, and written what it
 * writes. Calls that record the same things share a clause. A fault makes the record without what the
 * arguments point to (ERROR). A thread that waits inside a call says so, once; so does one that ends there.
 */
#include "wish.h"

#include <stdlib.h>
#include <string.h>

struct shape {
	char *body;			/* D text of what is recorded */
	char *probes;			/* "syscall::read:return,syscall::pread64:return" */
};

struct shapes {
	struct shape v[512];
	size_t n;
	bool failed;
};

/* ---- text of a row ---- */

static bool type_is_known(dtrace_hdl_t *dtp, const char *type)
{
	dtrace_typeinfo_t info;

	/* D takes the name of an unknown struct for a declaration: it is looked up, not compiled */
	return type == NULL || dtrace_lookup_by_type(dtp, DTRACE_OBJ_EVERY, type, &info) == 0;
}

/* `arg` is the text before the number of an argument: "self->a" or, at the entry, "arg". */
static void expand(FILE *f, const char *text, const char *arg, unsigned k, unsigned len, const struct wish *w)
{
	for (; *text != '\0'; text++) {
		if (*text != '%') {
			fputc(*text, f);
			continue;
		}
		text++;
		if (*text == 'a')
			fprintf(f, "%s%u", arg, k);
		else if (*text == 'n')
			fprintf(f, "%s%u", arg, len);
		else if (*text == 'k')
			fprintf(f, "%u", k);
		else
			fprintf(f, "%ld", w->limit > 0 ? w->limit : 1);
	}
}

/* A type that this kernel does not have leaves a word in its place. */
static void put_fetch(FILE *f, const struct row *r, const struct wish *w, dtrace_hdl_t *dtp)
{
	for (unsigned k = 0; k < r->nargs; k++) {
		const struct kind *kind = r->kind[k];

		if (kind->fetch == NULL)
			continue;
		expand(f, type_is_known(dtp, kind->type) ? kind->fetch : "trace(0);", "self->a", k,
		    r->lenarg[k], w);
	}
	if (r->ret != NULL && r->ret->fetch != NULL)
		expand(f, r->ret->fetch, "self->a", 0, 0, w);
}

static void put_entry(FILE *f, const struct row *r, const struct wish *w, dtrace_hdl_t *dtp)
{
	(void)dtp;
	for (unsigned k = 0; k < r->nargs; k++)
		if (r->kind[k]->entry != NULL)
			expand(f, r->kind[k]->entry, "arg", k, r->lenarg[k], w);
}

/* ---- shapes ---- */

static bool grow(char **text, const char *more)
{
	size_t n = *text != NULL ? strlen(*text) : 0;
	char *v = realloc(*text, n + strlen(more) + 1);

	if (v == NULL)
		return false;
	strcpy(v + n, more);
	*text = v;
	return true;
}

static void add_to_shape(struct shapes *s, const char *body, const char *probe)
{
	size_t i = 0;

	while (i < s->n && strcmp(s->v[i].body, body) != 0)
		i++;
	if (i == s->n) {
		if (s->n == COUNT(s->v) || (s->v[s->n].body = strdup(body)) == NULL) {
			s->failed = true;
			return;
		}
		s->n++;
	} else if (!grow(&s->v[i].probes, ",\n")) {
		s->failed = true;
	}
	if (!grow(&s->v[i].probes, probe))
		s->failed = true;
}

typedef void put_row_f(FILE *, const struct row *, const struct wish *, dtrace_hdl_t *);

/* `empty`: rows that have nothing to say are a shape, too. */
static void add_row(struct shapes *s, put_row_f *put, const char *where, bool empty, const struct row *r,
    const struct wish *w, dtrace_hdl_t *dtp)
{
	char *body = NULL, probe[80];
	size_t len = 0;
	FILE *f = open_memstream(&body, &len);

	if (f == NULL) {
		s->failed = true;
		return;
	}
	put(f, r, w, dtp);
	if (fclose(f) != 0)
		s->failed = true;
	snprintf(probe, sizeof(probe), "syscall::%s:%s", r->name, where);
	if (!s->failed && (empty || len > 0))
		add_to_shape(s, body, probe);
	free(body);
}

static void free_shapes(struct shapes *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->v[i].body);
		free(s->v[i].probes);
	}
	free(s);
}

/* ---- clauses ---- */

#define ARGS "trace(self->a0); trace(self->a1); trace(self->a2); trace(self->a3); trace(self->a4); " \
	"trace(self->a5); "
#define HEAD "trace(pid); trace(tid); trace(self->ts); " ARGS

/* Without -f one thread is meant, as with strace; -n and -C mean all threads. `text` has room for 128. */
static const char *only(const struct wish *w, char *text)
{
	char name[80];

	if (!w->all) {
		strcpy(text, w->follow ? "" : "/tid == $target/ ");
	} else if (w->name != NULL) {
		arguments_quote(w->name, name, sizeof(name));
		snprintf(text, 128, "/execname == \"%s\" && pid != $pid/ ", name);
	} else {
		strcpy(text, "/pid != $pid/ ");
	}
	return text;
}

static const char *stack(const struct wish *w) { return w->stacks ? "ustack(100); " : ""; }

/* All calls by one pattern where all are wanted: that is quicker than a list. */
static void put_entries(FILE *f, const struct wish *w, const struct calls *c)
{
	bool all = true;
	const char *between = "";
	char who[128];

	for (size_t i = 0; i < c->n; i++)
		all &= c->v[i].enabled || !c->v[i].here;
	for (size_t i = 0; i < c->n && !all; i++) {
		if (!c->v[i].enabled)
			continue;
		fprintf(f, "%ssyscall::%s:entry", between, c->v[i].name);
		between = ",\n";
	}
	fprintf(f,
	    "%s\n%s{ self->id = id; self->ts = timestamp; self->a0 = arg0; self->a1 = arg1; self->a2 = arg2; "
	    "self->a3 = arg3; self->a4 = arg4; self->a5 = arg5; self->told = 0; self->in = 1; }\n",
	    all ? "syscall:::entry" : "", only(w, who));
}

static bool never_returns(const struct row *r)
{
	return strcmp(r->name, "exit") == 0 || strcmp(r->name, "exit_group") == 0 ||
	    strcmp(r->name, "rt_sigreturn") == 0;
}

static void put_calls(FILE *f, const struct wish *w, const struct calls *c, dtrace_hdl_t *dtp,
    struct shapes *in, struct shapes *out)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct row *r = &c->v[i];

		if (!r->enabled)
			continue;
		add_row(in, put_entry, "entry", false, r, w, dtp);
		add_row(out, put_fetch, never_returns(r) ? "entry" : "return", true, r, w, dtp);
	}
	for (size_t i = 0; i < in->n; i++)
		fprintf(f, "%s\n/self->in/ { %s }\n", in->v[i].probes, in->v[i].body);
	for (size_t i = 0; i < out->n; i++)
		fprintf(f, "%s\n/self->in/ { self->in = 2; self->r = arg0; " HEAD
		    "trace(arg0); %s %sself->in = 0; }\n",
		    out->v[i].probes, out->v[i].body, stack(w));
	fprintf(f, "dtrace:::ERROR /self->in == 2/ { self->in = 0; " HEAD
	    "trace(self->r); trace(self->id); %s}\n",
	    stack(w));
}

/* What is known of a signal: numbers of a struct kernel_siginfo, or of none where the address is 0 or 1. */
#define INFO "this->k = arg1 != 0 && arg1 != 1; trace((int)this->k); " \
	"trace(this->k ? args[1]->si_code : 0); trace(this->k ? args[1]->_sifields._kill._pid : 0); " \
	"trace(this->k ? args[1]->_sifields._kill._uid : 0); " \
	"trace(this->k ? args[1]->_sifields._sigchld._status : 0); " \
	"trace(this->k ? (uint64_t)args[1]->_sifields._sigfault._addr : 0); " \
	"trace(this->k ? (int64_t)args[1]->_sifields._sigchld._utime : 0); " \
	"trace(this->k ? (int64_t)args[1]->_sifields._sigchld._stime : 0); "

/*
 * Waits, forks, signals and ends. A signal that is ignored is told by its sender (signal_generate, result 1):
 * strace shows it, because a process that it traces ignores none.
 */
static void put_events(FILE *f, const struct wish *w)
{
	char who[128];

	fprintf(f, "sched:::sleep /self->in == 1 && !self->told/ { self->told = 1; " HEAD
	    "trace(self->id); }\n");
	fprintf(f, "sdt:::sched_process_exit %s{ " HEAD "trace(self->in ? self->id : 0); "
	    "trace(curthread->exit_code); trace(self->told); self->in = 0; }\n", only(w, who));
	if (w->follow || w->all)
		fprintf(f, "sdt:::sched_process_fork %s{ trace(pid); trace(tid); trace(args[1]->tgid); "
		    "trace(args[1]->pid); trace(args[0]->files == args[1]->files ? 1 : 0); }\n",
		    only(w, who));
	if (w->quiet)
		return;
	fprintf(f, "sdt:::signal_deliver %s{ trace(pid); trace(tid); trace((int)arg0); " INFO "}\n",
	    only(w, who));
	fprintf(f, "sdt:::signal_generate /arg4 == 1/ { trace(args[2]->tgid); trace(args[2]->pid); "
	    "trace((int)arg0); " INFO "}\n");
}

char *program_text(const struct wish *w, const struct calls *c, dtrace_hdl_t *dtp)
{
	struct shapes *in = calloc(1, sizeof(*in)), *out = calloc(1, sizeof(*out));
	char *text = NULL;
	size_t len = 0;
	FILE *f = in != NULL && out != NULL ? open_memstream(&text, &len) : NULL;

	if (f == NULL)
		return NULL;
	put_entries(f, w, c);
	put_calls(f, w, c, dtp, in, out);
	put_events(f, w);
	if (fclose(f) != 0 || in->failed || out->failed) {
		free(text);
		text = NULL;
	}
	free_shapes(in);
	free_shapes(out);
	return text;
}

/* -c: counted in the kernel; calls that do not return are not counted, as with strace. */
char *program_summary(const struct wish *w, const struct calls *c)
{
	char *text = NULL, *list = NULL;
	size_t len = 0, n = 0;
	FILE *f = open_memstream(&text, &len), *names = open_memstream(&list, &n);
	const char *between = "";
	bool all = true;
	char who[128];

	if (f == NULL || names == NULL)
		return NULL;
	for (size_t i = 0; i < c->n; i++)
		all &= c->v[i].wanted || !c->v[i].here;
	for (size_t i = 0; i < c->n && !all; i++) {
		if (!c->v[i].wanted || !c->v[i].here || never_returns(&c->v[i]))
			continue;
		fprintf(names, "%ssyscall::%s:return", between, c->v[i].name);
		between = ",\n";
	}
	if (fclose(names) != 0)
		return NULL;
	fprintf(f, "syscall:::entry %s{ self->ts = timestamp; }\n", only(w, who));
	fprintf(f,
	    "%s\n/self->ts/ { @calls[probefunc] = count(); @time[probefunc] = sum(timestamp - self->ts); "
	    "@errors[probefunc] = sum(arg0 < 0 && arg0 >= -4095 ? 1 : 0); self->ts = 0; }\n",
	    all ? "syscall:::return" : list);
	free(list);
	return fclose(f) == 0 ? text : NULL;
}
