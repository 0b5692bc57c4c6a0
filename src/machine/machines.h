/* SPDX-License-Identifier: BSD-2-Clause */
/* The machines by name, for machine.c and for tests that want a certain one. */
#ifndef DT_MACHINE_MACHINES_H
#define DT_MACHINE_MACHINES_H

#include "machine/machine.h"

extern const struct dt_machine dt_machine_x86_64, dt_machine_aarch64;

#endif
