/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of src/runtime as executors on this machine call them. A caller gives what a slot in the
 * kernel has: a and b, buffers of `size` bytes with DT_RT_AFTER more after them that may be read; d, twice as
 * long, for the result; DT_WORK_SIZE bytes of words; and in `env` what the function may ask for. Each file
 * says which words it expects. Nothing is kept between calls, and nothing but these is written; no function
 * allocates, locks or calls libc other than memcpy() and memset(), so a signal handler may call them.
 */
#ifndef DT_RUNTIME_RT_HOST_H
#define DT_RUNTIME_RT_HOST_H

#include "runtime/rt_work.h"

/* Bytes after a string buffer that are read, but do not count. */
enum { DT_RT_AFTER = 8 };

/* What a function asks of its executor. A member is needed only by the functions that its line names. */
struct dt_rt_env {
	void *ctx;
	/* `size` bytes of the traced kernel or process; 0: not all of them can be read (copyinargv, walks) */
	int (*read)(void *ctx, void *to, dt_word size, dt_word addr, int user);
	unsigned int (*random)(void *ctx);		/* strstr, index, rindex */
	dt_word (*now)(void *ctx);			/* nanoseconds: chill */
	/* chunk i of the table of `maps` (a, b or d); NULL: it was not made (unwind) */
	void *(*chunk)(void *ctx, void *maps, dt_word i);
};

typedef dt_word dt_rt_fn(unsigned char *a, unsigned char *b, unsigned char *d, struct dt_work *,
    dt_word size, const struct dt_rt_env *);

dt_rt_fn dt_rt_strchr, dt_rt_strrchr, dt_rt_strstr, dt_rt_index, dt_rt_rindex, dt_rt_strmatch;
dt_rt_fn dt_rt_substr, dt_rt_strtok, dt_rt_case, dt_rt_memstr, dt_rt_argv;
dt_rt_fn dt_rt_lltostr, dt_rt_strtoll, dt_rt_inet4, dt_rt_inet6, dt_rt_hexbytes, dt_rt_chill;
dt_rt_fn dt_rt_basename, dt_rt_dirname, dt_rt_cleanpath, dt_rt_json;
dt_rt_fn dt_rt_dpath, dt_rt_dentrypath, dt_rt_cgroup, dt_rt_container;
dt_rt_fn dt_rt_goid, dt_rt_progenyof, dt_rt_progenyof_here;
dt_rt_fn dt_rt_unwind, dt_rt_unwind_more, dt_rt_unwind_most;

#endif
