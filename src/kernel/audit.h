/* SPDX-License-Identifier: BSD-2-Clause */
/* Is the kernel's audit on? */
#ifndef DT_KERNEL_AUDIT_H
#define DT_KERNEL_AUDIT_H

/*
 * 1 on, 0 off, or -errno: -EPROTONOSUPPORT when the kernel was built without it, -EPERM without the
 * right to ask.
 */
int dt_audit_enabled(void);

#endif
