/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For files that define a provider: its stability (.attrs) is that of the five parts of its probes, which are
 * provider, module, function, name and arguments.
 */
#ifndef DT_PROVIDER_STABILITY_H
#define DT_PROVIDER_STABILITY_H

#include "dif/builtin.h"
#include "provider/provider.h"

/* names, data, and what the meaning depends on */
#define ATTR(names, data, depends) { DT_STAB_##names, DT_STAB_##data, DT_CLS_##depends }
#define PPU ATTR(PRIVATE, PRIVATE, UNKNOWN)
#define PPI ATTR(PRIVATE, PRIVATE, ISA)
#define EEC ATTR(EVOLVING, EVOLVING, COMMON)
#define EEI ATTR(EVOLVING, EVOLVING, ISA)
#define SSC ATTR(STABLE, STABLE, COMMON)

#endif
