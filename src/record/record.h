/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an engine writes and a consumer reads: records and their headers, faults, the words of aggregations,
 * control words, drops, states of speculations. An engine is whatever runs programs (engine/engine.h); code
 * that it generates writes these structs, so their layouts are asserted in record.c.
 */
#ifndef DT_RECORD_RECORD_H
#define DT_RECORD_RECORD_H

#include "dif/dif.h"

#include <stddef.h>

/* When a buffer is full, new records are lost; or recording ends on all CPUs; or the oldest make room. */
enum dt_policy { DT_POLICY_SWITCH, DT_POLICY_FILL, DT_POLICY_RING };

#define DT_STRSIZE_MAX 65536u
#define DT_NSPEC_MAX 128u		/* as many are looked at in a row */

/* ---- layouts, which an engine chooses when it takes the programs ---- */

/*
 * How a clause's record is laid out in a ring buffer, after struct dt_rechdr. A clause that records nothing
 * (only aggregations, assignments) sends no record; the default action sends the header alone. Bytes after
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
	bool plain;			/* words are kept as the aggregating function knows them */
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
 * different sizes there ("mixed"), the key has 8 bytes and a word after them with the size, so that each
 * element keeps its own.
 */
const struct dt_act *dt_agg_keyact(
    const struct dt_agglayout *, uint32_t k, const uint8_t *key, uint32_t *len);
bool dt_agg_keymixed(const struct dt_agglayout *, uint32_t k);

/* All layouts of an engine's programs. */
struct dt_layouts {
	struct dt_reclayout *recs;	/* by epid - 1 */
	uint32_t nrecs;
	struct dt_agglayout *aggs;
	uint32_t naggs;
	enum dt_policy policy;		/* of the options */
	uint32_t nspec;			/* words of speculations after the control block; 0 none */
	uint32_t room;			/* bytes for records in each CPU's buffer */
	uint32_t overhead;		/* bytes of the buffer that a record takes besides itself */
	uint32_t largest_variable;	/* what the largest dynamic variable takes of dynvarsize; 0 none */
};

/* ---- records, as an engine writes them and a consumer reads them ---- */

/*
 * The header of a record. It is short: 24 bytes more cost a record 50 ns (Neoverse N1, bench/trace.sh), since
 * its memory is not in the cache.
 */
struct dt_rechdr { uint32_t epid; uint16_t cpu; uint16_t spec; uint64_t time; };
/* epid values above this are control records of the engine, not clauses. */
#define DT_REC_CONTROL 0xffff0000u
#define DT_REC_FAULT (DT_REC_CONTROL + 1)	/* struct dt_recfault follows the header */
/* action: index from 0, -1 the predicate; offset: 4 * DIF pc, -1 while recording */
struct dt_recfault {
	uint32_t epid, probe_id;
	int32_t action;
	int32_t offset;
	uint32_t fault;
	uint32_t pad;
	uint64_t addr;
};
#define DT_REC_COMMIT (DT_REC_CONTROL + 2)	/* speculation header.spec ended; its word follows */
#define DT_REC_DISCARD (DT_REC_CONTROL + 3)

/*
 * A speculation's word: one of these, and above it the generation. A record whose header names a speculation
 * begins with the word it was made under. When the record of an end had no room, the state stays in the word
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
struct dt_drops {
	uint64_t principal, aggregation, dynamic, speculative, spec_busy, spec_unavail, slot, dblerror;
	uint64_t agg_memory;		/* new elements that the kernel had no memory at hand for */
	uint64_t moment;		/* printa(), clear() or trunc() that could not close a generation */
	uint64_t sample;		/* of profile-n, in an engine that takes samples of processes */
};

/*
 * The buffer of policy ring, where the newest records take the place of the oldest: `size` bytes, a power of
 * two, and after them as much as the longest record needs, so that none is cut. Positions only grow; the low
 * bits of a position say where the record is: struct dt_overrec, the record, its whole length again as a word
 * of 64 bits. A record is intact as long as head - pos <= size.
 */
struct dt_over { uint64_t head, pad[7]; };
struct dt_overrec { uint64_t pos; uint32_t len; uint32_t gone; };	/* gone: given back */
static inline uint32_t dt_over_total(uint32_t size)
{
	return (uint32_t)sizeof(struct dt_overrec) + ((size + 7) & ~7u) + 8;
}
/*
 * over.c: passes the records of a copied buffer to f, oldest first, from position *seen on, and moves
 * *seen. len: bytes of the copy, `room` of which wrap. A non-zero value of f ends it and is returned; a
 * record for which it is negative stays.
 */
typedef int dt_over_f(void *ctx, const void *rec, size_t len);
int dt_over_records(
    const struct dt_over *copy, uint64_t len, uint64_t room, uint64_t *seen, dt_over_f *, void *ctx);
/* BEGIN, END and ERROR are the first probes; exit() ends neither END nor ERROR. */
enum { DT_PROBE_BEGIN = 1, DT_PROBE_END, DT_PROBE_ERROR };
/*
 * How many actions of a clause have run, judged by a record of it: those after exit() in another arm of an
 * if have not.
 */
uint32_t dt_rec_acts(const struct dt_ecb *, const struct dt_reclayout *, const uint8_t *data);
uint32_t dt_agg_takes(const struct dt_agglayout *);	/* what an element takes of aggsize */
bool dt_act_recorded(const struct dt_act *);	/* has a field, or tells that it ran */
/* false: only aggregations, assignments and the like; it sends no records */
bool dt_ecb_records(const struct dt_ecb *);
/* How many bytes of the room a record of the clause takes; 0: it sends none. */
uint32_t dt_layouts_takes(const struct dt_layouts *, const struct dt_ecb *, uint32_t epid);

/*
 * From one CPU's words of an element as the kernel keeps them (cpuwords of them; min and max are kept so that
 * 0 is "nothing yet") to the nwords that the aggregating function knows. False: this CPU has not updated the
 * element.
 */
bool dt_agg_decode(const struct dt_agglayout *, const int64_t *cpuwords, int64_t *words);

#endif
