/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which process descends from which, as /proc shows it now, and the session's map of it (bpf/lower_family.c),
 * for processes that were created before the programs kept the map.
 */
#include "process/proc.h"
#include "base/count.h"
#include "session/impl.h"

#include "base/file.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct known { uint32_t pid, root; };
struct family { struct known *v; uint32_t n, cap; };

/* "123 (any text) S 1 …": what follows the text; the caller frees *text. NULL: there is no such process. */
static const char *stat_text(const char *pid, char **text)
{
	char path[300], *end;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	*text = NULL;
	if (dt_file_read(path, 4096, text, &len) != 0)
		return NULL;
	end = strrchr(*text, ')');
	return end != NULL ? end + 1 : NULL;
}

/* The state and the parent. False: there is no such process. */
static bool stat_of(const char *pid, char *state, uint32_t *parent)
{
	char *text;
	const char *from = stat_text(pid, &text);
	bool ok = from != NULL && sscanf(from, " %c %u", state, parent) == 2;

	free(text);
	return ok;
}

/* Numbers 48 to 51 of the line; the state is the third. */
bool dt_proc_texts(uint32_t pid, uint64_t range[4])
{
	char name[16], *text;
	const char *at;

	snprintf(name, sizeof(name), "%u", pid);
	memset(range, 0, 4 * sizeof(*range));
	at = stat_text(name, &text);
	for (int n = 3; n < 48 && at != NULL; n++)
		at = strchr(at + 1, ' ');
	at = at != NULL && sscanf(at, " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &range[0], &range[1],
	    &range[2], &range[3]) == 4 ? at : NULL;
	free(text);
	return at != NULL;
}

bool dt_proc_over(uint32_t pid)
{
	char name[16], state;
	uint32_t parent;

	snprintf(name, sizeof(name), "%u", pid);
	return !stat_of(name, &state, &parent) || state == 'Z' || state == 'X';
}

uint32_t dt_proc_root(uint32_t pid, const uint32_t *roots, uint32_t n)
{
	enum { GENERATIONS_MAX = 64 };
	char name[16], state;

	for (uint32_t i = 0; i < GENERATIONS_MAX && pid > 1; i++) {
		for (uint32_t k = 0; k < n; k++)
			if (roots[k] == pid)
				return pid;
		snprintf(name, sizeof(name), "%u", pid);
		if (!stat_of(name, &state, &pid))
			break;
	}
	return 0;
}

uint32_t dt_proc_ancestors(uint32_t pid, uint32_t *out, uint32_t most)
{
	char name[16], state;
	uint32_t n = 0;

	while (n < most && pid > 1) {
		snprintf(name, sizeof(name), "%u", pid);
		if (!stat_of(name, &state, &pid) || pid == 0)
			break;
		out[n++] = pid;
	}
	return n;
}

static const struct known *family_member(const struct family *f, uint32_t pid)
{
	for (uint32_t i = 0; i < f->n; i++)
		if (f->v[i].pid == pid)
			return &f->v[i];
	return NULL;
}

static bool add_to_family(struct family *f, uint32_t pid, uint32_t root)
{
	if (f->n == f->cap) {
		uint32_t cap = 2 * f->cap + 64;
		struct known *more = realloc(f->v, cap * sizeof(*more));

		if (more == NULL)
			return false;
		f->v = more;
		f->cap = cap;
	}
	f->v[f->n++] = (struct known){ pid, root };
	return true;
}

/* One walk over /proc; true: another descendant was found. */
static bool walk_proc(struct family *f, dt_family_f *add, void *ctx)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;
	bool changed = false;

	while (dir != NULL && (e = readdir(dir)) != NULL) {
		uint32_t pid = (uint32_t)strtoul(e->d_name, NULL, 10), parent;
		const struct known *of;
		char state;

		if (pid == 0 || family_member(f, pid) != NULL || !stat_of(e->d_name, &state, &parent))
			continue;
		of = family_member(f, parent);
		if (of == NULL || state == 'Z')
			continue;
		uint32_t root = of->root;

		if (!add_to_family(f, pid, root))
			break;
		add(ctx, pid, root);
		changed = true;
	}
	if (dir != NULL)
		closedir(dir);
	return changed;
}

/*
 * /proc is walked until a walk finds no new process: a child may be listed before its parent, and new ones
 * may be born meanwhile.
 */
void dt_proc_family(const uint32_t *roots, uint32_t n, dt_family_f *add, void *ctx)
{
	struct family f = { 0 };

	for (uint32_t i = 0; i < n; i++)
		if (!add_to_family(&f, roots[i], i + 1))
			break;
	while (walk_proc(&f, add, ctx))
		;
	free(f.v);
}

/* ---- the level of our PID namespace ---- */

#define READ(to, size) \
	{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 1, .src_reg = 10 }, \
	{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = 1, .imm = (to) }, \
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 2, .imm = (size) }, \
	{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_probe_read_kernel }

/* Runs a program in our own process that reads task->thread_pid->level. */
int dt_proc_namespace_level(uint32_t task_thread_pid, uint32_t pid_level)
{
	const struct bpf_insn code[] = {
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_current_task },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 3, .src_reg = 0 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = 3, .imm = (int32_t)task_thread_pid },
		READ(-8, 8),
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = 3, .src_reg = 10, .off = -8 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = 3, .imm = (int32_t)pid_level },
		READ(-8, 4),
		{ .code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = 0, .src_reg = 10, .off = -8 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int prog, err;

	if (task_thread_pid == DT_KOFF_NONE || pid_level == DT_KOFF_NONE)
		return -ENOENT;
	prog = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, NULL, "Dual BSD/GPL", code,
	    DT_COUNT(code), NULL);
	if (prog < 0)
		return -errno;
	err = bpf_prog_test_run_opts(prog, &opts) != 0 ? -errno : (int)opts.retval;
	close(prog);
	return err;
}

/* ---- the session's map ---- */

static int family_map(const struct dt_session *s)
{
	for (uint32_t i = 0; i < s->image->nmaps; i++)
		if (s->image->maps[i].role == DT_MAP_FAMILY)
			return s->maps[i];
	return -1;
}

/* Programs in the kernel count in the same word. */
static void count_followed(struct dt_session *s, int64_t by)
{
	__atomic_fetch_add(&dt_session_control(s)->followed, by, __ATOMIC_RELAXED);
}

/* The process may have ended before it was in the map: no one has counted that end then. */
void dt_session_follow(struct dt_session *s, uint32_t pid, uint32_t root)
{
	struct dt_descendant m = { .root = root, .alive = 1 };
	int fd = family_map(s);

	if (fd < 0 || bpf_map_update_elem(fd, &pid, &m, BPF_NOEXIST) != 0)
		return;			/* the programs in the kernel were faster */
	count_followed(s, 1);
	if (dt_proc_over(pid) && bpf_map_lookup_elem(fd, &pid, &m) == 0 && m.alive) {
		(void)bpf_map_delete_elem(fd, &pid);
		count_followed(s, -1);
	}
}
