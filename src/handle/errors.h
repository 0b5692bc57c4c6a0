/* SPDX-License-Identifier: BSD-2-Clause */
/* The sentence of each EDT_* code: what dtrace_errmsg() says when there is nothing better. */
#ifndef DT_HANDLE_ERRORS_H
#define DT_HANDLE_ERRORS_H

/* For EDT_* the table's text, else strerror's; "Unknown error" for an unknown number. Never NULL. */
const char *dt_error_text(int err);

#endif
