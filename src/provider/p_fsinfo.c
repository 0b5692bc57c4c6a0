/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fsinfo: operations on files (derived.h): the functions through which the kernel calls file systems. The first argument is the file, name
 * or inode (dlib/fsinfo.d says which, file.d makes fileinfo_t of it), the second a number that is of use: bytes, flags, mode.
 */
#include "provider/derived.h"

#define ENTRY(f, when, object, n) { DT_HOOK_KFUNC, f, when, { object, n } }
#define NEVER(what, why) { what, .never = "fsinfo:::" what " is never there on Linux: " why }
#define AS(type, arg) "((struct " type " *)" arg ")"

/* FMODE_OPENED, FMODE_CREATED; a file that is being opened is complete at the return of do_dentry_open(file, …) */
#define OPENED "0x80000"
#define CREATED "0x100000"
#define FILE0 "self->__fsinfo_file"
#define REMEMBER(f) { DT_HOOK_KFUNC, f, "(" FILE0 " = arg0, 0)", { "0" }, .no_fexit = true }
#define AT_OPEN(also, object, n) { DT_HOOK_KRET, "do_dentry_open", "(int)arg1 == 0" also("arg2"), { object("arg2"), n("arg2") }, .needs_fexit = true }, \
	REMEMBER("do_dentry_open"), \
	{ DT_HOOK_KRET, "do_dentry_open", FILE0 " != 0 && (int)arg1 == 0" also(FILE0), { object(FILE0), n(FILE0) }, .no_fexit = true }
#define ANY(file) ""
#define NEW(file) " && (" AS("file", file) "->f_mode & " CREATED ") != 0"
#define ITSELF(file) file
#define ITS_NAME(file) "(uint64_t)" AS("file", file) "->f_path.dentry"
#define ITS_FLAGS(file) AS("file", file) "->f_flags"
#define ITS_MODE(file) AS("file", file) "->f_path.dentry->d_inode->i_mode"

#define VMA(arg) AS("vm_area_struct", arg)
#define FAULTING "(uint64_t)" AS("vm_fault", "arg0") "->vma->vm_file"

const struct dt_derived dt_fsinfo_probes[] = {
	/* read(2) and its kin; those with several buffers have them in an iterator: do_iter_readv_writev(file, iterator, position, write?, flags) */
	{ "read", "vfs_read", .place = { ENTRY("vfs_read", NULL, "arg0", "arg2"),
		ENTRY("do_iter_readv_writev", "(int)arg3 == 0", "arg0", AS("iov_iter", "arg1") "->count") } },
	{ "write", "vfs_write", .place = { ENTRY("vfs_write", NULL, "arg0", "arg2"),
		ENTRY("do_iter_readv_writev", "(int)arg3 == 1", "arg0", AS("iov_iter", "arg1") "->count") } },
	{ "open", "do_dentry_open", .place = { AT_OPEN(ANY, ITSELF, ITS_FLAGS) } },
	{ "create", "vfs_create", .place = { AT_OPEN(NEW, ITS_NAME, ITS_MODE), ENTRY("vfs_create", NULL, "arg2", "arg3 & 0xffff"),
		ENTRY("vfs_mknod", NULL, "arg2", "arg3 & 0xffff") } },
	{ "close", "__fput", .place = { ENTRY("__fput", "(" AS("file", "arg0") "->f_mode & " OPENED ") != 0", "arg0", AS("file", "arg0") "->f_flags") } },
	{ "lookup", "lookup_fast", .place = { ENTRY("lookup_fast", NULL, "(uint64_t)" AS("nameidata", "arg0") "->path.dentry", AS("nameidata", "arg0") "->flags") } },
	{ "link", "vfs_link", .place = { ENTRY("vfs_link", NULL, "arg3", "0") } },
	{ "symlink", "vfs_symlink", .place = { ENTRY("vfs_symlink", NULL, "arg2", "0") } },
	{ "mkdir", "vfs_mkdir", .place = { ENTRY("vfs_mkdir", NULL, "arg2", "arg3 & 0xffff") } },
	{ "rmdir", "vfs_rmdir", .place = { ENTRY("vfs_rmdir", NULL, "arg2", "0") } },
	{ "remove", "vfs_unlink", .place = { ENTRY("vfs_unlink", NULL, "arg2", "0") } },
	{ "rename", "vfs_rename", .place = { ENTRY("vfs_rename", NULL, "(uint64_t)" AS("renamedata", "arg0") "->old_dentry", AS("renamedata", "arg0") "->flags") } },
	{ "readdir", "iterate_dir", .place = { ENTRY("iterate_dir", NULL, "arg0", "0") } },
	{ "readlink", "vfs_readlink", .place = { ENTRY("vfs_readlink", NULL, "arg0", "(int)arg2") } },
	/* vfs_getattr() is often part of others; it asks security modules */
	{ "getattr", "security_inode_getattr", .place = { ENTRY("security_inode_getattr", NULL, "(uint64_t)" AS("path", "arg0") "->dentry", "0") } },
	{ "setattr", "notify_change", .place = { ENTRY("notify_change", NULL, "arg1", AS("iattr", "arg2") "->ia_valid") } },
	{ "fsync", "vfs_fsync_range", .place = { ENTRY("vfs_fsync_range", NULL, "arg0", "(int)arg3") } },
	{ "ioctl", "security_file_ioctl", .place = { ENTRY("security_file_ioctl", NULL, "arg0", "(int)arg1"),
		{ DT_HOOK_KFUNC, "vfs_ioctl", NULL, { "arg0", "(int)arg1" }, .otherwise = true } } },
	/* F_SETFL */
	{ "setfl", "security_file_fcntl", .place = { ENTRY("security_file_fcntl", "(int)arg1 == 4", "arg0", "(int)arg2") } },
	{ "frlock", "fcntl_setlk", .place = { ENTRY("fcntl_setlk", NULL, "arg1", "(int)arg2") } },
	{ "map", "security_mmap_file", .place = { ENTRY("security_mmap_file", "arg0 != 0", "arg0", "(int)arg1") } },
	{ "addmap", "mmap_region", .place = { ENTRY("mmap_region", "arg0 != 0", "arg0", "arg2") } },
	{ "delmap", "remove_vma", .place = { ENTRY("remove_vma", "(uint64_t)" VMA("arg0") "->vm_file != 0", "(uint64_t)" VMA("arg0") "->vm_file",
		VMA("arg0") "->vm_end - " VMA("arg0") "->vm_start") } },
	/* vfs_llseek() is often part of the system call */
	{ "seek", "lseek", .place = { { DT_HOOK_SYS_ENTER, "lseek", "(uint64_t)getf((int)arg0) != 0", { "(uint64_t)getf((int)arg0)", "arg1" } } } },
	{ "space", "vfs_fallocate", .place = { ENTRY("vfs_fallocate", NULL, "arg0", "(int)arg1") } },
	{ "getpage", "filemap_fault", .place = { ENTRY("filemap_fault", NULL, FAULTING, AS("vm_fault", "arg0") "->pgoff"),
		ENTRY("shmem_fault", NULL, FAULTING, AS("vm_fault", "arg0") "->pgoff") } },
	{ "putpage", "do_writepages", .place = { ENTRY("do_writepages", NULL, "(uint64_t)" AS("address_space", "arg0") "->host",
		AS("writeback_control", "arg1") "->nr_to_write") } },
	{ "getsecattr", "vfs_getxattr", .place = { ENTRY("vfs_getxattr", NULL, "arg1", "arg4") } },
	{ "setsecattr", "vfs_setxattr", .place = { ENTRY("vfs_setxattr", NULL, "arg1", "arg4"), ENTRY("vfs_removexattr", NULL, "arg1", "0") } },
	{ "access", "inode_permission", .place = { ENTRY("inode_permission", NULL, "arg1", "(int)arg2") } },
	{ "inactive", "evict", .place = { ENTRY("evict", NULL, "arg0", "0") } },
	{ "fid", "exportfs_encode_inode_fh", .place = { ENTRY("exportfs_encode_inode_fh", NULL, "arg0", "0") } },
	NEVER("cmp", "two names of a file have the same inode; nothing is called to compare them"),
	NEVER("dispose", "pages are dropped by the kernel, not by file systems; see vminfo:::fsfree"),
	NEVER("dump", "the kernel's memory is saved by another kernel; of programs see fsinfo:::write"),
	NEVER("dumpctl", "the kernel's memory is saved by another kernel"),
	NEVER("pageio", "see fsinfo:::getpage, fsinfo:::putpage and io:::start"),
	NEVER("pathconf", "the C library answers that"),
	NEVER("poll", "files are asked through a pointer, in no function of its own; see syscall::poll:entry, syscall::epoll_wait:entry"),
	NEVER("realvp", "layered file systems do not tell; see fsinfo:::open, which fires for each layer"),
	NEVER("rwlock", "the lock is one of the kernel's; see lockstat:::rw-acquire"),
	NEVER("rwunlock", "the lock is one of the kernel's; see lockstat:::rw-release"),
	NEVER("shrlock", "there are no locks of sharing"),
	NEVER("vnevent", "see fsinfo:::rename, remove and the like"),
	{ 0 },
};
