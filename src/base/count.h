/* SPDX-License-Identifier: BSD-2-Clause */
/* How many elements an array has. A pointer in its place is a bug that gcc and clang warn about. */
#ifndef DT_BASE_COUNT_H
#define DT_BASE_COUNT_H

#define DT_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
