/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the symbols of a stripped file: in the debug file with the same build id, in the one that
 * .gnu_debuglink names, or compressed inside it (.gnu_debugdata, .xz). What is found must belong to the
 * file: the build id is the same, or if there is none the checksum.
 */
#include "symbol/elf_impl.h"

#include <errno.h>
#include <limits.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UNPACKED_MAX (256ull << 20)
#define XZ_MEMORY (128ull << 20)
#define CHECKED_MAX (1ull << 30)	/* bytes of a file whose checksum is made */

static bool same_id(struct dt_elf *a, struct dt_elf *b)
{
	size_t na, nb;
	const uint8_t *x = dt_elf_buildid(a, &na), *y = dt_elf_buildid(b, &nb);

	return x != NULL && y != NULL && na == nb && memcmp(x, y, na) == 0;
}

static bool has_id(struct dt_elf *e)
{
	size_t n;

	return dt_elf_buildid(e, &n) != NULL;
}

static int open_path(const char *path, struct dt_elf **out)
{
	int fd = dt_elf_open_regular(path, true);

	return fd < 0 ? fd : dt_elf_open(fd, path, out);
}

/* ---- by build id ---- */

static int by_id(struct dt_elf *e, struct dt_elf **out)
{
	char path[PATH_MAX];
	size_t n = 0;
	const uint8_t *id = dt_elf_buildid(e, &n);
	int at, err;

	if (id == NULL || n < 2)
		return -ENOENT;
	at = snprintf(path, sizeof(path), "%s/.build-id/%02x/", e->debug_root, id[0]);
	for (size_t i = 1; i < n && at >= 0 && (size_t)at + 16 < sizeof(path); i++)
		at += snprintf(path + at, sizeof(path) - (size_t)at, "%02x", id[i]);
	if (at < 0 || (size_t)at + 16 >= sizeof(path))
		return -ENOENT;
	strcat(path, ".debug");
	err = open_path(path, out);
	if (err == 0 && !same_id(e, *out)) {
		dt_elf_close(*out);
		*out = NULL;
		return -ENOENT;
	}
	return err;
}

/* ---- by name ---- */

/* The checksum of .gnu_debuglink: CRC-32 of IEEE 802.3, bit-reversed, as in zip files. */
static bool checksum(const char *path, uint32_t *out)
{
	int fd = dt_elf_open_regular(path, true);
	uint32_t crc = 0xffffffffu, table[256];
	uint8_t buf[16384];
	uint64_t total = 0;
	ssize_t n = 0;

	if (fd < 0)
		return false;
	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int k = 0; k < 8; k++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
	}
	while (total < CHECKED_MAX && (n = read(fd, buf, sizeof(buf))) > 0) {
		for (ssize_t i = 0; i < n; i++)
			crc = crc >> 8 ^ table[(crc ^ buf[i]) & 0xff];
		total += (uint64_t)n;
	}
	close(fd);
	*out = ~crc;
	return n == 0;
}

static int belongs(struct dt_elf *e, const char *path, uint32_t crc, struct dt_elf **out)
{
	uint32_t got;
	int err = open_path(path, out);

	if (err != 0)
		return err;
	if (has_id(e) ? same_id(e, *out) : checksum(path, &got) && got == crc)
		return 0;
	dt_elf_close(*out);
	*out = NULL;
	return -ENOENT;
}

static int by_link(struct dt_elf *e, struct dt_elf **out)
{
	char path[PATH_MAX];
	const void *data;
	const char *name, *slash;
	size_t len, namelen;
	uint64_t addr;
	uint32_t crc;

	if (e->path == NULL || (slash = strrchr(e->path, '/')) == NULL ||
	    dt_elf_section(e, ".gnu_debuglink", &data, &len, &addr) != 0 || data == NULL)
		return -ENOENT;
	name = data;
	namelen = strnlen(name, len);
	if (namelen == 0 || namelen > NAME_MAX || strchr(name, '/') != NULL || len < sizeof(crc) ||
	    ((namelen + 4) & ~(size_t)3) > len - sizeof(crc))
		return -ENOENT;
	memcpy(&crc, name + ((namelen + 4) & ~(size_t)3), sizeof(crc));
	for (int place = 0; place < 3; place++) {
		int n = snprintf(path, sizeof(path), "%s%.*s/%s%s", place == 2 ? e->debug_root : "",
		    (int)(slash - e->path), e->path, place == 1 ? ".debug/" : "", name);

		if (n > 0 && (size_t)n < sizeof(path) && strcmp(path, e->path) != 0 &&
		    belongs(e, path, crc, out) == 0)
			return 0;
	}
	return -ENOENT;
}

int dt_elf_find_debug(struct dt_elf *e, struct dt_elf **out)
{
	int err = by_id(e, out);

	if (err != 0 && err != -ENOMEM)
		err = by_link(e, out);
	return err == 0 || err == -ENOMEM ? err : -ENOENT;
}

int dt_elf_debug_fd(struct dt_elf *e)
{
	struct dt_elf *debug = NULL;
	int fd = dt_elf_find_debug(e, &debug);

	if (fd == 0) {
		fd = debug->fd;
		debug->fd = -1;		/* the caller's */
		dt_elf_close(debug);
	}
	return fd;
}

/* ---- inside it ---- */

static int unpack(const void *data, size_t len, uint8_t **out, size_t *outlen)
{
	lzma_stream xz = LZMA_STREAM_INIT;
	size_t cap = len * 4 + 4096;
	uint8_t *buf = malloc(cap);
	lzma_ret ret = lzma_stream_decoder(&xz, XZ_MEMORY, 0);

	xz.next_in = data;
	xz.avail_in = len;
	while (buf != NULL && ret == LZMA_OK) {
		if (xz.total_out == cap) {
			uint8_t *more = cap < UNPACKED_MAX ? realloc(buf, cap * 2) : NULL;

			if (more == NULL)
				break;
			buf = more;
			cap *= 2;
		}
		xz.next_out = buf + xz.total_out;
		xz.avail_out = cap - xz.total_out;
		ret = lzma_code(&xz, LZMA_FINISH);
	}
	*outlen = xz.total_out;
	lzma_end(&xz);
	if (buf == NULL || ret != LZMA_STREAM_END) {
		free(buf);
		return buf == NULL ? -ENOMEM : -ENOENT;
	}
	*out = buf;
	return 0;
}

int dt_elf_find_debugdata(struct dt_elf *e, struct dt_elf **out)
{
	const void *data;
	uint64_t addr;
	uint8_t *bytes;
	size_t len;
	int err;

	if (dt_elf_section(e, ".gnu_debugdata", &data, &len, &addr) != 0 || data == NULL)
		return -ENOENT;
	err = unpack(data, len, &bytes, &len);
	if (err == 0)
		err = dt_elf_memory(bytes, len, out);
	return err == 0 || err == -ENOMEM ? err : -ENOENT;
}
