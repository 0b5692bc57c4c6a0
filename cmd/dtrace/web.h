/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DTRACE_WEB_H
#define DTRACE_WEB_H

/* -O web and --web: dtrace-web takes over, with the same words. The status to exit with if it cannot. */
int web_exec(char **argv);

#endif
