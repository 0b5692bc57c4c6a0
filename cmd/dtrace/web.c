/* SPDX-License-Identifier: BSD-2-Clause */
/* The live page is a command of its own, so that dtrace stays small and needs no HTTP server. */
#include "web.h"

#include "beside.h"

#include <stdio.h>

int web_exec(char **argv)
{
	argv[0] = "dtrace-web";
	if (beside_exec("dtrace-web", argv) > 0)
		return 1;
	fputs("dtrace: the live page and the language server are the command dtrace-web, which is not "
	    "here: Debian's package has it, and make builds it where npm is\n", stderr);
	return 1;
}
