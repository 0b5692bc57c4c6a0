/* SPDX-License-Identifier: BSD-2-Clause */
/* Flags and modes of files: open(), access(), the *at() calls, mount() and their like. */
#include "decode.h"

#include <asm/fcntl.h>			/* values of the kernel: O_LARGEFILE is 0 in the C library */
#include <sys/stat.h>

static const struct name open_flags[] = {
	{ O_RDWR, "O_RDWR" }, { O_WRONLY, "O_WRONLY" }, { O_CREAT, "O_CREAT" }, { O_EXCL, "O_EXCL" },
	{ O_NOCTTY, "O_NOCTTY" }, { O_TRUNC, "O_TRUNC" }, { O_APPEND, "O_APPEND" },
	{ O_NONBLOCK, "O_NONBLOCK" },
	{ O_SYNC, "O_SYNC" }, { FASYNC, "O_ASYNC" }, { O_DSYNC, "O_DSYNC" }, { O_DIRECT, "O_DIRECT" },
	{ O_LARGEFILE, "O_LARGEFILE" },
	{ O_NOFOLLOW, "O_NOFOLLOW" }, { O_NOATIME, "O_NOATIME" }, { O_CLOEXEC, "O_CLOEXEC" },
	{ O_PATH, "O_PATH" },
	{ O_TMPFILE, "O_TMPFILE" }, { O_DIRECTORY, "O_DIRECTORY" },
};

/* O_RDONLY is no bit, and is named all the same. */
void put_open_flags(struct text *t, uint32_t v)
{
	if ((v & O_ACCMODE) == 0) {
		text_put(t, "O_RDONLY");
		if (v == 0)
			return;
		text_char(t, '|');
	}
	put_flags(t, v, open_flags, COUNT(open_flags), NULL);
}

static void put_kind_open(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	(void)k;
	put_open_flags(t, (uint32_t)c->a[arg]);
}

/* After flags that create no file there is no mode: nothing is put, and the line ends there. */
static void put_open_mode(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	(void)k;
	if (c->a[arg - 1] & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)))
		text_format(t, "%04o", (uint32_t)c->a[arg]);
}

static void put_access(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	static const struct name bits[] = { { 4, "R_OK" }, { 2, "W_OK" }, { 1, "X_OK" } };

	(void)k;
	put_flags(t, (uint32_t)c->a[arg], bits, COUNT(bits), "F_OK");
}

static void put_perm(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	(void)k;
	text_format(t, "%#03o", (uint32_t)c->a[arg]);
}

void put_mode(struct text *t, uint32_t mode)
{
	static const struct name types[] = {
		{ S_IFREG, "S_IFREG" }, { S_IFDIR, "S_IFDIR" }, { S_IFCHR, "S_IFCHR" },
		{ S_IFBLK, "S_IFBLK" },
		{ S_IFIFO, "S_IFIFO" }, { S_IFLNK, "S_IFLNK" }, { S_IFSOCK, "S_IFSOCK" },
	};
	static const struct name bits[] = {
		{ S_ISUID, "S_ISUID" }, { S_ISGID, "S_ISGID" }, { S_ISVTX, "S_ISVTX" },
	};
	const char *type = name_of(types, COUNT(types), mode & S_IFMT);

	if (type != NULL)
		text_put(t, type);
	else if (mode & S_IFMT)
		text_oct(t, mode & S_IFMT);
	for (size_t i = 0; i < COUNT(bits); i++)
		if (mode & bits[i].v)
			text_format(t, "|%s", bits[i].n);
	text_format(t, mode & S_IFMT ? "|%#03o" : "%#03o", mode & 0777);
}

static void put_kind_mode(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	(void)k;
	put_mode(t, (uint32_t)c->a[arg]);
}

static const struct name at_flags[] = {
	{ 0x100, "AT_SYMLINK_NOFOLLOW" }, { 0x400, "AT_SYMLINK_FOLLOW" }, { 0x800, "AT_NO_AUTOMOUNT" },
	{ 0x1000, "AT_EMPTY_PATH" }, { 0x8000, "AT_RECURSIVE" },
};
static const struct name at_unlink[] = { { 0x200, "AT_REMOVEDIR" } };
static const struct name at_access[] = {
	{ 0x100, "AT_SYMLINK_NOFOLLOW" }, { 0x200, "AT_EACCESS" }, { 0x1000, "AT_EMPTY_PATH" },
};
static const struct name at_statx[] = {
	{ 0x2000, "AT_STATX_FORCE_SYNC" }, { 0x4000, "AT_STATX_DONT_SYNC" },
	{ 0x100, "AT_SYMLINK_NOFOLLOW" }, { 0x800, "AT_NO_AUTOMOUNT" }, { 0x1000, "AT_EMPTY_PATH" },
};
/* How the file system is asked is a choice of three, and no bit is one of them. */
static void put_at_statx(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	uint32_t v = (uint32_t)c->a[arg];

	if (!(v & 0x6000))
		text_put(t, v != 0 ? "AT_STATX_SYNC_AS_STAT|" : "AT_STATX_SYNC_AS_STAT");
	if (v != 0)
		put_flags(t, v, k->names, k->nnames, NULL);
}

static const struct name whence[] = {
	{ 0, "SEEK_SET" }, { 1, "SEEK_CUR" }, { 2, "SEEK_END" }, { 3, "SEEK_DATA" }, { 4, "SEEK_HOLE" },
};
static const struct name rename_flags[] = {
	{ 1, "RENAME_NOREPLACE" }, { 2, "RENAME_EXCHANGE" }, { 4, "RENAME_WHITEOUT" },
};
static const struct name lock_ops[] = {
	{ 4, "LOCK_NB" }, { 1, "LOCK_SH" }, { 2, "LOCK_EX" }, { 8, "LOCK_UN" },
};
static const struct name advices[] = {
	{ 0, "POSIX_FADV_NORMAL" }, { 1, "POSIX_FADV_RANDOM" }, { 2, "POSIX_FADV_SEQUENTIAL" },
	{ 3, "POSIX_FADV_WILLNEED" }, { 4, "POSIX_FADV_DONTNEED" }, { 5, "POSIX_FADV_NOREUSE" },
};
static const struct name fallocate_modes[] = {
	{ 1, "FALLOC_FL_KEEP_SIZE" }, { 2, "FALLOC_FL_PUNCH_HOLE" }, { 8, "FALLOC_FL_COLLAPSE_RANGE" },
	{ 16, "FALLOC_FL_ZERO_RANGE" }, { 32, "FALLOC_FL_INSERT_RANGE" }, { 64, "FALLOC_FL_UNSHARE_RANGE" },
};
static const struct name xattr_flags[] = { { 1, "XATTR_CREATE" }, { 2, "XATTR_REPLACE" } };
static const struct name splice_flags[] = {
	{ 1, "SPLICE_F_MOVE" }, { 2, "SPLICE_F_NONBLOCK" }, { 4, "SPLICE_F_MORE" }, { 8, "SPLICE_F_GIFT" },
};
static const struct name rw_flags[] = {
	{ 1, "RWF_HIPRI" }, { 2, "RWF_DSYNC" }, { 4, "RWF_SYNC" }, { 8, "RWF_NOWAIT" }, { 16, "RWF_APPEND" },
	{ 32, "RWF_NOAPPEND" }, { 64, "RWF_ATOMIC" }, { 128, "RWF_DONTCACHE" },
};
static const struct name event_flags[] = {
	{ 1, "EFD_SEMAPHORE" }, { O_CLOEXEC, "EFD_CLOEXEC" }, { O_NONBLOCK, "EFD_NONBLOCK" },
};
static const struct name epoll_flags[] = { { O_CLOEXEC, "EPOLL_CLOEXEC" } };
static const struct name timerfd_flags[] = { { O_CLOEXEC, "TFD_CLOEXEC" }, { O_NONBLOCK, "TFD_NONBLOCK" } };
static const struct name signalfd_flags[] = { { O_CLOEXEC, "SFD_CLOEXEC" }, { O_NONBLOCK, "SFD_NONBLOCK" } };
static const struct name inotify_flags[] = { { O_CLOEXEC, "IN_CLOEXEC" }, { O_NONBLOCK, "IN_NONBLOCK" } };
static const struct name inotify_mask[] = {
	{ 0xfff, "IN_ALL_EVENTS" }, { 1, "IN_ACCESS" }, { 2, "IN_MODIFY" }, { 4, "IN_ATTRIB" },
	{ 8, "IN_CLOSE_WRITE" }, { 0x10, "IN_CLOSE_NOWRITE" }, { 0x20, "IN_OPEN" }, { 0x40, "IN_MOVED_FROM" },
	{ 0x80, "IN_MOVED_TO" }, { 0x100, "IN_CREATE" }, { 0x200, "IN_DELETE" }, { 0x400, "IN_DELETE_SELF" },
	{ 0x800, "IN_MOVE_SELF" }, { 0x1000000, "IN_ONLYDIR" }, { 0x2000000, "IN_DONT_FOLLOW" },
	{ 0x4000000, "IN_EXCL_UNLINK" }, { 0x10000000, "IN_MASK_CREATE" }, { 0x20000000, "IN_MASK_ADD" },
	{ 0x40000000, "IN_ISDIR" }, { 0x80000000, "IN_ONESHOT" },
};
static const struct name memfd_flags[] = {
	{ 1, "MFD_CLOEXEC" }, { 2, "MFD_ALLOW_SEALING" }, { 4, "MFD_HUGETLB" }, { 8, "MFD_NOEXEC_SEAL" },
	{ 16, "MFD_EXEC" },
};
static const struct name mount_flags[] = {
	{ 1, "MS_RDONLY" }, { 2, "MS_NOSUID" }, { 4, "MS_NODEV" }, { 8, "MS_NOEXEC" },
	{ 16, "MS_SYNCHRONOUS" },
	{ 32, "MS_REMOUNT" }, { 64, "MS_MANDLOCK" }, { 128, "MS_DIRSYNC" }, { 1024, "MS_NOATIME" },
	{ 2048, "MS_NODIRATIME" }, { 4096, "MS_BIND" }, { 8192, "MS_MOVE" }, { 16384, "MS_REC" },
	{ 32768, "MS_SILENT" }, { 1 << 17, "MS_UNBINDABLE" }, { 1 << 18, "MS_PRIVATE" },
	{ 1 << 19, "MS_SLAVE" },
	{ 1 << 20, "MS_SHARED" }, { 1 << 21, "MS_RELATIME" }, { 1 << 24, "MS_STRICTATIME" },
};
static const struct name umount_flags[] = {
	{ 1, "MNT_FORCE" }, { 2, "MNT_DETACH" }, { 4, "MNT_EXPIRE" }, { 8, "UMOUNT_NOFOLLOW" },
};
static const struct name close_range_flags[] = {
	{ 2, "CLOSE_RANGE_UNSHARE" }, { 4, "CLOSE_RANGE_CLOEXEC" },
};
static const struct name fsconfig_cmds[] = {
	{ 0, "FSCONFIG_SET_FLAG" }, { 1, "FSCONFIG_SET_STRING" }, { 2, "FSCONFIG_SET_BINARY" },
	{ 3, "FSCONFIG_SET_PATH" }, { 4, "FSCONFIG_SET_PATH_EMPTY" }, { 5, "FSCONFIG_SET_FD" },
	{ 6, "FSCONFIG_CMD_CREATE" }, { 7, "FSCONFIG_CMD_RECONFIGURE" },
};

#define FLAGS(kind, table) { .name = kind, .put = put_kind_flags, NAMES(table) }
#define VALUES(kind, table) { .name = kind, .put = put_kind_name, NAMES(table) }

static const struct kind list[] = {
	{ .name = "oflags", .put = put_kind_open },
	{ .name = "fdflags", .put = put_kind_flags, NAMES(open_flags) },
	{ .name = "omode", .put = put_open_mode },
	{ .name = "access", .put = put_access },
	{ .name = "mode", .put = put_perm },
	{ .name = "fmode", .put = put_kind_mode },
	FLAGS("atflags", at_flags), FLAGS("atunlink", at_unlink), FLAGS("eaccess", at_access),
	{ .name = "atstatx", .put = put_at_statx, NAMES(at_statx) }, VALUES("whence", whence), FLAGS("rename",
	    rename_flags),
	FLAGS("flock", lock_ops), VALUES("fadvise", advices), FLAGS("fallocate", fallocate_modes),
	FLAGS("xattr", xattr_flags), FLAGS("splice", splice_flags), FLAGS("eventflags", event_flags),
	FLAGS("epollflags", epoll_flags), FLAGS("timerfd", timerfd_flags), FLAGS("inflags", inotify_flags),
	FLAGS("inmask", inotify_mask), FLAGS("memfd", memfd_flags), FLAGS("mount", mount_flags),
	FLAGS("sfdflags", signalfd_flags), FLAGS("umount", umount_flags), FLAGS("closerange",
	    close_range_flags), VALUES("fsconfig", fsconfig_cmds), FLAGS("rwf", rw_flags),
};
KINDS(kinds_open);
