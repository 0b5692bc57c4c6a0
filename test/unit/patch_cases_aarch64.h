/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of aarch64 for patch_run_test.c: one for each class of instruction that a patch displaces. All
 * are one block of code, which the test copies to memory of its own. case NAME, HITS: how often the place
 * NAME_site is passed in a call; -1: it must be refused. Then the entry that stands for the agent's, and a
 * call with all registers.
 */
#ifndef PATCH_CASES_AARCH64_H
#define PATCH_CASES_AARCH64_H

enum { NREGS = 31, NVECTORS = 16 };

__asm__(
	".macro case name, hits=1\n"
	".balign 8\n\\name:\n"
	".pushsection .data\n"
	"8: .string \"\\name\"\n.org 8b + 32\n"
	".quad \\name - patch_block, \\name\\()_site - patch_block, \\name\\()_end - patch_block, \\hits\n"
	".popsection\n.endm\n"
	".pushsection .data\n.balign 8\n.globl patch_cases\npatch_cases:\n.popsection\n"

	".text\n.balign 16\n.globl patch_block, patch_block_end\npatch_block:\n"
	/* x1: where it was called from */
	"helper: mov x1, x30\n add x0, x0, #3\n ret\n"
	"tail: add x0, x0, #5\n mov x1, x30\n ret\n"
	".balign 16\nliteral: .quad 0x8123456789abcdef, 0xfedcba9876543210\n"
	"case entry\nentry_site: stp x29, x30, [sp, #-16]!\n add x0, x0, x1\n ldp x29, x30, [sp], #16\n ret\n"
	"entry_end:\n"
	"case alu\n mov x3, x1\nalu_site: adds x0, x0, x1, lsl #3\n adc x2, x2, x3\n ret\nalu_end:\n"
	"case plain_b\n mov x3, x1\nplain_b_site: b 1f\n mov x0, #1\n1: ret\nplain_b_end:\n"
	"case back_b\n b 2f\n1: add x0, x0, #1\n ret\n2: add x0, x0, #2\nback_b_site: b 1b\nback_b_end:\n"
	"case call\n stp x29, x30, [sp, #-16]!\ncall_site: bl helper\n ldp x29, x30, [sp], #16\n ret\n"
	"call_end:\n"
	"case tailcall\n mov x4, x30\ntailcall_site: b tail\ntailcall_end:\n"
	"case by_lt\n cmp x0, x1\nby_lt_site: b.lt 1f\n mov x2, #1\n ret\n1: mov x2, #2\n ret\nby_lt_end:\n"
	"case by_eq\n cmp w0, w0\nby_eq_site: b.eq 1f\n mov x2, #1\n ret\n1: mov x2, #2\n ret\nby_eq_end:\n"
	"case by_cbz\n and x3, x0, #1\nby_cbz_site: cbz x3, 1f\n mov x2, #1\n ret\n1: mov x2, #2\n ret\n"
	"by_cbz_end:\n"
	"case by_cbnz\n and w3, w0, #2\nby_cbnz_site: cbnz w3, 1f\n mov x2, #1\n ret\n1: mov x2, #2\n ret\n"
	"by_cbnz_end:\n"
	"case by_tbz\nby_tbz_site: tbz w0, #3, 1f\n mov x2, #1\n ret\n1: mov x2, #2\n ret\nby_tbz_end:\n"
	"case by_tbnz\nby_tbnz_site: tbnz x0, #40, 1f\n mov x2, #1\n ret\n1: mov x2, #2\n ret\nby_tbnz_end:\n"
	"case loop, 5\n mov x3, #5\n1: add x0, x0, x1\nloop_site: sub x3, x3, #1\n cbnz x3, 1b\n ret\n"
	"loop_end:\n"
	"case address\naddress_site: adr x3, literal\n ldr x4, [x3]\n ret\naddress_end:\n"
	"case address_odd\naddress_odd_site: adr x3, literal + 3\n ret\naddress_odd_end:\n"
	"case page\npage_site: adrp x3, literal\n add x3, x3, #1\n ret\npage_end:\n"
	"case load_w\nload_w_site: ldr w3, literal\n ret\nload_w_end:\n"
	"case load_x\nload_x_site: ldr x16, literal\n ret\nload_x_end:\n"
	"case load_sw\nload_sw_site: ldrsw x3, literal\n ret\nload_sw_end:\n"
	"case load_s\nload_s_site: ldr s1, literal\n ret\nload_s_end:\n"
	"case load_d\nload_d_site: ldr d2, literal\n ret\nload_d_end:\n"
	"case load_q\nload_q_site: ldr q3, literal\n ret\nload_q_end:\n"
	"case prefetch\nprefetch_site: prfm pldl1keep, literal\n ret\nprefetch_end:\n"
	"case blr_x3\n stp x29, x30, [sp, #-16]!\n adr x3, helper\nblr_x3_site: blr x3\n"
	" ldp x29, x30, [sp], #16\n ret\n"
	"blr_x3_end:\n"
	"case blr_x16\n stp x29, x30, [sp, #-16]!\n adr x16, helper\nblr_x16_site: blr x16\n"
	" ldp x29, x30, [sp], #16\n"
	" ret\nblr_x16_end:\n"
	"case br_x17\n adr x17, tail\nbr_x17_site: br x17\nbr_x17_end:\n"
	"case br_x3\n adr x3, tail\nbr_x3_site: br x3\nbr_x3_end:\n"
	"case return\n add x0, x0, #1\nreturn_site: ret\nreturn_end:\n"
	"case return_x3\n mov x3, x30\nreturn_x3_site: ret x3\nreturn_x3_end:\n"
	"case return_only\nreturn_only_site: ret\nreturn_only_end:\n"
	"case syscall\n mov x8, #172\nsyscall_site: svc #0\n ret\nsyscall_end:\n"
	"case nothing\n add x0, x0, #1\nnothing_site: nop\n ret\nnothing_end:\n"
	"case pad\npad_site: hint #34\n add x0, x0, #1\n ret\npad_end:\n"
	"case pad_branch\npad_branch_site: hint #34\n cbz x0, 1f\n add x0, x0, #1\n1: ret\npad_branch_end:\n"
	"case signed_entry\nsigned_entry_site: hint #25\n stp x29, x30, [sp, #-16]!\n bl helper\n"
	" ldp x29, x30, [sp], #16\n"
	" hint #29\n ret\nsigned_entry_end:\n"
	"case signed_later\n add x0, x0, #1\nsigned_later_site: hint #25\n hint #29\n ret\n"
	"signed_later_end:\n"
	"case flags\n cmp x0, x1\nflags_site: mrs x3, nzcv\n ret\nflags_end:\n"
	"case thread\nthread_site: mrs x3, tpidr_el0\n ret\nthread_end:\n"
	"case stack\n sub sp, sp, #32\n str x0, [sp, #8]\nstack_site: ldr x3, [sp, #8]\n add sp, sp, #32\n"
	" ret\nstack_end:\n"
	"case vector\nvector_site: add v1.16b, v1.16b, v2.16b\n ret\nvector_end:\n"
	"case lock_free\n sub sp, sp, #16\n mov x4, sp\n str x0, [x4]\n1: ldxr x3, [x4]\n add x3, x3, #1\n"
	" stxr w5, x3, [x4]\n"
	"lock_free_site: cbnz w5, 1b\n add sp, sp, #16\n ret\nlock_free_end:\n"

	"case in_exclusive, -1\n sub sp, sp, #16\n mov x4, sp\n1: ldaxr x3, [x4]\n"
	"in_exclusive_site: add x3, x3, #1\n"
	" stlxr w5, x3, [x4]\n cbnz w5, 1b\n add sp, sp, #16\n ret\nin_exclusive_end:\n"
	"case at_exclusive, -1\nat_exclusive_site: ldxp x3, x4, [x0]\n stxp w5, x3, x4, [x0]\n ret\n"
	"at_exclusive_end:\n"
	"case at_store, -1\n ldxrb w3, [x0]\nat_store_site: stxrb w5, w3, [x0]\n ret\nat_store_end:\n"
	"case trap, -1\ntrap_site: brk #1\n ret\ntrap_end:\n"
	"case undefined, -1\nundefined_site: .word 0\n ret\nundefined_end:\n"
	"case blr_link, -1\n mov x3, x30\nblr_link_site: blr x30\n ret x3\nblr_link_end:\n"
	"case pad_loop, -1\npad_loop_site: hint #34\n1: sub x0, x0, #1\n cbnz x0, 1b\n ret\npad_loop_end:\n"
	"case pad_only, -1\npad_only_site: hint #34\npad_only_end:\n"
	"case new_branch, -1\nnew_branch_site: .word 0x74000001\n ret\nnew_branch_end:\n"
	".balign 8\npatch_block_end:\n"
	".pushsection .data\n.globl patch_cases_end\npatch_cases_end:\n.popsection\n"

	/*
	 * registers as struct pt_regs has them, a count and a copy of them in the site, and back; see
	 * agent.h
	 */
	".globl patch_entry\npatch_entry:\n"
	" stp x0, x1, [sp]\n stp x2, x3, [sp, #16]\n stp x4, x5, [sp, #32]\n stp x6, x7, [sp, #48]\n"
	" stp x8, x9, [sp, #64]\n stp x10, x11, [sp, #80]\n stp x12, x13, [sp, #96]\n"
	" stp x14, x15, [sp, #112]\n"
	" stp x18, x19, [sp, #144]\n stp x20, x21, [sp, #160]\n stp x22, x23, [sp, #176]\n"
	" stp x24, x25, [sp, #192]\n"
	" stp x26, x27, [sp, #208]\n stp x28, x29, [sp, #224]\n add x17, sp, #528\n"
	" stp x30, x17, [sp, #240]\n"
	" mrs x17, nzcv\n str x17, [sp, #264]\n ldr x17, [x16, #24]\n str x17, [sp, #256]\n"
	" ldr x0, [x16, #56]\n add x0, x0, #1\n str x0, [x16, #56]\n mov x1, #34\n add x2, x16, #64\n"
	" mov x3, sp\n"
	"1: ldr x4, [x3], #8\n str x4, [x2], #8\n subs x1, x1, #1\n b.ne 1b\n"
	" ldr x17, [sp, #264]\n msr nzcv, x17\n ldp x0, x1, [sp]\n ldp x2, x3, [sp, #16]\n"
	" ldr x4, [sp, #32]\n"
	" ldr x17, [x16, #8]\n br x17\n"

	/* void patch_call(const struct state *in, struct state *out, void *f): x18 is free on Linux */
	".globl patch_call\npatch_call:\n"
	" stp x29, x30, [sp, #-128]!\n mov x29, sp\n stp x19, x20, [sp, #16]\n stp x21, x22, [sp, #32]\n"
	" stp x23, x24, [sp, #48]\n stp x25, x26, [sp, #64]\n stp x27, x28, [sp, #80]\n"
	" stp x1, x17, [sp, #96]\n"
	" mov x18, x2\n mov x16, x0\n ldr x17, [x16, #256]\n msr nzcv, x17\n"
	" ldp q0, q1, [x16, #272]\n ldp q2, q3, [x16, #304]\n"
	" ldp x0, x1, [x16]\n ldp x2, x3, [x16, #16]\n ldp x4, x5, [x16, #32]\n ldp x6, x7, [x16, #48]\n"
	" ldp x8, x9, [x16, #64]\n ldp x10, x11, [x16, #80]\n ldp x12, x13, [x16, #96]\n"
	" ldp x14, x15, [x16, #112]\n"
	" ldr x19, [x16, #152]\n ldp x20, x21, [x16, #160]\n ldp x22, x23, [x16, #176]\n"
	" ldp x24, x25, [x16, #192]\n"
	" ldp x26, x27, [x16, #208]\n ldr x28, [x16, #224]\n ldp x16, x17, [x16, #128]\n blr x18\n"
	" str x17, [sp, #104]\n ldr x17, [sp, #96]\n stp x0, x1, [x17]\n stp x2, x3, [x17, #16]\n"
	" stp x4, x5, [x17, #32]\n stp x6, x7, [x17, #48]\n stp x8, x9, [x17, #64]\n"
	" stp x10, x11, [x17, #80]\n"
	" stp x12, x13, [x17, #96]\n stp x14, x15, [x17, #112]\n ldr x1, [sp, #104]\n"
	" stp x16, x1, [x17, #128]\n"
	" stp x18, x19, [x17, #144]\n stp x20, x21, [x17, #160]\n stp x22, x23, [x17, #176]\n"
	" stp x24, x25, [x17, #192]\n stp x26, x27, [x17, #208]\n stp x28, x29, [x17, #224]\n mov x1, sp\n"
	" stp x30, x1, [x17, #240]\n mrs x1, nzcv\n str x1, [x17, #256]\n stp q0, q1, [x17, #272]\n"
	" stp q2, q3, [x17, #304]\n ldp x19, x20, [sp, #16]\n ldp x21, x22, [sp, #32]\n"
	" ldp x23, x24, [sp, #48]\n"
	" ldp x25, x26, [sp, #64]\n ldp x27, x28, [sp, #80]\n ldp x29, x30, [sp], #128\n ret\n"
);

/* word of the flags, in bits that instructions give a meaning */
static const uint64_t flag_bits = 0xf0000000;

#endif
