/* SPDX-License-Identifier: BSD-2-Clause */
/* Waiting for a thread of ours to sleep in a lock, as its state in /proc tells. */
#ifndef TRIGGER_ASLEEP_H
#define TRIGGER_ASLEEP_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static inline int is_asleep(int tid)
{
	char path[64], text[256], *end;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	f = tid != 0 ? fopen(path, "r") : NULL;
	if (f == NULL)
		return 0;
	end = fgets(text, sizeof(text), f) != NULL ? strrchr(text, ')') : NULL;
	fclose(f);
	return end != NULL && end[1] != '\0' && end[2] == 'S';
}

/* *tid: 0 until the thread has told its number. */
static inline void until_asleep(const volatile int *tid)
{
	do
		usleep(10000);
	while (!is_asleep(*tid));
}

#endif
