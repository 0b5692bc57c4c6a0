/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DIF, the seam of the whole: instructions, DIF objects and the programs made of them. Nothing
 * above knows eBPF, nothing below knows D. Everything here is data and immutable once made.
 * Facts: the instruction set is DTrace's documented one (doc/DIF.md).
 */
#ifndef DT_DIF_DIF_H
#define DT_DIF_DIF_H

#include "base/source.h"

#include <stdbool.h>
#include <stdint.h>

#define DT_DIF_VERSION 2
#define DT_DIF_NREGS 8
#define DT_DIF_NTREGS 8
#define DT_DIF_MAXTEXT 65536u		/* instructions in one DIFO; more is refused */

enum dt_difop {
#define X(num, name, form, text) DT_DIF_##name = num,
#include "dif/opcodes.def"
#undef X
};

/* Layouts of an instruction word; the disassembler, validator and assembler go by these. */
enum dt_difform {
	DT_FORM_RRR,	/* op r1, r2, rd */
	DT_FORM_RR,	/* op r1, rd: not mov allocs */
	DT_FORM_CMP,	/* op r1, r2 */
	DT_FORM_TST,	/* op r1 */
	DT_FORM_BR,	/* op label */
	DT_FORM_LD,	/* op [r1], rd */
	DT_FORM_ST,	/* op r1, [rd] */
	DT_FORM_RET,	/* op rd */
	DT_FORM_NONE,	/* op */
	DT_FORM_SETX, DT_FORM_SETS,	/* op index, rd */
	DT_FORM_LDA,	/* op var, ri, rd */
	DT_FORM_STA,	/* stga var, ri, rs */
	DT_FORM_LDV,	/* op var, rd */
	DT_FORM_STV,	/* op rs, var */
	DT_FORM_CALL,	/* op subr, rd */
	DT_FORM_PUSHTR, DT_FORM_PUSHTV,
	DT_FORM_XL,	/* op index, rd */
};

/* Making and taking apart instruction words. */
static inline uint32_t dt_dif_fmt(unsigned op, unsigned r1, unsigned r2, unsigned rd)
{
	return (uint32_t)op << 24 | (r1 & 0xff) << 16 | (r2 & 0xff) << 8 | (rd & 0xff);
}
static inline uint32_t dt_dif_fmt16(unsigned op, unsigned v, unsigned r)
{
	return (uint32_t)op << 24 | (v & 0xffff) << 8 | (r & 0xff);
}
static inline uint32_t dt_dif_fmt24(unsigned op, uint32_t label)
{
	return (uint32_t)op << 24 | (label & 0xffffff);
}
static inline unsigned dt_dif_op(uint32_t i) { return i >> 24; }
static inline unsigned dt_dif_r1(uint32_t i) { return i >> 16 & 0xff; }
static inline unsigned dt_dif_r2(uint32_t i) { return i >> 8 & 0xff; }
static inline unsigned dt_dif_rd(uint32_t i) { return i & 0xff; }
static inline unsigned dt_dif_v16(uint32_t i) { return i >> 8 & 0xffff; }
static inline uint32_t dt_dif_label(uint32_t i) { return i & 0xffffff; }

/* Variable id ranges. */
enum {
	DT_VAR_ARRAY_MAX = 0x7f,	/* built-in arrays 0 … 0x7f */
	DT_VAR_SCALAR_MIN = 0x100, DT_VAR_USER_MIN = 0x500, DT_VAR_USER_MAX = 0xfffe,
};

/* Built-in variables: DT_VAR_pid. Their rows: dif/builtin.h. */
enum dt_var_id {
#define X(name, id) DT_VAR_##name = id,
#include "dif/vars.def"
#undef X
};

/* Subroutines, as the call instruction numbers them: DT_SUBR_strlen. */
enum dt_subr_id {
#define X(name, number) DT_SUBR_##name = number,
#include "dif/subrs.def"
#undef X
};

/* A value's type as DIF knows it (doc/DIF.md, Types). */
enum { DT_DT_CTF = 0, DT_DT_STRING = 1 };		/* kind */
enum { DT_DTF_REF = 1, DT_DTF_USERREF = 2 };		/* flags */
enum { DT_CK_UNKNOWN, DT_CK_INTEGER, DT_CK_FLOAT, DT_CK_POINTER, DT_CK_ARRAY, DT_CK_FUNCTION, DT_CK_STRUCT,
	DT_CK_UNION, DT_CK_ENUM, DT_CK_FORWARD, DT_CK_TYPEDEF, DT_CK_VOLATILE, DT_CK_CONST, DT_CK_RESTRICT };
struct dt_diftype {
	/* is_signed: our use of the pad byte; 1 for signed integers */
	uint8_t kind, ckind, flags, is_signed;
	uint32_t size;
};

enum { DT_DIFV_ARRAY = 0, DT_DIFV_SCALAR = 1 };		/* kind */
enum { DT_DIFV_GLOBAL = 0, DT_DIFV_THREAD = 1, DT_DIFV_LOCAL = 2 };	/* scope, = enum dt_scope */
enum { DT_DIFV_REF = 1, DT_DIFV_MOD = 2 };		/* flags: read, written */
struct dt_difv {
	const char *name;
	uint32_t id;
	uint8_t kind, scope;
	uint16_t flags;
	struct dt_diftype type;
};

/*
 * Which entry of the integer table is the address of a kernel symbol. The compiler has filled it in; code
 * that loads a saved program looks it up again, as it changes with every boot (src/handle/program.c).
 */
struct dt_difreloc {
	uint32_t index;			/* in ints */
	const char *name;		/* "vmlinux`jiffies" */
	uint64_t addend;
};

struct dt_difo {
	const uint32_t *text;
	uint32_t ntext;
	const uint64_t *ints;
	uint32_t nints;
	const char *strs;		/* offset 0 is "" ; ends in NUL */
	uint32_t strlen;
	/* every variable used, in listing order: thread, global, local; by id, then name */
	const struct dt_difv *vars;
	uint32_t nvars;
	const struct dt_difreloc *relocs;
	uint32_t nrelocs;
	struct dt_diftype rtype;
	bool destructive;		/* copyout, copyoutstr, stga */
	const struct dt_loc *locs;	/* ntext places in the D text, or NULL (loaded from DOF) */
};

/* ---- programs ---- */

enum dt_actkind {
	DT_ACT_LIBACT = 5,	/* which one: enum dt_libact */
#define X(name, number, ...) DT_ACT_##name = number,
#define L(...)
#include "dif/acts.def"
#include "dif/aggs.def"
#undef X
#undef L
};
#define DT_ACT_CLASS(k) ((k) & 0xff00)
#define DT_ACT_IS_DESTRUCTIVE(k) (DT_ACT_CLASS(k) == 0x200 || DT_ACT_CLASS(k) == 0x500)
#define DT_ACT_IS_AGG(k) (DT_ACT_CLASS(k) == 0x700)

enum dt_libact {		/* arg of a LIBACT */
#define X(...)
#define L(name, number, ...) DT_LIB_##name = number,
#include "dif/acts.def"
#undef X
#undef L
};

/*
 * Of some kinds there is more to say. SKIPZ is an if: the DIFO's value (recorded as one byte, 0 or 1)
 * says whether the next `arg` actions run. An else is a second SKIPZ. Skips only go forward and nest;
 * consumers skip the records of skipped actions. PRINT: fmt is the type's name. TRACEMEM_DYNSIZE stands
 * before its TRACEMEM: how many of the bytes to show.
 */

struct dt_type;

/*
 * One action of a clause. Statements with several values (printf arguments, aggregation keys) are several
 * actions in a row that share `stmt`; doc/DIF.md tells how each D statement maps.
 */
struct dt_act {
	uint16_t kind;			/* enum dt_actkind */
	/* aggregating action: how many actions before it belong to its tuple */
	uint16_t ntuple;
	uint32_t stmt;			/* number of the statement in its program, from 1 */
	const struct dt_difo *difo;	/* NULL where the action needs none (count, stack …) */
	/* kind-specific (encoded lquantize parameters, frames, enum dt_libact …) */
	uint64_t arg;
	/*
	 * format string of printf/printa/system/freopen, type of print(); on the first action; else
	 * NULL
	 */
	const char *fmt;
	/*
	 * of print(), which may have no name that is known everywhere; NULL: a program from a file, fmt
	 * names it
	 */
	const struct dt_type *type;
	bool in_tuple;			/* aggregation key or argument: not a record of its own */
	struct dt_loc loc;
};

struct dt_attr { uint8_t name, data, cls; };	/* stability levels 0-7, class 0-5 (doc/DIF.md, Stability) */

struct dt_probedesc {			/* "" where left out; id non-zero: by number */
	const char *prov, *mod, *func, *name;
	uint32_t id;
};

struct dt_ecb {				/* one clause on one probe description */
	struct dt_probedesc probe;
	const struct dt_difo *pred;	/* or NULL */
	const struct dt_act *acts;	/* none: the default action */
	uint32_t nacts;
	struct dt_attr descattr, stmtattr;
	struct dt_loc loc;
};

/* Whether one piece of code can serve both: they are of one clause and differ in their probes alone. */
bool dt_ecb_same_code(const struct dt_ecb *, const struct dt_ecb *);

/* The default action: a clause of no actions, or of speculate() alone, records the firing itself. */
static inline bool dt_ecb_is_default(const struct dt_ecb *e)
{
	return e->nacts == 0 || (e->nacts == 1 && e->acts[0].kind == DT_ACT_SPECULATE);
}

/*
 * Where exit() is concerned the arms of an if are clauses of their own, as is what stands before,
 * between and after them: does one begin with this action?
 */
static inline bool dt_ecb_part(const struct dt_ecb *e, uint32_t act)
{
	for (uint32_t i = 0; i < act; i++) {
		if (e->acts[i].kind == DT_ACT_SKIPZ && (i + 1 == act || i + 1 + e->acts[i].arg == act))
			return true;
	}
	return false;
}

/* An aggregation the program uses, so that consumers know its name and function. */
struct dt_aggvar {
	const char *name;		/* without @ */
	uint32_t id;			/* from 1, in order of first appearance */
	uint16_t kind;			/* DT_ACT_COUNT … */
	uint64_t arg;			/* lquantize/llquantize parameters */
	uint32_t nkeys;
};

struct dt_prog {
	struct dt_arena *arena;		/* owns everything below */
	const struct dt_ecb *ecbs;
	uint32_t necbs;
	const struct dt_aggvar *aggs;
	uint32_t naggs;
	bool destructive;
	struct dt_attr descattr, stmtattr;	/* minimum over the program */
	/* options set by #pragma D option in this program, name then value ("" none) */
	const char *const *options;
	/* pairs: options[2 * i] is a name, options[2 * i + 1] its value */
	uint32_t noptions;
	/* the kernel whose structs it was compiled for, as uname(2) gives it; NULL: not known */
	const char *release, *version;
};

/* ---- faults ---- */

enum dt_fault { /* doc/DIF.md, Faults */
	DT_FLT_NONE,
	DT_FLT_BADADDR,
	DT_FLT_BADALIGN,
	DT_FLT_ILLOP,
	DT_FLT_DIVZERO,
	DT_FLT_NOSCRATCH,
	DT_FLT_KPRIV,
	DT_FLT_UPRIV,
	DT_FLT_TUPOFLOW,
	DT_FLT_BADSTACK,
	DT_FLT_BADSIZE,
	DT_FLT_BADINDEX,
};
const char *dt_fault_text(int fault);	/* "invalid address" … */

/* ---- operations (assembler in asm.h) ---- */

/* Does the description name the probe? Globs, `kernel` for vmlinux; an empty part is anything. */
bool dt_probe_match(const struct dt_probedesc *desc, const struct dt_probedesc *probe);

const char *dt_difop_name(unsigned op);		/* "ldgs", NULL if unknown */
int dt_difop_form(unsigned op);			/* enum dt_difform, -1 if unknown */

/*
 * The -S listing of one DIFO, exact historic layout (doc/DIF.md, Listing); `put` gets whole lines with their
 * newline.
 */
void dt_difo_list(const struct dt_difo *, void (*put)(void *, const char *), void *ctx);

/*
 * Checks a DIFO before anything runs it (doc/DIF.md, What is checked). Returns 0, or -EINVAL with a
 * message "[pc]: what is wrong" in msg. A DIFO that passes ends, touches only what it declares, and can
 * be run by any executor.
 */
int dt_difo_check(const struct dt_difo *, char *msg, size_t len);
/* A whole program: each DIFO, skips, tuples, the action arguments. */
int dt_prog_check(const struct dt_prog *, char *msg, size_t len);

/*
 * DOF. Write: malloc'ed bytes. Read: a program in its own arena, checked; -EINVAL with a message.
 * dof_write(dof_read(x)) == x.
 */
int dt_dof_write(const struct dt_prog *, void **data, size_t *len);
int dt_dof_read(const void *data, size_t len, struct dt_prog **, char *msg, size_t msglen);
void dt_prog_free(struct dt_prog *);

#endif
