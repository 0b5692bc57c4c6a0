/* SPDX-License-Identifier: BSD-2-Clause */
/* A function that stays one: neither merged into its caller nor made again for some of its arguments. */
#ifndef ALONE_H
#define ALONE_H

#ifdef __clang__
#define ALONE __attribute__((noinline))		/* clang makes no copies of functions that others can call */
#else
#define ALONE __attribute__((noinline, noclone))
#endif

#endif
