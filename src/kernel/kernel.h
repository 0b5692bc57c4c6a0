/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the running kernel says about itself: its type data and its symbols. Nothing is read before it
 * is asked for.
 */
#ifndef DT_KERNEL_KERNEL_H
#define DT_KERNEL_KERNEL_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* A dt_btf_get (types/type.h): the bytes of /sys/kernel/btf/<module>, or -errno. ctx is not used. */
struct dt_whole;
int dt_kernel_btf(void *ctx, const char *module, struct dt_whole *);

struct dt_kernel;

/* out of memory: the jump of `under` is taken */
struct dt_kernel *dt_kernel_new(struct dt_arena *under);
void dt_kernel_free(struct dt_kernel *);	/* NULL is fine */
/* Frees the lists but not the names, which live as long as `under`. NULL is allowed. */
void dt_kernel_retire(struct dt_kernel *);

/*
 * The address of a kernel symbol. module: NULL means any (the core kernel first), "kernel" or "vmlinux"
 * the core, otherwise that module. Returns 0, -ENOENT if there is none, or why symbols cannot be read.
 * Without the privilege to see addresses the kernel shows zeros; the symbol is then found with address
 * 0, so programs still compile. *module_out (may be NULL) is "vmlinux" or the name of the module; it
 * lives as long as the kernel object.
 */
int dt_kernel_symbol(struct dt_kernel *, const char *module, const char *name, uint64_t *addr,
    const char **module_out);

/*
 * The function that contains an address: module, name and start. 0, or -ENOENT. The names live as long
 * as the kernel object. The first call reads and sorts all symbols.
 */
int dt_kernel_lookup(struct dt_kernel *, uint64_t addr, const char **module, const char **name,
    uint64_t *start);

struct dt_ksym {
	const char *module, *name;
	uint64_t addr, size;		/* size: up to the next symbol */
	uint32_t id;			/* its place in the list by address, from 1 */
	bool code, global;
};
/* Everything known about the symbol that contains an address. 0, or as dt_kernel_lookup(). */
int dt_kernel_find(struct dt_kernel *, uint64_t addr, struct dt_ksym *);

struct dt_kmodule {
	const char *name;		/* "vmlinux" first */
	uint32_t id;			/* from 1 */
	uint64_t text, text_size, data, data_size;	/* where its symbols lie; 0 where it has none */
};
typedef int dt_kmodule_f(void *ctx, const struct dt_kmodule *);
/*
 * Calls f for the kernel and for each module that has symbols; ends with f's first non-zero value and
 * returns it.
 */
int dt_kernel_modules(struct dt_kernel *, dt_kmodule_f *, void *ctx);

/*
 * The extent of a symbol of the core kernel: up to the next one. 0, or as dt_kernel_symbol(); also
 * -ENOENT if addresses are hidden.
 */
int dt_kernel_extent(struct dt_kernel *, const char *name, uint64_t *start, uint64_t *len);

/* The lowest code address of a module (named as by dt_kernel_lookup()); 0: no such module. */
uint64_t dt_kernel_module_start(struct dt_kernel *, const char *module);

#endif
