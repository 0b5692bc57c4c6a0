/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Machine code to instruction boundaries. On aarch64 every instruction is a word; x86-64 is decoded by Zydis, which is loaded
 * when it is first needed: starting costs nothing where it is not.
 */
#include "host/insn.h"

#include <Zydis/Zydis.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FUNCTION_MAX = 4 << 20 };

static int walk_aarch64(const unsigned char *code, uint64_t size, dt_insn_f *f, void *ctx)
{
	for (uint64_t at = 0; at + 4 <= size; at += 4) {
		uint32_t word;

		memcpy(&word, code + at, 4);
		/* ret, retaa, retab */
		if (!f(ctx, at, (word & 0xfffffc1f) == 0xd65f0000 || word == 0xd65f0bff || word == 0xd65f0fff))
			break;
	}
	return 0;
}

struct zydis {
	ZyanStatus (*init)(ZydisDecoder *, ZydisMachineMode, ZydisStackWidth);
	ZyanStatus (*decode)(const ZydisDecoder *, ZydisDecoderContext *, const void *, ZyanUSize, ZydisDecodedInstruction *);
};

static void *zydis_load(struct zydis *z)
{
	void *lib = dlopen("libZydis.so.4.0", RTLD_NOW | RTLD_LOCAL);

	if (lib == NULL)
		lib = dlopen("libZydis.so.4", RTLD_NOW | RTLD_LOCAL);
	if (lib == NULL)
		return NULL;
	*(void **)&z->init = dlsym(lib, "ZydisDecoderInit");
	*(void **)&z->decode = dlsym(lib, "ZydisDecoderDecodeInstruction");
	if (z->init != NULL && z->decode != NULL)
		return lib;
	dlclose(lib);
	return NULL;
}

static int walk_x86(const unsigned char *code, uint64_t size, dt_insn_f *f, void *ctx)
{
	ZydisDecodedInstruction insn;
	ZydisDecoder decoder;
	struct zydis z;
	void *lib = zydis_load(&z);
	int err = 0;

	if (lib == NULL)
		return -ELIBACC;
	if (!ZYAN_SUCCESS(z.init(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)))
		err = -ELIBACC;
	for (uint64_t at = 0; err == 0 && at < size; at += insn.length) {
		if (!ZYAN_SUCCESS(z.decode(&decoder, NULL, code + at, size - at, &insn)) || insn.length == 0)
			err = -ENOEXEC;
		else if (!f(ctx, at, insn.mnemonic == ZYDIS_MNEMONIC_RET))
			break;
	}
	dlclose(lib);
	return err;
}

static int read_code(int fd, uint64_t offset, unsigned char *code, uint64_t size)
{
	for (uint64_t got = 0; got < size;) {
		ssize_t n = pread(fd, code + got, size - got, (off_t)(offset + got));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		got += (uint64_t)n;
	}
	return 0;
}

int dt_insn_walk(int fd, uint16_t machine, uint64_t offset, uint64_t size, dt_insn_f *f, void *ctx)
{
	unsigned char *code;
	int err;

	if (machine != EM_AARCH64 && machine != EM_X86_64)
		return -EOPNOTSUPP;
	if (size > FUNCTION_MAX || offset > INT64_MAX - size)
		return -EFBIG;
	code = malloc(size + 1);
	if (code == NULL)
		return -ENOMEM;
	err = read_code(fd, offset, code, size);
	if (err == 0)
		err = machine == EM_AARCH64 ? walk_aarch64(code, size, f, ctx) : walk_x86(code, size, f, ctx);
	free(code);
	return err;
}
