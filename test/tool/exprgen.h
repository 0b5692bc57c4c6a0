/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What exprgen.c makes its expressions of: variables of every type and storage, operators, literals, and the
 * C functions that say what each operator does in 64 bits.
 */
#ifndef EXPRGEN_H
#define EXPRGEN_H

#include <stdbool.h>
#include <stddef.h>

#define NVARS (sizeof(var) / sizeof(var[0]))

struct var {
	const char *type, *d, *c;	/* declared type, name in D, in C */
	unsigned bits;
	bool is_signed, bitfield;
};

static const struct var var[] = {
	{ "char", "gc", "gc", 8, true, false }, { "signed char", "gsc", "gsc", 8, true, false },
	{ "unsigned char", "guc", "guc", 8, false, false }, { "short", "gs", "gs", 16, true, false },
	{ "unsigned short", "gus", "gus", 16, false, false }, { "int", "gi", "gi", 32, true, false },
	{ "unsigned int", "gu", "gu", 32, false, false }, { "long", "gl", "gl", 64, true, false },
	{ "unsigned long", "gul", "gul", 64, false, false }, { "long long", "gll", "gll", 64, true, false },
	{ "unsigned long long", "gull", "gull", 64, false, false }, { "_Bool", "gb", "gb", 1, false, false },
	{ "enum e", "ge", "ge", 32, true, false }, { "int64_t", "gi64", "gi64", 64, true, false },
	{ "uint32_t", "gu32", "gu32", 32, false, false }, { "int8_t", "self->i8", "si8", 8, true, false },
	{ "short", "self->s", "ss", 16, true, false }, { "int", "self->i", "si", 32, true, false },
	{ "unsigned int", "self->u", "su", 32, false, false }, { "long", "self->l", "sl", 64, true, false },
	{ "unsigned char", "this->uc", "tuc", 8, false, false },
	{ "uint16_t", "this->us", "tus", 16, false, false }, { "int", "this->i", "ti", 32, true, false },
	{ "unsigned int", "this->u", "tu", 32, false, false },
	{ "unsigned long", "this->ul", "tul", 64, false, false },
	{ "char", "this->p->c", "p->c", 8, true, false }, { "short", "this->p->s", "p->s", 16, true, false },
	{ "unsigned int", "this->p->u", "p->u", 32, false, false },
	{ "long", "this->p->l", "p->l", 64, true, false }, { "int", "this->p->b3", "p->b3", 3, true, true },
	{ "unsigned int", "this->p->b5", "p->b5", 5, false, true },
	{ "int", "this->p->b20", "p->b20", 20, true, true },
	{ "unsigned int", "this->p->b31", "p->b31", 31, false, true },
	{ "int", "this->p->a[1]", "p->a[1]", 32, true, false },
	{ "unsigned short", "arr[1,\"x\"]", "arr", 16, false, false },
	{ "long", "self->ar[2]", "sar", 64, true, false },
};

static const char *const declarations =
	"enum e { MINUS = -1, NONE, ONE };\n"
	"struct s { char c; short s; unsigned u; long l; int b3:3; unsigned b5:5; int b20:20; unsigned "
	    "b31:31; int a[2]; };\n";

static const char *const c_head =
	"#include <stdint.h>\n#include <stdio.h>\ntypedef uint64_t u; typedef int64_t s;\n"
	"static u NEG(u a) { return -a; }\nstatic u NOT(u a) { return ~a; }\n"
	    "static u TRUTH(u a) { return !a; }\nstatic u PLUS(u a) { return a; }\n"
	"static u MUL(u a, u b) { return a * b; }\nstatic u ADD(u a, u b) { return a + b; }\n"
	    "static u SUB(u a, u b) { return a - b; }\n"
	"static u AND(u a, u b) { return a & b; }\nstatic u OR(u a, u b) { return a | b; }\n"
	    "static u XOR(u a, u b) { return a ^ b; }\n"
	"static u DIVs(u a, u b) { return b == -1ull ? -a : (u)((s)a / (s)b); }\n"
	    "static u DIVu(u a, u b) { return a / b; }\n"
	"static u MODs(u a, u b) { return b == -1ull ? 0 : (u)((s)a % (s)b); }\n"
	    "static u MODu(u a, u b) { return a % b; }\n"
	"static u SHL(u a, u b) { return a << (b & 63); }\n"
	"static u SHRs(u a, u b) { return (u)((s)a >> (b & 63)); }\n"
	    "static u SHRu(u a, u b) { return a >> (b & 63); }\n"
	"static u LTs(u a, u b) { return (s)a < (s)b; }\nstatic u LTu(u a, u b) { return a < b; }\n"
	"static u LEs(u a, u b) { return (s)a <= (s)b; }\nstatic u LEu(u a, u b) { return a <= b; }\n"
	"static u EQ(u a, u b) { return a == b; }\nstatic u NE(u a, u b) { return a != b; }\n"
	"static u LAND(u a, u b) { return a && b; }\nstatic u LOR(u a, u b) { return a || b; }\n"
	    "static u LXOR(u a, u b) { return !a != !b; }\n"
	"static u COMMA(u a, u b) { return b; }\nstatic u COND(u a, u b, u c) { return a ? b : c; }\n"
	"static u CUTs(u a, int n) { return (u)((s)(a << (64 - n)) >> (64 - n)); }\n"
	"static u CUTu(u a, int n) { return a << (64 - n) >> (64 - n); }\n"
	    "static u BOOL(u a) { return a != 0; }\n";

enum kind { LEAF, LITERAL, UNARY, CAST, BINARY, COND };

struct op {
	enum kind kind;
	int prec;
	const char *d, *c;	/* c: the function */
	bool by_sign;		/* which has two forms */
	bool swapped;		/* and takes its operands the other way round */
};

static const struct op ops[] = {
	{ UNARY, 14, "-", "NEG", 0, 0 }, { UNARY, 14, "~", "NOT", 0, 0 }, { UNARY, 14, "!", "TRUTH", 0, 0 },
	{ UNARY, 14, "+", "PLUS", 0, 0 }, { CAST, 14, NULL, NULL, 0, 0 }, { CAST, 14, NULL, NULL, 0, 0 },
	{ BINARY, 13, "*", "MUL", 0, 0 }, { BINARY, 13, "*", "MUL", 0, 0 },
	{ BINARY, 13, "/", "DIV", 1, 0 }, { BINARY, 13, "%", "MOD", 1, 0 }, { BINARY, 12, "+", "ADD", 0, 0 },
	{ BINARY, 12, "-", "SUB", 0, 0 }, { BINARY, 11, "<<", "SHL", 0, 0 },
	{ BINARY, 11, ">>", "SHR", 1, 0 }, { BINARY, 10, "<", "LT", 1, 0 }, { BINARY, 10, "<=", "LE", 1, 0 },
	{ BINARY, 10, ">", "LT", 1, 1 }, { BINARY, 10, ">=", "LE", 1, 1 }, { BINARY, 9, "==", "EQ", 0, 0 },
	{ BINARY, 9, "!=", "NE", 0, 0 }, { BINARY, 8, "&", "AND", 0, 0 }, { BINARY, 7, "^", "XOR", 0, 0 },
	{ BINARY, 6, "|", "OR", 0, 0 }, { BINARY, 5, "&&", "LAND", 0, 0 },
	{ BINARY, 4, "^^", "LXOR", 0, 0 }, { BINARY, 3, "||", "LOR", 0, 0 }, { COND, 2, NULL, "COND", 0, 0 },
	{ COND, 2, NULL, "COND", 0, 0 }, { BINARY, 0, ",", "COMMA", 0, 0 },
};
#define NOPS (sizeof(ops) / sizeof(ops[0]))

struct type { unsigned bits; bool is_signed; };	/* bits 1: _Bool */

static const struct { const char *text; struct type type; } literals[] = {
	{ "0", { 32, 1 } }, { "1", { 32, 1 } }, { "2", { 32, 1 } }, { "7", { 32, 1 } }, { "0177", { 32, 1 } },
	{ "0x7f", { 32, 1 } }, { "128", { 32, 1 } }, { "255", { 32, 1 } }, { "32767", { 32, 1 } },
	{ "0x8000", { 32, 1 } }, { "65535", { 32, 1 } }, { "2147483647", { 32, 1 } },
	{ "2147483648", { 64, 1 } }, { "0x7fffffff", { 32, 1 } }, { "0x80000000", { 32, 0 } },
	{ "0xffffffff", { 32, 0 } }, { "4294967295", { 64, 1 } }, { "4294967296", { 64, 1 } },
	{ "037777777777", { 32, 0 } }, { "1u", { 32, 0 } }, { "0U", { 32, 0 } }, { "4294967295u", { 32, 0 } },
	{ "1l", { 64, 1 } }, { "3L", { 64, 1 } }, { "0x80000000L", { 64, 1 } }, { "1ul", { 64, 0 } },
	{ "0xffffffffUL", { 64, 0 } }, { "5ll", { 64, 1 } }, { "9223372036854775807", { 64, 1 } },
	{ "0x8000000000000000", { 64, 0 } }, { "0xffffffffffffffff", { 64, 0 } },
	{ "18446744073709551615ull", { 64, 0 } }, { "01777777777777777777777", { 64, 0 } },
	{ "'a'", { 32, 1 } }, { "'\\n'", { 32, 1 } }, { "'\\0'", { 32, 1 } }, { "MINUS", { 32, 1 } },
	{ "ONE", { 32, 1 } }, { "1000000000", { 32, 1 } },
};
#define NLITERALS (sizeof(literals) / sizeof(literals[0]))

#endif
