/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the kernel describes its pages of memory. */
#ifndef DT_KERNEL_KCORE_H
#define DT_KERNEL_KCORE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The page that contains kernel address a is described at *base + (a >> shift) * size, modulo 2^64;
 * shift is that of the page size, size that of struct page. False: /proc/kcore cannot be read
 * (privileges, lockdown, not built in) or does not tell.
 */
bool dt_kcore_pages(unsigned shift, uint64_t size, uint64_t *base);

#endif
