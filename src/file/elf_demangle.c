/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Demangles names of C++ and Rust. libiberty has both schemes, in C, with its own limits on nesting.
 * Its callback functions are used, because those that allocate end the process if memory runs out.
 * Their two prototypes are declared here: they are all that we need of its header.
 */
#include "file/elf.h"
#include "base/printable.h"

#include <string.h>

typedef void demangled_f(const char *, size_t, void *);
int cplus_demangle_v3_callback(const char *mangled, int options, demangled_f *, void *ctx);
int rust_demangle_callback(const char *mangled, int options, demangled_f *, void *ctx);

enum { OPTION_PARAMS = 1 << 0, OPTION_ANSI = 1 << 1 };	/* with parameters and qualifiers */
enum { MANGLED_MAX = 1024 };	/* libiberty's use of our stack grows with the length */

struct text { char *buf; size_t len, n; bool cut; };

static void put_part(const char *s, size_t n, void *ctx)
{
	struct text *t = ctx;
	size_t room = t->len - 1 - t->n;

	if (n > room) {
		n = room;
		t->cut = true;
	}
	memcpy(t->buf + t->n, s, n);
	t->n += n;
}

bool dt_elf_demangle(const char *name, char *buf, size_t len)
{
	struct text t = { buf, len, 0, false };
	int known;

	if (len == 0 || name[0] != '_' || strnlen(name, MANGLED_MAX) == MANGLED_MAX)
		return false;
	if (name[1] != 'R' && name[1] != 'Z')
		return false;
	/* also the old scheme, _ZN…17h<hash>E */
	known = rust_demangle_callback(name, OPTION_PARAMS | OPTION_ANSI, put_part, &t);
	if (!known && name[1] == 'Z') {
		t.n = 0;
		t.cut = false;
		known = cplus_demangle_v3_callback(name, OPTION_PARAMS | OPTION_ANSI, put_part, &t);
	}
	if (!known || t.n == 0)
		return false;
	buf[t.n] = '\0';
	dt_make_printable(buf);		/* Rust writes any character as plain letters */
	return true;
}
