/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private to libdtrace-usdt, which stands alone: it uses libc and nothing else of this tree. A provider is
 * written as a small ELF file in memory (image.c), which the process maps (provider.c).
 */
#ifndef DT_LIBUSDT_H
#define DT_LIBUSDT_H

#include <dtrace/usdt-dynamic.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_NAME = 63, MAX_FUNCTION = 127, MAX_PROVIDER = 53 };	/* provider: 10 more are the process */
/* The code of a probe has this many bytes; the first one is behind the headers. */
enum { SITE_SIZE = 16, TEXT_AT = 256, MAX_OPERAND = 24 };

/* Values arrive where the ABI puts the arguments of a function: the site is its first instruction. */
typedef void site_f(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
    uint64_t, uint64_t, uint64_t);

struct probe {
	dtrace_usdt_probe_t shown;	/* first: callers have its address */
	site_f *site;
	char function[MAX_FUNCTION + 1];
	char name[2 * MAX_NAME + 1];	/* as notes have it: __ for - */
	int type[DTRACE_USDT_MAXARGS];
	int ntypes;
};

/* What is mapped: code, then counters, both whole pages and both from one file. */
struct layout { size_t text_len, data_len, page; };

struct image {
	const char *provider;
	struct probe *const *probes;	/* none: the same code without any note */
	size_t n;
	struct layout layout;
};

struct bytes { unsigned char *v; size_t len, cap; bool failed; };	/* failed: out of memory */
void usdt_put(struct bytes *, const void *, size_t len);
void usdt_pad(struct bytes *, size_t align);
void usdt_free(struct bytes *);
static inline void usdt_fill(struct bytes *b, size_t at, const void *from, size_t len)
{
	if (!b->failed)
		__builtin_memcpy(b->v + at, from, len);
}

/* image.c: the bytes of the file. The caller frees b->v; b->failed: out of memory. */
struct layout usdt_layout(size_t nprobes, size_t page);
void usdt_image(const struct image *, struct bytes *);
/* dof.c: the types of the arguments, for section .SUNW_dof */
void usdt_dof(const struct image *, struct bytes *);

/* check.c: 0 or an error */
int usdt_check_provider(const char *);
int usdt_check_module(const char *);
int usdt_check_function(const char *);
int usdt_check_name(const char *);
int usdt_check_types(const int *types, int n);

/* machine.c */
extern const uint16_t usdt_machine;	/* EM_… */
extern const unsigned char usdt_site[SITE_SIZE];	/* a nop and a return */
/* How a stack is walked from a site: where the caller's frame and the return address are, as DWARF has it. */
enum { MAX_CFA = 8 };
extern const unsigned char usdt_return_reg, usdt_cfa[MAX_CFA];
/* The value of argument n at a site, as notes have it: "-4@%edi". size: in bytes, negative if signed. */
void usdt_operand(char to[MAX_OPERAND], int n, int size);

static inline int usdt_size(int type)
{
	return type == DTRACE_USDT_POINTER || type == DTRACE_USDT_STRING ? 8 : type;
}

#endif
