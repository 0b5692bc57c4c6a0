/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Static probes that are made while a program runs, for interpreters and plugins (libdtrace-usdt(3)).
 * Programs whose probes are known when they are compiled use `dtrace -h` or <sys/sdt.h> instead.
 *
 *	static const int types[] = { DTRACE_USDT_STRING, DTRACE_USDT_INT32 };
 *	dtrace_usdt_provider_t *mydb;
 *	dtrace_usdt_probe_t *start;
 *
 *	dtrace_usdt_open("mydb", NULL, &mydb);
 *	dtrace_usdt_add(mydb, NULL, "query-start", types, 2, &start);
 *	dtrace_usdt_load(mydb);
 *	DTRACE_USDT_FIRE(start, sql, client);	// mydb*:::query-start { trace(copyinstr(arg0)); }
 *
 * Linux on x86-64 and aarch64. Functions that return int return 0 or a negative number, which
 * dtrace_usdt_strerror() explains.
 */
#ifndef DTRACE_USDT_DYNAMIC_H
#define DTRACE_USDT_DYNAMIC_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define DTRACE_USDT_MAXARGS 12
#define DTRACE_USDT_MAXPROBES 4096	/* of one provider */

/* Types of arguments. A string is the address of characters that end with a NUL. */
enum {
	DTRACE_USDT_INT8 = -1, DTRACE_USDT_INT16 = -2, DTRACE_USDT_INT32 = -4, DTRACE_USDT_INT64 = -8,
	DTRACE_USDT_UINT8 = 1, DTRACE_USDT_UINT16 = 2, DTRACE_USDT_UINT32 = 4, DTRACE_USDT_UINT64 = 8,
	DTRACE_USDT_POINTER = 16, DTRACE_USDT_STRING = 17
};

/* Errors of this library; all other negative numbers are those of <errno.h>. */
enum {
	DTRACE_USDT_EPROVIDER = -1001,	/* the provider's name */
	DTRACE_USDT_EMODULE = -1002,	/* the module's name */
	DTRACE_USDT_EFUNCTION = -1003,	/* the function's name */
	DTRACE_USDT_ENAME = -1004,	/* the probe's name */
	DTRACE_USDT_ETYPE = -1005,	/* an unknown type */
	DTRACE_USDT_EARGS = -1006,	/* too many arguments */
	DTRACE_USDT_EPROBES = -1007,	/* too many probes */
	DTRACE_USDT_EEXIST = -1008,	/* the provider has this probe */
	DTRACE_USDT_EDIFFER = -1009,	/* the provider has a probe of this name with other types */
	DTRACE_USDT_EEMPTY = -1010,	/* there is no probe to load */
	DTRACE_USDT_EMEMFD = -1011,	/* no file in memory can be made; errno says why */
	DTRACE_USDT_EMAP = -1012	/* it cannot be mapped as code; errno says why */
};

typedef struct dtrace_usdt_provider dtrace_usdt_provider_t;
/* The kernel increments the counter for each tracer. Read it through dtrace_usdt_enabled(). */
typedef struct dtrace_usdt_probe { const volatile uint16_t *counter; } dtrace_usdt_probe_t;

/* module: the name of the file that tracers see; NULL: the provider's name and ".so" */
int dtrace_usdt_open(const char *name, const char *module, dtrace_usdt_provider_t **);
/*
 * Adds a probe, which tracers see from the next dtrace_usdt_load() on. function: probefunc in D; NULL: as the
 * probe. In the name, "-" and "__" are the same. The probe lives as long as its provider, and may be fired
 * at any time.
 */
int dtrace_usdt_add(dtrace_usdt_provider_t *, const char *function, const char *name, const int *types,
    int ntypes, dtrace_usdt_probe_t **);
/* Shows all probes of the provider to tracers, and removes them again. Both may be repeated. */
int dtrace_usdt_load(dtrace_usdt_provider_t *);
int dtrace_usdt_unload(dtrace_usdt_provider_t *);
/* Unloads and frees the provider and its probes, which must not be in use any more. NULL is fine. */
void dtrace_usdt_close(dtrace_usdt_provider_t *);
/*
 * Fires the probe if it is traced. argv has argc values: integers as (uint64_t)value, addresses as
 * (uint64_t)(uintptr_t)address. Missing ones are 0, those that the probe does not have are ignored.
 */
void dtrace_usdt_fire(const dtrace_usdt_probe_t *, const uint64_t *argv, int argc);
/* Is the probe traced? The function, for other languages. */
int dtrace_usdt_probe_enabled(const dtrace_usdt_probe_t *);
/* The cause and the fix, in one sentence. */
const char *dtrace_usdt_strerror(int);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#if defined(__GNUC__)
/* Is the probe traced? For C and C++: two loads and a compare. */
#define dtrace_usdt_enabled(probe) \
	__builtin_expect(*__atomic_load_n(&(probe)->counter, __ATOMIC_RELAXED) != 0, 0)

/* Values are integers or pointers, up to 12; they are computed only if the probe is traced. */
#define DTRACE_USDT_FIRE(...) \
	_DT_DYN_PICK(__VA_ARGS__, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0,)(__VA_ARGS__)
#define _DT_DYN_PICK(p, a, b, c, d, e, f, g, h, i, j, k, l, n, ...) _DT_DYN_##n
#define _DT_DYN_N(p, n, ...) do { \
	const dtrace_usdt_probe_t *_dt_dyn_p = (p); \
	if (dtrace_usdt_enabled(_dt_dyn_p)) { \
		const uint64_t _dt_dyn_v[] = { __VA_ARGS__ }; \
		dtrace_usdt_fire(_dt_dyn_p, _dt_dyn_v, n); \
	} \
} while (0)
#define _DT_DYN_V(x) ((uint64_t)(uintptr_t)(x))
#define _DT_DYN_0(p) _DT_DYN_N(p, 0, 0)
#define _DT_DYN_1(p, a) _DT_DYN_N(p, 1, _DT_DYN_V(a))
#define _DT_DYN_2(p, a, b) _DT_DYN_N(p, 2, _DT_DYN_V(a), _DT_DYN_V(b))
#define _DT_DYN_3(p, a, b, c) _DT_DYN_N(p, 3, _DT_DYN_V(a), _DT_DYN_V(b), _DT_DYN_V(c))
#define _DT_DYN_4(p, a, b, c, d) \
	_DT_DYN_N(p, 4, _DT_DYN_V(a), _DT_DYN_V(b), _DT_DYN_V(c), _DT_DYN_V(d))
#define _DT_DYN_5(p, a, b, c, d, e) \
	_DT_DYN_N(p, 5, _DT_DYN_V(a), _DT_DYN_V(b), _DT_DYN_V(c), _DT_DYN_V(d), _DT_DYN_V(e))
#define _DT_DYN_6(p, a, b, c, d, e, f) \
	_DT_DYN_N(p, 6, _DT_DYN_V(a), _DT_DYN_V(b), _DT_DYN_V(c), _DT_DYN_V(d), _DT_DYN_V(e), _DT_DYN_V(f))
/* From seven on, the first six are one list. */
#define _DT_DYN_L(a, b, c, d, e, f) \
	_DT_DYN_V(a), _DT_DYN_V(b), _DT_DYN_V(c), _DT_DYN_V(d), _DT_DYN_V(e), _DT_DYN_V(f)
#define _DT_DYN_7(p, a, b, c, d, e, f, g) _DT_DYN_N(p, 7, _DT_DYN_L(a, b, c, d, e, f), _DT_DYN_V(g))
#define _DT_DYN_8(p, a, b, c, d, e, f, g, h) \
	_DT_DYN_N(p, 8, _DT_DYN_L(a, b, c, d, e, f), _DT_DYN_V(g), _DT_DYN_V(h))
#define _DT_DYN_9(p, a, b, c, d, e, f, g, h, i) \
	_DT_DYN_N(p, 9, _DT_DYN_L(a, b, c, d, e, f), _DT_DYN_V(g), _DT_DYN_V(h), _DT_DYN_V(i))
#define _DT_DYN_10(p, a, b, c, d, e, f, g, h, i, j) \
	_DT_DYN_N(p, 10, _DT_DYN_L(a, b, c, d, e, f), _DT_DYN_V(g), _DT_DYN_V(h), _DT_DYN_V(i), _DT_DYN_V(j))
#define _DT_DYN_11(p, a, b, c, d, e, f, g, h, i, j, k) \
	_DT_DYN_N(p, 11, _DT_DYN_L(a, b, c, d, e, f), _DT_DYN_V(g), _DT_DYN_V(h), _DT_DYN_V(i), \
	    _DT_DYN_V(j), _DT_DYN_V(k))
#define _DT_DYN_12(p, a, b, c, d, e, f, g, h, i, j, k, l) \
	_DT_DYN_N(p, 12, _DT_DYN_L(a, b, c, d, e, f), _DT_DYN_L(g, h, i, j, k, l))
#endif

#endif
