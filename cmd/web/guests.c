/* SPDX-License-Identifier: BSD-2-Clause */
#include "guests.h"

#include "base.h"

#include <string.h>
#include <sys/socket.h>

void guests_open(struct guests *g)
{
	memset(g, 0, sizeof(*g));
	pthread_mutex_init(&g->lock, NULL);
}

void guests_close(struct guests *g)
{
	pthread_mutex_destroy(&g->lock);
}

static int connection_fd(struct MHD_Connection *c)
{
	return MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

/* Its thread sees the end of the connection, and leaves. */
static void shut_oldest(struct guests *g)
{
	struct guest *oldest = NULL;
	int strangers = 0;

	for (size_t i = 0; i < COUNT(g->v); i++) {
		struct guest *v = &g->v[i];

		if (!v->here || v->known || v->shut)
			continue;
		strangers++;
		if (oldest == NULL || v->number < oldest->number)
			oldest = v;
	}
	if (strangers <= MOST_STRANGERS)
		return;
	oldest->shut = true;
	shutdown(oldest->fd, SHUT_RDWR);
}

/* MHD lets no more in than there are places, and closes a descriptor only after it has told us. */
void guests_notify(void *arg, struct MHD_Connection *c, void **guest,
    enum MHD_ConnectionNotificationCode what)
{
	struct guests *g = arg;
	size_t i = 0;

	pthread_mutex_lock(&g->lock);
	if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
		if (*guest != NULL)
			((struct guest *)*guest)->here = false;
	} else {
		while (i < COUNT(g->v) && g->v[i].here)
			i++;
		*guest = i < COUNT(g->v) ? &g->v[i] : NULL;
		if (*guest != NULL)
			g->v[i] = (struct guest){ .fd = connection_fd(c), .number = g->came++, .here = true };
		shut_oldest(g);
	}
	pthread_mutex_unlock(&g->lock);
}

bool guests_know(struct guests *g, struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct guest *mine = info->socket_context;
	int known = 0;

	if (mine == NULL)
		return false;
	pthread_mutex_lock(&g->lock);
	for (size_t i = 0; i < COUNT(g->v); i++)
		known += g->v[i].here && g->v[i].known;
	if (known < MOST_KNOWN)
		mine->known = true;
	pthread_mutex_unlock(&g->lock);
	return mine->known;
}
