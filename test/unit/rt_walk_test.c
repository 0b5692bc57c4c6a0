/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of src/runtime that walk structs of the kernel or of a process: names of files, control
 * groups, goroutines, parents. The structs are made here, with offsets of our own; and walks over memory that
 * is not there, that leads in a circle, or that is too long for a string, which must end.
 */
#include "rt_call.h"

#include "base/count.h"

#include <inttypes.h>

static uint64_t kernel_end;		/* where the next object goes */

static uint64_t new_object(size_t size)
{
	uint64_t at = kernel_end;

	kernel_end += (size + 7) & ~7ull;
	CHECK(kernel_end <= KERNEL + MEMORY);
	return at;
}

static uint64_t new_text(const char *text)
{
	uint64_t at = new_object(strlen(text) + 1);

	memcpy(world.kernel + (at - KERNEL), text, strlen(text) + 1);
	return at;
}

static void new_kernel(void)
{
	memset(world.kernel, 0, sizeof(world.kernel));
	kernel_end = KERNEL + 64;
}

/* ---- names of files ---- */

/* struct dentry */
enum { D_PARENT = 0, D_NAME = 8, D_LEN = 16, D_SB = 24, DENTRY = 32 };
/* struct mount, and struct vfsmount inside it */
enum { M_PARENT = 0, M_POINT = 8, M_VFS = 16, V_ROOT = 8, M_LINK = 32, M_NS = 40, MOUNT = 48 };
enum { SB_ROOT = 0, SB_MOUNTS = 8, SUPER = 24 };

static uint64_t path_words[DT_DENTRY_WORDS] = {
	[DT_PATH_PARENT] = D_PARENT, [DT_PATH_NAME] = D_NAME, [DT_PATH_LEN] = D_LEN, [DT_PATH_MNT] = M_VFS,
	[DT_PATH_MNT_PARENT] = M_PARENT, [DT_PATH_MOUNTPOINT] = M_POINT, [DT_PATH_MNT_ROOT] = V_ROOT,
	[DT_PATH_SB] = D_SB, [DT_PATH_SB_ROOT] = SB_ROOT, [DT_PATH_SB_MOUNTS] = SB_MOUNTS,
	[DT_PATH_LINK] = M_LINK, [DT_PATH_MNT_NS] = M_NS,
};

static uint64_t new_dentry(uint64_t parent, const char *name, uint64_t sb)
{
	uint64_t d = new_object(DENTRY);

	put_kernel(d + D_PARENT, parent ? parent : d);
	put_kernel(d + D_NAME, new_text(name));
	put_kernel(d + D_LEN, 0xabcd00000000 | strlen(name));	/* 32 bits, with something after them */
	put_kernel(d + D_SB, sb);
	return d;
}

/* Returns what paths know: the struct vfsmount. */
static uint64_t new_mount(uint64_t parent_vfs, uint64_t point, uint64_t root, uint64_t ns)
{
	uint64_t m = new_object(MOUNT);

	put_kernel(m + M_PARENT, parent_vfs ? parent_vfs - M_VFS : m);
	put_kernel(m + M_POINT, point);
	put_kernel(m + M_VFS + V_ROOT, root);
	put_kernel(m + M_NS, ns);
	return m + M_VFS;
}

struct end { uint64_t dentry, mount; };

static const char *path_text(dt_rt_fn *f, struct end from, struct end to, size_t size)
{
	uint8_t *a = calloc(1, size + DT_RT_AFTER), *b = calloc(1, size + DT_RT_AFTER), *d = malloc(size);
	union words w = { .w = { .n = from.dentry, .m = from.mount, .x = to.dentry, .y = to.mount } };
	uint64_t len;

	memcpy(b, path_words, sizeof(path_words));
	len = f(a, b, d, &w.w, size, env());
	CHECK(len > 0 && len <= size && d[len - 1] == '\0');
	memcpy(result_text, d, size);
	free(a);
	free(b);
	free(d);
	return result_text;
}

static void test_dpath(void)
{
	uint64_t root, usr, lib, file, vfs, root2, home, vfs2;
	struct end top, at;

	new_kernel();
	root = new_dentry(0, "/", 0);
	usr = new_dentry(root, "usr", 0);
	lib = new_dentry(usr, "lib", 0);
	file = new_dentry(lib, "libc.so.6", 0);
	vfs = new_mount(0, 0, root, 1);
	root2 = new_dentry(0, "/", 0);		/* another file system, at /usr/lib */
	home = new_dentry(root2, "home", 0);
	vfs2 = new_mount(vfs, lib, root2, 1);
	top = (struct end){ root, vfs };
	CHECK_STR(path_text(dt_rt_dpath, (struct end){ file, vfs }, top, 256), "/usr/lib/libc.so.6");
	CHECK_STR(path_text(dt_rt_dpath, top, top, 256), "/");
	CHECK_STR(path_text(dt_rt_dpath, (struct end){ home, vfs2 }, top, 256), "/usr/lib/home");
	CHECK_STR(path_text(dt_rt_dpath, (struct end){ root2, vfs2 }, top, 256), "/usr/lib");
	/* a process whose root is /usr; without an end the walk goes up to the first mount */
	CHECK_STR(path_text(dt_rt_dpath, (struct end){ file, vfs }, (struct end){ usr, vfs }, 256),
	    "/lib/libc.so.6");
	CHECK_STR(path_text(dt_rt_dpath, (struct end){ usr, vfs }, (struct end){ 0, 0 }, 256), "/usr");
	/* no room: whole components of the end are left */
	CHECK_STR(path_text(dt_rt_dpath, (struct end){ file, vfs }, top, 128), "/usr/lib/libc.so.6");
	at = (struct end){ new_dentry(file, "a name that takes a lot of room, and some more of it; "
	    "a name that takes a lot of room, and some more of it", 0), vfs };
	CHECK_STR(path_text(dt_rt_dpath, at, top, 112),
	    "/a name that takes a lot of room, and some more of it; "
	    "a name that takes a lot of room, and some more of it");
	/* no dentry, no memory, a circle */
	CHECK_STR(path_text(dt_rt_dpath, (struct end){ 0, vfs }, top, 256), "/");
	CHECK_STR(path_text(dt_rt_dpath, (struct end){ 0x1234, vfs }, top, 256), "/");
	put_kernel(usr + D_PARENT, file);
	CHECK(strlen(path_text(dt_rt_dpath, (struct end){ file, vfs }, top, 4096)) <= 128 * 10);
	put_kernel(usr + D_PARENT, root);
	put_kernel(vfs - M_VFS + M_PARENT, vfs2 - M_VFS);	/* mounted upon each other */
	put_kernel(vfs - M_VFS + M_POINT, root2);
	path_text(dt_rt_dpath, (struct end){ root2, vfs2 }, (struct end){ 0, 0 }, 4096);
	CHECK(strncmp(result_text, "/usr/lib/usr/lib", 16) == 0 && strlen(result_text) <= 128 * 4);
}

/* A dentry does not know its mount: one of the whole file system is found, in our namespace if possible. */
static void test_dentrypath(void)
{
	uint64_t sb, root, top, dir, file, vfs, other, ours, part;
	struct end end;

	for (int chained = 0; chained < 2; chained++) {
		new_kernel();
		path_words[DT_PATH_CHAINED] = (uint64_t)chained;
		sb = new_object(SUPER);
		top = new_dentry(0, "/", 0);
		dir = new_dentry(top, "mnt", 0);
		vfs = new_mount(0, 0, top, 1);
		root = new_dentry(0, "/", sb);
		file = new_dentry(root, "file", sb);
		part = new_mount(vfs, dir, file, 2);	/* shows a part of it: not this one */
		other = new_mount(vfs, top, root, 3);
		ours = new_mount(vfs, dir, root, 2);
		put_kernel(sb + SB_ROOT, root);
		if (chained) {
			put_kernel(sb + SB_MOUNTS, part - M_VFS);
			put_kernel(part - M_VFS + M_LINK, ours - M_VFS);
			put_kernel(ours - M_VFS + M_LINK, other - M_VFS);
		} else {
			put_kernel(sb + SB_MOUNTS, part - M_VFS + M_LINK);
			put_kernel(part - M_VFS + M_LINK, ours - M_VFS + M_LINK);
			put_kernel(ours - M_VFS + M_LINK, other - M_VFS + M_LINK);
			put_kernel(other - M_VFS + M_LINK, sb + SB_MOUNTS);
		}
		end = (struct end){ top, vfs };
		CHECK_STR(path_text(dt_rt_dentrypath, (struct end){ file, 2 }, end, 256), "/mnt/file");
		CHECK_STR(path_text(dt_rt_dentrypath, (struct end){ file, 3 }, end, 256), "/file");
		CHECK_STR(path_text(dt_rt_dentrypath, (struct end){ file, 9 }, end, 256), "/file");
		put_kernel(sb + SB_MOUNTS, 0);		/* no mount: the name inside the file system */
		CHECK_STR(path_text(dt_rt_dentrypath, (struct end){ file, 2 }, end, 256), "/file");
		put_kernel(sb + SB_MOUNTS, part - M_VFS + (chained ? 0 : M_LINK));	/* a circle */
		put_kernel(part - M_VFS + M_LINK, part - M_VFS + (chained ? 0 : M_LINK));
		CHECK_STR(path_text(dt_rt_dentrypath, (struct end){ file, 2 }, end, 256), "/file");
	}
	path_words[DT_PATH_CHAINED] = 0;
}

/* ---- control groups ---- */

enum { N_PARENT = 8, N_NAME = 0, NODE = 16 };

static uint64_t new_node(uint64_t parent, const char *name)
{
	uint64_t n = new_object(NODE);

	put_kernel(n + N_PARENT, parent);
	put_kernel(n + N_NAME, new_text(name));
	return n;
}

static const char *group_text(dt_rt_fn *f, uint64_t node, size_t size)
{
	uint64_t words[DT_CGROUP_WORDS] = { [DT_CGROUP_PARENT] = N_PARENT, [DT_CGROUP_NAME] = N_NAME };
	uint8_t *a = calloc(1, size + DT_RT_AFTER), *b = calloc(1, size + DT_RT_AFTER), *d = malloc(size);
	union words w = { .w = { .n = node } };
	uint64_t len;

	memcpy(b, words, sizeof(words));
	len = f(a, b, d, &w.w, size, env());
	CHECK(len > 0 && len <= size && d[len - 1] == '\0');
	memcpy(result_text, d, size);
	result_words = w;
	free(a);
	free(b);
	free(d);
	return result_text;
}

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void test_cgroups(void)
{
	static const struct { const char *name, *want; bool id; } cases[] = {
		{ "docker-" ID ".scope", ID, true }, { ID, ID, true }, { "crio-" ID, ID, true },
		{ "crio-conmon-" ID ".scope", "", false }, { "lxc.payload.web", "web", false },
		{ "lxc.payload.", "", false }, { "machine-vm1.scope", "vm1", false },
		{ "machine-vm1", "", false }, { "x" ID, "", false }, { "docker-0" ID ".scope", "", false },
		{ "session-1.scope", "", false }, { ".scope", "", false },
	};
	uint64_t root, slice, node;

	new_kernel();
	root = new_node(0, "");
	slice = new_node(root, "system.slice");
	node = new_node(slice, "ssh.service");
	CHECK_STR(group_text(dt_rt_cgroup, node, 256), "/system.slice/ssh.service");
	CHECK_STR(group_text(dt_rt_cgroup, root, 256), "/");
	CHECK_STR(group_text(dt_rt_cgroup, 0, 256), "/");
	CHECK_STR(group_text(dt_rt_cgroup, 0x1234, 256), "/");		/* not there */
	CHECK_STR(group_text(dt_rt_cgroup, node, 20), "/ssh.service");	/* the end of it */
	CHECK_STR(group_text(dt_rt_container, node, 256), "");
	for (size_t i = 0; i < DT_COUNT(cases); i++) {
		uint64_t at = new_node(slice, cases[i].name);

		CHECK_STR(group_text(dt_rt_container, at, 256), cases[i].want);
		CHECK_INT(result_words.w.x, cases[i].id);
		at = new_node(at, "init.scope");	/* a group inside of it */
		CHECK_STR(group_text(dt_rt_container, at, 256), cases[i].want);
	}
	put_kernel(root + N_PARENT, node);		/* a circle */
	CHECK(strlen(group_text(dt_rt_cgroup, node, 4096)) < 64 * 14);
	CHECK_STR(group_text(dt_rt_container, node, 256), "");
}

/* ---- goroutines ---- */

enum { G_M = 48, CURG = 192, CURG_1_25 = 184, STATE = 144, STATE_1_23 = 152 };

static uint64_t goid(uint64_t g, uint64_t thread)
{
	return value_of(dt_rt_goid, &(struct in){ .pos = g, .x = thread });
}

static void test_goid(void)
{
	uint64_t m = USER + 0x100, g0 = USER + 0x400, g = USER + 0x800, tls = USER + 0xc00;

	memset(world.user, 0, sizeof(world.user));
	put_user(m, g0);
	put_user(g0 + G_M, m);
	put_user(g + G_M, m);
	put_user(m + CURG, g);
	put_user(g + STATE, 2);
	put_user(g + STATE + 8, 17);
	put_user(tls, g0);
	CHECK_INT(goid(g, 0), 17);
	CHECK_INT(goid(g0, 0), 17);		/* the runtime's own stack */
	CHECK_INT(goid(0, 0), 0);
	CHECK_INT(goid(5, tls), 17);		/* the register holds something else */
	CHECK_INT(goid(5, 5), 0);
	put_user(g + STATE, USER);		/* Go 1.23: a pointer, then the state */
	put_user(g + STATE_1_23, 2);
	put_user(g + STATE_1_23 + 8, 23);
	CHECK_INT(goid(g, 0), 23);
	put_user(g + STATE, 0);
	CHECK_INT(goid(g, 0), 23);
	put_user(m + CURG, 0);			/* Go 1.25 */
	put_user(m + CURG_1_25, g);
	CHECK_INT(goid(g, 0), 23);
	put_user(g + STATE_1_23, 0x2000);	/* no state */
	CHECK_INT(goid(g, 0), 0);
	put_user(g + STATE_1_23, 2);
	put_user(g + G_M, m + 8);		/* does not lead back */
	CHECK_INT(goid(g0, 0), 0);
	put_user(g + G_M, m);
	put_user(g0 + G_M, m + 8);
	CHECK_INT(goid(g, 0), 0);
	put_user(m + CURG_1_25, 0);		/* the thread runs none */
	put_user(g0 + G_M, m);
	CHECK_INT(goid(g, 0), 0);
	CHECK_INT(goid(USER + MEMORY - G_M - 4, 0), 0);	/* memory ends inside the word */
}

/* ---- parents ---- */

enum { T_PID = 0, T_PARENT = 8, T_LEADER = 16, T_THREAD_PID = 24, TASK = 32 };
enum { P_LEVEL = 0, P_NR = 8, P_NS = 16, P_INUM = 24, PID = 32 };

static uint64_t new_task(uint64_t parent, uint32_t pid)
{
	uint64_t t = new_object(TASK);

	put_kernel(t + T_PID, 0xdead00000000 | pid);
	put_kernel(t + T_PARENT, parent);
	put_kernel(t + T_LEADER, t);
	return t;
}

static uint64_t progeny(uint64_t task, uint64_t pid)
{
	struct dt_work w = { .la = T_PID, .lb = T_PARENT, .n = pid, .pos = task };

	return dt_rt_progenyof(NULL, NULL, NULL, &w, 256, env());
}

static uint64_t progeny_here(uint64_t task, uint64_t pid)
{
	union { struct dt_work_progeny p; uint8_t bytes[DT_WORK_SIZE]; } w = { .p = {
		.w = { .lb = T_PARENT, .n = pid, .pos = task }, .leader = T_LEADER,
		.thread_pid = T_THREAD_PID, .level = P_LEVEL, .our_level = 1, .ns = P_NS, .inum = P_INUM,
		.our_inum = 4026, .nr = P_NR } };

	return dt_rt_progenyof_here(NULL, NULL, NULL, &w.p.w, 256, env());
}

static void number_in(uint64_t task, uint32_t level, uint32_t nr, uint32_t inum)
{
	uint64_t p = new_object(PID);

	put_kernel(task + T_THREAD_PID, p);
	put_kernel(p + P_LEVEL, level);
	put_kernel(p + P_NR, nr);
	put_kernel(p + P_NS, p);		/* its own namespace, to keep it short */
	put_kernel(p + P_INUM, inum);
}

static void test_progeny(void)
{
	uint64_t init, shell, child, outside;

	new_kernel();
	init = new_task(0, 1);
	shell = new_task(init, 50);
	child = new_task(shell, 99);
	CHECK_INT(progeny(child, 99), 1);
	CHECK_INT(progeny(child, 50), 1);
	CHECK_INT(progeny(child, 1), 1);
	CHECK_INT(progeny(child, 2), 0);
	CHECK_INT(progeny(shell, 99), 0);
	CHECK_INT(progeny(child, 0xffffffff00000032), 1);	/* pid_t has 32 bits */
	CHECK_INT(progeny(0x1234, 1), 0);
	put_kernel(init + T_PARENT, init);			/* the first process is its own parent */
	CHECK_INT(progeny(child, 2), 0);

	outside = new_task(init, 60);
	number_in(shell, 1, 7, 4026);
	number_in(child, 2, 8, 4026);
	number_in(outside, 1, 7, 4027);
	number_in(init, 0, 1, 4026);
	CHECK_INT(progeny_here(child, 8), 1);
	CHECK_INT(progeny_here(child, 7), 1);
	CHECK_INT(progeny_here(child, 1), 0);			/* above our namespace */
	CHECK_INT(progeny_here(outside, 7), 0);			/* in another one */
	CHECK_INT(progeny_here(child, 0), 0);
	put_kernel(init + T_PARENT, child);			/* a circle ends too */
	world.reads = 0;
	CHECK_INT(progeny(child, 2), 0);
	CHECK(world.reads <= 2 << 22);
}

int main(void)
{
	test_dpath();
	test_dentrypath();
	test_cgroups();
	test_goid();
	test_progeny();
	return CHECK_DONE("rt_walk_test");
}
