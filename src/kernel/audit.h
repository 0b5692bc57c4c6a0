/* SPDX-License-Identifier: BSD-2-Clause */
/* Is the kernel's audit enabled? */
#ifndef DT_KERNEL_AUDIT_H
#define DT_KERNEL_AUDIT_H

/*
 * 1: on, 0: off, or -errno: -EPROTONOSUPPORT if the kernel was built without it, -EPERM without the
 * privilege to ask.
 */
int dt_audit_enabled(void);

#endif
