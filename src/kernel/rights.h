/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel lets this process do. */
#ifndef DT_KERNEL_RIGHTS_H
#define DT_KERNEL_RIGHTS_H

#include <stdbool.h>

struct dt_kernel;

/* Does this process have the capability (CAP_* of linux/capability.h)? 1, 0, or -errno. */
int dt_rights_has(int cap);
/* Does the kernel show this process no addresses, so that none has a name? It reads all symbols. */
bool dt_rights_hide_names(struct dt_kernel *);

#endif
