/* SPDX-License-Identifier: BSD-2-Clause */
/* -A and -a: programs kept in a file to be run later, for example by a service at boot. */
#ifndef DTRACE_ANON_H
#define DTRACE_ANON_H

#include "args.h"

bool anon_claimed(dtrace_hdl_t *, const struct args *);	/* -a, or -x grabanon that is not off */
/* -A: saves the programs, or removes what is there if there are none. Returns the exit status. */
int anon_write(dtrace_hdl_t *, const struct args *, dtrace_prog_t *const *programs);
/*
 * -a: sets the saved options and gives out the programs; both arrays are malloc()ed and the caller's. 0, or
 * the status to exit with after a message.
 */
int anon_read(dtrace_hdl_t *, const struct args *, struct program **, dtrace_prog_t ***, int *n);
/* The file goes once its programs run: the process that removes it has claimed it. */
int anon_consume(const struct args *);

#endif
