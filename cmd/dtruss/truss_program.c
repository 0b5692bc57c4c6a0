/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The D program (truss_program.h). A call leaves one record, when it returns: its arguments are kept at the
 * entry, and what they point to is read at the return, when the kernel has touched the pages and written its
 * results. Calls that record the same things share a clause. After a fault the record lacks what the
 * arguments point to (ERROR). A thread that sleeps or ends in a call leaves a record of that, once.
 */
#include "truss_program.h"

#include <stdlib.h>
#include <string.h>

struct shape {
	char *body;			/* D text of what is recorded */
	char *probes;			/* "syscall::read:return,syscall::pread64:return" */
};

typedef void put_row_f(FILE *, const struct row *, const struct args *, dtrace_hdl_t *);

/* At the entry, or at the return. */
struct shapes {
	put_row_f *put;			/* the D text of a row */
	bool empty;			/* rows without text have a shape, too */
	bool failed;			/* out of memory, or too many */
	struct shape v[512];
	size_t n;
};

/* ---- text of a row ---- */

static bool type_is_known(dtrace_hdl_t *dtp, const char *type)
{
	dtrace_typeinfo_t info;

	/* D takes the name of an unknown struct for a declaration: it is looked up, not compiled */
	return type == NULL || dtrace_lookup_by_type(dtp, DTRACE_OBJ_EVERY, type, &info) == 0;
}

/* An argument of a row, or its result. */
struct place {
	const char *arg;		/* before its number: "self->a" or, at the entry, "arg" */
	const struct kind *kind;
	unsigned k, len;		/* its number, and that of the argument that has its length */
};

static void expand(FILE *f, const char *text, const struct place *p, const struct args *args)
{
	for (; *text != '\0'; text++) {
		if (*text != '%') {
			fputc(*text, f);
			continue;
		}
		switch (*++text) {
		case 'a': fprintf(f, "%s%u", p->arg, p->k); break;
		case 'n': fprintf(f, "%s%u", p->arg, p->len); break;
		case 'k': fprintf(f, "%u", p->k); break;
		case 'z': fprintf(f, "%u", p->kind->size); break;
		default: fprintf(f, "%ld", args->limit > 0 ? args->limit : 1); break;
		}
	}
}

static const char *fetch_of(const struct kind *kind, const struct args *args)
{
	return args->inside && kind->inside != NULL ? kind->inside : kind->fetch;
}

/* A type that this kernel does not have leaves a word in its place. */
static void put_fetch(FILE *f, const struct row *r, const struct args *args, dtrace_hdl_t *dtp)
{
	for (unsigned k = 0; k < r->nargs; k++) {
		const struct kind *kind = r->kind[k];

		if (kind->fetch != NULL)
			expand(f, type_is_known(dtp, kind->type) ? fetch_of(kind, args) : "trace(0);",
			    &(struct place){ "self->a", kind, k, r->lenarg[k] }, args);
	}
	if (r->ret != NULL && r->ret->fetch != NULL)
		expand(f, fetch_of(r->ret, args), &(struct place){ "self->a", r->ret, 0, 0 }, args);
}

static void put_entry(FILE *f, const struct row *r, const struct args *args, dtrace_hdl_t *dtp)
{
	(void)dtp;
	for (unsigned k = 0; k < r->nargs; k++) {
		const struct place p = { "arg", r->kind[k], k, r->lenarg[k] };

		if (p.kind->entry != NULL)
			expand(f, p.kind->entry, &p, args);
	}
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

static void add_row(struct shapes *s, const char *where, const struct row *r, const struct args *args,
    dtrace_hdl_t *dtp)
{
	char *body = NULL, probe[80];
	size_t len = 0;
	FILE *f = open_memstream(&body, &len);

	if (f == NULL) {
		s->failed = true;
		return;
	}
	s->put(f, r, args, dtp);
	if (fclose(f) != 0)
		s->failed = true;
	snprintf(probe, sizeof(probe), "syscall::%s:%s", r->name, where);
	if (!s->failed && (s->empty || len > 0))
		add_to_shape(s, body, probe);
	free(body);
}

static void free_shapes(struct shapes *s)
{
	if (s == NULL)
		return;
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

/* Without -f one thread is meant, as with strace; -n and -C mean all threads. `text` has 128 bytes. */
static const char *only(const struct args *args, char *text)
{
	char name[80];

	if (!args->all) {
		strcpy(text, args->follow ? "" : "/tid == $target/ ");
	} else if (args->name != NULL) {
		arguments_quote(args->name, name, sizeof(name));
		snprintf(text, 128, "/execname == \"%s\" && pid != $pid/ ", name);
	} else {
		strcpy(text, "/pid != $pid/ ");
	}
	return text;
}

static const char *stack(const struct args *args) { return args->stacks ? "ustack(100); " : ""; }

/* All calls by one pattern where all are wanted: that is quicker than a list. */
static void put_entries(FILE *f, const struct args *args, const struct calls *c)
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
	    "self->a3 = arg3; self->a4 = arg4; self->a5 = arg5; self->shown = 0; self->in = 1; }\n",
	    all ? "syscall:::entry" : "", only(args, who));
}

static void put_calls(FILE *f, const struct args *args, const struct calls *c, dtrace_hdl_t *dtp,
    struct shapes *in, struct shapes *out)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct row *r = &c->v[i];

		if (!r->enabled)
			continue;
		add_row(in, "entry", r, args, dtp);
		add_row(out, r->classes & CLASS_NO_RETURN ? "entry" : "return", r, args, dtp);
	}
	for (size_t i = 0; i < in->n; i++)
		fprintf(f, "%s\n/self->in/ { %s }\n", in->v[i].probes, in->v[i].body);
	for (size_t i = 0; i < out->n; i++)
		fprintf(f, "%s\n/self->in/ { self->in = 2; self->r = arg0; " HEAD
		    "trace(arg0); %s %sself->in = 0; }\n",
		    out->v[i].probes, out->v[i].body, stack(args));
	fprintf(f, "dtrace:::ERROR /self->in == 2/ { self->in = 0; " HEAD
	    "trace(self->r); trace(self->id); %s}\n",
	    stack(args));
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
 * Waits, forks, signals and ends. An ignored signal is reported by its sender (signal_generate, result 1):
 * strace shows it, because a process that it traces ignores none. All are events of the kernel.
 */
static void put_events(FILE *f, const struct args *args)
{
	char who[128];

	if (args->inside)
		return;
	fprintf(f, "sched:::sleep /self->in == 1 && !self->shown/ { self->shown = 1; " HEAD
	    "trace(self->id); }\n");
	fprintf(f, "sdt:::sched_process_exit %s{ " HEAD "trace(self->in ? self->id : 0); "
	    "trace(curthread->exit_code); trace(self->shown); self->in = 0; }\n", only(args, who));
	if (args->follow || args->all)
		fprintf(f, "sdt:::sched_process_fork %s{ trace(pid); trace(tid); trace(args[1]->tgid); "
		    "trace(args[1]->pid); trace(args[0]->files == args[1]->files ? 1 : 0); }\n",
		    only(args, who));
	if (args->quiet)
		return;
	fprintf(f, "sdt:::signal_deliver %s{ trace(pid); trace(tid); trace((int)arg0); " INFO "}\n",
	    only(args, who));
	fprintf(f, "sdt:::signal_generate /arg4 == 1/ { trace(args[2]->tgid); trace(args[2]->pid); "
	    "trace((int)arg0); " INFO "}\n");
}

char *program_text(const struct args *args, const struct calls *c, dtrace_hdl_t *dtp)
{
	struct shapes *in = calloc(1, sizeof(*in)), *out = calloc(1, sizeof(*out));
	char *text = NULL;
	size_t len = 0;
	FILE *f = in != NULL && out != NULL ? open_memstream(&text, &len) : NULL;

	if (f == NULL) {
		free_shapes(in);
		free_shapes(out);
		return NULL;
	}
	in->put = put_entry;
	out->put = put_fetch;
	out->empty = true;
	put_entries(f, args, c);
	put_calls(f, args, c, dtp, in, out);
	put_events(f, args);
	if (fclose(f) != 0 || in->failed || out->failed) {
		free(text);
		text = NULL;
	}
	free_shapes(in);
	free_shapes(out);
	return text;
}

/* -c: counted in the kernel; calls that do not return are not counted, as with strace. */
char *program_summary(const struct args *args, const struct calls *c)
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
		if (!c->v[i].wanted || !c->v[i].here || (c->v[i].classes & CLASS_NO_RETURN))
			continue;
		fprintf(names, "%ssyscall::%s:return", between, c->v[i].name);
		between = ",\n";
	}
	if (fclose(names) != 0)
		return NULL;
	fprintf(f, "syscall:::entry %s{ self->ts = timestamp; }\n", only(args, who));
	fprintf(f,
	    "%s\n/self->ts/ { @calls[probefunc] = count(); @time[probefunc] = sum(timestamp - self->ts); "
	    "@errors[probefunc] = sum(arg0 < 0 && arg0 >= -4095 ? 1 : 0); self->ts = 0; }\n",
	    all ? "syscall:::return" : list);
	free(list);
	return fclose(f) == 0 ? text : NULL;
}
