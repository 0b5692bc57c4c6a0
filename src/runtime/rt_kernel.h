/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What rt.h promises, for eBPF: helpers of the kernel by the numbers of enum bpf_func_id. A helper is a
 * constant address, so none of this is data.
 */
#ifndef DT_RUNTIME_RT_KERNEL_H
#define DT_RUNTIME_RT_KERNEL_H

static void *(*const bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
static u64 (*const bpf_ktime_get_ns)(void) = (void *)5;
static u32 (*const bpf_get_prandom_u32)(void) = (void *)7;
static long (*const bpf_probe_read_user)(void *to, u32 size, const void *from) = (void *)112;
static long (*const bpf_probe_read_kernel)(void *to, u32 size, const void *from) = (void *)113;
static long (*const bpf_probe_read_user_str)(void *to, u32 size, const void *from) = (void *)114;
static long (*const bpf_probe_read_kernel_str)(void *to, u32 size, const void *from) = (void *)115;
static void *(*const bpf_get_current_task_btf)(void) = (void *)158;
static long (*const bpf_find_vma)(void *task, u64 addr, void *f, void *ctx, u64 flags) = (void *)180;
static long (*const bpf_copy_from_user_task)(void *to, u32 size, const void *from, void *task, u64 flags) =
    (void *)191;
static long (*const bpf_loop)(u32 n, void *f, void *ctx, u64 flags) = (void *)181;

#define UNROLL _Pragma("unroll")
#define LOOP(r, n, step) bpf_loop((u32)(n), (void *)(step), (r), 0)

#define read_kernel(r, to, size, addr) ((void)(r), bpf_probe_read_kernel((to), (size), (void *)(addr)))
/*
 * Whose memory read_user() reads: that of the thread that runs. With RT_OTHER_TASK that of another, which
 * each struct rt of that file has behind it; there strings of the process cannot be read.
 */
#ifdef RT_OTHER_TASK
#define KERNEL_WALKS 0		/* the kernel's own walk of a user stack is for the thread that runs */
struct rt_task { struct rt r; void *task; };
#define current_task(r) (((struct rt_task *)(r))->task)
#define read_user(r, to, size, addr) \
	bpf_copy_from_user_task((to), (size), (void *)(addr), current_task(r), 0)
#else
#define KERNEL_WALKS 1
#define current_task(r) ((void)(r), bpf_get_current_task_btf())
#define read_user(r, to, size, addr) ((void)(r), bpf_probe_read_user((to), (size), (void *)(addr)))
#endif
#define read_kernel_str(r, to, size, addr) \
	((void)(r), bpf_probe_read_kernel_str((to), (u32)(size), (void *)(addr)))
#define read_user_str(r, to, size, addr) \
	((void)(r), bpf_probe_read_user_str((to), (u32)(size), (void *)(addr)))
/* the compiler's own copy wants a constant size */
#define copy_bytes(to, from, len) bpf_probe_read_kernel((to), (u32)(len), (from))
#define word_in(p) (*(const u64 *)(p))
#define now_ns(r) ((void)(r), bpf_ktime_get_ns())
#define random_u32(r) ((void)(r), bpf_get_prandom_u32())

/* The one element of chunk i, which is a map in an array of maps; NULL: that chunk was not made yet. */
INLINE void *chunk_at(struct rt *r UNUSED, void *maps, u64 i)
{
	u32 key = (u32)i, first = 0;
	void *chunk = bpf_map_lookup_elem(maps, &key);

	return chunk ? bpf_map_lookup_elem(chunk, &first) : 0;
}

#endif
