/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private to src/lang/lang_hotspot*.c: what a HotSpot JVM says about itself, which code it has made, and
 * which methods are in that. All of it is hostile: each word is checked where it is used, each loop is
 * bounded, and a question reads so many pages and no more.
 */
#ifndef DT_LANG_LANG_HOTSPOT_H
#define DT_LANG_LANG_HOTSPOT_H

#include "lang/lang.h"

/* ---- memory of a process, by pages, which are read once for one question ---- */

enum { DT_PEEK_PAGE = 4096, DT_PEEK_PAGES = 64, DT_PEEK_GROUP = 4 };
struct dt_peek {
	const struct dt_lang_process *process;
	unsigned left;			/* reads that the question still has */
	uint64_t page[DT_PEEK_PAGES];	/* which ones are here, + 1; 0: none */
	uint8_t bytes[DT_PEEK_PAGES][DT_PEEK_PAGE];
};
/* NULL: out of memory; free() */
struct dt_peek *dt_peek_new(const struct dt_lang_process *, unsigned reads);
void dt_peek_forget(struct dt_peek *);		/* pages are read anew */
bool dt_peek(struct dt_peek *, uint64_t addr, void *to, size_t n);	/* all of it, or false */
uint64_t dt_peek_word(struct dt_peek *, uint64_t addr);		/* 0: it cannot be read */
/* Up to its NUL, cut at size - 1 */
bool dt_peek_text(struct dt_peek *, uint64_t addr, char *to, size_t size);

/* ---- the JVM ---- */

enum dt_hs_field {
#define FIELD(id, type, name) DT_HS_F_##id,
#include "lang/lang_hotspot.def"
	DT_HS_FIELDS
};
#define DT_HS_NONE UINT64_MAX

struct dt_hs_heap { uint64_t low, high, segmap; };

/* of: offsets of members, addresses of statics, sizes of types; those that this JVM has not are DT_HS_NONE */
struct dt_hs_vm {
	uint64_t of[DT_HS_FIELDS];
	uint8_t width[DT_HS_FIELDS];	/* bytes of a member */
	bool pointers;			/* places in code are addresses; newer JVMs count from the blob */
	bool excludes_zero;		/* compressed numbers have no byte 0 (JDK 20 and later) */
	unsigned segment_bits;
	uint64_t interp, interp_end, call_stub;
	struct dt_hs_heap heap[DT_HS_WALK_HEAPS];	/* of code; low 0: none */
};

/* lang_hotspot_vm.c: 0; -EAGAIN: it is still starting; -ENOTSUP: it says too little; -ENOMEM */
int dt_hs_learn(struct dt_hs_vm *, struct dt_peek *, const uint64_t symbol[DT_LANG_SYMBOLS]);
extern const char *const dt_hs_symbols[];

static inline bool dt_hs_has(const struct dt_hs_vm *vm, enum dt_hs_field f)
{
	return vm->of[f] != DT_HS_NONE;
}

/* A member of the struct at an address, as wide as it is; 0: it is not there. */
uint64_t dt_hs_get(const struct dt_hs_vm *, struct dt_peek *, uint64_t at, enum dt_hs_field);

/* ---- code (lang_hotspot_code.c) ---- */

/* A place in a method. bci -1: not known */
struct dt_hs_place { uint64_t method; int bci; };
enum { DT_HS_INLINED = 64 };
/*
 * The methods at a pc of compiled code, innermost first; 0: not known, or the code has another compile_id
 * now. `exact`: the pc is an instruction and not a return address.
 */
uint32_t dt_hs_inlined(const struct dt_hs_vm *, struct dt_peek *, uint64_t pc, uint32_t compile_id,
    bool exact, struct dt_hs_place *, uint32_t most);
/* The name of a blob that is no method ("StubRoutines (1)"); false: it is one, or none is there. */
bool dt_hs_stub(const struct dt_hs_vm *, struct dt_peek *, uint64_t pc, char *name, size_t size);
/* A compressed number (UNSIGNED5) of the bytes from *at to end */
uint32_t dt_hs_number(bool excludes_zero, const uint8_t *bytes, size_t *at, size_t end);

/* ---- names (lang_hotspot_names.c) ---- */

enum { DT_HS_TABLE = 4096 };		/* bytes of a table of lines; what is after them is not looked at */
struct dt_hs_name {
	char method[512], file[128];	/* "java.lang.Thread.sleep"; file empty: not known */
	uint8_t lines[DT_HS_TABLE];
	size_t nlines;
};
/* What has to be the same for two methods to be one: mixed of its ConstMethod and the name of its class */
uint64_t dt_hs_key(const struct dt_hs_vm *, struct dt_peek *, uint64_t method);
/* False: there is no such method (any more). */
bool dt_hs_name(const struct dt_hs_vm *, struct dt_peek *, uint64_t method, struct dt_hs_name *);
uint32_t dt_hs_line(bool excludes_zero, const uint8_t *lines, size_t n, int bci);	/* 0: not known */

#endif
