/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of ports, from /etc/services. The C library's functions would load plug-ins (NSS). */
#ifndef DT_BASE_SERVICES_H
#define DT_BASE_SERVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first name with this port, of any protocol; false: none. A name that does not fit is cut off. */
bool dt_service_name(uint16_t port, char *name, size_t len);
/* The same in a text of that form. */
bool dt_service_find(const char *text, uint16_t port, char *name, size_t len);

#endif
