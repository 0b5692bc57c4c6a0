/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Indices of uregs[]: the place of a register in the kernel's struct pt_regs, in words. The names that every architecture
 * has choose by the size of that struct (168 bytes on x86-64, 288 on riscv64).
 */

/* x86-64 */
inline int R_R15 = 0;
inline int R_R14 = 1;
inline int R_R13 = 2;
inline int R_R12 = 3;
inline int R_RBP = 4;
inline int R_RBX = 5;
inline int R_R11 = 6;
inline int R_R10 = 7;
inline int R_R9 = 8;
inline int R_R8 = 9;
inline int R_RAX = 10;
inline int R_RCX = 11;
inline int R_RDX = 12;
inline int R_RSI = 13;
inline int R_RDI = 14;
inline int R_TRAPNO = 15;
inline int R_RIP = 16;
inline int R_CS = 17;
inline int R_RFL = 18;
inline int R_RSP = 19;
inline int R_SS = 20;
inline int R_DS = 21;
inline int R_ES = 22;
inline int R_FS = 23;
inline int R_GS = 24;
inline int R_FSBASE = 25;
inline int R_GSBASE = 26;
inline int R_EAX = 10;
inline int R_EBX = 5;
inline int R_ECX = 11;
inline int R_EDX = 12;
inline int R_ESI = 13;
inline int R_EDI = 14;
inline int R_EBP = 4;
inline int R_EIP = 16;
inline int R_EFL = 18;
inline int R_ESP = 19;

/* aarch64 */
inline int R_X0 = 0;
inline int R_X1 = 1;
inline int R_X2 = 2;
inline int R_X3 = 3;
inline int R_X4 = 4;
inline int R_X5 = 5;
inline int R_X6 = 6;
inline int R_X7 = 7;
inline int R_X8 = 8;
inline int R_X9 = 9;
inline int R_X10 = 10;
inline int R_X11 = 11;
inline int R_X12 = 12;
inline int R_X13 = 13;
inline int R_X14 = 14;
inline int R_X15 = 15;
inline int R_X16 = 16;
inline int R_X17 = 17;
inline int R_X18 = 18;
inline int R_X19 = 19;
inline int R_X20 = 20;
inline int R_X21 = 21;
inline int R_X22 = 22;
inline int R_X23 = 23;
inline int R_X24 = 24;
inline int R_X25 = 25;
inline int R_X26 = 26;
inline int R_X27 = 27;
inline int R_X28 = 28;
inline int R_X29 = 29;
inline int R_X30 = 30;
inline int R_LR = 30;
inline int R_PSTATE = 33;

/* riscv64 */
inline int R_EPC = 0;
inline int R_RA = 1;
inline int R_GP = 3;
inline int R_TP = 4;
inline int R_T0 = 5;
inline int R_T1 = 6;
inline int R_T2 = 7;
inline int R_S0 = 8;
inline int R_S1 = 9;
inline int R_A0 = 10;
inline int R_A1 = 11;
inline int R_A2 = 12;
inline int R_A3 = 13;
inline int R_A4 = 14;
inline int R_A5 = 15;
inline int R_A6 = 16;
inline int R_A7 = 17;
inline int R_S2 = 18;
inline int R_S3 = 19;
inline int R_S4 = 20;
inline int R_S5 = 21;
inline int R_S6 = 22;
inline int R_S7 = 23;
inline int R_S8 = 24;
inline int R_S9 = 25;
inline int R_S10 = 26;
inline int R_S11 = 27;
inline int R_T3 = 28;
inline int R_T4 = 29;
inline int R_T5 = 30;
inline int R_T6 = 31;

/* everywhere; riscv64 has no flags: the word of its status */
inline int R_PC = sizeof (struct pt_regs) == 168 ? 16 : sizeof (struct pt_regs) == 288 ? 0 : 32;
inline int R_SP = sizeof (struct pt_regs) == 168 ? 19 : sizeof (struct pt_regs) == 288 ? 2 : 31;
inline int R_FP = sizeof (struct pt_regs) == 168 ? 4 : sizeof (struct pt_regs) == 288 ? 8 : 29;
inline int R_PS = sizeof (struct pt_regs) == 168 ? 18 : sizeof (struct pt_regs) == 288 ? 32 : 33;
inline int R_R0 = sizeof (struct pt_regs) == 168 ? 10 : sizeof (struct pt_regs) == 288 ? 10 : 0;
inline int R_R1 = sizeof (struct pt_regs) == 168 ? 12 : sizeof (struct pt_regs) == 288 ? 11 : 1;

/* At the entry of rt_sigreturn(2), from the stack pointer on: the mask of signals and the result that are restored. */
inline int SIGFRAME_MASK = sizeof (struct pt_regs) == 168 ? 296 : 168;
inline int SIGFRAME_RESULT = sizeof (struct pt_regs) == 168 ? 144 : sizeof (struct pt_regs) == 288 ? 384 : 312;
