/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The headers of /proc/kcore come in, the place of the page descriptions goes out. Memory is a segment
 * with a physical address. The descriptions of its pages are the next segment, which has none and
 * begins at a whole page at or before the first description.
 */
#include "kernel/kcore.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

enum { MOST_SEGMENTS = 4096 };	/* far more than any machine has */

static bool read_segment(int fd, const Elf64_Ehdr *h, unsigned i, Elf64_Phdr *out)
{
	return pread(fd, out, sizeof(*out), (off_t)(h->e_phoff + (uint64_t)i * sizeof(*out))) ==
	    (ssize_t)sizeof(*out);
}

/*
 * The start of a segment may be rounded down to a page; the highest one is exact after rounding up
 * again.
 */
static bool find_pages(int fd, const Elf64_Ehdr *h, unsigned shift, uint64_t size, uint64_t *base)
{
	Elf64_Phdr ram = { 0 }, next;
	uint64_t page = UINT64_C(1) << shift, here;
	bool found = false;

	for (unsigned i = 0; i < h->e_phnum && read_segment(fd, h, i, &next); i++, ram = next) {
		uint64_t bytes = (ram.p_memsz >> shift) * size;

		if (ram.p_type != PT_LOAD || ram.p_paddr == UINT64_MAX || next.p_type != PT_LOAD ||
		    next.p_paddr != UINT64_MAX)
			continue;
		if (next.p_memsz + page < bytes || next.p_memsz > bytes + 2 * page)
			continue;
		here = next.p_vaddr - (ram.p_vaddr >> shift) * size;
		if (!found || (int64_t)(here - *base) > 0)
			*base = here;
		found = true;
	}
	*base = found ? (*base + page - 1) & ~(page - 1) : 0;
	return found;
}

bool dt_kcore_pages(unsigned shift, uint64_t size, uint64_t *base)
{
	int fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr h;
	bool ok;

	if (fd < 0)
		return false;
	ok = pread(fd, &h, sizeof(h), 0) == (ssize_t)sizeof(h) && h.e_phentsize == sizeof(Elf64_Phdr) &&
	    h.e_phnum <= MOST_SEGMENTS && h.e_phoff < (UINT64_C(1) << 32) && shift < 32 &&
	    find_pages(fd, &h, shift, size, base);
	close(fd);
	return ok;
}
