/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory of a process, through /proc/PID/mem: it writes pages that are read-only to the process too, which
 * become the process's own copies. Newer kernels allow that to the tracing thread alone, and can be set to
 * forbid it; ptrace(2) then writes word for word.
 */
#include "inject/inject_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

enum { SPAN = 64 << 10, PAGE = 4096 };

int dt_inject_read(struct dt_inject *in, uint64_t addr, void *to, size_t len)
{
	size_t got = 0;

	if (addr > INT64_MAX || len > INT64_MAX - addr)
		return -EFAULT;
	while (got < len) {
		ssize_t n = pread(in->mem, (char *)to + got, len - got, (off_t)(addr + got));

		if (n == 0)
			return -ESRCH;		/* its memory is gone, or another program's */
		if (n < 0 && errno != EINTR)
			return errno == EIO ? -EFAULT : -errno;
		got += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* Words are aligned, so that none reaches into a page that is not there. */
static int poke(struct dt_inject *in, uint64_t addr, const uint8_t *bytes, size_t len)
{
	pid_t tid = in->n > 0 ? in->thread[0].tid : 0;

	for (size_t done = 0; done < len;) {
		uint64_t at = (addr + done) & ~7ull;
		size_t skip = (size_t)(addr + done - at), n = 8 - skip < len - done ? 8 - skip : len - done;
		long word;

		errno = 0;
		word = ptrace(PTRACE_PEEKTEXT, tid, (void *)at, NULL);
		if (errno != 0)
			return errno == EIO ? -EFAULT : -errno;
		memcpy((char *)&word + skip, bytes + done, n);
		if (ptrace(PTRACE_POKETEXT, tid, (void *)at, (void *)word) != 0)
			return errno == EIO ? -EFAULT : -errno;
		done += n;
	}
	return 0;
}

int dt_inject_write(struct dt_inject *in, uint64_t addr, const void *bytes, size_t len)
{
	size_t put = 0;

	if (addr > INT64_MAX || len > INT64_MAX - addr)
		return -EFAULT;
	while (put < len) {
		ssize_t n = pwrite(in->mem, (const char *)bytes + put, len - put, (off_t)(addr + put));

		if (n == 0)
			return -ESRCH;
		if (n < 0 && errno != EINTR)
			return poke(in, addr + put, (const uint8_t *)bytes + put, len - put);
		put += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* ---- many places ---- */

static int by_addr(const void *a, const void *b)
{
	const struct dt_inject_write *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Places of the same page or the next one, as many as fit: pages between are not touched. */
static uint32_t run_of(const struct dt_inject_write *w, uint32_t n, uint64_t *end)
{
	uint32_t i = 0;

	*end = w[0].addr;
	for (; i < n && w[i].addr / PAGE <= *end / PAGE + 1 && w[i].addr + w[i].len - w[0].addr <= SPAN; i++)
		if (w[i].addr + w[i].len > *end)
			*end = w[i].addr + w[i].len;
	return i;
}

int dt_inject_write_many(struct dt_inject *in, struct dt_inject_write *w, uint32_t n)
{
	uint8_t *span = malloc(SPAN);
	uint32_t len = 0;
	uint64_t end;
	int err = 0;

	if (span == NULL)
		return -ENOMEM;
	qsort(w, n, sizeof(*w), by_addr);
	for (uint32_t i = 0; i < n && err == 0; i += len) {
		len = run_of(w + i, n - i, &end);
		if (len < 3) {
			len = 1;
			err = dt_inject_write(in, w[i].addr, w[i].bytes, w[i].len);
			continue;
		}
		err = dt_inject_read(in, w[i].addr, span, end - w[i].addr);
		for (uint32_t k = i; k < i + len; k++)
			memcpy(span + (w[k].addr - w[i].addr), w[k].bytes, w[k].len);
		if (err == 0)
			err = dt_inject_write(in, w[i].addr, span, end - w[i].addr);
	}
	free(span);
	return err;
}
