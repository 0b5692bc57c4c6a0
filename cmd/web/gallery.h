/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DT_CMD_WEB_GALLERY_H
#define DT_CMD_WEB_GALLERY_H

/* The tools as JSON: name, what each is, its question and its text. NULL: out of memory. To be freed. */
char *gallery_json(void);

#endif
