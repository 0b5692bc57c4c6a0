/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Facts about opcodes, from opcodes.def: a number comes in, mnemonic and form go out. Both tables are
 * indexed by opcode and have holes where there is no instruction.
 */
#include "dif/dif.h"
#include "base/count.h"

/* In lower case, as in listings; the preprocessor cannot derive these from the names in opcodes.def. */
static const char *const names[] = {
	[DT_DIF_OR] = "or",
	[DT_DIF_XOR] = "xor",
	[DT_DIF_AND] = "and",
	[DT_DIF_SLL] = "sll",
	[DT_DIF_SRL] = "srl",
	[DT_DIF_SUB] = "sub",
	[DT_DIF_ADD] = "add",
	[DT_DIF_MUL] = "mul",
	[DT_DIF_SDIV] = "sdiv",
	[DT_DIF_UDIV] = "udiv",
	[DT_DIF_SREM] = "srem",
	[DT_DIF_UREM] = "urem",
	[DT_DIF_NOT] = "not",
	[DT_DIF_MOV] = "mov",
	[DT_DIF_CMP] = "cmp",
	[DT_DIF_TST] = "tst",
	[DT_DIF_BA] = "ba",
	[DT_DIF_BE] = "be",
	[DT_DIF_BNE] = "bne",
	[DT_DIF_BG] = "bg",
	[DT_DIF_BGU] = "bgu",
	[DT_DIF_BGE] = "bge",
	[DT_DIF_BGEU] = "bgeu",
	[DT_DIF_BL] = "bl",
	[DT_DIF_BLU] = "blu",
	[DT_DIF_BLE] = "ble",
	[DT_DIF_BLEU] = "bleu",
	[DT_DIF_LDSB] = "ldsb",
	[DT_DIF_LDSH] = "ldsh",
	[DT_DIF_LDSW] = "ldsw",
	[DT_DIF_LDUB] = "ldub",
	[DT_DIF_LDUH] = "lduh",
	[DT_DIF_LDUW] = "lduw",
	[DT_DIF_LDX] = "ldx",
	[DT_DIF_RET] = "ret",
	[DT_DIF_NOP] = "nop",
	[DT_DIF_SETX] = "setx",
	[DT_DIF_SETS] = "sets",
	[DT_DIF_SCMP] = "scmp",
	[DT_DIF_LDGA] = "ldga",
	[DT_DIF_LDGS] = "ldgs",
	[DT_DIF_STGS] = "stgs",
	[DT_DIF_LDTA] = "ldta",
	[DT_DIF_LDTS] = "ldts",
	[DT_DIF_STTS] = "stts",
	[DT_DIF_SRA] = "sra",
	[DT_DIF_CALL] = "call",
	[DT_DIF_PUSHTR] = "pushtr",
	[DT_DIF_PUSHTV] = "pushtv",
	[DT_DIF_POPTS] = "popts",
	[DT_DIF_FLUSHTS] = "flushts",
	[DT_DIF_LDGAA] = "ldgaa",
	[DT_DIF_LDTAA] = "ldtaa",
	[DT_DIF_STGAA] = "stgaa",
	[DT_DIF_STTAA] = "sttaa",
	[DT_DIF_LDLS] = "ldls",
	[DT_DIF_STLS] = "stls",
	[DT_DIF_ALLOCS] = "allocs",
	[DT_DIF_COPYS] = "copys",
	[DT_DIF_STB] = "stb",
	[DT_DIF_STH] = "sth",
	[DT_DIF_STW] = "stw",
	[DT_DIF_STX] = "stx",
	[DT_DIF_ULDSB] = "uldsb",
	[DT_DIF_ULDSH] = "uldsh",
	[DT_DIF_ULDSW] = "uldsw",
	[DT_DIF_ULDUB] = "uldub",
	[DT_DIF_ULDUH] = "ulduh",
	[DT_DIF_ULDUW] = "ulduw",
	[DT_DIF_ULDX] = "uldx",
	[DT_DIF_RLDSB] = "rldsb",
	[DT_DIF_RLDSH] = "rldsh",
	[DT_DIF_RLDSW] = "rldsw",
	[DT_DIF_RLDUB] = "rldub",
	[DT_DIF_RLDUH] = "rlduh",
	[DT_DIF_RLDUW] = "rlduw",
	[DT_DIF_RLDX] = "rldx",
	[DT_DIF_XLATE] = "xlate",
	[DT_DIF_XLARG] = "xlarg",
	[DT_DIF_STGA] = "stga",
};

static const int8_t forms[] = {		/* form + 1, 0: no such opcode */
#define X(num, name, form, text) [num] = DT_FORM_##form + 1,
#include "dif/opcodes.def"
#undef X
};

const char *dt_difop_name(unsigned op)
{
	return op < DT_COUNT(names) ? names[op] : NULL;
}

/* -1: no such opcode, which holes in the table are too. */
int dt_difop_form(unsigned op)
{
	return op < sizeof(forms) ? forms[op] - 1 : -1;
}
