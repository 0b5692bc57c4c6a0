/* SPDX-License-Identifier: BSD-2-Clause */
/* Where members of kernel structs lie: from type data, and only when a program uses a variable made of them. */
#include "lib/build.h"
#include "lib/proc.h"

static uint32_t offset_of(struct dt_types *types, const char *tag, const char *path)
{
	const struct dt_type *t = dt_types_find(types, NULL, DT_T_STRUCT, tag);
	uint64_t bits = 0;

	while (t != NULL && *path != '\0') {
		size_t len = strcspn(path, ".");
		char name[64];
		struct dt_member m;

		if (len >= sizeof(name))
			return DT_KOFF_NONE;
		memcpy(name, path, len);
		name[len] = '\0';
		if (!dt_type_member(types, dt_type_complete(types, dt_type_base(t)), name, &m))
			return DT_KOFF_NONE;
		bits += m.bit_off;
		t = m.type;
		path += len + (path[len] == '.');
	}
	return t != NULL ? (uint32_t)(bits / 8) : DT_KOFF_NONE;
}

/* Subroutines that walk them: progenyof(), getf(), d_path(), dentry_path(). */
static bool calls_walker(const struct dt_difo *d)
{
	static const uint32_t walkers[] = { DT_SUBR_progenyof, DT_SUBR_getf, DT_SUBR_d_path, DT_SUBR_dentry_path };

	for (uint32_t i = 0; i < d->ntext; i++)
		for (size_t w = 0; w < sizeof(walkers) / sizeof(walkers[0]); w++)
			if (dt_dif_op(d->text[i]) == DT_DIF_CALL && dt_dif_v16(d->text[i]) == walkers[w])
				return true;
	return false;
}

/* What makes a derived probe uses them too (getf() of a system call's file); it has the kernel's types in hand anyway when it follows pointers. */
static bool derives(const struct dt_hook *hook)
{
	for (; hook != NULL; hook = hook->next) {
		if (hook->when != NULL && strpbrk(hook->when, "(>") != NULL)
			return true;
		for (int i = 0; i < 10 && hook->args[i] != NULL; i++)
			if (strpbrk(hook->args[i], "(>") != NULL)
				return true;
	}
	return false;
}

/* Kernel types cost milliseconds: only programs that use a variable or a subroutine made from them pay. */
static bool needs_offsets(const struct dt_trace *t)
{
	static const uint32_t cheap[] = {
		DT_VAR_timestamp, DT_VAR_epid, DT_VAR_id, DT_VAR_probeprov, DT_VAR_probemod,
		DT_VAR_probefunc, DT_VAR_probename, DT_VAR_pid, DT_VAR_tid, DT_VAR_execname,
		DT_VAR_walltimestamp, DT_VAR_uid, DT_VAR_gid, DT_VAR_errno, DT_VAR_cpu, DT_VAR_curthread,
		DT_VAR_ipl,
	};

	for (size_t p = 0; p < t->enabled.n; p++) {
		const struct dt_ecb *e = t->enabled.v[p].ecb;

		if (derives(&t->enabled.v[p].probe->hook))
			return true;
		for (uint32_t a = 0; a <= e->nacts; a++) {
			const struct dt_difo *d = a < e->nacts ? e->acts[a].difo : e->pred;

			if (a < e->nacts && (e->acts[a].kind == DT_ACT_USTACK || e->acts[a].kind == DT_ACT_JSTACK))
				return true;
			if (d != NULL && calls_walker(d))
				return true;
			for (uint32_t v = 0; d != NULL && v < d->nvars; v++) {
				uint32_t id = d->vars[v].id;
				bool known = id >= DT_VAR_USER_MIN || id < DT_VAR_SCALAR_MIN || (id >= DT_VAR_arg0 && id <= DT_VAR_arg9);

				for (size_t c = 0; !known && c < sizeof(cheap) / sizeof(cheap[0]); c++)
					known = cheap[c] == id;
				if (!known)
					return true;
			}
		}
	}
	return false;
}

void dt_gobuild_offsets(struct dt_gobuild *b)
{
	static const struct { size_t at; const char *tag, *path; } rows[] = {
#define O(field, tag, path) { offsetof(struct dt_koffsets, field), tag, path }
		O(task_tgid, "task_struct", "tgid"), O(task_pid, "task_struct", "pid"),
		O(task_real_parent, "task_struct", "real_parent"), O(task_comm, "task_struct", "comm"),
		O(task_cred, "task_struct", "cred"), O(task_real_cred, "task_struct", "real_cred"),
		O(task_se_sum_exec, "task_struct", "se.sum_exec_runtime"), O(task_mm, "task_struct", "mm"),
		O(task_nsproxy, "task_struct", "nsproxy"), O(cred_uid, "cred", "uid"), O(cred_gid, "cred", "gid"),
		O(mm_arg_start, "mm_struct", "arg_start"), O(mm_arg_end, "mm_struct", "arg_end"),
		O(task_thread_pid, "task_struct", "thread_pid"), O(pid_level, "pid", "level"), O(pid_numbers, "pid", "numbers"),
		O(upid_nr, "upid", "nr"), O(upid_ns, "upid", "ns"), O(pidns_inum, "pid_namespace", "ns.inum"),
		O(task_group_leader, "task_struct", "group_leader"), O(task_fs, "task_struct", "fs"), O(fs_pwd, "fs_struct", "pwd"),
		O(fs_root, "fs_struct", "root"), O(path_dentry, "path", "dentry"), O(path_mnt, "path", "mnt"),
		O(dentry_parent, "dentry", "d_parent"), O(dentry_name_name, "dentry", "d_name.name"),
		O(dentry_name_len, "dentry", "d_name.len"), O(mount_mnt, "mount", "mnt"), O(mount_parent, "mount", "mnt_parent"),
		O(mount_mountpoint, "mount", "mnt_mountpoint"), O(vfsmount_root, "vfsmount", "mnt_root"),
		O(dentry_sb, "dentry", "d_sb"), O(sb_root, "super_block", "s_root"), O(sb_mounts, "super_block", "s_mounts"),
		O(mount_instance, "mount", "mnt_instance"), O(mount_next, "mount", "mnt_next_for_sb"), O(mount_ns, "mount", "mnt_ns"),
		O(nsproxy_mnt, "nsproxy", "mnt_ns"),
		O(task_stack, "task_struct", "stack"), O(task_flags, "task_struct", "flags"),
		O(task_files, "task_struct", "files"), O(files_fdt, "files_struct", "fdt"), O(fdt_max, "fdtable", "max_fds"),
		O(fdt_fd, "fdtable", "fd"), O(vma_pgoff, "vm_area_struct", "vm_pgoff"), O(vma_file, "vm_area_struct", "vm_file"),
		O(file_inode, "file", "f_inode"), O(inode_ino, "inode", "i_ino"), O(inode_sb, "inode", "i_sb"), O(sb_dev, "super_block", "s_dev"),
		O(task_signal, "task_struct", "signal"), O(signal_live, "signal_struct", "live"),
		O(task_utask, "task_struct", "utask"), O(utask_returns, "uprobe_task", "return_instances"),
		O(ret_stack, "return_instance", "stack"), O(ret_orig, "return_instance", "orig_ret_vaddr"),
		O(ret_next, "return_instance", "next"),
#undef O
	};
	const struct dt_type *upid;

	memset(&b->koff, 0xff, sizeof(b->koff));
	if (!needs_offsets(b->t) && !b->t->probes.follow && dt_proc_pids_global())
		return;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t off = offset_of(b->h->types, rows[i].tag, rows[i].path);

		memcpy((char *)&b->koff + rows[i].at, &off, sizeof(off));
	}
	upid = dt_types_find(b->h->types, NULL, DT_T_STRUCT, "upid");
	b->koff.upid_size = upid != NULL ? (uint32_t)dt_type_size(b->h->types, upid) : DT_KOFF_NONE;
}
