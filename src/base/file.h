/* SPDX-License-Identifier: BSD-2-Clause */
/* The one way to read a whole file: regular files, pipes and /proc alike, with a limit. */
#ifndef DT_BASE_FILE_H
#define DT_BASE_FILE_H

#include <stddef.h>

/*
 * Reads all of it into malloc'ed memory with a NUL after the last byte. Returns 0, -errno, or
 * -EFBIG when there are more than `max` bytes. dt_file_readfd() reads from the current position.
 */
int dt_file_read(const char *path, size_t max, char **text, size_t *len);
int dt_file_readfd(int fd, size_t max, char **text, size_t *len);

#endif
