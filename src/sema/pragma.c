/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * #pragma D attributes, binding and depends_on. The words of a pragma come in; they change an ident, or
 * wait in s->pending for a name that is declared later. Options were applied while the text was read.
 * w[0] and w[1] are "pragma" and "D", w[2] is the kind.
 */
#include "sema/sema.h"
#include "base/count.h"

#include <stdio.h>
#include <stdlib.h>

/* Fills w[] with up to max words; returns how many the pragma has. */
static unsigned words_of(const struct dt_ext *x, const struct dt_word *w[], unsigned max)
{
	unsigned n = 0;

	for (const struct dt_word *i = x->words; i != NULL; i = i->next, n++)
		if (n < max)
			w[n] = i;
	return n;
}

/* The pending entry of a name, created if it is new. */
static struct dt_pending *pending_pragma(struct dt_sema *s, const char *name, struct dt_loc loc)
{
	struct dt_pending *p;

	for (p = s->pending; p != NULL; p = p->next)
		if (strcmp(p->name, name) == 0)
			return p;
	p = DT_NEW(s->arena, struct dt_pending);
	p->name = name;
	p->loc = loc;
	p->next = s->pending;
	s->pending = p;
	return p;
}

/* A pragma that nothing claimed was most likely misspelled. */
void dt_pragma_finish(struct dt_sema *s)
{
	if (s->pending != NULL)
		dt_fail(s->diag, D_PRAGMA_UNUSED, s->pending->loc,
		    "#pragma for %s is not used: no such name is declared here", s->pending->name);
}

/* The global that the pragma may change, or NULL if it is still to come. */
static struct dt_ident *own_global(struct dt_sema *s, const struct dt_word *w)
{
	struct dt_ident *id = strcmp(w->text, "translator") == 0 ? NULL : dt_names_peek(s, w->text);

	if (id != NULL && (id->row != NULL || id->library != s->library))
		dt_fail(s->diag, D_PRAGMA_SCOPE, w->loc,
		    "#pragma cannot change %s: it is defined outside this program", w->text);
	return id;
}

/* w[5] is the provider, w[6] the part of it. */
static void provider_attributes(struct dt_sema *s, const struct dt_word *const w[], struct dt_attr attr)
{
	static const char *const parts[] = { "provider", "module", "function", "name", "args" };
	struct dt_declared *p = dt_map_get(&s->cc->providers, w[5]->text);

	if (p == NULL)
		dt_fail(s->diag, D_PRAGMA_SCOPE, w[5]->loc, "#pragma attributes: no provider %s is declared",
		    w[5]->text);
	if (!p->has_attrs)
		for (int i = 0; i < 5; i++)
			p->attrs.part[i] = dt_attr_private;
	p->has_attrs = true;
	for (int i = 0; i < 5; i++) {
		if (strcmp(parts[i], w[6]->text) == 0) {
			p->attrs.part[i] = attr;
			return;
		}
	}
	dt_fail(s->diag, D_PRAGMA_INVAL, w[6]->loc,
	    "#pragma attributes: %s is not provider, module, function, name or args", w[6]->text);
}

static void check_attributes(struct dt_diag *diag, const struct dt_word *w, struct dt_attr *attr)
{
	if (!dt_attr_parse(w->text, attr))
		dt_fail(diag, D_PRAGMA_INVAL, w->loc,
		    "invalid attributes %s: they are like Evolving/Evolving/Common", w->text);
}

/* #pragma D attributes <attributes> <identifier>, or <attributes> provider <name> <part> */
static void pragma_attributes(struct dt_sema *s, const struct dt_ext *x)
{
	const struct dt_word *w[7] = { 0 };
	unsigned n = words_of(x, w, 7);
	struct dt_attr attr;
	struct dt_ident *id;
	struct dt_pending *p;

	if (n != 5 && !(n == 7 && strcmp(w[4]->text, "provider") == 0))
		dt_fail(s->diag, D_PRAGMA_MALFORM, x->loc,
		    "malformed #pragma attributes <attributes> <identifier>, or … provider <name> <part>");
	check_attributes(s->diag, w[3], &attr);
	if (n == 7) {
		provider_attributes(s, w, attr);
		return;
	}
	id = own_global(s, w[4]);
	if (id != NULL) {
		id->attr = attr;
		id->has_attr = true;
		return;
	}
	p = pending_pragma(s, w[4]->text, w[4]->loc);
	p->attr = attr;
	p->has_attr = true;
}

/* "1.2" or "1.2.3"; each number fits a byte. */
static bool version_parse(const char *text, uint32_t *version)
{
	unsigned v[3] = { 0 };
	int used = 0, n = sscanf(text, "%3u.%3u%n", &v[0], &v[1], &used);

	if (n != 2)
		return false;
	if (text[used] == '.') {
		int more = 0;

		if (sscanf(text + used + 1, "%3u%n", &v[2], &more) != 1)
			return false;
		used += 1 + more;
	}
	if (text[used] != '\0' || v[0] > 255 || v[1] > 255 || v[2] > 255)
		return false;
	*version = (uint32_t)DT_VERS(v[0], v[1], v[2]);
	return true;
}

static void check_version(struct dt_diag *diag, const struct dt_word *w, uint32_t *version)
{
	if (!version_parse(w->text, version))
		dt_fail(diag, D_PRAGMA_INVAL, w->loc, "invalid version string: %s", w->text);
}

/* #pragma D binding "<version>" <identifier> */
static void pragma_binding(struct dt_sema *s, const struct dt_ext *x)
{
	const struct dt_word *w[5] = { 0 };
	unsigned n = words_of(x, w, 5);
	uint32_t version;
	struct dt_ident *id;
	struct dt_pending *p;

	if (n != 5)
		dt_fail(s->diag, D_PRAGMA_MALFORM, x->loc,
		    "malformed #pragma D binding \"<version>\" <identifier>");
	check_version(s->diag, w[3], &version);
	id = own_global(s, w[4]);
	if (id != NULL) {
		id->version = version;
		return;
	}
	p = pending_pragma(s, w[4]->text, w[4]->loc);
	p->version = version;
	p->has_version = true;
}

/* Loads the library that declares the provider if needed. */
static bool known_provider(struct dt_sema *s, const char *name)
{
	const struct dt_services *sv = &s->cc->services;

	return dt_map_get(&s->cc->providers, name) != NULL ||
	    (sv->attributes != NULL && sv->attributes(sv->ctx, name) != NULL) ||
	    (sv->library != NULL && sv->library(sv->ctx, dt_arena_printf(s->arena, "provider %s", name)));
}

/* #pragma D depends_on provider|module|library <name> */
static void pragma_depends_on(struct dt_sema *s, const struct dt_ext *x)
{
	const struct dt_services *sv = &s->cc->services;
	const struct dt_word *w[5] = { 0 };
	unsigned n = words_of(x, w, 5);
	const char *class, *name;
	bool found;

	if (n != 5)
		dt_fail(s->diag, D_PRAGMA_MALFORM, x->loc, "malformed #pragma D depends_on <class> <name>");
	class = w[3]->text;
	name = w[4]->text;
	if (strcmp(class, "provider") == 0)
		found = known_provider(s, name);
	else if (strcmp(class, "module") == 0)
		found = sv->module != NULL && sv->module(sv->ctx, name);
	else if (strcmp(class, "library") == 0)
		found = s->library && sv->library_file != NULL && sv->library_file(sv->ctx, name);
	else
		dt_fail(s->diag, D_PRAGMA_INVAL, w[3]->loc,
		    "invalid dependency class %s: it is provider, module or library", class);
	if (!found)
		dt_fail(s->diag, D_PRAGMA_DEPEND, w[4]->loc, "program requires %s %s%s", class, name,
		    strcmp(class, "library") == 0 && !s->library ?
			": only a library can depend on a library" :
			"");
}

/* What is wrong whatever the program declares is reported at its line, before errors of later lines. */
void dt_pragma_check(struct dt_diag *diag, const struct dt_word *words)
{
	const struct dt_word *kind = words->next->next, *w = kind->next;
	struct dt_attr attr;
	uint32_t version;

	if (strcmp(kind->text, "attributes") == 0)
		check_attributes(diag, w, &attr);
	else if (strcmp(kind->text, "binding") == 0)
		check_version(diag, w, &version);
}

/* Those of the C preprocessor and of other tools have been passed over by the lexer. */
void dt_pragma_apply(struct dt_sema *s, const struct dt_ext *x)
{
	static const struct {
		const char *name;
		void (*apply)(struct dt_sema *, const struct dt_ext *);
	} rows[] = { { "attributes", pragma_attributes }, { "binding", pragma_binding },
		{ "depends_on", pragma_depends_on } };
	const struct dt_word *w[3] = { 0 };

	if (words_of(x, w, 3) >= 3)
		for (size_t i = 0; i < DT_COUNT(rows); i++)
			if (strcmp(rows[i].name, w[2]->text) == 0) {
				rows[i].apply(s, x);
				return;
			}
	dt_fail(s->diag, D_PRAGMA_INVAL, x->loc, "invalid #pragma D");
}
