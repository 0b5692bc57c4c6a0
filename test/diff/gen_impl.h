/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the generator share: gen.c numbers, statements and clauses, gen_string.c strings,
 * gen_object.c structs and memory, gen_integer.c the integer rule.
 */
#ifndef DT_GEN_IMPL_H
#define DT_GEN_IMPL_H

#include "gen.h"

#include <stdbool.h>
#include <stdio.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MAX_DEPTH 4

struct gen {
	uint64_t seed;
	FILE *f;
	int depth;
	bool memory;		/* this->p is good in this clause */
	bool bytes;		/* this->q, 32 bytes that end in a NUL, too */
	bool faults;		/* this program may fault often */
	bool plain;		/* the clause may aggregate: it does not speculate */
};

uint32_t gen_pick(struct gen *, uint32_t below);
void gen_put(struct gen *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#define ONE(g, list) list[gen_pick(g, COUNT(list))]

void gen_number(struct gen *);
/* (type)(number) & mask: keys are small, so that they meet again */
void gen_small(struct gen *, const char *type, unsigned mask);

/* gen_string.c */
extern const char *const gen_string_declarations;
void gen_string(struct gen *);
void gen_string_array(struct gen *);	/* an element that is a string */
void gen_of_string(struct gen *);	/* a number */
const char *gen_text(struct gen *);	/* a literal */
const char *gen_string_var(struct gen *);
void gen_string_words(struct gen *);	/* statements that record what is in them */

/* gen_integer.c */
extern const char *const gen_integer_declarations;
void gen_integer_clause(struct gen *);	/* clauses that record GEN_BROKEN if the integer rule is broken */

/* gen_object.c */
extern const char *const gen_object_declarations;
void gen_member(struct gen *);		/* of a struct variable: an lvalue */
void gen_string_member(struct gen *);	/* a string in a struct variable: an lvalue */
void gen_of_object(struct gen *);	/* a number from a translator or inline */
void gen_memory(struct gen *);		/* statements at the start of a clause: this->p, this->q */
void gen_object_statement(struct gen *);
void gen_object_words(struct gen *);

#endif
