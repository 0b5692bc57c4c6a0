/* SPDX-License-Identifier: BSD-2-Clause */
/* The one way to read a whole file: regular files, pipes and /proc alike, with a limit. */
#ifndef DT_BASE_FILE_H
#define DT_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Reads all of it into malloc'ed memory with a NUL after the last byte. Returns 0, -errno, or
 * -EFBIG when there are more than `max` bytes. dt_file_readfd() reads from the current position.
 */
int dt_file_read(const char *path, size_t max, char **text, size_t *len);
int dt_file_readfd(int fd, size_t max, char **text, size_t *len);
/* The same of a regular file alone; anything else is -EINVAL or -EISDIR, without waiting. */
int dt_file_read_regular(const char *path, size_t max, char **text, size_t *len);

/*
 * All of it, mapped where the file system lets us (nothing is copied, and forked children do not get it),
 * otherwise read. 0 or -errno. Only for files that cannot shrink: the kernel's own.
 */
struct dt_whole { unsigned char *data; size_t len; bool mapped; };
int dt_whole_read(const char *path, size_t max, struct dt_whole *);
void dt_whole_free(struct dt_whole *);

/*
 * The first `max` bytes, without a NUL, of a file whose name is untrusted, such as that of a traced
 * process. Only a regular file is opened: a FIFO would block us, and a device may act on being opened. A
 * name below /proc/PID/root is looked up as that process would. *more: there are more bytes. 0, -EINVAL
 * (it is no regular file), or -errno.
 */
int dt_file_peek(const char *path, size_t max, char **text, size_t *len, bool *more);

#endif
