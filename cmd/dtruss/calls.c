/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of system calls (calls.h): the text of table/syscalls.def becomes rows once, at the start. */
#include "calls.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows one after the other, four texts each: pointers and their relocations would be larger. */
static const char sources[] =
#define S(name, arm, i386, letters, types, result, kinds) #name "\0" letters "\0" result "\0" kinds "\0"
#define N(name, number, letters, types, result, kinds) #name "\0" letters "\0" result "\0" kinds "\0"
#include "table/syscalls.def"
;

struct source {
	const char *name, *classes, *ret, *args;
};

static const char *next_text(const char **at)
{
	const char *text = *at;

	*at += strlen(text) + 1;
	return text;
}

static const struct {
	char letter;
	unsigned bit;
	const char *name;
} class_letters[] = {
	{ 'F', CLASS_FILE, "file" }, { 'D', CLASS_DESC, "desc" }, { 'P', CLASS_PROCESS, "process" },
	{ 'N', CLASS_NETWORK, "network" }, { 'S', CLASS_SIGNAL, "signal" }, { 'M', CLASS_MEMORY, "memory" },
	{ 'I', CLASS_IPC, "ipc" }, { 'N', CLASS_NETWORK, "net" },
	/* no class of -e */
	{ 'T', CLASS_TRACK, "" }, { 'X', CLASS_NO_RETURN, "" },
};

/* ---- kinds by name ---- */

static const struct kinds *const all_kinds[] = {
#define X(name) &kinds_##name,
#include "kinds.def"
#undef X
};

struct index {
	const struct kind *v[256];
	size_t n;
};

static int by_name(const void *x, const void *y)
{
	return strcmp((*(const struct kind *const *)x)->name, (*(const struct kind *const *)y)->name);
}

static void index_kinds(struct index *ix)
{
	for (size_t i = 0; i < COUNT(all_kinds); i++)
		for (size_t k = 0; k < all_kinds[i]->n && ix->n < COUNT(ix->v); k++)
			ix->v[ix->n++] = &all_kinds[i]->v[k];
	qsort(ix->v, ix->n, sizeof(ix->v[0]), by_name);
}

/* NULL: not found. */
static const struct kind *look_up(const struct index *ix, const char *name)
{
	struct kind wanted = { .put = NULL };
	const struct kind *key = &wanted, **found;

	snprintf(wanted.name, sizeof(wanted.name), "%s", name);
	found = bsearch(&key, ix->v, ix->n, sizeof(ix->v[0]), by_name);
	return found != NULL ? *found : NULL;
}

static const struct kind *find_kind(const struct index *ix, const char *name)
{
	const struct kind *k = look_up(ix, name);

	if (k == NULL)
		fprintf(stderr, "dtruss: the table of calls names a kind that does not exist: %s\n", name);
	return k;
}

/* ---- rows ---- */

static unsigned classes_of(const char *letters)
{
	unsigned bits = 0;

	for (size_t i = 0; i < COUNT(class_letters); i++)
		if (strchr(letters, class_letters[i].letter) != NULL)
			bits |= class_letters[i].bit;
	return bits;
}

/* "fd in2 ulong": a digit after a kind is the number of the argument that has its length. */
static bool parse_args(const struct index *ix, struct row *r, const char *text)
{
	while (*text != '\0' && r->nargs < CALL_ARGS) {
		char word[16];
		size_t n = strcspn(text, " ");

		snprintf(word, sizeof(word), "%.*s", (int)n, text);
		text += n + (text[n] == ' ');
		r->kind[r->nargs] = look_up(ix, word);
		if (r->kind[r->nargs] == NULL) {
			n = strlen(word) - 1;
			r->lenarg[r->nargs] = (unsigned char)(word[n] - '0');
			word[n] = '\0';
			r->kind[r->nargs] = find_kind(ix, word);
		}
		if (r->kind[r->nargs] == NULL)
			return false;
		r->at[r->nargs] = r->nrecs;
		r->nrecs += (unsigned char)r->kind[r->nargs]->nrecs;
		r->nargs++;
	}
	return true;
}

static bool fill_row(const struct index *ix, struct row *r, const struct source *s)
{
	snprintf(r->name, sizeof(r->name), "%s", s->name);
	r->classes = classes_of(s->classes);
	if (!parse_args(ix, r, s->args))
		return false;
	if (s->ret[0] == '\0')
		return true;
	r->ret = find_kind(ix, s->ret);
	r->ret_at = r->nrecs;
	if (r->ret != NULL)
		r->nrecs += (unsigned char)r->ret->nrecs;
	return r->ret != NULL;
}

struct loading {
	struct calls *calls;
	const struct kind *number;	/* of arguments of calls without a row */
	size_t capacity;
};

/* Bits of the arguments of a probe that are pointers; 0 also if types are not known. */
static unsigned char pointers_of(dtrace_hdl_t *dtp, const dtrace_probedesc_t *d)
{
	dtrace_probeinfo_t info;
	unsigned char bits = 0;

	if (dtrace_probe_info(dtp, d, &info) != 0)
		return 0;
	for (int i = 0; i < info.dtp_argc && i < CALL_ARGS; i++) {
		char name[64] = "";

		dtrace_type_name(dtp, &info.dtp_argv[i], name, sizeof(name));
		if (name[0] != '\0' && name[strlen(name) - 1] == '*')
			bits |= (unsigned char)(1u << i);
	}
	return bits;
}

/* A call of this kernel; one that no row has is added. */
static int meet_probe(dtrace_hdl_t *dtp, const dtrace_probedesc_t *d, void *arg)
{
	struct loading *l = arg;
	struct row *r = calls_find(l->calls, d->dtpd_func);

	if (r == NULL && l->calls->n < l->capacity) {
		r = &l->calls->v[l->calls->n++];
		snprintf(r->name, sizeof(r->name), "%.31s", d->dtpd_func);
		for (r->nargs = 0; r->nargs < CALL_ARGS; r->nargs++)
			r->kind[r->nargs] = l->number;
	}
	if (r != NULL)
		r->here = r->wanted = true;
	if (r != NULL && r->nargs == 1 && r->kind[0]->name[0] == '*')
		r->pointers = pointers_of(dtp, d);
	return 0;
}

#define MAX_CALLS 1024			/* rows, and calls that kernels have and rows have not */

bool calls_load(struct calls *c, dtrace_hdl_t *dtp)
{
	static const dtrace_probedesc_t pattern = { .dtpd_provider = "syscall", .dtpd_name = "entry" };
	struct index ix = { .n = 0 };
	struct loading l = { .calls = c, .capacity = MAX_CALLS };
	const char *at = sources;
	bool ok = true;

	index_kinds(&ix);
	l.number = find_kind(&ix, "hex");
	c->v = calloc(l.capacity, sizeof(*c->v));
	if (c->v == NULL) {
		fprintf(stderr, "dtruss: out of memory\n");
		return false;
	}
	while (ok && *at != '\0' && c->n < l.capacity) {
		struct source s = { .name = next_text(&at) };

		s.classes = next_text(&at);
		s.ret = next_text(&at);
		s.args = next_text(&at);
		ok = fill_row(&ix, &c->v[c->n++], &s);
	}
	return ok && dtrace_probe_iter(dtp, &pattern, meet_probe, &l) == 0;
}

void calls_free(struct calls *c)
{
	free(c->v);
	*c = (struct calls){ 0 };
}

struct row *calls_find(const struct calls *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->v[i].name, name) == 0)
			return &c->v[i];
	return NULL;
}

/* ---- -e ---- */

static unsigned class_of(const char *word)
{
	for (size_t i = 0; i < COUNT(class_letters); i++)
		if (class_letters[i].name[0] != '\0' &&
		    strcmp(class_letters[i].name, word + (word[0] == '%')) == 0)
			return class_letters[i].bit;
	return 0;
}

/* A call of another machine, as open on aarch64, is accepted: it never happens here. */
static bool mark_word(struct calls *c, const char *word)
{
	unsigned class = class_of(word);
	bool any = class != 0 || strcmp(word, "none") == 0, all = strcmp(word, "all") == 0;

	for (size_t i = 0; i < c->n; i++) {
		struct row *r = &c->v[i];
		bool meant = class != 0 ? (r->classes & class) != 0 : all || fnmatch(word, r->name, 0) == 0;

		r->wanted |= meant;
		any |= meant;
	}
	return any;
}

bool calls_want(struct calls *c, const char *list)
{
	bool others = list[0] == '!', ok = true;
	char *copy = strdup(list + others), *rest = copy, *word;

	for (size_t i = 0; i < c->n; i++)
		c->v[i].wanted = false;
	while (ok && copy != NULL && (word = strsep(&rest, ",")) != NULL) {
		ok = mark_word(c, word + (word[0] == '?'));
		if (!ok)
			fprintf(stderr,
			    "dtruss: -e trace=%s: there is no system call or class of that name\n", word);
	}
	for (size_t i = 0; i < c->n && others; i++)
		c->v[i].wanted = !c->v[i].wanted;
	free(copy);
	return ok && copy != NULL;
}

void calls_enable(struct calls *c, bool track)
{
	for (size_t i = 0; i < c->n; i++) {
		struct row *r = &c->v[i];

		r->enabled = r->here && (r->wanted || (track && (r->classes & CLASS_TRACK)));
	}
}
