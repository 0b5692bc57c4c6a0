/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vectors: functions whose first instruction is of AVX, and has an opcode that means a branch, a call or
 * a return without the prefix of AVX: Linux takes some for these when a uprobe is there. Each gives its
 * own result, and all are printed in a line; vector_none() is a return and nothing else, and is not
 * called; "none" where the processor or the machine has no AVX.
 */
#include <stdio.h>

#ifdef __x86_64__
#define FUNCTION(name, insn) \
	".globl " name "\n.type " name ", @function\n" name ":\n\t" insn "\n\tret\n" \
	".size " name ", .-" name "\n"

__asm__(".text\n"
    FUNCTION("vector_70", "vpshufd $0, %xmm1, %xmm0")
    FUNCTION("vector_74", "vpcmpeqb %xmm1, %xmm0, %xmm0")
    FUNCTION("vector_7f", "vmovdqu %xmm1, -40(%rsp)\n\tvmovdqu -40(%rsp), %xmm0")
    FUNCTION("vector_6f", "vmovdqa %xmm1, %xmm0")
    FUNCTION("vector_c2", "vcmpeqps %xmm1, %xmm0, %xmm0")
    FUNCTION("vector_e8", "vpsubsb %xmm1, %xmm0, %xmm0")
    FUNCTION("vector_e9", "vpsubsw %xmm1, %xmm0, %xmm0")
    FUNCTION("vector_eb", "vpor %xmm1, %xmm0, %xmm0")
    FUNCTION("vector_ea", "vpminsw %xmm1, %xmm0, %xmm0")
    FUNCTION("vector_fe", "vpaddd %xmm1, %xmm0, %xmm0")
    FUNCTION("vector_none", "")
    ".type on_vectors, @function\n"
    "on_vectors:\n\tvmovd %edi, %xmm0\n\tvmovd %esi, %xmm1\n\tcall *%rdx\n\tvmovd %xmm0, %eax\n\tret\n"
    ".size on_vectors, .-on_vectors\n");

int on_vectors(int a, int b, void (*f)(void));
void vector_70(void), vector_74(void), vector_7f(void), vector_6f(void), vector_c2(void), vector_e8(void);
void vector_e9(void), vector_eb(void), vector_ea(void), vector_fe(void);

int main(void)
{
	static void (*const f[])(void) = { vector_70, vector_74, vector_7f, vector_6f, vector_c2, vector_e8,
		vector_e9, vector_eb, vector_ea, vector_fe };

	if (!__builtin_cpu_supports("avx")) {
		puts("none");
		return 0;
	}
	for (unsigned i = 0; i < sizeof(f) / sizeof(f[0]); i++) {
		printf("%x ", (unsigned)on_vectors(0x10305, 0x21304, f[i]));
		fflush(stdout);
	}
	puts("");
	return 7;
}
#else
int main(void)
{
	puts("none");
	return 0;
}
#endif
