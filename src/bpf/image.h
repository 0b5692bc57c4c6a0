/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DIF in, eBPF out: an image is everything that the kernel will be given, as data. Building one makes no
 * system call and needs no rights, so it can be dumped and tested anywhere; src/session/session.h loads it.
 * An image points into the programs it was made of: they must outlive it.
 */
#ifndef DT_BPF_IMAGE_H
#define DT_BPF_IMAGE_H

#include "engine/engine.h"
#include "record/record.h"

#include <linux/bpf.h>

/* Of the running kernel, asked once by src/session/feature.c. */
struct dt_features {
#define FEATURE(name, helper) bool name;
#include "bpf/features.def"
#undef FEATURE
};

/* ---- out ---- */

enum dt_map_role {
	DT_MAP_CONST,		/* string constants and tables, read-only, frozen after filling */
	DT_MAP_SLOTS,		/* per-CPU machine states and scratch */
	DT_MAP_GLOBALS,		/* global scalars and strings */
	DT_MAP_TLS,		/* self-> scalars: task storage */
	DT_MAP_DYN,		/* associative arrays: one hash each (global and self->) */
	DT_MAP_OWNED,		/* self-> arrays: a thread and a number -> the key of its element */
	/*
	 * array of maps: [side of a generation] → a hash of the group. Each group of aggregations has one,
	 * because the inner maps of an array must be alike. That of cells is not used by programs: its
	 * update is a grace period
	 */
	DT_MAP_AGGS,
	/*
	 * the hashes of one group; A alone is a per-CPU array of cells, for aggregations without keys
	 * (agglayout.c)
	 */
	DT_MAP_AGG_A, DT_MAP_AGG_B,
	DT_MAP_RINGS,		/* array of maps: [cpu] → ring buffer */
	DT_MAP_RING,
	/* struct dt_control, one element; RUN programs run even when it says stopped */
	DT_MAP_CONTROL,
	DT_MAP_DROPS,		/* per-CPU struct dt_drops */
	DT_MAP_VTIME,		/* vtimestamp: task storage */
	DT_MAP_VTIME_CPU,	/* by CPU: when it last switched */
	DT_MAP_SPEC_USED,	/* by CPU: the room taken of each */
	DT_MAP_STACKS,
	DT_MAP_CHILL,		/* per-CPU struct dt_chill */
	/* a hook's programs after its first, in their order; to be filled before the first one runs */
	DT_MAP_CHAIN,
	/* policy ring, in place of RING: array of struct dt_over by CPU (one alone with only_cpu) */
	DT_MAP_OVER,
	DT_MAP_ROOTS,		/* the numbers of the roots, a word each; 0 when one has ended */
	DT_MAP_FAMILY,		/* process -> struct dt_descendant: all descendants of the roots */
	DT_MAP_CONTAINERS,	/* id of a container -> struct dt_container_name; filled while tracing */
	DT_MAP_CGROUPS,		/* those that are traced: DT_CGROUPS_MAX struct dt_cgroup, id 0 ends them */
	/* record/unwind.h: arrays of maps, filled while tracing; the first element of each */
	DT_MAP_UNWIND_ROWS, DT_MAP_UNWIND_RULES, DT_MAP_UNWIND_MAPS, DT_MAP_UNWIND_KEYS,
	DT_MAP_UNWIND_CHUNK,
};

struct dt_image_map {
	enum dt_map_role role;
	char name[16];
	uint32_t type, key_size, value_size, max_entries, flags;
	uint32_t group;		/* AGGS, AGG_A, AGG_B: whose (struct dt_agglayout) */
	/* index of the map that is the template of this array of maps; UINT32_MAX: it is no such array */
	uint32_t inner;
	const void *data;	/* CONST, CONTROL: initial value of element 0 */
	size_t len;
	/* types in the image's BTF, 0 none; task storage cannot be made without */
	uint32_t btf_key, btf_value;
};

/*
 * An ld_imm64 to be filled in with a map's fd, or with the address of its value + off. For a RING: with the
 * ring of CPU `off` (of another CPU when that one is not online). Filling an array of maps costs a grace
 * period at every start (14 ms measured, all of them at once), so a program that chooses its CPU's ring by
 * comparing starts that much faster than one that looks it up in RINGS.
 */
struct dt_image_reloc { uint32_t insn; uint32_t map; uint32_t off; bool value; };

struct dt_image_prog {
	char name[16];
	enum dt_plan_ctx ctx;
	uint32_t hook;
	uint32_t link;			/* 0: it is attached; else element link - 1 of the hook's CHAIN */
	uint32_t chain;			/* that map, when the hook has more than one program */
	const struct bpf_insn *insns;
	uint32_t ninsns;
	const struct dt_image_reloc *relocs;
	uint32_t nrelocs;
	const struct dt_difo *const *difo_at;	/* for each instruction: the DIFO it is made of, or NULL */
	const uint32_t *difpc_at;
	const struct bpf_func_info *funcs;	/* one for each subprogram, types in the image's BTF */
	uint32_t nfuncs;
};

/*
 * Where a variable of the program is kept: in the value of GLOBALS or TLS, or in a DYN map of its own. For
 * tests and debuggers.
 */
struct dt_varlayout {
	struct dt_difv v;
	uint32_t map;			/* in the image's maps */
	/*
	 * in GLOBALS or TLS. A variable by reference has its bytes there, rounded to 8, then a word: 1 means
	 * null for globals, present for self->
	 */
	uint32_t off;
	uint32_t keysize, nkeys;	/* DYN: self-> has the thread first */
	uint32_t keyoff[8], keylen[8];
};

struct dt_image {
	struct dt_arena *arena;
	struct dt_image_map *maps;
	uint32_t nmaps;
	/* one for each hook, in their order; then those that others go on to by tail call */
	struct dt_image_prog *progs;
	uint32_t nprogs;		/* hooks */
	/* programs after those: of the same type as their hook's first, never attached */
	uint32_t nmore;
	struct dt_layouts layouts;	/* what consumers know of it */
	struct dt_varlayout *vars;	/* globals and self-> that code uses */
	uint32_t nvars;
	const void *btf;		/* one BTF blob for maps and programs, to be loaded first */
	uint32_t btflen;
	uint32_t only_cpu;		/* of the options */
	bool grows;			/* buffers grow by need */
	uint32_t wants;			/* where in the control block each CPU has a byte (session/rings.c) */
	uint32_t ngroups;		/* of aggregations that share maps */
};

/* Values of maps that only programs and src/session know. */
struct dt_container_name { uint64_t len; char text[DT_CONTAINER_NAME]; };	/* len: with the NUL */
struct dt_descendant { uint64_t root, alive; };	/* root: its place in ROOTS, from 1 */
struct dt_chill { uint64_t since, sum; };	/* ns that chill() took since then */

/*
 * 0, or -errno; -ENOTSUP comes with a sentence in msg that names the D line and the limit. The image owns its
 * arena: dt_image_free().
 */
int dt_image_build(const struct dt_plan_opts *, const struct dt_prog *const *progs, uint32_t nprogs,
    const struct dt_plan_hook *hooks, uint32_t nhooks, struct dt_image **, char *msg, size_t msglen);
void dt_image_free(struct dt_image *);
/* The instructions as text, for people and tests. */
void dt_image_dump(const struct dt_image *, void (*put)(void *, const char *), void *ctx);

#endif
