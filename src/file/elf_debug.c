/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the symbols of a stripped file: in the debug file with the same build id, in the one that
 * .gnu_debuglink names, or compressed inside it (.gnu_debugdata, .xz). What is found must belong to the
 * file: the build id is the same, or if there is none the checksum. Both the file and what it names are
 * hostile: a link is a plain file name without a slash, unpacking stops at a limit of memory and of size,
 * and so does the checksum.
 */
#include "file/elf_impl.h"

#include <errno.h>
#include <limits.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UNPACKED_MAX (256ull << 20)
#define FIRST_UNPACKED (4u << 20)	/* before anything came out */
#define XZ_MEMORY (128ull << 20)
#define CHECKED_MAX (1ull << 30)	/* bytes of a file whose checksum is made */

/* ---- where it may be ---- */

/* The id has at most 64 bytes (elf_head.c), which is what hex has room for. */
static char *path_by_id(struct dt_elf *e)
{
	char hex[2 * 64 + 1], *path = NULL;
	size_t n = 0;
	const uint8_t *id = dt_elf_buildid(e, &n);

	if (id == NULL || n < 2)
		return NULL;
	for (size_t i = 0; i < n; i++)
		snprintf(hex + 2 * i, 3, "%02x", id[i]);
	return asprintf(&path, "%s/.build-id/%.2s/%s.debug", e->debug_root, hex, hex + 2) > 0 ? path : NULL;
}

/*
 * The name, its NUL, zeros up to a multiple of 4, the checksum: all of it must lie inside the section.
 * dt_elf_read() has put a NUL after the section, so that strchr() ends.
 */
bool dt_elf_debug_link(struct dt_elf *e, char name[256], uint32_t *crc)
{
	const void *data = NULL;
	size_t len, namelen;
	uint64_t addr;

	if (e->head != NULL) {
		memcpy(name, e->head->link, sizeof(e->head->link));
		*crc = e->head->crc;
		return name[0] != '\0';
	}
	if (dt_elf_section(e, ".gnu_debuglink", &data, &len, &addr) != 0 || data == NULL)
		return false;
	namelen = strnlen(data, len);
	if (namelen == 0 || namelen > NAME_MAX || strchr(data, '/') != NULL || len < sizeof(*crc) ||
	    ((namelen + 4) & ~(size_t)3) > len - sizeof(*crc))
		return false;
	memcpy(name, data, namelen + 1);
	memcpy(crc, (const char *)data + ((namelen + 4) & ~(size_t)3), sizeof(*crc));
	return true;
}

/* The file itself is left out: a link may name it, but it has no more than was found in it already. */
int dt_elf_debug_paths(struct dt_elf *e, char *path[DT_ELF_DEBUG_PATHS])
{
	const char *slash = e->path != NULL ? strrchr(e->path, '/') : NULL;
	char name[256];
	uint32_t crc;
	int n = 0;

	if ((path[0] = path_by_id(e)) != NULL)
		n++;
	if (slash == NULL || !dt_elf_debug_link(e, name, &crc))
		return n;
	for (int place = 0; place < 3; place++) {
		if (asprintf(&path[n], "%s%.*s/%s%s", place == 2 ? e->debug_root : "", (int)(slash - e->path),
		    e->path, place == 1 ? ".debug/" : "", name) < 0)
			continue;
		if (strcmp(path[n], e->path) != 0)
			n++;
		else
			free(path[n]);
	}
	return n;
}

/* ---- does it belong to the file? ---- */

/*
 * The checksum of .gnu_debuglink: CRC-32 of IEEE 802.3, bit-reversed, as in zip files. False: it cannot be
 * read, or is too long to be worth it.
 */
static bool checksum(int fd, uint32_t *out)
{
	uint32_t crc = 0xffffffffu, table[256];
	uint8_t buf[16384];
	uint64_t total = 0;
	ssize_t n = 0;

	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int k = 0; k < 8; k++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
	}
	while (total < CHECKED_MAX && (n = pread(fd, buf, sizeof(buf), (off_t)total)) > 0) {
		for (ssize_t i = 0; i < n; i++)
			crc = crc >> 8 ^ table[(crc ^ buf[i]) & 0xff];
		total += (uint64_t)n;
	}
	*out = ~crc;
	return n == 0;
}

/*
 * With a build id the checksum is not asked for: it would mean reading the whole debug file, and the id
 * says the same.
 */
static bool belongs(struct dt_elf *e, struct dt_elf *debug)
{
	size_t na, nb;
	const uint8_t *x = dt_elf_buildid(e, &na), *y = dt_elf_buildid(debug, &nb);
	uint32_t crc, got;
	char name[256];

	if (x != NULL)
		return y != NULL && na == nb && memcmp(x, y, na) == 0;
	return dt_elf_debug_link(e, name, &crc) && checksum(debug->fd, &got) && got == crc;
}

/* Takes over the descriptor. */
static int try_debug(struct dt_elf *e, int fd, struct dt_elf **out)
{
	int err = fd >= 0 ? dt_elf_open(fd, NULL, out) : -ENOENT;

	if (err == 0 && !belongs(e, *out)) {
		dt_elf_close(*out);
		*out = NULL;
		err = -ENOENT;
	}
	return err;
}

void dt_elf_given(struct dt_elf *e, const int *fds, int n)
{
	e->searched = true;
	for (int i = 0; i < n; i++)
		e->given[e->ngiven++] = fds[i];
}

/*
 * Descriptors that were given take the place of a search: the worker has no right to open anything. Each is
 * used up, hence -1 after it.
 */
int dt_elf_find_debug(struct dt_elf *e, struct dt_elf **out)
{
	char *path[DT_ELF_DEBUG_PATHS];
	int n = e->searched ? 0 : dt_elf_debug_paths(e, path), err = -ENOENT;

	for (int i = 0; i < e->ngiven && err != 0; i++) {
		err = try_debug(e, e->given[i], out);
		e->given[i] = -1;
	}
	for (int i = 0; i < n; i++) {
		if (err != 0 && err != -ENOMEM)
			err = try_debug(e, dt_elf_open_regular(path[i], true), out);
		free(path[i]);
	}
	return err == 0 || err == -ENOMEM ? err : -ENOENT;
}


/* ---- inside it ---- */

/*
 * Memory grows as bytes come out, since what the file says of its size is not to be trusted. *out is the
 * caller's to free.
 */
static int unpack(const void *data, size_t len, uint8_t **out, size_t *outlen)
{
	lzma_stream xz = LZMA_STREAM_INIT;
	size_t cap = len < FIRST_UNPACKED / 4 ? len * 4 + 4096 : FIRST_UNPACKED;
	uint8_t *buf = malloc(cap);
	lzma_ret ret = lzma_stream_decoder(&xz, XZ_MEMORY, 0);

	xz.next_in = data;
	xz.avail_in = len;
	while (buf != NULL && ret == LZMA_OK) {
		if (xz.total_out == cap) {
			size_t want = cap < UNPACKED_MAX / 2 ? cap * 2 : UNPACKED_MAX;
			uint8_t *more = cap < UNPACKED_MAX ? realloc(buf, want) : NULL;

			if (more == NULL)
				break;
			buf = more;
			cap = want;
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
