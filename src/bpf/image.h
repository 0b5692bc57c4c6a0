/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DIF in, eBPF out: an image is everything that the kernel will be given, as data. Building one makes no
 * system call and needs no rights, so it can be dumped and tested anywhere; src/session/session.h loads it.
 * An image points into the programs it was made of: they must outlive it.
 */
#ifndef DT_BPF_IMAGE_H
#define DT_BPF_IMAGE_H

#include "dif/dif.h"
#include "machine/machine.h"

#include <linux/bpf.h>

/* ---- in ---- */

#define DT_KOFF_NONE UINT32_MAX		/* a member that the kernel's type data does not show */

/* Of the running kernel, asked once by src/session/feature.c. */
struct dt_features {
#define FEATURE(name, helper) bool name;
#include "bpf/features.def"
#undef FEATURE
};

struct dt_enabling {			/* one clause on one probe */
	const struct dt_ecb *ecb;
	uint32_t epid;			/* from 1 */
	uint32_t probe_id;
	uint32_t number;		/* system call, for SYS hooks; cookie, for those with points */
	const char *prov, *mod, *func, *name;
	/* UPROBE: the instruction leaves a function, and the clause's context is URETSITE */
	bool leaves;
	uint32_t site;			/* arg0 of such a probe */
	uint8_t order;			/* at one place the lower ones come first */
	uint32_t root;			/* fires only in that process and its descendants; 0: everywhere */
	/*
	 * a derived probe that fires for each of several things: gives the thing after arg9, and the first
	 * one after 0; NULL: it fires once
	 */
	const struct dt_difo *each;
	const struct dt_difo *when;	/* a derived probe fires only if this is not 0; may be NULL */
	const struct dt_difo *args[10];	/* its arguments; NULL ends, args[0] NULL: the hook's own */
	bool soft;			/* in `when` and `args` a bad address reads as 0 and is no fault */
};

enum dt_image_ctx {			/* where arg0 … come from */
	DT_CTX_RAWTP, DT_CTX_SYS_ENTER, DT_CTX_SYS_EXIT, DT_CTX_PERF, DT_CTX_RUN,
	/* trampolines of the functions that implement system calls: arguments as SYS_ENTER, SYS_EXIT */
	DT_CTX_SYS_FENTRY, DT_CTX_SYS_FEXIT,
	DT_CTX_FENTRY, DT_CTX_FEXIT,		/* words of a trampoline: nargs arguments, then the value */
	/* registers of the kernel; the cookie is the enabling's number */
	DT_CTX_KPROBE, DT_CTX_KRETPROBE,
	DT_CTX_UPROBE, DT_CTX_URETPROBE,	/* registers of the process; the same */
	DT_CTX_URETSITE,			/* of clauses, never of a program: `leaves` */
};

/* A program without clauses that keeps the family maps, at the tracepoint of that event: family.c. */
enum dt_keep { DT_KEEP_NONE, DT_KEEP_FORK, DT_KEEP_EXIT, DT_KEEP_FREE,
	/* elements of self-> arrays, at sched_switch and sched_process_free: owned.c */
	DT_KEEP_SELF_SWITCH, DT_KEEP_SELF_FREE };

struct dt_image_hook {			/* one program to make */
	enum dt_image_ctx ctx;
	/* RAWTP sched_process_…: the program has no clauses, it notes who descends from whom */
	enum dt_keep keep;
	/* in program order for each probe; the probes of a SYS hook come in any order */
	const struct dt_enabling *en;
	uint32_t nen;			/* 0: at sched_switch, the program that vtimestamp relies on */
	/* RAWTP: the kernel refuses a program that reads arguments the tracepoint does not have */
	bool nargs_known;
	uint32_t nargs;			/* arguments beyond read 0; for trampolines it is always known */
	uint32_t npoints;		/* KPROBE …: how many numbers there are */
	bool inside;			/* KPROBE: all of them are inside functions, not at their beginning */
	/*
	 * tracepoints: the kernel's function that calls the programs, whose frame stacks leave out; 0: not
	 * known
	 */
	uint64_t iter, iter_len;
	/* RAWTP contention_…: its CPU may hold a lock of the kernel's, one of our own maps among them */
	bool in_locks;
	bool irqs_off;			/* runs with interrupts off, where memory at hand is not refilled */
};

/* When a buffer is full, new records are lost; or recording ends on all CPUs; or the oldest make room. */
enum dt_policy { DT_POLICY_SWITCH, DT_POLICY_FILL, DT_POLICY_RING };

#define DT_STRSIZE_MAX 65536u
#define DT_NSPEC_MAX 128u		/* as many are looked at in a row */

struct dt_image_opts {
	enum dt_policy policy;
	uint32_t only_cpu;		/* 1 + the CPU that is traced, 0: all; BEGIN, END, ticks run anyway */
	/* strsize: characters of a string, with the NUL inside src/bpf; nspec 0: speculation() finds none */
	uint32_t strsize, nspec, stackframes_max;
	uint64_t bufsize, aggsize, specsize, dynvarsize, scratchsize;
	uint32_t ncpus;			/* possible CPUs */
	bool prompt;			/* a record that shows aggregations wakes the reader */
	/* CPUs that are traced: an aggregation may use aggsize times this; 0 counts as 1 */
	uint32_t aggcpus;
	bool rawsyscall;		/* failed system calls show the kernel's value */
	const uint32_t *pids;		/* fire only in these processes; BEGIN, END, ticks: anyway */
	uint32_t npids;			/* 0: everywhere */
	/* -x follow: processes whose children, and theirs, count as they do */
	const uint32_t *roots;
	uint32_t nroots;		/* 0: none are followed */
	bool only_cgroups;		/* fire only in the control groups of DT_MAP_CGROUPS and below */
	/* the namespace that process numbers are of, here and in records; 0: the whole system's */
	uint64_t pidns_ino;
	uint32_t pidns_level;		/* how deep it is */
	uint32_t self_pid;
	uint64_t signal_uid;		/* 1 + the user whose processes may be sent signals, 0: everybody's */
	uint32_t page_bits;		/* of a page of memory */
	/* bytes of tables for user stacks without frame pointers; 0: there are no tables */
	uint64_t unwind_size;
	/* walltimestamp = timestamp + this: CLOCK_REALTIME - CLOCK_MONOTONIC, ns */
	int64_t wall_offset;
	const struct dt_machine *machine;	/* the one the programs will run on */
	/*
	 * The offset of a member in a kernel struct ("task_struct", "se.vruntime"); path NULL: the struct's
	 * size. DT_KOFF_NONE: there is no such member. It is asked only for what the programs use. NULL: no
	 * member is known.
	 */
	uint32_t (*member)(void *ctx, const char *tag, const char *path);
	void *member_ctx;
	const struct dt_features *feat;
	const struct dt_enabling *errors;	/* clauses on dtrace:::ERROR */
	uint32_t nerrors;
};

static inline uint32_t dt_kmember(const struct dt_image_opts *o, const char *tag, const char *path)
{
	return o->member ? o->member(o->member_ctx, tag, path) : DT_KOFF_NONE;
}

/* ---- out ---- */

enum { DT_CONTAINERS_MAX = 16384, DT_CONTAINER_KEY = 64, DT_CONTAINER_NAME = 120, DT_CGROUPS_MAX = 16 };

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
	DT_MAP_FAMILY,		/* process -> struct dt_kin: all descendants of the roots */
	DT_MAP_CONTAINERS,	/* id of a container -> struct dt_container_name; filled while tracing */
	DT_MAP_CGROUPS,		/* those that are traced: DT_CGROUPS_MAX struct dt_cgroup, id 0 ends them */
	/* bpf/unwind.h; filled while tracing */
	DT_MAP_UNWIND_ROWS, DT_MAP_UNWIND_RULES, DT_MAP_UNWIND_MAPS, DT_MAP_UNWIND_KEYS,
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
	enum dt_image_ctx ctx;
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
 * How a clause's record is laid out in a ring buffer, after struct dt_rechdr. A clause that records nothing
 * (only aggregations, assignments) sends no record; the default action sends the header alone. Bytes behind
 * a string's NUL are not defined.
 */
struct dt_recfield { uint32_t off, size; };		/* size 0: the action records nothing */
/*
 * A field for each action of the ECB. moment: where the record of a clause that shows or empties
 * aggregations says which generation of them it means, as 64 bits (generation.c); 0: it does not.
 */
struct dt_reclayout { uint32_t size; uint32_t probe_id; uint32_t moment; const struct dt_recfield *field; };

/* An aggregation: its key bytes (fields in key order) and its data words. */
struct dt_agglayout {
	uint32_t id;			/* dt_aggvar.id */
	uint16_t kind;
	uint64_t arg;
	const char *name;
	/* keysize 0: no keys, the words are in cells */
	uint32_t keysize, nkeys, nwords;
	uint32_t mapkey;		/* bytes of a key in the maps: the keys and a word (DT_GEN_…) */
	uint32_t group;			/* whose maps hold it */
	uint32_t member;		/* with keys: which of the group's aggregations it is */
	uint32_t base;			/* without: where in a cell its words begin */
	/* words in a buffer for each CPU: the data as the kernel keeps it, maybe one more */
	uint32_t cpuwords;
	/* the index of a word that is not 0 once this CPU has updated the element */
	uint32_t seen;
	const struct dt_recfield *key;
	const struct dt_act *const *key_act;	/* an action that makes each key: what it is (string, …) */
	/* key k is stored as the probe id: 1 + DT_PART_* (probeprov …), 0 no */
	uint8_t *key_probe;
	const struct dt_act *(*key_int)[4];	/* of an integer key: the first use of each size, 1 2 4 8 */
};

/*
 * What key k of an element is, and how many bytes it has. When uses of an aggregation have integers of
 * different sizes there ("mixed"), the key has 8 bytes and a word behind them with the size, so that each
 * element keeps its own.
 */
const struct dt_act *dt_agg_keyact(
    const struct dt_agglayout *, uint32_t k, const uint8_t *key, uint32_t *len);
bool dt_agg_keymixed(const struct dt_agglayout *, uint32_t k);

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
	struct dt_reclayout *recs;	/* by epid - 1 */
	uint32_t nrecs;
	struct dt_agglayout *aggs;
	uint32_t naggs;
	struct dt_varlayout *vars;	/* globals and self-> that code uses */
	uint32_t nvars;
	const void *btf;		/* one BTF blob for maps and programs, to be loaded first */
	uint32_t btflen;
	uint32_t only_cpu;		/* of the options */
	enum dt_policy policy;		/* of the options */
	/* words of speculations behind the control block; 0: there are none */
	uint32_t nspec;
	uint32_t room;			/* bytes for records in each CPU's buffer */
	uint32_t ngroups;		/* of aggregations that share maps */
};

/* ---- shared with the kernel side: the code in src/bpf writes these, src/consume reads them ---- */

/*
 * The header of a record. It is short: 24 bytes more cost a record 50 ns (Neoverse N1, bench/trace.sh), since
 * its memory is not in the cache.
 */
struct dt_rechdr { uint32_t epid; uint16_t cpu; uint16_t spec; uint64_t time; };
/* epid values above this are not clauses but news from the kernel side. */
#define DT_REC_NEWS 0xffff0000u
#define DT_REC_FAULT (DT_REC_NEWS + 1)	/* struct dt_recfault follows the header */
/* action: index from 0, -1 the predicate; offset: 4 * DIF pc, -1 while recording */
struct dt_recfault {
	uint32_t epid, probe_id;
	int32_t action;
	int32_t offset;
	uint32_t fault;
	uint32_t pad;
	uint64_t addr;
};
#define DT_REC_COMMIT (DT_REC_NEWS + 2)	/* speculation header.spec ended; its word follows the header */
#define DT_REC_DISCARD (DT_REC_NEWS + 3)

/*
 * A speculation's word: one of these, and above it the generation. A record whose header names a speculation
 * begins with the word it was made under. When the news of an end had no room, the state stays in the word
 * until the reader makes it NEXT, which is FREE of the next generation.
 */
enum dt_specstate {
	DT_SPEC_FREE,
	DT_SPEC_ACTIVE,
	DT_SPEC_COMMITTED,
	DT_SPEC_DISCARDED,
	DT_SPEC_NEXT,
	DT_SPEC_STATE = 3
};

/* Bytes from the beginning of the control block to the words of speculations: other cache lines. */
#define DT_CONTROL_SPECS 256

struct dt_container_name { uint64_t len; char text[DT_CONTAINER_NAME]; };	/* len: with the NUL */
struct dt_cgroup { uint64_t id, level; };	/* level: how many directories are above it */
struct dt_kin { uint64_t root, alive; };	/* root: its place in ROOTS, from 1 */
/*
 * Generations of aggregations. Everything that one firing adds belongs to the generation that it reads when
 * it begins (control.gen), so that a snapshot has all of it or nothing. A printa(), clear() or trunc()
 * closes the generation at its own moment, and so does the reader (dt_session_take()), who also changes the
 * side: programs write to the hashes of one side while those of the other are read. Bit 0 of the word is the
 * side; the number is above it. In the last word of a key the low bits of both stand above the aggregation's
 * place in its group and the CPU.
 */
#define DT_GEN_NEXT 2ull		/* added to the word: the next generation, on the same side */
#define DT_GEN_FIRST DT_GEN_NEXT	/* so that 0 is no generation */
#define DT_GEN_CPU_BITS 13
#define DT_GEN_MEMBER_BITS 7
#define DT_GEN_SHIFT (DT_GEN_CPU_BITS + DT_GEN_MEMBER_BITS)
#define DT_GEN_MEMBERS (1u << DT_GEN_MEMBER_BITS)
#define DT_GEN_KEY_BITS (32 - DT_GEN_SHIFT - 1)	/* of the number that a key has */
#define DT_GEN_LIMIT 1000		/* far less than these bits tell apart */

/*
 * stopped: no clause runs; filled: a buffer of policy fill is full. exited and status are set together, as
 * one word of 64 bits. followed: how many members of the family are alive.
 */
struct dt_control {
	uint32_t stopped, filled;
	uint32_t exited; int32_t status;
	int64_t followed;
	uint64_t gen;			/* the generation that firings add to now */
	uint64_t taken;			/* the number of the first one that was not read yet */
};
struct dt_chill { uint64_t since, sum; };	/* ns that chill() took since then */
struct dt_drops {
	uint64_t principal, aggregation, dynamic, speculative, spec_busy, spec_unavail, slot, dblerror;
	uint64_t agg_memory;		/* new elements that the kernel had no memory at hand for */
	uint64_t moment;		/* printa(), clear() or trunc() that could not close a generation */
};

/*
 * The buffer of policy ring, where the newest records take the place of the oldest: `size` bytes, a power of
 * two, and behind them as much as the longest record needs, so that none is cut. Positions only grow; the low
 * bits of a position say where the record is: struct dt_overrec, the record, its whole length again as a word
 * of 64 bits. A record is intact as long as head - pos <= size.
 */
struct dt_over { uint64_t head, pad[7]; };
struct dt_overrec { uint64_t pos; uint32_t len; uint32_t gone; };	/* gone: given back */
static inline uint32_t dt_over_total(uint32_t size)
{
	return (uint32_t)sizeof(struct dt_overrec) + ((size + 7) & ~7u) + 8;
}
/* BEGIN, END and ERROR are the first probes; exit() ends neither END nor ERROR. */
enum { DT_PROBE_BEGIN = 1, DT_PROBE_END, DT_PROBE_ERROR };
/*
 * How many actions of a clause have run, judged by a record of it: those behind exit() in another arm of an
 * if have not.
 */
uint32_t dt_rec_acts(const struct dt_ecb *, const struct dt_reclayout *, const uint8_t *data);
uint32_t dt_agg_takes(const struct dt_agglayout *);	/* what an element takes of aggsize */
/* false: only aggregations, assignments and the like; it sends no records */
bool dt_ecb_records(const struct dt_ecb *);
/* How many bytes of the image's room a record of the clause takes; 0: it sends none. */
uint32_t dt_image_takes(const struct dt_image *, const struct dt_ecb *, uint32_t epid);

/*
 * 0, or -errno; -ENOTSUP comes with a sentence in msg that names the D line and the limit. The image owns its
 * arena: dt_image_free().
 */
int dt_image_build(const struct dt_image_opts *, const struct dt_prog *const *progs, uint32_t nprogs,
    const struct dt_image_hook *hooks, uint32_t nhooks, struct dt_image **, char *msg, size_t msglen);
void dt_image_free(struct dt_image *);
/*
 * From one CPU's words of an element as the kernel keeps them (cpuwords of them; min and max are kept so that
 * 0 is "nothing yet") to the nwords that the aggregating function knows. False: this CPU has not updated the
 * element.
 */
bool dt_agg_decode(const struct dt_agglayout *, const int64_t *cpuwords, int64_t *words);
/* The instructions as text, for people and tests. */
void dt_image_dump(const struct dt_image *, void (*put)(void *, const char *), void *ctx);

#endif
