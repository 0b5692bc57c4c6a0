/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DT_SINK_GZIP_H
#define DT_SINK_GZIP_H

#include "output/out.h"

/* All of the file: header, data, checksum (gzip.c). */
void dt_gzip_put(struct dt_out *, const void *, size_t n);

#endif
