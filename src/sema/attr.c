/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stability: three levels that can only fall while a clause uses more names. Attributes of names come
 * in, the minimum goes out. With -x amin, a use that falls below the minimum is an error at its place.
 */
#include "sema/sema.h"

#include <stdio.h>
#include <strings.h>

const struct dt_attr dt_attr_max = { DT_STAB_STANDARD, DT_STAB_STANDARD, DT_CLS_COMMON };
const struct dt_attr dt_attr_stable = DT_ATTR_STABLE_COMMON;
const struct dt_attr dt_attr_private = DT_ATTR_PRIVATE;

/* For providers that declare nothing. */
static const struct dt_attr unstable = { DT_STAB_UNSTABLE, DT_STAB_UNSTABLE, DT_CLS_COMMON };

/* The order is that of the enums: an index is a level. */
static const char *const stab_names[] = { "Internal", "Private", "Obsolete", "External", "Unstable",
	"Evolving", "Stable", "Standard" };
static const char *const class_names[] = { "Unknown", "CPU", "Platform", "Group", "ISA", "Common" };

struct dt_attr dt_attr_min(struct dt_attr a, struct dt_attr b)
{
	struct dt_attr m = {
		a.name < b.name ? a.name : b.name,
		a.data < b.data ? a.data : b.data,
		a.cls < b.cls ? a.cls : b.cls,
	};
	return m;
}

static bool attr_less(struct dt_attr a, struct dt_attr b)
{
	return a.name < b.name || a.data < b.data || a.cls < b.cls;
}

size_t dt_attr_str(struct dt_attr a, char *buf, size_t len)
{
	return (size_t)snprintf(buf, len, "%s/%s/%s", stab_names[a.name & 7], stab_names[a.data & 7],
	    a.cls <= DT_CLS_COMMON ? class_names[a.cls] : "Unknown");
}

/* The index of the word in a list of names, in any case; -1: none. */
static int word_index(const char *text, size_t len, const char *const *names, int n)
{
	for (int i = 0; i < n; i++)
		if (strlen(names[i]) == len && strncasecmp(names[i], text, len) == 0)
			return i;
	return -1;
}

/* "Evolving/Evolving/ISA"; parts left out at the end are the maximum. */
bool dt_attr_parse(const char *text, struct dt_attr *attr)
{
	*attr = dt_attr_max;
	for (int part = 0; part < 3; part++) {
		size_t len = strcspn(text, "/");
		int v = part < 2 ? word_index(text, len, stab_names, 8) :
				   word_index(text, len, class_names, 6);

		if (v < 0)
			return false;
		if (part == 0)
			attr->name = (uint8_t)v;
		else if (part == 1)
			attr->data = (uint8_t)v;
		else
			attr->cls = (uint8_t)v;
		text += len;
		if (*text == '\0')
			return true;
		text++;
	}
	return false;
}

void dt_attr_check(struct dt_sema *s, struct dt_attr attr, struct dt_loc loc, const char *what)
{
	char text[64];

	/* Libraries are ours: only the program that uses them is held to the minimum. */
	if (!s->cc->has_amin || s->library || !attr_less(attr, s->cc->amin))
		return;
	dt_attr_str(attr, text, sizeof(text));
	dt_fail(s->diag, D_ATTR_MIN, loc, "attributes for %s (%s) are less than predefined minimum", what,
	    text);
}

void dt_attr_use(struct dt_sema *s, struct dt_attr attr, struct dt_loc loc, const char *what)
{
	if (s->sheltered > 0)
		return;
	dt_attr_check(s, attr, loc, what);
	s->stmtattr = dt_attr_min(s->stmtattr, attr);
}

/*
 * D text that declares the provider goes before what the provider says of itself. NULL: neither knows
 * it.
 */
const struct dt_provider_attrs *dt_attr_provider(struct dt_sema *s, const char *provider)
{
	struct dt_declared *p = dt_map_get(&s->cc->providers, provider);

	if (p != NULL && p->has_attrs)
		return &p->attrs;
	if (s->cc->services.attributes != NULL)
		return s->cc->services.attributes(s->cc->services.ctx, provider);
	return NULL;
}

/* Only a part that is spelled out makes the program depend on it. */
static bool part_is_literal(const char *part)
{
	return part[0] != '\0' && strpbrk(part, "*?[\\") == NULL;
}

/* Minimum of the provider's attributes and of those of the parts that are given literally. */
struct dt_attr dt_attr_probe(struct dt_sema *s, const struct dt_pdesc *p)
{
	const struct dt_provider_attrs *pa = part_is_literal(p->prov) ? dt_attr_provider(s, p->prov) : NULL;
	struct dt_attr a;

	if (pa == NULL)
		return unstable;
	a = pa->part[DT_PA_PROV];
	if (part_is_literal(p->mod))
		a = dt_attr_min(a, pa->part[DT_PA_MOD]);
	if (part_is_literal(p->func))
		a = dt_attr_min(a, pa->part[DT_PA_FUNC]);
	if (part_is_literal(p->name))
		a = dt_attr_min(a, pa->part[DT_PA_NAME]);
	return a;
}

/* ---- pending attributes and rules, which many files ask for ---- */

/* The entry is removed: what is left at the end was used by nothing. */
bool dt_pragma_claim(struct dt_sema *s, const char *name, struct dt_attr *attr, uint32_t *version)
{
	for (struct dt_pending **pp = &s->pending; *pp != NULL; pp = &(*pp)->next) {
		struct dt_pending *p = *pp;

		if (strcmp(p->name, name) != 0)
			continue;
		if (p->has_attr)
			*attr = p->attr;
		if (p->has_version)
			*version = p->version;
		*pp = p->next;
		return p->has_attr;
	}
	return false;
}

/* Nothing that cannot be undone may follow speculate(): the speculation may be discarded. */
void dt_act_plain(struct dt_sema *s, struct dt_loc loc, const struct dt_builtin *row)
{
	if (s->speculated && row->id == DT_ACT_EXIT)
		dt_fail(s->diag, D_EXIT_SPEC, loc, "exit( ) may not follow speculate( )");
	if (s->speculated && (row->flags & DT_BF_DESTRUCTIVE))
		dt_fail(s->diag, D_ACT_SPEC, loc, "destructive actions may not follow speculate( )");
}
