/* SPDX-License-Identifier: BSD-2-Clause */
/* Waiting for a thread of ours to sleep in a lock, as its state in /proc tells. */
#ifndef TRIGGER_ASLEEP_H
#define TRIGGER_ASLEEP_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* *tid: 0 until the thread has told its number. */
static inline void until_asleep(const volatile int *tid)
{
	char path[64], text[256];

	for (;;) {
		FILE *f;
		char *end;

		usleep(10000);
		snprintf(path, sizeof(path), "/proc/self/task/%d/stat", *tid);
		f = *tid != 0 ? fopen(path, "r") : NULL;
		if (f == NULL)
			continue;
		end = fgets(text, sizeof(text), f) != NULL ? strrchr(text, ')') : NULL;
		fclose(f);
		if (end != NULL && end[1] != '\0' && end[2] == 'S')
			return;
	}
}

#endif
