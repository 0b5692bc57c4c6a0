/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The segments of /proc/kcore come in, the place of the page descriptions goes out. Memory is a segment
 * with a physical address. The descriptions of its pages are the next segment, which has none and
 * begins at a whole page at or before the first description.
 */
#include "kernel/kcore.h"
#include "file/elf.h"

#include <fcntl.h>

struct search {
	unsigned shift;
	uint64_t size, base;
	struct dt_elf_segment ram;	/* the segment before this one */
	bool found;
};

/*
 * The start of a segment may be rounded down to a page; the highest one is exact after rounding up
 * again.
 */
static int look_at_segment(void *ctx, const struct dt_elf_segment *next)
{
	struct search *s = ctx;
	const struct dt_elf_segment ram = s->ram;
	uint64_t page = UINT64_C(1) << s->shift, bytes = (ram.memsz >> s->shift) * s->size, here;

	s->ram = *next;
	if (!ram.load || ram.paddr == UINT64_MAX || !next->load || next->paddr != UINT64_MAX)
		return 0;
	if (next->memsz + page < bytes || next->memsz > bytes + 2 * page)
		return 0;
	here = next->vaddr - (ram.vaddr >> s->shift) * s->size;
	if (!s->found || (int64_t)(here - s->base) > 0)
		s->base = here;
	s->found = true;
	return 0;
}

/* The file is the kernel's: we read it ourselves. */
bool dt_kcore_pages(unsigned shift, uint64_t size, uint64_t *base)
{
	int fd = shift < 32 ? open("/proc/kcore", O_RDONLY | O_CLOEXEC) : -1;
	struct search s = { .shift = shift, .size = size };
	uint64_t page = UINT64_C(1) << shift % 32;
	struct dt_elf *e;

	if (fd < 0 || dt_elf_open(fd, NULL, &e) != 0)
		return false;
	(void)dt_elf_each_segment(e, look_at_segment, &s);
	dt_elf_close(e);
	*base = s.found ? (s.base + page - 1) & ~(page - 1) : 0;
	return s.found;
}
