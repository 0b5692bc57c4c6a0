/* SPDX-License-Identifier: BSD-2-Clause */
/* What differs between processors: the code of a site, and where the arguments of a function are. */
#include "libusdt.h"

#include <elf.h>
#include <stdio.h>

#if defined(__x86_64__) && defined(__LP64__)
const uint16_t usdt_machine = EM_X86_64;
const unsigned char usdt_site[SITE_SIZE] = { 0x90, 0xc3 };
const unsigned char usdt_return_reg = 16;
/* the frame is rsp + 8, the return address is at -8 from there; the rest does nothing */
const unsigned char usdt_cfa[MAX_CFA] = { 0x0c, 7, 8, 0x80 | 16, 1 };

void usdt_operand(char to[MAX_OPERAND], int n, int size)
{
	static const char *const names[6][4] = { { "dil", "di", "edi", "rdi" }, { "sil", "si", "esi", "rsi" },
		{ "dl", "dx", "edx", "rdx" }, { "cl", "cx", "ecx", "rcx" }, { "r8b", "r8w", "r8d", "r8" },
		{ "r9b", "r9w", "r9d", "r9" } };
	int bytes = size < 0 ? -size : size, column = bytes == 8 ? 3 : bytes / 2;

	if (n < 6)
		snprintf(to, MAX_OPERAND, "%d@%%%s", size, names[n][column]);
	else	/* behind the return address */
		snprintf(to, MAX_OPERAND, "%d@%d(%%rsp)", size, 8 * (n - 5));
}

#elif defined(__aarch64__) && defined(__LP64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
const uint16_t usdt_machine = EM_AARCH64;
const unsigned char usdt_site[SITE_SIZE] = { 0x1f, 0x20, 0x03, 0xd5, 0xc0, 0x03, 0x5f, 0xd6 };
const unsigned char usdt_return_reg = 30;
/* the frame is sp, the return address is in x30 */
const unsigned char usdt_cfa[MAX_CFA] = { 0x0c, 31, 0 };

void usdt_operand(char to[MAX_OPERAND], int n, int size)
{
	if (n < 8)
		snprintf(to, MAX_OPERAND, "%d@x%d", size, n);
	else if (n == 8)
		snprintf(to, MAX_OPERAND, "%d@[sp]", size);
	else
		snprintf(to, MAX_OPERAND, "%d@[sp, %d]", size, 8 * (n - 8));
}

#else
#error "libdtrace-usdt: a site for this processor is missing"
#endif
