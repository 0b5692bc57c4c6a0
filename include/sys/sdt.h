/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probe sites without a declared provider: DTRACE_PROBE2(provider, name, a, b), also spelled STAP_PROBE2,
 * with up to 12 values, and STAP_PROBEV with any number of them. If _SDT_HAS_SEMAPHORES is defined first,
 * each site counts its tracers in provider_name_semaphore, an unsigned short in section .probes that the
 * program defines.
 *
 * The names are SystemTap's and DTrace's, so that sources written for either build as they are. The sites
 * themselves are made by <dtrace/usdt.h>.
 */
#ifndef _SYS_SDT_H
#define _SYS_SDT_H

#if defined(__GNUC__) && !defined(__ASSEMBLER__)
#pragma GCC system_header
#endif

#include <dtrace/usdt.h>

#define _SDT_TEXT(x) #x
#ifndef _DT_USDT_SITE			/* not GNU C on ELF: nothing */
#define _SDT_SITE0(p, n) do { } while (0)
#define _SDT_SITE(count, p, n, ...) do { } while (0)
#elif defined(_SDT_HAS_SEMAPHORES)
#define _SDT_SITE0(p, n) _DT_USDT0(_SDT_TEXT(p), _SDT_TEXT(n), _SDT_TEXT(p##_##n##_semaphore), "")
#define _SDT_SITE(count, p, n, ...) \
	_DT_USDTN(count, _SDT_TEXT(p), _SDT_TEXT(n), _SDT_TEXT(p##_##n##_semaphore), "", __VA_ARGS__)
#else
#define _SDT_SITE0(p, n) _DT_USDT0(_SDT_TEXT(p), _SDT_TEXT(n), "0", "")
#define _SDT_SITE(count, p, n, ...) _DT_USDTN(count, _SDT_TEXT(p), _SDT_TEXT(n), "0", "", __VA_ARGS__)
#endif

#define STAP_PROBE(p, n) _SDT_SITE0(p, n)
#define STAP_PROBE1(p, n, a) _SDT_SITE(1, p, n, a)
#define STAP_PROBE2(p, n, a, b) _SDT_SITE(2, p, n, a, b)
#define STAP_PROBE3(p, n, a, b, c) _SDT_SITE(3, p, n, a, b, c)
#define STAP_PROBE4(p, n, a, b, c, d) _SDT_SITE(4, p, n, a, b, c, d)
#define STAP_PROBE5(p, n, a, b, c, d, e) _SDT_SITE(5, p, n, a, b, c, d, e)
#define STAP_PROBE6(p, n, a, b, c, d, e, f) _SDT_SITE(6, p, n, a, b, c, d, e, f)
#define STAP_PROBE7(p, n, a, b, c, d, e, f, g) _SDT_SITE(7, p, n, a, b, c, d, e, f, g)
#define STAP_PROBE8(p, n, a, b, c, d, e, f, g, h) _SDT_SITE(8, p, n, a, b, c, d, e, f, g, h)
#define STAP_PROBE9(p, n, a, b, c, d, e, f, g, h, i) _SDT_SITE(9, p, n, a, b, c, d, e, f, g, h, i)
#define STAP_PROBE10(p, n, a, b, c, d, e, f, g, h, i, j) _SDT_SITE(10, p, n, a, b, c, d, e, f, g, h, i, j)
#define STAP_PROBE11(p, n, a, b, c, d, e, f, g, h, i, j, k) \
	_SDT_SITE(11, p, n, a, b, c, d, e, f, g, h, i, j, k)
#define STAP_PROBE12(p, n, a, b, c, d, e, f, g, h, i, j, k, l) \
	_SDT_SITE(12, p, n, a, b, c, d, e, f, g, h, i, j, k, l)

#define DTRACE_PROBE(p, n) STAP_PROBE(p, n)
#define DTRACE_PROBE1(p, n, a) STAP_PROBE1(p, n, a)
#define DTRACE_PROBE2(p, n, a, b) STAP_PROBE2(p, n, a, b)
#define DTRACE_PROBE3(p, n, a, b, c) STAP_PROBE3(p, n, a, b, c)
#define DTRACE_PROBE4(p, n, a, b, c, d) STAP_PROBE4(p, n, a, b, c, d)
#define DTRACE_PROBE5(p, n, a, b, c, d, e) STAP_PROBE5(p, n, a, b, c, d, e)
#define DTRACE_PROBE6(p, n, a, b, c, d, e, f) STAP_PROBE6(p, n, a, b, c, d, e, f)
#define DTRACE_PROBE7(p, n, a, b, c, d, e, f, g) STAP_PROBE7(p, n, a, b, c, d, e, f, g)
#define DTRACE_PROBE8(p, n, a, b, c, d, e, f, g, h) STAP_PROBE8(p, n, a, b, c, d, e, f, g, h)
#define DTRACE_PROBE9(p, n, a, b, c, d, e, f, g, h, i) STAP_PROBE9(p, n, a, b, c, d, e, f, g, h, i)
#define DTRACE_PROBE10(p, n, a, b, c, d, e, f, g, h, i, j) STAP_PROBE10(p, n, a, b, c, d, e, f, g, h, i, j)
#define DTRACE_PROBE11(p, n, a, b, c, d, e, f, g, h, i, j, k) \
	STAP_PROBE11(p, n, a, b, c, d, e, f, g, h, i, j, k)
#define DTRACE_PROBE12(p, n, a, b, c, d, e, f, g, h, i, j, k, l) \
	STAP_PROBE12(p, n, a, b, c, d, e, f, g, h, i, j, k, l)

/* STAP_PROBEV(provider, name, values...): the number of values picks the macro. */
#define _SDT_PICK(p, n, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, which, ...) which
#define STAP_PROBEV(...) _SDT_PICK(__VA_ARGS__, STAP_PROBE12, STAP_PROBE11, STAP_PROBE10, STAP_PROBE9, \
	STAP_PROBE8, STAP_PROBE7, STAP_PROBE6, STAP_PROBE5, STAP_PROBE4, STAP_PROBE3, STAP_PROBE2, \
	STAP_PROBE1, STAP_PROBE, 0)(__VA_ARGS__)

#endif
