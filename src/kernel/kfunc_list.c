/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which functions of the kernel can be traced: the kernel's own list in tracefs, otherwise the symbols
 * that are code. Functions that kprobes must not touch, and functions that our own programs run
 * through, are left out. Lines of the kernel come in, names go out.
 */
#include "base/arena.h"
#include "base/count.h"
#include "base/file.h"
#include "base/map.h"
#include "kernel/kfunc.h"
#include "kernel/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { LIST_MAX = 64 << 20, SYMBOLS_MAX = 256 << 20 };

/*
 * Functions that run whenever one of our programs runs. The kernel starts no program inside another one
 * on the same CPU, so a probe here would lose everything that matters and slow down the rest; on
 * __rcu_read_lock and its like, which come before that check, it would recurse without end. On spinlocks
 * it could wait forever: maps and rings use them, two different programs do nest, and one that is traced
 * while it holds such a lock waits for itself (seen at the element counter of a hash, on x86-64). A star
 * stands for any rest.
 */
static const char *const ours[] = {
	"bpf_*",
	"__bpf_*",
	"____bpf_*",
	"htab_*",
	"__htab_*",
	"array_map_*",
	"percpu_array_*",
	"task_storage_*",
	"trace_call_bpf",
	"kprobe_multi_link_*",
	"kprobe_perf_func",
	"kretprobe_perf_func",
	"kprobe_dispatcher",
	"kretprobe_dispatcher",
	"fprobe_*",
	"rethook_*",
	"ftrace_*",
	"arch_ftrace_*",
	"arch_rethook_*",
	"rcu_read_*",
	"__rcu_read_*",
	"rcu_is_watching",
	"rcu_nmi_*",
	"ct_nmi_*",
	"migrate_disable",
	"migrate_enable",
	"preempt_count_*",
	"copy_from_kernel_nofault",
	"copy_from_user_nofault",
	"strncpy_from_*_nofault",
	"perf_callchain_*",
	"get_perf_callchain",
	"perf_event_output_*",
	"perf_swevent_*",
	"perf_trace_*",
	"arch_stack_walk",
	"unwind_*",
	"irq_work_queue",
	"_raw_spin_*",
	"queued_spin_lock_slowpath",
	"native_queued_spin_lock_slowpath",
};

static bool name_matches(const char *pattern, const char *name)
{
	const char *star = strchr(pattern, '*'), *rest;
	size_t n, len = strlen(name);

	if (star == NULL)
		return strcmp(pattern, name) == 0;
	n = (size_t)(star - pattern);
	rest = star + 1;
	return strncmp(pattern, name, n) == 0 && len >= n + strlen(rest) &&
	    strcmp(name + len - strlen(rest), rest) == 0;
}

const char *dt_kfunc_ours(const char *name)
{
	for (size_t i = 0; i < DT_COUNT(ours); i++)
		if (ours[i][0] == name[0] && name_matches(ours[i], name))
			return "tracing itself runs through it";
	return NULL;
}

struct listing {
	struct dt_arena *arena;
	struct dt_map kept_off;		/* names no kprobe may be put on */
	struct dt_map numbers;		/* name -> 1 + the first function that has it */
	struct dt_kfuncs *out;
};

/* "0xffff800080015f40-0xffff800080015f80\tname": in debugfs, which may not be mounted. */
static void read_kept_off(struct listing *l)
{
	char *text, *line, *next, *name;
	size_t len;

	if (dt_file_read("/sys/kernel/debug/kprobes/blacklist", LIST_MAX, &text, &len) != 0)
		return;
	for (line = text; *line != '\0'; line = next) {
		next = strchrnul(line, '\n');
		if (*next != '\0')
			*next++ = '\0';
		name = strchr(line, '\t');
		if (name != NULL && name[1] != '\0')
			dt_map_put(&l->kept_off, name + 1, l);
	}
	free(text);
}

static void offer_function(struct listing *l, const char *module, const char *name)
{
	struct dt_kfunc f = { 0 }, *last = l->out->list.n > 0 ? &l->out->list.v[l->out->list.n - 1] : NULL;
	uintptr_t first;

	if (*name == '\0' || strpbrk(name, ": \t*?[]") != NULL || dt_map_get(&l->kept_off, name) != NULL ||
	    dt_kfunc_ours(name) != NULL)
		return;
	first = (uintptr_t)dt_map_get(&l->numbers, name);
	f.shared = first != 0;
	f.name = first != 0 ? l->out->list.v[first - 1].name : dt_arena_strdup(l->arena, name);
	f.module = last != NULL && strcmp(last->module, module) == 0 ? last->module :
								       dt_arena_strdup(l->arena, module);
	dt_vec_push(l->arena, &l->out->list, f);
	if (first != 0)
		l->out->list.v[first - 1].shared = true;
	else
		dt_map_put(&l->numbers, f.name, (void *)(uintptr_t)l->out->list.n);
}

/* Splits "name [module]" (or with a tab); the core kernel has no module. */
static const char *cut_module(char *name)
{
	char *open = strpbrk(name, " \t"), *close;

	if (open == NULL)
		return "vmlinux";
	*open++ = '\0';
	close = *open == '[' ? strchr(open, ']') : NULL;
	if (close == NULL)
		return NULL;
	*close = '\0';
	return open + 1;
}

/* Reads lines of available_filter_functions, or of kallsyms, in which the name is the third word. */
static void each_line(struct listing *l, char *text, bool symbols)
{
	const char *module;
	char *next, *name;

	for (char *line = text; *line != '\0'; line = next) {
		next = strchrnul(line, '\n');
		if (*next != '\0')
			*next++ = '\0';
		name = line;
		if (symbols) {
			name = strchr(line, ' ');
			if (name == NULL || (name[1] != 't' && name[1] != 'T') || name[2] != ' ')
				continue;
			name += 3;
		}
		module = cut_module(name);
		if (module != NULL && *module != '\0' && strcmp(module, "bpf") != 0)
			offer_function(l, module, name);
	}
}

int dt_kfuncs_read(struct dt_arena *arena, struct dt_kfuncs *out)
{
	struct listing l = { .arena = arena, .out = out };
	int fd = dt_tracefs_open("available_filter_functions", O_RDONLY), err = -ENOENT;
	bool symbols = false;
	char *text = NULL;
	size_t len;

	if (fd >= 0) {
		err = dt_file_readfd(fd, LIST_MAX, &text, &len);
		close(fd);
	}
	if (err != 0 || len == 0) {
		free(text);
		text = NULL;
		symbols = true;
		err = dt_file_read("/proc/kallsyms", SYMBOLS_MAX, &text, &len);
	}
	if (err == 0) {
		dt_map_init(&l.kept_off, arena);
		dt_map_init(&l.numbers, arena);
		read_kept_off(&l);
		each_line(&l, text, symbols);
	}
	free(text);
	return err;
}
