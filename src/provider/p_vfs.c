/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vfs: operations of file systems by name, and the name cache (derived.h). vop_NAME:entry has the
 * object and a number; return has the same and the error. If programs at return do not know arguments,
 * entry stores them in variables of the thread: a file system on top of another then reports those of
 * the lower one.
 */
#include "provider/derived.h"
#include "base/count.h"
#include "provider/provider.h"

#define AS(type, arg) "((struct " type " *)" arg ")"

/* The arguments a … d of the function, in whatever words a place has for them. */
#define A0(a, b, c, d) a
#define A1(a, b, c, d) b
#define A2(a, b, c, d) c
#define A3(a, b, c, d) d
#define NONE(a, b, c, d) "0"
#define INT1(a, b, c, d) "(int)" b
#define INT2(a, b, c, d) "(int)" c
#define INT3(a, b, c, d) "(int)" d
#define MODE3(a, b, c, d) "(" d " & 0xffff)"
#define FLAGS0(a, b, c, d) AS("file", a) "->f_flags"
#define PATH0(a, b, c, d) "(uint64_t)" AS("path", a) "->dentry"
#define OLD0(a, b, c, d) "(uint64_t)" AS("renamedata", a) "->old_dentry"
#define NEW0(a, b, c, d) "(uint64_t)" AS("renamedata", a) "->new_dentry"
#define VALID2(a, b, c, d) AS("iattr", c) "->ia_valid"
#define HOST0(a, b, c, d) "(uint64_t)" AS("address_space", a) "->host"
#define FAULT0(a, b, c, d) "(uint64_t)" AS("vm_fault", a) "->vma->vm_file"
#define PGOFF0(a, b, c, d) AS("vm_fault", a) "->pgoff"

#define AT_ENTRY "arg0", "arg1", "arg2", "arg3"
#define AT_RETURN "arg2", "arg3", "arg4", "arg5"
#define APPLY(macro, ...) macro(__VA_ARGS__)
#define ERROR "(int)arg1 < 0 && (int)arg1 >= -4095 ? -(int)arg1 : 0"

#define OBJECT(op) "self->__vfs_" op
#define NUMBER(op) "self->__vfs_n_" op
#define OP(op, f, object, number) OPERATION(op, f, object, number, ERROR)
/* there is no value to read at return */
#define OP_VOID(op, f, object, number) OPERATION(op, f, object, number, "0")
#define OPERATION(op, f, object, number, error) \
	{ "entry", .func = "vop_" op, \
		DT_AT(DT_SITE(KFUNC, f, DT_ALWAYS, \
		    DT_ARGS(APPLY(object, AT_ENTRY), APPLY(number, AT_ENTRY)))), \
		.mod = "vop" }, \
	{ \
		"return", .func = "vop_" op, \
		    DT_AT(DT_SITE(KRET, f, DT_ALWAYS, \
				   DT_ARGS(APPLY(object, AT_RETURN), APPLY(number, AT_RETURN), error), \
				   .needs_fexit = true), \
			    DT_SITE(KFUNC, f, \
				"(" OBJECT(op) " = (uint64_t)" APPLY(object, AT_ENTRY) ", " NUMBER( \
				    op) " = (uint64_t)" APPLY(number, AT_ENTRY) ", 0)", \
				DT_ARGS("0"), .no_fexit = true), \
			    DT_SITE(KRET, f, DT_ALWAYS, DT_ARGS(OBJECT(op), NUMBER(op), error), \
				.no_fexit = true)), \
		    .mod = "vop" \
	}

#define CALLED "(uint64_t)getf((int)arg0)"	/* of a system call: its file */

/*
 * namei: filename_lookup(fd, name, flags, …), do_filp_open(fd, name, …), __filename_parentat(fd, name,
 * flags, …)
 */
#define NAMED(arg) "(uint64_t)" AS("filename", arg) "->name"
#define LOOKS(f, flags) DT_SITE(KFUNC, f, DT_ALWAYS, DT_ARGS("(int)arg0", NAMED("arg1"), flags))
#define LOOKED(f) DT_SITE(KRET, f, DT_ALWAYS, DT_ARGS(ERROR))

/* The name cache: lookup_fast(state of the walk) returns the name that it found. */
#define WALK(arg) AS("nameidata", arg)
#define DIR "self->__vfs_dir"
#define LAST "self->__vfs_last"
#define FOUND "(arg1 > 0 || arg1 < -4095)"
#define CACHED(when, ...) DT_AT(DT_SITE(KRET, "lookup_fast", when, \
	DT_ARGS("(uint64_t)" WALK("arg2") "->path.dentry", "(uint64_t)" WALK("arg2") "->last.name", \
	##__VA_ARGS__), \
		.needs_fexit = true), \
	DT_SITE(KFUNC, "lookup_fast", "(" DIR " = (uint64_t)" WALK("arg0") "->path.dentry, " LAST \
	    " = (uint64_t)" WALK("arg0") "->last.name, 0)", DT_ARGS("0"), \
		.no_fexit = true), \
	DT_SITE(KRET, "lookup_fast", when, DT_ARGS(DIR, LAST, ##__VA_ARGS__), .no_fexit = true))
#define ABOUT(arg) DT_ARGS("(uint64_t)" AS("dentry", arg) "->d_parent", "(uint64_t)" AS("dentry", \
	arg) "->d_name.name", arg)
#define IS_INODE(arg) "(" arg " > 0 || " arg " < -4095)"
#define GONE(where, name, why) { name, .func = where, .mod = "namecache", \
	.never = "vfs:namecache:" where ":" name " is never there on Linux: " why }

static const struct dt_derived vfs_probes[] = {
	OP("read", "vfs_read", A0, A2),
	OP("write", "vfs_write", A0, A2),
	OP("open", "do_dentry_open", A0, FLAGS0),
	OP_VOID("close", "__fput", A0, FLAGS0),
	OP("create", "vfs_create", A2, MODE3),
	OP("mknod", "vfs_mknod", A2, MODE3),
	OP("lookup", "__lookup_slow", A1, INT2),
	OP("access", "inode_permission", A1, INT2),
	/* vfs_getattr() is often inlined; it asks security modules */
	OP("getattr", "security_inode_getattr", PATH0, NONE),
	OP("setattr", "notify_change", A1, VALID2),
	OP("fsync", "vfs_fsync_range", A0, INT3),
	/* vfs_ioctl() is often inlined into the system call */
	{ "entry", .func = "vop_ioctl",
	    DT_AT(DT_SITE(SYS_ENTER, "ioctl", CALLED " != 0", DT_ARGS(CALLED, "(int)arg1"))),
	    .mod = "vop" },
	{ "return", .func = "vop_ioctl",
	    DT_AT(DT_SITE(SYS_ENTER, "ioctl",
			   "(" OBJECT("ioctl") " = " CALLED ", " NUMBER("ioctl") " = (uint64_t)(int)arg1, 0)",
			   DT_ARGS("0")),
		DT_SITE(SYS_EXIT, "ioctl", OBJECT("ioctl") " != 0",
		    DT_ARGS(OBJECT("ioctl"), NUMBER("ioctl"), "errno"))),
	    .mod = "vop" },
	OP("readdir", "iterate_dir", A0, NONE),
	OP("readlink", "vfs_readlink", A0, INT2),
	OP("link", "vfs_link", A3, NONE),
	OP("symlink", "vfs_symlink", A2, NONE),
	OP("mkdir", "vfs_mkdir", A2, MODE3),
	OP("rmdir", "vfs_rmdir", A2, NONE),
	OP("remove", "vfs_unlink", A2, NONE),
	OP("rename", "vfs_rename", OLD0, NEW0),
	OP("advlock", "vfs_lock_file", A0, INT1),
	OP("allocate", "vfs_fallocate", A0, INT1),
	OP("getextattr", "vfs_getxattr", A1, NONE),
	OP("setextattr", "vfs_setxattr", A1, NONE),
	OP("deleteextattr", "vfs_removexattr", A1, NONE),
	OP("listextattr", "vfs_listxattr", A0, A2),
	OP("getpages", "filemap_fault", FAULT0, PGOFF0),
	OP("putpages", "do_writepages", HOST0, NONE),
	OP_VOID("inactive", "evict", A0, NONE),
	{ "entry", .func = "lookup",
	    DT_AT(LOOKS("filename_lookup", "(int)arg2"), LOOKS("do_filp_open", "0"),
		LOOKS("__filename_parentat", "(int)arg2"),
		DT_SITE(KFUNC, "filename_parentat", DT_ALWAYS,
		    DT_ARGS("(int)arg0", NAMED("arg1"), "(int)arg2"), .otherwise = true)),
	    .mod = "namei" },
	{ "return", .func = "lookup",
	    DT_AT(LOOKED("filename_lookup"), LOOKED("do_filp_open"), LOOKED("__filename_parentat"),
		DT_SITE(KRET, "filename_parentat", DT_ALWAYS, DT_ARGS(ERROR), .otherwise = true)),
	    .mod = "namei" },
	{ "hit", .func = "lookup",
	    CACHED(FOUND " && (uint64_t)" AS("dentry", "arg1") "->d_inode != 0", "arg1"),
	    .mod = "namecache" },
	{ "hit-negative", .func = "lookup",
	    CACHED(FOUND " && (uint64_t)" AS("dentry", "arg1") "->d_inode == 0"),
	    .mod = "namecache" },
	{ "miss", .func = "lookup", CACHED("arg1 == 0"), .mod = "namecache" },
	/* d_add(name, inode), d_instantiate(name, inode), d_splice_alias(inode, name) */
	{ "done", .func = "enter",
	    DT_AT(DT_SITE(KFUNC, "d_add", "arg1 != 0", ABOUT("arg0")),
		DT_SITE(KFUNC, "d_instantiate", "arg1 != 0", ABOUT("arg0")),
		DT_SITE(KFUNC, "d_instantiate_new", DT_ALWAYS, ABOUT("arg0")),
		DT_SITE(KFUNC, "d_splice_alias", IS_INODE("arg0"), ABOUT("arg1"))),
	    .mod = "namecache" },
	{ "done", .func = "enter_negative",
	    DT_AT(DT_SITE(KFUNC, "d_add", "arg1 == 0", ABOUT("arg0")),
		DT_SITE(KFUNC, "d_splice_alias", "arg0 == 0", ABOUT("arg1"))),
	    .mod = "namecache" },
	{ "done", .func = "purge", DT_AT(DT_SITE(KFUNC, "d_invalidate", DT_ALWAYS, ABOUT("arg0"))),
	    .mod = "namecache" },
	{ "done", .func = "purgevfs",
	    DT_AT(DT_SITE(KFUNC, "shrink_dcache_sb", DT_ALWAYS,
		DT_ARGS("(uint64_t)" AS("super_block", "arg0") "->s_root",
		    "(uint64_t)" AS("super_block", "arg0") "->s_id", "0"))),
	    .mod = "namecache" },
	{ "done", .func = "zap",
	    DT_AT(DT_SITE(KFUNC, "__dentry_kill", "(uint64_t)" AS("dentry", "arg0") "->d_inode != 0",
		ABOUT("arg0"))),
	    .mod = "namecache" },
	{ "done", .func = "zap_negative",
	    DT_AT(DT_SITE(KFUNC, "__dentry_kill", "(uint64_t)" AS("dentry", "arg0") "->d_inode == 0",
		ABOUT("arg0"))),
	    .mod = "namecache" },
	GONE("purge_negative", "done",
	    "names of no file are dropped one by one: vfs:namecache:zap_negative:done"),
	GONE("fullpath", "hit", "names are always in memory; see d_path()"),
	GONE("fullpath", "miss", "names are always in memory; see d_path()"),
	{ "entry", .func = "fullpath",
	    DT_AT(DT_SITE(KFUNC, "d_path", DT_ALWAYS,
		DT_ARGS("(uint64_t)" AS("path", "arg0") "->dentry", "arg2"))),
	    .mod = "namecache" },
	{ "return", .func = "fullpath", DT_AT(DT_SITE(KRET, "d_path", DT_ALWAYS, DT_ARGS(ERROR, "arg1"))),
	    .mod = "namecache" },
	{ "done", .func = "lookup", .mod = "fplookup",
	    .never = "vfs:fplookup:lookup:done is never there on Linux: there is one way to walk names: "
		     "vfs:namei, vfs:namecache" },
	{ "" },
};

/* What the first argument points to; a file unless listed here. */
static const struct {
	const char *func, *tag;
} objects[] = {
	{ "vop_create", "dentry" },
	{ "vop_mknod", "dentry" },
	{ "vop_lookup", "dentry" },
	{ "vop_access", "inode" },
	{ "vop_getattr", "dentry" },
	{ "vop_setattr", "dentry" },
	{ "vop_readlink", "dentry" },
	{ "vop_link", "dentry" },
	{ "vop_symlink", "dentry" },
	{ "vop_mkdir", "dentry" },
	{ "vop_rmdir", "dentry" },
	{ "vop_remove", "dentry" },
	{ "vop_rename", "dentry" },
	{ "vop_getextattr", "dentry" },
	{ "vop_setextattr", "dentry" },
	{ "vop_deleteextattr", "dentry" },
	{ "vop_listextattr", "dentry" },
	{ "vop_putpages", "inode" },
	{ "vop_inactive", "inode" },
	{ "vop_read", "file" },
	{ "vop_write", "file" },
	{ "vop_open", "file" },
	{ "vop_close", "file" },
	{ "vop_fsync", "file" },
	{ "vop_ioctl", "file" },
	{ "vop_readdir", "file" },
	{ "vop_advlock", "file" },
	{ "vop_allocate", "file" },
	{ "vop_getpages", "file" },
};

static struct dt_probe_sig *of_operation(struct dt_arena *arena, struct dt_types *types, const char *tag,
    bool ret)
{
	struct dt_probe_sig *sig = dt_sig_new(arena, ret ? 3 : 2);
	const struct dt_type *t = dt_types_find(types, NULL, DT_T_STRUCT, tag);

	sig->in[0] = t != NULL ? dt_type_ptr(types, t) : NULL;
	sig->in[1] = dt_types_sized(types, 8, true);
	if (ret)
		sig->in[2] = dt_types_basic(types, "int");
	return sig;
}

/* The others have the same arguments in every probe of their name: dlib/vfs.d */
static struct dt_probe_sig *vfs_signature(struct dt_arena *arena, struct dt_types *types,
    const struct dt_probedesc *p)
{
	bool ret = strcmp(p->name, "return") == 0;
	struct dt_probe_sig *sig;

	if (!ret && strcmp(p->name, "entry") != 0)
		return NULL;
	for (size_t i = 0; i < DT_COUNT(objects); i++)
		if (strcmp(p->func, objects[i].func) == 0)
			return of_operation(arena, types, objects[i].tag, ret);
	if (strcmp(p->func, "fullpath") == 0 && !ret)
		return of_operation(arena, types, "dentry", false);
	if (strcmp(p->func, "lookup") != 0 && strcmp(p->func, "fullpath") != 0)
		return NULL;
	sig = dt_sig_new(arena, ret ? (p->func[0] == 'f' ? 2 : 1) : 3);
	sig->in[0] = dt_types_basic(types, "int");
	if (sig->nin > 1)
		sig->in[1] = dt_type_ptr(types, dt_types_basic(types, "char"));
	if (sig->nin > 2)
		sig->in[2] = dt_types_basic(types, "int");
	return sig;
}

const struct dt_provider dt_provider_vfs = {
	.name = "vfs",
	.form = "vfs:vop:vop_NAME:entry, return",
	.doc = "Operations on files, with the names of FreeBSD.",
	.attrs = { { EEI, PPU, PPU, EEI, EEI } },
	.signature = vfs_signature,
	DT_DERIVED(vfs_probes),
};
