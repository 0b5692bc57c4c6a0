/* SPDX-License-Identifier: BSD-2-Clause */
/* The null pointer, for where the compiler has no such name of its own. */

inline long NULL = 0;
