/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory: mmap() and what is said about mappings. */
#include "decode.h"

#include <sys/mman.h>

static const struct name prot[] = {
	{ 0, "PROT_NONE" }, { 1, "PROT_READ" }, { 2, "PROT_WRITE" }, { 4, "PROT_EXEC" }, { 8, "PROT_SEM" },
#ifdef PROT_BTI
	{ PROT_BTI, "PROT_BTI" },
#endif
#ifdef PROT_MTE
	{ PROT_MTE, "PROT_MTE" },
#endif
	{ 0x1000000, "PROT_GROWSDOWN" }, { 0x2000000, "PROT_GROWSUP" },
};
static const struct name map_flags[] = {
	{ 3, "MAP_SHARED_VALIDATE" }, { MAP_SHARED, "MAP_SHARED" }, { MAP_PRIVATE, "MAP_PRIVATE" },
	{ MAP_FIXED, "MAP_FIXED" }, { MAP_ANONYMOUS, "MAP_ANONYMOUS" },
#ifdef MAP_32BIT
	{ MAP_32BIT, "MAP_32BIT" },
#endif
	{ MAP_NORESERVE, "MAP_NORESERVE" }, { MAP_POPULATE, "MAP_POPULATE" },
	{ MAP_NONBLOCK, "MAP_NONBLOCK" },
	{ MAP_GROWSDOWN, "MAP_GROWSDOWN" }, { MAP_DENYWRITE, "MAP_DENYWRITE" },
	{ MAP_EXECUTABLE, "MAP_EXECUTABLE" }, { MAP_LOCKED, "MAP_LOCKED" }, { MAP_STACK, "MAP_STACK" },
	{ MAP_HUGETLB, "MAP_HUGETLB" }, { MAP_SYNC, "MAP_SYNC" },
	{ MAP_FIXED_NOREPLACE, "MAP_FIXED_NOREPLACE" },
};
static const struct name advices[] = {
	{ 0, "MADV_NORMAL" }, { 1, "MADV_RANDOM" }, { 2, "MADV_SEQUENTIAL" }, { 3, "MADV_WILLNEED" },
	{ 4, "MADV_DONTNEED" }, { 8, "MADV_FREE" }, { 9, "MADV_REMOVE" }, { 10, "MADV_DONTFORK" },
	{ 11, "MADV_DOFORK" }, { 12, "MADV_MERGEABLE" }, { 13, "MADV_UNMERGEABLE" }, { 14, "MADV_HUGEPAGE" },
	{ 15, "MADV_NOHUGEPAGE" }, { 16, "MADV_DONTDUMP" }, { 17, "MADV_DODUMP" }, { 18, "MADV_WIPEONFORK" },
	{ 19, "MADV_KEEPONFORK" }, { 20, "MADV_COLD" }, { 21, "MADV_PAGEOUT" }, { 22, "MADV_POPULATE_READ" },
	{ 23, "MADV_POPULATE_WRITE" }, { 24, "MADV_DONTNEED_LOCKED" }, { 25, "MADV_COLLAPSE" },
};
static const struct name sync_flags[] = { { 1, "MS_ASYNC" }, { 2, "MS_INVALIDATE" }, { 4, "MS_SYNC" } };
static const struct name remap_flags[] = {
	{ 1, "MREMAP_MAYMOVE" }, { 2, "MREMAP_FIXED" }, { 4, "MREMAP_DONTUNMAP" },
};
static const struct name lock_flags[] = { { 1, "MCL_CURRENT" }, { 2, "MCL_FUTURE" }, { 4, "MCL_ONFAULT" } };

/* Without a file the descriptor is any number. */
static void put_map_fd(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	(void)k;
	put_fd(t, c, (int)c->a[arg]);
}

/* An address only where the flags ask for one. */
static void put_remap_addr(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	(void)k;
	if (c->a[arg - 1] & (MREMAP_FIXED | 4))
		text_addr(t, c->a[arg]);
}

static const struct kind list[] = {
	{ .name = "prot", .put = put_kind_flags, NAMES(prot) },
	{ .name = "mmap", .put = put_kind_flags, NAMES(map_flags) },
	{ .name = "mmapfd", .put = put_map_fd },
	{ .name = "madvise", .put = put_kind_name, NAMES(advices) },
	{ .name = "msync", .put = put_kind_flags, NAMES(sync_flags) },
	{ .name = "mremap", .put = put_kind_flags, NAMES(remap_flags) },
	{ .name = "mremapaddr", .put = put_remap_addr },
	{ .name = "mlockall", .put = put_kind_flags, NAMES(lock_flags) },
};
KINDS(kinds_memory);
