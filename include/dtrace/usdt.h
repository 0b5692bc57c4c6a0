/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Static probe sites for GNU C and C++ on ELF. A site takes the provider, the name and the semaphore as
 * string literals, and up to 12 values. It becomes one nop and an ELF note (.note.stapsdt) that says where
 * the nop is and where the values are. Nothing runs and nothing is registered, and every tracer on Linux
 * finds it. The semaphore counts tracers; it is in section .probes.
 *
 * The nop is one byte on x86: what the kernel puts in place of a nop of five bytes writes below the stack
 * pointer, which is not free in the middle of a function. Values are taken after the usual decay: arrays and
 * functions are pointers, and a float or double is its bits. The first six are in registers or constant, so
 * that a note does not name symbols that a tracer would have to find. When the site is reached, memory is as
 * the source says.
 *
 * `dtrace -h` copies this file into the headers it writes.
 */
#if !defined(_DT_USDT_SITE) && defined(__GNUC__) && defined(__ELF__) && !defined(__ASSEMBLER__)
#define _DT_USDT_SITE 1

#if (defined(__clang__) && __clang_major__ >= 11) || (!defined(__clang__) && __GNUC__ >= 9)
#define _DT_USDT_ASM __asm__ __inline__ __volatile__	/* its size is not that of its text */
#else
#define _DT_USDT_ASM __asm__ __volatile__
#endif

#ifdef __LP64__
#define _DT_USDT_WORD ".8byte "
#else
#define _DT_USDT_WORD ".4byte "
#endif

/* A value's size in bytes, negative when it is signed: what stands before the @. */
#ifdef __cplusplus
#define _DT_USDT_LET(n, x) auto _dt_usdt_v##n = (x);
extern "C++" {
template <typename T> struct _dt_usdt_sign { enum { value = 1 }; };
template <> struct _dt_usdt_sign<char> { enum { value = (char)-1 < (char)1 ? -1 : 1 }; };
template <> struct _dt_usdt_sign<signed char> { enum { value = -1 }; };
template <> struct _dt_usdt_sign<short> { enum { value = -1 }; };
template <> struct _dt_usdt_sign<int> { enum { value = -1 }; };
template <> struct _dt_usdt_sign<long> { enum { value = -1 }; };
template <> struct _dt_usdt_sign<long long> { enum { value = -1 }; };
}
#define _DT_USDT_SIZE(v) ((int)_dt_usdt_sign<__typeof__(v)>::value * (int)sizeof(v))
#else
/* The comma makes a value of a bit-field, which has no type of its own. */
#define _DT_USDT_LET(n, x) __auto_type _dt_usdt_v##n = ((void)0, (x));
#define _DT_USDT_PLAIN(v) (__builtin_classify_type(v) != 5 /* pointer */ && \
	__builtin_classify_type(v) != 8 /* real */)
#define _DT_USDT_SIGN(T) ((T)-1 < (T)1 ? -1 : 1)
#define _DT_USDT_SIZE(v) ((int)sizeof(v) * \
	_DT_USDT_SIGN(__typeof__(__builtin_choose_expr(_DT_USDT_PLAIN(v), v, 0u))))
#endif

/* The counter: one of that name in a program or library, wherever it is defined. */
#define _DT_USDT_COUNTER(sem) \
	".ifndef " sem "\n" \
	"\t.pushsection .probes,\"awG\",\"progbits\"," sem ",comdat\n" \
	"\t.balign 2\n\t.weak " sem "\n\t.hidden " sem "\n" \
	sem ":\t.2byte 0\n\t.size " sem ",2\n" \
	"\t.popsection\n" \
	".endif\n"

/*
 * The note belongs to the group of its code ("?"): both are kept or both are dropped. The base tells a tracer
 * by how much a program was moved after it was linked.
 */
#define _DT_USDT_NOTE(prov, name, sem, args) \
	"990:\tnop\n" \
	"\t.pushsection .note.stapsdt,\"?\",\"note\"\n\t.balign 4\n" \
	"\t.4byte 992f-991f,994f-993f,3\n" \
	"991:\t.asciz \"stapsdt\"\n992:\t.balign 4\n" \
	"993:\t" _DT_USDT_WORD "990b," "_.stapsdt.base," sem "\n" \
	"\t.asciz \"" prov "\"\n\t.asciz \"" name "\"\n\t.asciz \"" args "\"\n" \
	"994:\t.balign 4\n\t.popsection\n" \
	".ifndef _.stapsdt.base\n" \
	"\t.pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n" \
	"\t.weak _.stapsdt.base\n\t.hidden _.stapsdt.base\n" \
	"_.stapsdt.base:\t.space 1\n\t.size _.stapsdt.base,1\n" \
	"\t.popsection\n" \
	".endif\n"

/* counter: the text that makes the semaphore, or "". */
#define _DT_USDT_SITE_ASM(prov, name, sem, counter, args, ...) \
	_DT_USDT_ASM(_DT_USDT_NOTE(prov, name, sem, args) counter : : __VA_ARGS__ : "memory");

#define _DT_USDT_REG(n) [s##n] "n" (_DT_USDT_SIZE(_dt_usdt_v##n)), [v##n] "nr" (_dt_usdt_v##n)
#define _DT_USDT_ANY(n) [s##n] "n" (_DT_USDT_SIZE(_dt_usdt_v##n)), [v##n] "nor" (_dt_usdt_v##n)
#define _DT_USDT_ARG(n) "%c[s" #n "]@%[v" #n "]"

/* Texts, variables and operands of n values, each made of those of n - 1. */
#define _DT_USDT_T1 _DT_USDT_ARG(1)
#define _DT_USDT_T2 _DT_USDT_T1 " " _DT_USDT_ARG(2)
#define _DT_USDT_T3 _DT_USDT_T2 " " _DT_USDT_ARG(3)
#define _DT_USDT_T4 _DT_USDT_T3 " " _DT_USDT_ARG(4)
#define _DT_USDT_T5 _DT_USDT_T4 " " _DT_USDT_ARG(5)
#define _DT_USDT_T6 _DT_USDT_T5 " " _DT_USDT_ARG(6)
#define _DT_USDT_T7 _DT_USDT_T6 " " _DT_USDT_ARG(7)
#define _DT_USDT_T8 _DT_USDT_T7 " " _DT_USDT_ARG(8)
#define _DT_USDT_T9 _DT_USDT_T8 " " _DT_USDT_ARG(9)
#define _DT_USDT_T10 _DT_USDT_T9 " " _DT_USDT_ARG(10)
#define _DT_USDT_T11 _DT_USDT_T10 " " _DT_USDT_ARG(11)
#define _DT_USDT_T12 _DT_USDT_T11 " " _DT_USDT_ARG(12)

#define _DT_USDT_L1(a) _DT_USDT_LET(1, a)
#define _DT_USDT_L2(a, b) _DT_USDT_L1(a) _DT_USDT_LET(2, b)
#define _DT_USDT_L3(a, b, c) _DT_USDT_L2(a, b) _DT_USDT_LET(3, c)
#define _DT_USDT_L4(a, b, c, d) _DT_USDT_L3(a, b, c) _DT_USDT_LET(4, d)
#define _DT_USDT_L5(a, b, c, d, e) _DT_USDT_L4(a, b, c, d) _DT_USDT_LET(5, e)
#define _DT_USDT_L6(a, b, c, d, e, f) _DT_USDT_L5(a, b, c, d, e) _DT_USDT_LET(6, f)
#define _DT_USDT_L7(a, b, c, d, e, f, g) _DT_USDT_L6(a, b, c, d, e, f) _DT_USDT_LET(7, g)
#define _DT_USDT_L8(a, b, c, d, e, f, g, h) _DT_USDT_L7(a, b, c, d, e, f, g) _DT_USDT_LET(8, h)
#define _DT_USDT_L9(a, b, c, d, e, f, g, h, i) _DT_USDT_L8(a, b, c, d, e, f, g, h) _DT_USDT_LET(9, i)
#define _DT_USDT_L10(a, b, c, d, e, f, g, h, i, j) _DT_USDT_L9(a, b, c, d, e, f, g, h, i) _DT_USDT_LET(10, j)
#define _DT_USDT_L11(a, b, c, d, e, f, g, h, i, j, k) \
	_DT_USDT_L10(a, b, c, d, e, f, g, h, i, j) _DT_USDT_LET(11, k)
#define _DT_USDT_L12(a, b, c, d, e, f, g, h, i, j, k, l) \
	_DT_USDT_L11(a, b, c, d, e, f, g, h, i, j, k) _DT_USDT_LET(12, l)

#define _DT_USDT_O1 _DT_USDT_REG(1)
#define _DT_USDT_O2 _DT_USDT_O1, _DT_USDT_REG(2)
#define _DT_USDT_O3 _DT_USDT_O2, _DT_USDT_REG(3)
#define _DT_USDT_O4 _DT_USDT_O3, _DT_USDT_REG(4)
#define _DT_USDT_O5 _DT_USDT_O4, _DT_USDT_REG(5)
#define _DT_USDT_O6 _DT_USDT_O5, _DT_USDT_REG(6)
#define _DT_USDT_O7 _DT_USDT_O6, _DT_USDT_ANY(7)
#define _DT_USDT_O8 _DT_USDT_O7, _DT_USDT_ANY(8)
#define _DT_USDT_O9 _DT_USDT_O8, _DT_USDT_ANY(9)
#define _DT_USDT_O10 _DT_USDT_O9, _DT_USDT_ANY(10)
#define _DT_USDT_O11 _DT_USDT_O10, _DT_USDT_ANY(11)
#define _DT_USDT_O12 _DT_USDT_O11, _DT_USDT_ANY(12)

/* A site is an expression without value. */
#define _DT_USDT0(prov, name, sem, counter) \
	__extension__ ({ _DT_USDT_SITE_ASM(prov, name, sem, counter, "",) })
#define _DT_USDTN(n, prov, name, sem, counter, ...) __extension__ ({ _DT_USDT_L##n(__VA_ARGS__) \
	_DT_USDT_SITE_ASM(prov, name, sem, counter, _DT_USDT_T##n, _DT_USDT_O##n) })

/* Sites of probes that `dtrace -h` declared, and the question whether one is being traced. */
#define _DT_USDT_PROBE0(prov, name, sem) _DT_USDT0(prov, name, sem, _DT_USDT_COUNTER(sem))
#define _DT_USDT_PROBE(n, prov, name, sem, ...) \
	_DT_USDTN(n, prov, name, sem, _DT_USDT_COUNTER(sem), __VA_ARGS__)
#define _DT_USDT_ENABLED(sem, var) __extension__ ({ _DT_USDT_ASM(_DT_USDT_COUNTER(sem)); \
	__builtin_expect(*(const volatile unsigned short *)&var != 0, 0); })

#endif
