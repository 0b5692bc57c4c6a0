/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hostile_names: a static probe whose provider is "ev", ESC, "[2Jil" and whose name is "pro", newline,
 * "be", C1, and a byte that is no UTF-8; it fires once, after getppid(2). With an argument it then sleeps
 * until it is killed.
 */
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static void fire(void)
{
	syscall(SYS_getppid);
	__asm__ volatile("990: nop\n"
			 ".pushsection .note.stapsdt,\"\",\"note\"\n"
			 ".balign 4\n"
			 ".4byte 8, 992f - 991f, 3\n"
			 ".asciz \"stapsdt\"\n"
			 "991: .8byte 990b, _.stapsdt.base, 0\n"
			 ".asciz \"ev\\033[2Jil\"\n"
			 ".asciz \"pro\\nbe\\302\\233\\377\"\n"
			 ".asciz \"\"\n"
			 "992: .balign 4\n"
			 ".popsection\n"
			 ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"
			 ".weak _.stapsdt.base\n"
			 ".hidden _.stapsdt.base\n"
			 "_.stapsdt.base: .space 1\n"
			 ".size _.stapsdt.base, 1\n"
			 ".popsection\n");
}

int main(int argc, char **argv)
{
	(void)argv;
	fire();
	if (argc > 1) {
		puts("ready");
		fflush(stdout);
		pause();
	}
	return 0;
}
