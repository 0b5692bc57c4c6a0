/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Containers and control groups while tracing. For the variable `container`, the names that runtimes have
 * written to their files go to a map of the session. For -x container and -x cgroup, the groups that are
 * meant go to another one, which programs look at before any clause; a group that is made later is heard of
 * by inotify, a few milliseconds late.
 */
#include "base/clock.h"
#include "trace/trace.h"
#include "process/cgroup.h"
#include "process/container.h"

#include <errno.h>

_Static_assert((int)DT_CONTAINER_TEXT == (int)DT_CONTAINER_NAME, "names fit into the map");

#define NAMES_NS 1000000000u	/* between two looks at the runtimes' files */

struct dt_containment {
	struct dt_containers *names;	/* NULL: not asked for */
	struct dt_cgroups *groups;	/* NULL: nothing is filtered */
	const char *container, *cgroup;	/* the filter; NULL none */
	struct dt_cgroup found[DT_CGROUPS_MAX];
	uint32_t n, left_out;
	uint64_t looked;
};

bool dt_trace_filters_cgroups(const struct dtrace_hdl *h)
{
	return h->options.str[DT_OPT_container] != NULL || h->options.str[DT_OPT_cgroup] != NULL;
}

/* ---- names ---- */

static bool look_at_names(struct dtrace_hdl *h, struct dt_trace *t, struct dt_containment *c)
{
	const struct dt_container *v;
	uint32_t n;

	c->looked = dt_clock_ns();
	if (!dt_containers_read(c->names))
		return false;
	v = dt_containers_list(c->names, &n);
	for (uint32_t i = 0; i < n; i++)
		(void)t->ops->name_container(t->engine, v[i].id, v[i].name, h->compiler.strsize);
	return true;
}

/* ---- the filter: words separated by commas ---- */

static bool names_one(const struct dt_containment *c, const char *word, const char *text, bool id)
{
	struct dt_container one = { .id = "" };
	uint32_t n;
	const struct dt_container *v = dt_containers_list(c->names, &n);

	snprintf(id ? one.id : one.name, id ? sizeof(one.id) : sizeof(one.name), "%s", text);
	for (uint32_t i = 0; id && i < n; i++)
		if (strcmp(v[i].id, text) == 0)
			one = v[i];
	return dt_container_is(&one, word);
}

/* Calls f with each word of a list until it is true. */
static bool any_word(const char *list, bool (*f)(void *ctx, const char *word), void *ctx)
{
	char word[256];

	for (const char *p = list; p != NULL && *p != '\0'; p += strspn(p, ",")) {
		size_t n = strcspn(p, ",");

		snprintf(word, sizeof(word), "%.*s", (int)(n < 255 ? n : 255), p);
		if (f(ctx, word))
			return true;
		p += n;
	}
	return false;
}

struct match { const struct dt_containment *c; const struct dt_cgroup_dir *dir; const char *text; bool id; };

static bool is_container(void *ctx, const char *word)
{
	const struct match *m = ctx;

	return names_one(m->c, word, m->text, m->id);
}

/* A slash at the end, and one that is missing at the start, make no difference. */
static bool is_path(void *ctx, const char *word)
{
	const struct match *m = ctx;
	size_t n = strlen(word), skip = word[0] == '/' ? 0 : 1;

	while (n > 0 && word[n - 1] == '/')
		n--;
	return strlen(m->dir->path) == n + skip && strncmp(m->dir->path + skip, word, n) == 0;
}

/* Below a group that is meant, all are. */
static bool on_group(void *ctx, const struct dt_cgroup_dir *dir)
{
	struct dt_containment *c = ctx;
	char text[DT_CONTAINER_TEXT];
	struct match m = { c, dir, text, false };

	if (!(c->cgroup != NULL && any_word(c->cgroup, is_path, &m)) &&
	    !(c->container != NULL && dt_container_of(dir->name, text, &m.id) &&
	    any_word(c->container, is_container, &m)))
		return true;
	if (c->n < DT_CGROUPS_MAX)
		c->found[c->n++] = (struct dt_cgroup){ dir->id, dir->level };
	else
		c->left_out++;
	return false;
}

static void find_groups(struct dt_trace *t, struct dt_containment *c)
{
	c->n = c->left_out = 0;
	dt_cgroups_walk(c->groups, on_group, c);
	(void)t->ops->cgroups(t->engine, c->found, c->n);
}

/* ---- the start ---- */

static int no_groups(struct dtrace_hdl *h, int err)
{
	static const char part[] = "the control groups of the whole machine, and those mounted here are "
	    "a part of them: run dtrace in the cgroup namespace of the host "
	    "(docker run --cgroupns=host), or say with -x hostroot where the files of the host are";

	if (err == -ENOMEM)
		return dt_handle_error(h, EDT_NOMEM);
	return dt_handle_errorf(h, EDT_BADOPTVAL, "-x container and -x cgroup need %s", err == -EXDEV ? part :
	    "control groups of version 2, which this machine does not mount: mount -t cgroup2 cgroup2 "
	    "/sys/fs/cgroup, or boot with systemd.unified_cgroup_hierarchy=1");
}

/* The names that there are, for who has mistyped one. */
static const char *names_there_are(struct dt_trace *t, const struct dt_containment *c)
{
	uint32_t n;
	const struct dt_container *v = dt_containers_list(c->names, &n);
	const char *text = "";

	for (uint32_t i = 0; i < n && i < 8; i++)
		text = dt_arena_printf(t->arena, "%s%s%s", text, i > 0 ? ", " : " (named by their runtimes: ",
		    v[i].name);
	return n > 0 ? dt_arena_printf(t->arena, "%s%s)", text, n > 8 ? ", …" : "") : "";
}

static int start_filter(struct dtrace_hdl *h, struct dt_trace *t, struct dt_containment *c, const char *root)
{
	int err = dt_cgroups_open(root, &c->groups);

	if (err != 0)
		return no_groups(h, err);
	if (dt_cgroups_fd(c->groups) >= 0)
		(void)t->ops->wake_by(t->engine, dt_cgroups_fd(c->groups));
	find_groups(t, c);
	if (c->left_out > 0)
		return dt_handle_errorf(h, EDT_BADOPTVAL,
		    "%u control groups are meant by -x %s, and at most %d can be: name the one above them",
		    c->n + c->left_out, c->container != NULL ? "container" : "cgroup", DT_CGROUPS_MAX);
	if (c->n == 0 && !dt_options_on(&h->options, DT_OPT_zdefs))
		return dt_handle_errorf(h, EDT_BADOPTVAL, "there is no %s %s below %s%s; -Z waits for it",
		    c->container != NULL ? "container" : "control group",
		    c->container != NULL ? c->container : c->cgroup, dt_cgroups_path(c->groups),
		    c->container != NULL ? names_there_are(t, c) : "");
	return 0;
}

static bool uses_groups(const struct dt_trace *t)
{
	for (size_t i = 0; i < t->progs.n; i++)
		if (dt_prog_needs(t->progs.v[i], DT_NEED_CGROUPS))
			return true;
	return false;
}

/* Programs that ask for names only get what there is; on a machine with version 1 that is reported once. */
static void note_version1(struct dt_trace *t, const char *root)
{
	struct dt_cgroups *groups = NULL;
	int err = dt_cgroups_open(root, &groups);

	if (err == -ENOENT || (err == 0 && !dt_cgroups_alone(groups)))
		dt_handle_note(t->h, "this machine has control groups of version 1: cgroup, cgroupid and "
		    "container tell those of version 2 only (boot with systemd.unified_cgroup_hierarchy=1 to "
		    "have them alone)");
	dt_cgroups_close(groups);
}

/* 0, or -1 with the handle's error. What is made here is freed by dt_trace_containers_end(). */
int dt_trace_containers(struct dtrace_hdl *h, struct dt_trace *t)
{
	const char *root = h->options.str[DT_OPT_hostroot] != NULL ? h->options.str[DT_OPT_hostroot] : "";
	bool filters = dt_trace_filters_cgroups(h);
	struct dt_containment *c;

	if (uses_groups(t))
		note_version1(t, root);
	if (!filters && (t->ops->names_containers == NULL || !t->ops->names_containers(t->engine)))
		return 0;
	c = DT_NEW(t->arena, struct dt_containment);
	t->containment = c;
	c->container = h->options.str[DT_OPT_container];
	c->cgroup = h->options.str[DT_OPT_cgroup];
	c->names = dt_containers_new(root);
	if (c->names == NULL)
		return dt_handle_error(h, EDT_NOMEM);
	(void)look_at_names(h, t, c);
	return filters ? start_filter(h, t, c, root) : 0;
}

/* Called often: nothing is read unless something happened, or a second has passed. */
void dt_trace_containers_work(struct dtrace_hdl *h, struct dt_trace *t)
{
	struct dt_containment *c = t->containment;
	bool changed;

	if (c == NULL)
		return;
	changed = c->groups != NULL && dt_cgroups_changed(c->groups);
	if (changed || dt_clock_ns() - c->looked > NAMES_NS)
		changed |= look_at_names(h, t, c);
	if (changed && c->groups != NULL)
		find_groups(t, c);
}

void dt_trace_containers_end(struct dt_trace *t)
{
	if (t->containment == NULL)
		return;
	dt_containers_free(t->containment->names);
	dt_cgroups_close(t->containment->groups);
	t->containment = NULL;
}
