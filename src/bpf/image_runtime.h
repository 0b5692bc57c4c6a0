/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of src/runtime as instructions, embedded when we build (tools/embed-bpf). A call inside
 * them names its target by number in this table, and bpf/image_runtime.c makes a label of it.
 */
#ifndef DT_BPF_IMAGE_RUNTIME_H
#define DT_BPF_IMAGE_RUNTIME_H

#include <linux/bpf.h>
#include <stdint.h>

struct dt_rtfunc {
	const char *name;
	/* calls and function addresses: imm is the target's number in the table */
	const struct bpf_insn *code;	/* NULL: it is long, and packed by zlib */
	const unsigned char *packed;
	uint32_t npacked;
	uint32_t n;			/* instructions */
	/* The constant of this instruction is `imm`: functions that differ only there share their code. */
	uint32_t at;
	int32_t imm;
	/* Instructions and branches that the verifier walks, those of called functions each time */
	uint32_t walked, jumps;
	const uint16_t *refs;		/* the functions that it calls or takes the address of, each time */
	uint32_t nrefs;
};
extern const struct dt_rtfunc dt_rtfuncs[];	/* a row without name ends */

#endif
