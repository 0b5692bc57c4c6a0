/* SPDX-License-Identifier: BSD-2-Clause */
/* Type names of the documented structures that the kernel's own type data do not have under these names. */

typedef int zoneid_t;
typedef int taskid_t;
typedef int poolid_t;
typedef int psetid_t;
typedef int processorid_t;
typedef int chipid_t;
typedef int lgrp_id_t;
typedef int netstackid_t;
typedef int pri_t;
typedef char *caddr_t;
typedef long long offset_t;
typedef uint32_t ipaddr_t;
typedef struct in6_addr in6_addr_t;

typedef struct timestruc {
	int64_t tv_sec;			/* seconds since 1970 */
	int64_t tv_nsec;		/* nanoseconds */
} timestruc_t;
