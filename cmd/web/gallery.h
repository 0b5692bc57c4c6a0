/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DT_CMD_WEB_GALLERY_H
#define DT_CMD_WEB_GALLERY_H

#include <stdio.h>

/* Writes, as JSON, why a tool with this text cannot be used; "": it can. */
typedef void gallery_why_f(FILE *, const char *text, void *ctx);

/* The tools as JSON: name, what each is, its question, its text, and why it cannot be used. */
void gallery_write(FILE *, gallery_why_f *, void *ctx);

#endif
