/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where trampolines go. They have done
 *
 *	lea rsp, [rsp - 128 - DT_FIRING_SIZE]; mov [rsp + 80], rax; rax = site; jmp [rax]
 *
 * and go on at site->back, where they take rax and rsp back. All else is saved here and is the same at the
 * end, the flags too. C code keeps rbx, rbp and r12 to r15 and has no use for vector registers
 * (-mgeneral-regs-only). popfq is slow (20 cycles), so the flags that arithmetic sets are restored by sahf
 * and an addition; popfq is only used where others are set that C code must not have: DF, AC, TF.
 */
	.set	SPECIAL, 0x40500	/* AC, DF, TF */
	.set	OVERFLOW, 11		/* the bit of OF */

	.text
	.balign	64
	.global	dt_agent_entry
	.hidden	dt_agent_entry
	.type	dt_agent_entry, @function
dt_agent_entry:
	movq	%r15, (%rsp)
	movq	%r14, 8(%rsp)
	movq	%r13, 16(%rsp)
	movq	%r12, 24(%rsp)
	movq	%rbp, 32(%rsp)
	movq	%rbx, 40(%rsp)
	movq	%r11, 48(%rsp)
	movq	%r10, 56(%rsp)
	movq	%r9, 64(%rsp)
	movq	%r8, 72(%rsp)
	movq	%rcx, 88(%rsp)
	movq	%rdx, 96(%rsp)
	movq	%rsi, 104(%rsp)
	movq	%rdi, 112(%rsp)
	pushfq
	popq	%rcx
	movq	%rcx, 144(%rsp)
	movq	$-1, 120(%rsp)
	movq	24(%rax), %rdx
	movq	%rdx, 128(%rsp)
	movq	$0x33, 136(%rsp)
	leaq	528(%rsp), %rdx
	movq	%rdx, 152(%rsp)
	movq	$0x2b, 160(%rsp)
	movq	%rax, 320(%rsp)
	movq	%rsp, %rdi
	movq	%rax, %rsi
	movq	%rsp, %rbx
	andq	$-16, %rsp
	testl	$SPECIAL, %ecx
	jnz	.Lclear
.Lfire:
	call	dt_agent_fire
	movq	%rbx, %rsp
	movq	144(%rsp), %rcx
	testl	$SPECIAL, %ecx
	jnz	.Lspecial
	movl	%ecx, %eax
	shll	$8, %eax
	shrl	$OVERFLOW, %ecx
	andl	$1, %ecx
	movb	%cl, %al
	addb	$127, %al
	sahf
.Lback:
	movq	40(%rsp), %rbx
	movq	48(%rsp), %r11
	movq	56(%rsp), %r10
	movq	64(%rsp), %r9
	movq	72(%rsp), %r8
	movq	88(%rsp), %rcx
	movq	96(%rsp), %rdx
	movq	104(%rsp), %rsi
	movq	112(%rsp), %rdi
	movq	320(%rsp), %rax
	jmpq	*8(%rax)

.Lclear:
	pushq	$2
	popfq
	jmp	.Lfire
.Lspecial:
	pushq	%rcx
	popfq
	jmp	.Lback
	.size	dt_agent_entry, . - dt_agent_entry

/*
 * The same for programs that read no registers and run on this stack: what C code may change is saved, and
 * the flags that arithmetic sets, without pushfq. Nothing that runs here uses DF (string instructions),
 * memory that is not aligned (AC), or a vector register, so it needs neither other flags nor an aligned
 * stack.
 */
	.balign	64
	.global	dt_agent_entry_bare
	.hidden	dt_agent_entry_bare
	.type	dt_agent_entry_bare, @function
dt_agent_entry_bare:
	movq	%rsi, 104(%rsp)
	movq	%rax, %rsi
	movq	%rax, 320(%rsp)
	lahf
	seto	%al
	movq	%rdi, 112(%rsp)
	movq	%rdx, 96(%rsp)
	movq	%rcx, 88(%rsp)
	movq	%r8, 72(%rsp)
	movq	%r9, 64(%rsp)
	movq	%r10, 56(%rsp)
	movq	%r11, 48(%rsp)
	movq	%rax, 144(%rsp)
	movq	%rsp, %rdi
	call	dt_agent_fire_bare
	movq	144(%rsp), %rax
	movq	104(%rsp), %rsi
	movq	96(%rsp), %rdx
	movq	88(%rsp), %rcx
	movq	72(%rsp), %r8
	movq	64(%rsp), %r9
	movq	56(%rsp), %r10
	movq	48(%rsp), %r11
	addb	$127, %al
	sahf
	movq	112(%rsp), %rdi
	movq	320(%rsp), %rax
	jmpq	*8(%rax)
	.size	dt_agent_entry_bare, . - dt_agent_entry_bare

/* dt_agent_calls(rdi firing, rsi calls, rdx the end of a stack): runs them on it; the last one's value. */
	.balign	64
	.global	dt_agent_calls
	.hidden	dt_agent_calls
	.type	dt_agent_calls, @function
dt_agent_calls:
	pushq	%rbp
	pushq	%rbx
	pushq	%r12
	movq	%rsp, %rbp
	movq	%rdi, %rbx
	movq	%rsi, %r12
	movq	%rdx, %rsp
	jmp	2f
1:	movq	8(%r12), %rcx
	movq	%rcx, 352(%rbx)
	addq	$16, %r12
	movq	%rbx, %rdi
	movq	%rbx, %r9
	call	*%rdx
2:	movq	(%r12), %rdx
	testq	%rdx, %rdx
	jnz	1b
	movq	%rbp, %rsp
	popq	%r12
	popq	%rbx
	popq	%rbp
	ret
	.size	dt_agent_calls, . - dt_agent_calls

	.section .note.GNU-stack, "", @progbits
