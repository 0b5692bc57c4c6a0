/* SPDX-License-Identifier: BSD-2-Clause */
/* A line while it is made: text that grows, and the ways in which strace(1) writes numbers and strings. */
#ifndef DT_CMD_DTRUSS_TEXT_H
#define DT_CMD_DTRUSS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
	char *v;
	size_t n, size;
	bool failed;			/* out of memory: the text is not whole */
};

void text_bytes(struct text *, const char *, size_t n);
void text_put(struct text *, const char *);
void text_char(struct text *, char);
void text_int(struct text *, int64_t);
void text_uint(struct text *, uint64_t);
void text_hex(struct text *, uint64_t);		/* 0x1f; 0 is 0 */
void text_addr(struct text *, uint64_t);	/* 0x1f; 0 is NULL */
void text_oct(struct text *, uint64_t);		/* 0644; 0 is 0 */
void text_format(struct text *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* As a C string: "a\n\0b"; `more`: there was more of it, which "..." says. */
void text_string(struct text *, const char *, size_t n, bool more);
/* The same with each byte as \xnn: what is random is not text. */
void text_bytes_hex(struct text *, const char *, size_t n, bool more);
/* Names of files between < and >: what a terminal would obey is escaped. */
void text_name(struct text *, const char *);
void text_free(struct text *);

#endif
