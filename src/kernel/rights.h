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
/* What takes names from every process, CAP_SYSLOG or not, and how to change it; or NULL. Reads little. */
const char *dt_rights_names_withheld(void);
/* 1: in the user namespace (pid namespace) that the kernel began with; 0: in another one; or -errno. */
int dt_rights_first_user_namespace(void);
int dt_rights_first_pid_namespace(void);
/* integrity forbids writing, confidentiality reading as well. UNKNOWN: securityfs is not mounted. */
enum dt_lockdown {
	DT_LOCKDOWN_UNKNOWN,
	DT_LOCKDOWN_NONE,
	DT_LOCKDOWN_INTEGRITY,
	DT_LOCKDOWN_CONFIDENTIALITY,
};
enum dt_lockdown dt_rights_lockdown(void);
/*
 * A sentence for EPERM: which capabilities are missing, or what else refuses. It begins with the historic
 * words "DTrace requires additional privileges".
 */
const char *dt_rights_why_refused(void);
/* The same sentence if capabilities are missing, else NULL. */
const char *dt_rights_missing(void);

#endif
