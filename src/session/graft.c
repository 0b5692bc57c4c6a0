/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs that join a running session: a program with the probes that a clause waits for has been
 * started after tracing began. A graft is a session of its own that borrows the maps of the first. Its
 * image has all the hooks of the first before its own, so variables, aggregations and slots have the
 * same layout. Constants and chains are the graft's own.
 */
#include "session/impl.h"
#include "base/wakeup.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* These hold what the graft's programs alone refer to. */
static bool own_role(enum dt_map_role role) { return role == DT_MAP_CONST || role == DT_MAP_CHAIN; }

/* Slots may be larger than the new programs need, since none of them keeps anything there. */
static bool same_layout(const struct dt_image_map *had, const struct dt_image_map *m)
{
	return had->role == m->role && had->type == m->type && had->key_size == m->key_size &&
	    had->max_entries == m->max_entries &&
	    (m->role == DT_MAP_SLOTS ? m->value_size <= had->value_size : m->value_size == had->value_size);
}

/* A borrowed map is marked: it is closed by the session that made it. */
static int get_map(const struct dt_session *s, struct dt_session *g, uint32_t i, char *msg, size_t len)
{
	const struct dt_image_map *m = &g->image->maps[i];

	if (own_role(m->role))
		return dt_map_make(g, i, msg, len);
	if (i >= s->image->nmaps || !same_layout(&s->image->maps[i], m))
		return dt_session_fail(msg, len, -EINVAL,
		    "the map %s does not lie as it did when tracing began", m->name);
	g->maps[i] = s->maps[i];
	g->borrowed[i] = true;
	return 0;
}

/* Only programs after `first` are loaded and attached; those before it run in the session already. */
static int make_graft(const struct dt_session *s, struct dt_session *g, char *msg, size_t len)
{
	int err = dt_maps_btf(g, msg, len);

	for (uint32_t i = 0; i < g->image->nmaps && !err; i++)
		err = get_map(s, g, i, msg, len);
	if (!err)
		err = dt_progs_load(g, msg, len);
	for (uint32_t i = g->first; i < g->image->nprogs && !err; i++)
		err = dt_hook_in_process((enum dt_hook_kind)g->attach[i].kind) ?
		    dt_attach_program(g, i, msg, len) :
		    -EINVAL;
	return err;
}

static void detach_graft(struct dt_session *g)
{
	while (g->nlinks > 0)
		close(g->links[--g->nlinks]);
}

static void free_graft(struct dt_session *g)
{
	detach_graft(g);
	for (uint32_t i = 0; g->progs && i < g->image->nprogs + g->image->nmore; i++)
		if (g->progs[i] >= 0)
			close(g->progs[i]);
	for (uint32_t i = 0; g->maps && g->borrowed && i < g->image->nmaps; i++)
		if (!g->borrowed[i] && g->maps[i] >= 0)
			close(g->maps[i]);
	if (g->btf >= 0)
		close(g->btf);
	free(g->borrowed);
	free(g->maps);
	free(g->progs);
	free(g->links);
	free(g);
}

static int *no_fds(uint32_t n)
{
	int *fds = malloc((n + 1u) * sizeof(*fds));

	for (uint32_t i = 0; fds && i < n; i++)
		fds[i] = -1;
	return fds;
}

/* Everything that is not replaced here is shared with the session, and must not be freed with the graft. */
static struct dt_session *new_graft(const struct dt_session *s, const struct dt_image *image,
    const struct dt_attach *attach, uint32_t first)
{
	struct dt_session *g = malloc(sizeof(*g));

	if (!g)
		return NULL;
	*g = *s;			/* CPUs and rings belong to the session */
	g->image = image;
	g->attach = attach;
	g->first = first;
	g->btf = -1;
	g->links = NULL;
	g->nlinks = g->links_cap = 0;
	g->graft = NULL;
	g->left_out = (struct dt_left_out){ 0 };
	g->maps = no_fds(image->nmaps);
	g->progs = no_fds(image->nprogs + image->nmore);
	g->borrowed = calloc(image->nmaps + 1u, sizeof(*g->borrowed));
	if (g->maps && g->progs && g->borrowed)
		return g;
	free_graft(g);
	return NULL;
}

/* At an error nothing of it stays, and the session goes on as it was. */
int dt_session_graft(struct dt_session *s, const struct dt_image *image, const struct dt_attach *attach,
    uint32_t n, uint32_t first, char *msg, size_t len)
{
	struct dt_session *g = n == image->nprogs && first >= s->image->nprogs ?
	    new_graft(s, image, attach, first) :
	    NULL;
	int err;

	if (!g)
		return dt_session_fail(msg, len, n == image->nprogs ? -ENOMEM : -EINVAL,
		    "cannot add to the session");
	err = make_graft(s, g, msg, len);
	if (err) {
		free_graft(g);
		return err;
	}
	g->graft = s->graft;
	s->graft = g;
	return 0;
}

void dt_grafts_detach(struct dt_session *s)
{
	for (struct dt_session *g = s->graft; g; g = g->graft)
		detach_graft(g);
}

/* After detaching: programs of a graft use the maps of the session. */
void dt_grafts_close(struct dt_session *s)
{
	struct dt_session *next;

	for (struct dt_session *g = s->graft; g; g = next) {
		next = g->graft;
		free_graft(g);
	}
	s->graft = NULL;
}

/* dt_session_wait() returns also when this descriptor becomes readable. It stays the caller's. */
int dt_session_wake_by(struct dt_session *s, int fd)
{
	return dt_wakeup_add(s->epoll, fd);
}
