/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A language server for editors (--lsp): the protocol that VS Code, Vim, Emacs and others speak, over
 * standard input and output. The server keeps the texts; each question is answered by a worker
 * (lsp_answers.c).
 */
#ifndef DT_CMD_WEB_LSP_H
#define DT_CMD_WEB_LSP_H

#include "web_args.h"

#include <dtrace.h>

int lsp_serve(const struct args *);		/* the status to exit with */

/*
 * A worker: its input is a line "bytes LINE COLUMN" or "utf16 LINE COLUMN", a line with the name of the text,
 * and the text. It writes the result of a request, as JSON: "lsp-check", "lsp-complete", "lsp-hover",
 * "lsp-define" or "lsp-symbols".
 */
int lsp_answer(const struct args *);

#endif
