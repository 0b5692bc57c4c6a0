/* SPDX-License-Identifier: BSD-2-Clause */
/* What files are: stat(), statx(), statfs(), and how many entries a directory gave. */
#include "decode.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <linux/stat.h>

void put_dev(struct text *t, uint64_t dev)
{
	text_put(t, "makedev(");
	text_hex(t, major(dev));
	text_put(t, ", ");
	text_hex(t, minor(dev));
	text_char(t, ')');
}

static void put_kind_dev(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	(void)k;
	put_dev(t, c->a[arg]);
}

/* The libc's struct is the kernel's on both machines. */
static void put_stat(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	struct stat st;

	(void)k;
	if (!call_written(t, c, arg, true, &st, sizeof(st)))
		return;
	text_put(t, "{st_mode=");
	put_mode(t, st.st_mode);
	if (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode)) {
		text_put(t, ", st_rdev=");
		put_dev(t, st.st_rdev);
	} else {
		text_put(t, ", st_size=");
		text_int(t, st.st_size);
	}
	text_put(t, ", ...}");
}

static const struct name statx_bits[] = {
	{ 0xfff, "STATX_ALL" }, { 0x7ff, "STATX_BASIC_STATS" }, { 1, "STATX_TYPE" }, { 2, "STATX_MODE" },
	{ 4, "STATX_NLINK" }, { 8, "STATX_UID" }, { 16, "STATX_GID" }, { 32, "STATX_ATIME" },
	{ 64, "STATX_MTIME" }, { 128, "STATX_CTIME" }, { 256, "STATX_INO" }, { 512, "STATX_SIZE" },
	{ 1024, "STATX_BLOCKS" }, { 2048, "STATX_BTIME" }, { 4096, "STATX_MNT_ID" },
};

static void put_statx(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	struct statx st;

	(void)k;
	if (!call_written(t, c, arg, true, &st, sizeof(st)))
		return;
	text_put(t, "{stx_mask=");
	put_flags(t, st.stx_mask, statx_bits, COUNT(statx_bits), NULL);
	text_put(t, ", stx_attributes=");
	text_hex(t, st.stx_attributes);
	text_put(t, ", stx_mode=");
	put_mode(t, st.stx_mode);
	text_format(t, ", stx_size=%llu, ...}", (unsigned long long)st.stx_size);
}

static void put_statfs(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	static const struct name types[] = {
		{ 0xef53, "EXT2_SUPER_MAGIC" }, { 0x01021994, "TMPFS_MAGIC" }, { 0x9fa0, "PROC_SUPER_MAGIC" },
		{ 0x62656572, "SYSFS_MAGIC" }, { 0x794c7630, "OVERLAYFS_SUPER_MAGIC" },
		{ 0x9123683e, "BTRFS_SUPER_MAGIC" }, { 0x58465342, "XFS_SUPER_MAGIC" },
		{ 0x1cd1, "DEVPTS_SUPER_MAGIC" }, { 0x63677270, "CGROUP2_SUPER_MAGIC" },
		{ 0x6969, "NFS_SUPER_MAGIC" }, { 0x65735546, "FUSE_SUPER_MAGIC" },
		{ 0xf97cff8c, "SELINUX_MAGIC" }, { 0x73636673, "SECURITYFS_MAGIC" },
	};
	static const struct name flags[] = {
		{ 0x20, "ST_VALID" }, { 1, "ST_RDONLY" }, { 2, "ST_NOSUID" }, { 4, "ST_NODEV" },
		{ 8, "ST_NOEXEC" },
		{ 16, "ST_SYNCHRONOUS" }, { 64, "ST_MANDLOCK" }, { 1024, "ST_NOATIME" },
		{ 2048, "ST_NODIRATIME" },
		{ 4096, "ST_RELATIME" }, { 8192, "ST_NOSYMFOLLOW" },
	};
	struct statfs st;

	(void)k;
	if (!call_written(t, c, arg, true, &st, sizeof(st)))
		return;
	text_put(t, "{f_type=");
	put_name(t, (uint64_t)st.f_type, types, COUNT(types), NULL);
	text_format(t,
	    ", f_bsize=%lld, f_blocks=%llu, f_bfree=%llu, f_bavail=%llu, f_files=%llu, f_ffree=%llu, "
	    "f_fsid={val=[%#x, %#x]}, f_namelen=%lld, f_frsize=%lld, f_flags=", (long long)st.f_bsize,
	    (unsigned long long)st.f_blocks, (unsigned long long)st.f_bfree, (unsigned long long)st.f_bavail,
	    (unsigned long long)st.f_files, (unsigned long long)st.f_ffree, (unsigned)st.f_fsid.__val[0],
	    (unsigned)st.f_fsid.__val[1], (long long)st.f_namelen, (long long)st.f_frsize);
	put_flags(t, (uint64_t)st.f_flags, flags, COUNT(flags), NULL);
	text_char(t, '}');
}

/*
 * Entries are of any length, so all that was read is looked at: as much as the record holds. The length of an
 * entry is at 16 in both layouts. -1: there is more than the record has.
 */
static int64_t count_entries(const unsigned char *p, size_t have, int64_t all)
{
	int64_t n = 0;
	size_t at = 0;

	while ((int64_t)at < all) {
		uint16_t len;

		if (at + 18 > have)
			return -1;
		memcpy(&len, p + at + 16, sizeof(len));
		if (len < 18)
			return -1;
		at += len;
		n++;
	}
	return n;
}

static void put_dents(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	size_t size = 0;
	const void *p = call_failed(c) ? NULL : call_bytes(c, arg, 0, &size);
	int64_t n = p != NULL ? count_entries(p, size, c->ret) : -1;

	(void)k;
	text_addr(t, c->a[arg]);
	if (n >= 0)
		text_format(t, " /* %lld entries */", (long long)n);
	else if (p != NULL)
		text_format(t, " /* %lld bytes of entries */", (long long)c->ret);
}

static const struct kind list[] = {
	{ .name = "dev", .put = put_kind_dev },
	{ .name = "stat", .put = put_stat, .fetch = OUT("sizeof (struct stat)"), .nrecs = 1 },
	{ .name = "statx", .put = put_statx, .fetch = OUT("sizeof (struct statx)"), .nrecs = 1 },
	{ .name = "statxmask", .put = put_kind_flags, NAMES(statx_bits) },
	{ .name = "statfs", .put = put_statfs, .fetch = OUT("sizeof (struct statfs)"), .nrecs = 1 },
	{ .name = "dents", .put = put_dents, .fetch = MEM("arg0", "16384"), .nrecs = 1 },
	{ .name = "dents64", .put = put_dents, .fetch = MEM("arg0", "16384"), .nrecs = 1 },
};
KINDS(kinds_stat);
