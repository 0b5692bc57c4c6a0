/* SPDX-License-Identifier: BSD-2-Clause */
#include "connections.h"

#include "base.h"

#include <string.h>
#include <sys/socket.h>
#include <time.h>

void connections_open(struct connections *all)
{
	memset(all, 0, sizeof(*all));
	pthread_mutex_init(&all->lock, NULL);
	pthread_cond_init(&all->removed, NULL);
}

void connections_close(struct connections *all)
{
	pthread_cond_destroy(&all->removed);
	pthread_mutex_destroy(&all->lock);
}

/* Its thread sees the end of the connection, and removes it. */
static void shut_oldest(struct connections *all)
{
	struct place *oldest = NULL;
	int unauthenticated = 0;

	for (size_t i = 0; i < COUNT(all->v); i++) {
		struct place *p = &all->v[i];

		if (!p->used || p->authenticated || p->closed)
			continue;
		unauthenticated++;
		if (oldest == NULL || p->number < oldest->number)
			oldest = p;
	}
	if (unauthenticated <= MAX_UNAUTHENTICATED)
		return;
	oldest->closed = true;
	shutdown(oldest->fd, SHUT_RDWR);
}

struct place *connections_add(struct connections *all, int fd)
{
	struct place *mine = NULL;

	pthread_mutex_lock(&all->lock);
	for (size_t i = 0; i < COUNT(all->v) && mine == NULL; i++)
		if (!all->v[i].used)
			mine = &all->v[i];
	if (mine != NULL)
		*mine = (struct place){ .fd = fd, .number = all->count++, .used = true };
	shut_oldest(all);
	pthread_mutex_unlock(&all->lock);
	return mine;
}

void connections_remove(struct connections *all, struct place *mine)
{
	pthread_mutex_lock(&all->lock);
	mine->used = false;
	pthread_cond_broadcast(&all->removed);
	pthread_mutex_unlock(&all->lock);
}

bool connections_authenticate(struct connections *all, struct place *mine)
{
	bool authenticated;
	int n = 0;

	pthread_mutex_lock(&all->lock);
	for (size_t i = 0; i < COUNT(all->v); i++)
		n += all->v[i].used && all->v[i].authenticated;
	mine->authenticated |= n < MAX_AUTHENTICATED;
	authenticated = mine->authenticated;
	pthread_mutex_unlock(&all->lock);
	return authenticated;
}

static size_t shut_all(struct connections *all, int how)
{
	size_t used = 0;

	for (size_t i = 0; i < COUNT(all->v); i++) {
		if (!all->v[i].used)
			continue;
		used++;
		shutdown(all->v[i].fd, how);
	}
	return used;
}

/* An answer under way is sent to its end, if its reader takes it within a second. */
void connections_end(struct connections *all)
{
	struct timespec until;
	int how = SHUT_RD;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	pthread_mutex_lock(&all->lock);
	while (shut_all(all, how) != 0)
		if (how == SHUT_RDWR)
			pthread_cond_wait(&all->removed, &all->lock);
		else if (pthread_cond_timedwait(&all->removed, &all->lock, &until) != 0)
			how = SHUT_RDWR;
	pthread_mutex_unlock(&all->lock);
}
