/* SPDX-License-Identifier: BSD-2-Clause */
#include "hosts.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void hosts_open(struct hosts *h)
{
	memset(h, 0, sizeof(*h));
	pthread_mutex_init(&h->lock, NULL);
}

void hosts_close(struct hosts *h)
{
	for (int i = 0; i < HOSTS_MAX; i++) {
		if (h->of[i] != NULL)
			blocks_close(h->of[i]);
		free(h->of[i]);
		blocks_input_free(&h->input[i]);
	}
	pthread_mutex_destroy(&h->lock);
}

/* Readers of the trace before see another number, and end; memory is used again. */
void hosts_begin(struct hosts *h)
{
	pthread_mutex_lock(&h->lock);
	for (int i = 0; i < HOSTS_MAX; i++)
		if (h->of[i] != NULL) {
			blocks_begin(h->of[i], ++h->begun);
			blocks_end(h->of[i]);
			blocks_input_free(&h->input[i]);
		}
	pthread_mutex_unlock(&h->lock);
}

void hosts_stop(struct hosts *h)
{
	pthread_mutex_lock(&h->lock);
	for (int i = 0; i < HOSTS_MAX; i++)
		if (h->of[i] != NULL)
			blocks_stop(h->of[i]);
	pthread_mutex_unlock(&h->lock);
}

struct blocks *hosts_find(struct hosts *h, unsigned number)
{
	struct blocks *b;

	pthread_mutex_lock(&h->lock);
	b = number < HOSTS_MAX ? h->of[number] : NULL;
	pthread_mutex_unlock(&h->lock);
	return b;
}

/* ---- from dtrace-fleet ---- */

static void add_host(struct hosts *h, uint32_t number)
{
	size_t part;

	if ((h->of[number] = calloc(1, sizeof(*h->of[number]))) == NULL)
		return;
	blocks_open(h->of[number]);
	part = HOSTS_KEPT / ++h->n;
	for (int i = 0; i < HOSTS_MAX; i++)
		if (h->of[i] != NULL)
			blocks_limit(h->of[i], part / 2, part / 2);
}

/* The recording of a host begins, for the first time or again. */
static void begin_host(struct hosts *h, uint32_t number)
{
	pthread_mutex_lock(&h->lock);
	if (h->of[number] == NULL)
		add_host(h, number);
	blocks_input_free(&h->input[number]);
	if (h->of[number] != NULL)
		blocks_begin(h->of[number], ++h->begun);
	pthread_mutex_unlock(&h->lock);
}

static bool read_all(int fd, char *to, size_t len)
{
	while (len > 0) {
		ssize_t n = read(fd, to, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		to += n;
		len -= (size_t)n;
	}
	return true;
}

/* Bytes of a host are untrusted: one whose bytes are no recording has no more of them. */
static bool take_frame(struct hosts *h, int fd, uint32_t number, uint32_t len)
{
	char part[16 << 10];

	for (uint32_t n; len > 0; len -= n) {
		n = len < sizeof(part) ? len : sizeof(part);
		if (!read_all(fd, part, n))
			return false;
		if (number < HOSTS_MAX && h->of[number] != NULL &&
		    !blocks_feed(h->of[number], &h->input[number], part, n))
			blocks_end(h->of[number]);
	}
	return true;
}

void hosts_copy(struct hosts *h, int fd)
{
	uint32_t head[2];

	while (read_all(fd, (char *)head, sizeof(head))) {
		uint32_t number = le32toh(head[0]), len = le32toh(head[1]);

		if (len == 0 && number < HOSTS_MAX)
			begin_host(h, number);
		else if (!take_frame(h, fd, number, len))
			break;
	}
	close(fd);
	for (int i = 0; i < HOSTS_MAX; i++)
		if (h->of[i] != NULL)
			blocks_end(h->of[i]);
}
