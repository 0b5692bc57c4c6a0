/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The maps of an image, each made when code first asks for it, and the constants, which are one of them. A
 * function returns the map's index, which does not change; pointers into dt_build.maps do, whenever a map is
 * made.
 */
#ifndef DT_BPF_IMAGE_MAPS_H
#define DT_BPF_IMAGE_MAPS_H

#include "bpf/image_plan.h"

uint32_t dt_build_map(struct dt_build *, enum dt_map_role, uint32_t type, uint32_t key, uint32_t value,
    uint32_t n, uint32_t flags);
uint32_t dt_constants(struct dt_build *);
uint32_t dt_globals(struct dt_build *);
uint32_t dt_slots(struct dt_build *);
uint32_t dt_tls(struct dt_build *);
uint32_t dt_ring_map(struct dt_build *);
uint32_t dt_rings(struct dt_build *);
uint32_t dt_over_map(struct dt_build *);
/* bytes of a CPU's part of it, without those after it for the longest record */
uint32_t dt_over_size(const struct dt_build *);
uint32_t dt_control_map(struct dt_build *);
uint32_t dt_drops_map(struct dt_build *);
uint32_t dt_spec_used_map(struct dt_build *);
uint32_t dt_chill_map(struct dt_build *);
uint32_t dt_pool_text(struct dt_build *, const char *);		/* offset of the string in the constants */
uint32_t dt_pool_bytes(struct dt_build *, const void *, size_t);	/* 8-aligned */
void dt_maps_finish(struct dt_build *);
void dt_btf_finish(struct dt_build *);				/* image_btf.c */

#endif
