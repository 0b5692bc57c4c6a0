/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hostile_names: a static probe whose provider is "ev", ESC, "[2Jil" and whose name is "pro", newline,
 * "be", C1, and a byte that is no UTF-8; it fires once, after getppid(2). With an argument it then sleeps
 * until it is killed. The probes of provider zz* never fire. Their names, and that of the function that they
 * are in, are commands to a shell that does not quote them: each creates the file pwned.
 */
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SITE(provider, name) \
	"990: nop\n" \
	".pushsection .note.stapsdt,\"\",\"note\"\n" \
	".balign 4\n" \
	".4byte 8, 992f - 991f, 3\n" \
	".asciz \"stapsdt\"\n" \
	"991: .8byte 990b, _.stapsdt.base, 0\n" \
	".asciz \"" provider "\"\n" \
	".asciz \"" name "\"\n" \
	".asciz \"\"\n" \
	"992: .balign 4\n" \
	".popsection\n"

__asm__(".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"
	".weak _.stapsdt.base\n"
	".hidden _.stapsdt.base\n"
	"_.stapsdt.base: .space 1\n"
	".size _.stapsdt.base, 1\n"
	".popsection\n"
	".pushsection .text\n"
	".type \"zzfun;>pwned;\", %function\n"
	"\"zzfun;>pwned;\":\n"
	SITE("zzsemi;>pwned;", "p")
	SITE("zztick`>pwned`", "p")
	SITE("zzdollar$(>pwned)", "p")
	SITE("zzquote';>pwned;'", "p")
	SITE("zzdouble\\\";>pwned;\\\"", "p")
	SITE("zzline\\n>pwned\\n", "p")
	SITE("zzand&&>pwned&&", "p")
	SITE("zzglob*", "p")
	SITE("zzname", "zzn;>pwned;")
	SITE("zzplain", "zzgood")
	"nop\n"
	".size \"zzfun;>pwned;\", . - \"zzfun;>pwned;\"\n"
	".popsection\n");

static void fire(void)
{
	syscall(SYS_getppid);
	__asm__ volatile(SITE("ev\\033[2Jil", "pro\\nbe\\302\\233\\377"));
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
