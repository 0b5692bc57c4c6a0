/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fsinfo: operations on files (derived.h), at the functions through which the kernel calls file
 * systems. The first argument is the file, name or inode; the second is a useful number (bytes, flags,
 * mode); the third tells which kind the first is, since one clause may serve the whole provider
 * (dlib/fsinfo.d makes a fileinfo_t of it).
 */
#include "provider/derived.h"

/* the kind of the object: a file, a name, an inode */
#define FILE_ "0"
#define NAME_ "1"
#define INODE_ "2"
/*
 * If functions cannot be traced: system calls with a descriptor (for those with several buffers the
 * number of bytes is unknown: 0).
 */
#define OF(fd) "(uint64_t)getf((int)" fd ")"
#define CALL(name, fd, also, n) DT_SITE(SYS_ENTER, name, OF(fd) " != 0" also, DT_ARGS(OF(fd), n, FILE_), \
	.no_functions = true)
#define OPENS(name) DT_SITE(SYS_EXIT, name, "(int)arg0 >= 0 && " OF("arg0") " != 0", DT_ARGS(OF("arg0"), \
	AS("file", OF("arg0")) "->f_flags", FILE_), \
	.no_functions = true)
#define ENTRY(f, when, object, n) DT_SITE(KFUNC, f, when, DT_ARGS(object, n, FILE_))
#define NAMED(f, when, object, n) DT_SITE(KFUNC, f, when, DT_ARGS(object, n, NAME_))
#define INODE(f, when, object, n) DT_SITE(KFUNC, f, when, DT_ARGS(object, n, INODE_))
#define NEVER(what, why) { what, .never = "fsinfo:::" what " is never there on Linux: " why }
#define AS(type, arg) "((struct " type " *)" arg ")"

/*
 * FMODE_OPENED, FMODE_CREATED. A file that is being opened is complete at the return of
 * do_dentry_open(file, …)
 */
#define OPENED "0x80000"
#define CREATED "0x100000"
#define FILE0 "self->__fsinfo_file"
#define REMEMBER(f) DT_SITE(KFUNC, f, "(" FILE0 " = arg0, 0)", DT_ARGS("0"), .no_fexit = true)
#define AT_OPEN(also, object, n, what) \
	DT_SITE(KRET, "do_dentry_open", "(int)arg1 == 0" also("arg2"), \
		DT_ARGS(object("arg2"), n("arg2"), what), .needs_fexit = true), \
	    REMEMBER("do_dentry_open"), \
	DT_SITE(KRET, "do_dentry_open", FILE0 " != 0 && (int)arg1 == 0" also(FILE0), \
		    DT_ARGS(object(FILE0), n(FILE0), what), .no_fexit = true)
#define ANY(file) ""
#define NEW(file) " && (" AS("file", file) "->f_mode & " CREATED ") != 0"
#define ITSELF(file) file
#define ITS_NAME(file) "(uint64_t)" AS("file", file) "->f_path.dentry"
#define ITS_FLAGS(file) AS("file", file) "->f_flags"
#define ITS_MODE(file) AS("file", file) "->f_path.dentry->d_inode->i_mode"

#define VMA(arg) AS("vm_area_struct", arg)
#define FAULTING "(uint64_t)" AS("vm_fault", "arg0") "->vma->vm_file"

static const struct dt_derived fsinfo_probes[] = {
	/*
	 * read(2) and its variants; those with several buffers use an iterator:
	 * do_iter_readv_writev(file, iterator, position, write?, flags)
	 */
	{ "read",
	    DT_AT(ENTRY("vfs_read", DT_ALWAYS, "arg0", "arg2"),
		ENTRY("do_iter_readv_writev", "(int)arg3 == 0", "arg0", AS("iov_iter", "arg1") "->count"),
		CALL("read", "arg0", "", "arg2"), CALL("pread64", "arg0", "", "arg2"),
		CALL("readv", "arg0", "", "0"), CALL("preadv", "arg0", "", "0"),
		CALL("preadv2", "arg0", "", "0")) },
	{ "write",
	    DT_AT(ENTRY("vfs_write", DT_ALWAYS, "arg0", "arg2"),
		ENTRY("do_iter_readv_writev", "(int)arg3 == 1", "arg0", AS("iov_iter", "arg1") "->count"),
		CALL("write", "arg0", "", "arg2"), CALL("pwrite64", "arg0", "", "arg2"),
		CALL("writev", "arg0", "", "0"), CALL("pwritev", "arg0", "", "0"),
		CALL("pwritev2", "arg0", "", "0")) },
	{ "open",
	    DT_AT(AT_OPEN(ANY, ITSELF, ITS_FLAGS, FILE_), OPENS("openat"), OPENS("openat2"),
		OPENS("open"), OPENS("creat")) },
	{ "create",
	    DT_AT(AT_OPEN(NEW, ITS_NAME, ITS_MODE, NAME_),
		NAMED("vfs_create", DT_ALWAYS, "arg2", "arg3 & 0xffff"),
		NAMED("vfs_mknod", DT_ALWAYS, "arg2", "arg3 & 0xffff")) },
	{ "close",
	    DT_AT(ENTRY("__fput", "(" AS("file", "arg0") "->f_mode & " OPENED ") != 0", "arg0",
		AS("file", "arg0") "->f_flags")) },
	{ "lookup",
	    DT_AT(NAMED("lookup_fast", DT_ALWAYS, "(uint64_t)" AS("nameidata", "arg0") "->path.dentry",
		AS("nameidata", "arg0") "->flags")) },
	{ "link", DT_AT(NAMED("vfs_link", DT_ALWAYS, "arg3", "0")) },
	{ "symlink", DT_AT(NAMED("vfs_symlink", DT_ALWAYS, "arg2", "0")) },
	{ "mkdir", DT_AT(NAMED("vfs_mkdir", DT_ALWAYS, "arg2", "arg3 & 0xffff")) },
	{ "rmdir", DT_AT(NAMED("vfs_rmdir", DT_ALWAYS, "arg2", "0")) },
	{ "remove", DT_AT(NAMED("vfs_unlink", DT_ALWAYS, "arg2", "0")) },
	{ "rename",
	    DT_AT(NAMED("vfs_rename", DT_ALWAYS, "(uint64_t)" AS("renamedata", "arg0") "->old_dentry",
		AS("renamedata", "arg0") "->flags")) },
	{ "readdir",
	    DT_AT(ENTRY("iterate_dir", DT_ALWAYS, "arg0", "0"), CALL("getdents64", "arg0", "", "0"),
		CALL("getdents", "arg0", "", "0")) },
	{ "readlink", DT_AT(NAMED("vfs_readlink", DT_ALWAYS, "arg0", "(int)arg2")) },
	/* vfs_getattr() is often inlined; it asks security modules */
	{ "getattr",
	    DT_AT(NAMED("security_inode_getattr", DT_ALWAYS, "(uint64_t)" AS("path", "arg0") "->dentry",
	        "0")) },
	{ "setattr", DT_AT(NAMED("notify_change", DT_ALWAYS, "arg1", AS("iattr", "arg2") "->ia_valid")) },
	{ "fsync",
	    DT_AT(ENTRY("vfs_fsync_range", DT_ALWAYS, "arg0", "(int)arg3"), CALL("fsync", "arg0", "", "0"),
		CALL("fdatasync", "arg0", "", "1")) },
	{ "ioctl",
	    DT_AT(ENTRY("security_file_ioctl", DT_ALWAYS, "arg0", "(int)arg1"),
		DT_SITE(KFUNC, "vfs_ioctl", DT_ALWAYS, DT_ARGS("arg0", "(int)arg1", FILE_),
		    .otherwise = true),
		CALL("ioctl", "arg0", "", "(int)arg1")) },
	/* F_SETFL */
	{ "setfl",
	    DT_AT(ENTRY("security_file_fcntl", "(int)arg1 == 4", "arg0", "(int)arg2"),
		CALL("fcntl", "arg0", " && (int)arg1 == 4", "(int)arg2")) },
	/* F_SETLK, F_SETLKW, and those of open files */
	{ "frlock",
	    DT_AT(ENTRY("fcntl_setlk", DT_ALWAYS, "arg1", "(int)arg2"),
		CALL("fcntl", "arg0",
		    " && ((int)arg1 == 6 || (int)arg1 == 7 || (int)arg1 == 37 || (int)arg1 == 38)",
		    "(int)arg1")) },
	/* MAP_ANONYMOUS */
	{ "map",
	    DT_AT(ENTRY("security_mmap_file", "arg0 != 0", "arg0", "(int)arg1"),
		CALL("mmap", "arg4", " && (arg3 & 0x20) == 0", "(int)arg2")) },
	{ "addmap", DT_AT(ENTRY("mmap_region", "arg0 != 0", "arg0", "arg2")) },
	{ "delmap",
	    DT_AT(ENTRY("remove_vma", "(uint64_t)" VMA("arg0") "->vm_file != 0",
		"(uint64_t)" VMA("arg0") "->vm_file", VMA("arg0") "->vm_end - " VMA("arg0") "->vm_start")) },
	/* vfs_llseek() is often inlined into the system call */
	{ "seek",
	    DT_AT(DT_SITE(SYS_ENTER, "lseek", "(uint64_t)getf((int)arg0) != 0",
		DT_ARGS("(uint64_t)getf((int)arg0)", "arg1", FILE_))) },
	{ "space",
	    DT_AT(ENTRY("vfs_fallocate", DT_ALWAYS, "arg0", "(int)arg1"),
		CALL("fallocate", "arg0", "", "(int)arg1")) },
	{ "getpage",
	    DT_AT(ENTRY("filemap_fault", DT_ALWAYS, FAULTING, AS("vm_fault", "arg0") "->pgoff"),
		ENTRY("shmem_fault", DT_ALWAYS, FAULTING, AS("vm_fault", "arg0") "->pgoff"),
		DT_SITE(RAWTP, "mm_filemap_fault", DT_ALWAYS,
		    DT_ARGS("(uint64_t)" AS("address_space", "arg0") "->host", "arg1", INODE_),
		    .no_functions = true)) },
	{ "putpage",
	    DT_AT(INODE("do_writepages", DT_ALWAYS, "(uint64_t)" AS("address_space", "arg0") "->host",
		AS("writeback_control", "arg1") "->nr_to_write")) },
	{ "getsecattr", DT_AT(NAMED("vfs_getxattr", DT_ALWAYS, "arg1", "arg4")) },
	{ "setsecattr",
	    DT_AT(NAMED("vfs_setxattr", DT_ALWAYS, "arg1", "arg4"),
		NAMED("vfs_removexattr", DT_ALWAYS, "arg1", "0")) },
	{ "access", DT_AT(INODE("inode_permission", DT_ALWAYS, "arg1", "(int)arg2")) },
	{ "inactive", DT_AT(INODE("evict", DT_ALWAYS, "arg0", "0")) },
	{ "fid", DT_AT(INODE("exportfs_encode_inode_fh", DT_ALWAYS, "arg0", "0")) },
	NEVER("cmp", "two names of a file have the same inode; nothing is called to compare them"),
	NEVER("dispose", "pages are dropped by the kernel, not by file systems; see vminfo:::fsfree"),
	NEVER("dump", "the kernel's memory is saved by another kernel; of programs see fsinfo:::write"),
	NEVER("dumpctl", "the kernel's memory is saved by another kernel"),
	NEVER("pageio", "see fsinfo:::getpage, fsinfo:::putpage and io:::start"),
	NEVER("pathconf", "the C library answers that"),
	NEVER("poll",
	    "files are asked through a pointer, in no function of its own; see syscall::poll:entry, "
	    "syscall::epoll_wait:entry"),
	NEVER("realvp", "layered file systems do not report it; fsinfo:::open fires for each layer"),
	NEVER("rwlock", "the lock is one of the kernel's; see lockstat:::rw-acquire"),
	NEVER("rwunlock", "the lock is one of the kernel's; see lockstat:::rw-release"),
	NEVER("shrlock", "there are no locks of sharing"),
	NEVER("vnevent", "see fsinfo:::rename, remove and the like"),
	{ "" },
};

const struct dt_provider dt_provider_fsinfo = {
	.name = "fsinfo",
	.form = "fsinfo:::OPERATION",
	.doc = "Operations on files, with the file.",
	.attrs = { { EEI, PPU, PPU, EEI, EEI } },
	DT_DERIVED(fsinfo_probes),
};
