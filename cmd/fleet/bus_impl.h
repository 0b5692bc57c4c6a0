/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the bus share. */
#ifndef DT_CMD_FLEET_BUS_IMPL_H
#define DT_CMD_FLEET_BUS_IMPL_H

#include "bus.h"

#include <nats/nats.h>
#include <pthread.h>

enum { SUBSCRIPTIONS_MAX = 8, WAITING_MAX = 64 << 20 };

struct bus {
	natsConnection *nc;
	natsSubscription *sub[SUBSCRIPTIONS_MAX];
	int nsubs, fd;
	pthread_mutex_t lock;
	/* under the lock: */
	struct bus_message *first, **last;
	size_t waiting;			/* bytes in the list */
	unsigned losses;
	unsigned long dropped;
	char trouble[512];
};

#endif
