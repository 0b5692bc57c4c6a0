/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where trampolines go. They have done
 *
 *	sub sp, sp, #128 + DT_FIRING_SIZE; stp x16, x17, [sp, #128]; x16 = site; ldr x17, [x16]; br x17
 *
 * and go on at site->back, where they take x16, x17 and sp back. All else is saved here and is the same at
 * the end: x0 to x30 and NZCV. C code keeps x19 to x29, has no use for vector registers
 * (-mgeneral-regs-only), and leaves x18 (shadow call stacks) and x28 (a goroutine, which signal handlers of
 * Go look for) alone.
 */
	.text
	.balign	64
	.global	dt_agent_entry
	.hidden	dt_agent_entry
	.type	dt_agent_entry, %function
dt_agent_entry:
	stp	x0, x1, [sp]
	stp	x2, x3, [sp, #16]
	stp	x4, x5, [sp, #32]
	stp	x6, x7, [sp, #48]
	mrs	x17, nzcv
	stp	x8, x9, [sp, #64]
	stp	x10, x11, [sp, #80]
	stp	x12, x13, [sp, #96]
	stp	x14, x15, [sp, #112]
	stp	x18, x19, [sp, #144]
	stp	x20, x21, [sp, #160]
	add	x0, sp, #528
	stp	x22, x23, [sp, #176]
	stp	x24, x25, [sp, #192]
	ldr	x1, [x16, #24]
	stp	x26, x27, [sp, #208]
	stp	x28, x29, [sp, #224]
	stp	x30, x0, [sp, #240]
	stp	x1, x17, [sp, #256]
	str	x16, [sp, #320]
	mov	x0, sp
	mov	x1, x16
	bl	dt_agent_fire
	ldr	x16, [sp, #320]
	ldr	x17, [sp, #264]
	ldp	x0, x1, [sp]
	ldp	x2, x3, [sp, #16]
	msr	nzcv, x17
	ldr	x17, [x16, #8]
	ldp	x4, x5, [sp, #32]
	ldp	x6, x7, [sp, #48]
	ldp	x8, x9, [sp, #64]
	ldp	x10, x11, [sp, #80]
	ldp	x12, x13, [sp, #96]
	ldp	x14, x15, [sp, #112]
	ldr	x18, [sp, #144]
	ldr	x30, [sp, #240]
	br	x17
	.size	dt_agent_entry, . - dt_agent_entry

/* The same for programs that read no registers and run on this stack: saves what C code may change. */
	.balign	64
	.global	dt_agent_entry_bare
	.hidden	dt_agent_entry_bare
	.type	dt_agent_entry_bare, %function
dt_agent_entry_bare:
	stp	x0, x1, [sp]
	stp	x2, x3, [sp, #16]
	mrs	x17, nzcv
	stp	x4, x5, [sp, #32]
	stp	x6, x7, [sp, #48]
	stp	x8, x9, [sp, #64]
	stp	x10, x11, [sp, #80]
	stp	x12, x13, [sp, #96]
	stp	x14, x15, [sp, #112]
	stp	x30, x17, [sp, #240]
	str	x16, [sp, #320]
	mov	x0, sp
	mov	x1, x16
	bl	dt_agent_fire_bare
	ldp	x30, x17, [sp, #240]
	ldr	x16, [sp, #320]
	ldp	x2, x3, [sp, #16]
	ldp	x4, x5, [sp, #32]
	msr	nzcv, x17
	ldr	x17, [x16, #8]
	ldp	x6, x7, [sp, #48]
	ldp	x8, x9, [sp, #64]
	ldp	x10, x11, [sp, #80]
	ldp	x12, x13, [sp, #96]
	ldp	x14, x15, [sp, #112]
	ldp	x0, x1, [sp]
	br	x17
	.size	dt_agent_entry_bare, . - dt_agent_entry_bare

/* dt_agent_calls(x0 firing, x1 calls, x2 the end of a stack): runs them on it; the last one's value. */
	.balign	64
	.global	dt_agent_calls
	.hidden	dt_agent_calls
	.type	dt_agent_calls, %function
dt_agent_calls:
	stp	x29, x30, [sp, #-32]!
	stp	x19, x20, [sp, #16]
	mov	x29, sp
	mov	x19, x0
	mov	x20, x1
	mov	sp, x2
	b	2f
1:	str	x7, [x19, #352]
	mov	x0, x19
	mov	x5, x19
	blr	x6
2:	ldp	x6, x7, [x20], #16
	cbnz	x6, 1b
	mov	sp, x29
	ldp	x19, x20, [sp, #16]
	ldp	x29, x30, [sp], #32
	ret
	.size	dt_agent_calls, . - dt_agent_calls

	.section .note.GNU-stack, "", %progbits
