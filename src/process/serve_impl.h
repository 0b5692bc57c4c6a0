/* SPDX-License-Identifier: BSD-2-Clause */
/* Between serve.c, which the tracer runs, and serve_child.c. */
#ifndef DT_PROCESS_SERVE_IMPL_H
#define DT_PROCESS_SERVE_IMPL_H

#include <stdbool.h>

/* Descriptor 3 brings documents, descriptor 4 listens. `local`: only names of this machine are answered. */
_Noreturn void dt_serve_child(int parent, const int socks[2], const char *type, bool local);

#endif
