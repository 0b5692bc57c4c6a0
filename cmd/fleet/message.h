/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What askers and agents say to each other over the bus (doc/FLEET.md): a line with the version and the kind,
 * lines of a word and its value, an empty line, then bytes. What came from the bus is untrusted: everything
 * is checked and bounded here, values hold printable ASCII alone.
 */
#ifndef DT_CMD_FLEET_MESSAGE_H
#define DT_CMD_FLEET_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	MESSAGE_MAX = 1 << 20,		/* the default limit of nats-server */
	MESSAGE_HEAD = 32 << 10, MESSAGE_WORDS = 400,
	NAME_LENGTH = 64,		/* of a host, a user, a run, with the NUL */
	DATA_MAX = 128 << 10,		/* of a stream in one message */
};

/* ---- names ---- */

/* A token of a subject: letters, digits, - and _, at most NAME_LENGTH - 1 of them. */
bool name_good(const char *);
/* A name of a host as a token: a point becomes _. False: it cannot be one. */
bool name_token(const char *name, char token[NAME_LENGTH]);
/* Text of others for a terminal: what is not printable becomes ?, but for newlines and tabs. */
void text_clean(char *);

/* ---- writing ---- */

struct out_message { char *bytes; size_t len, cap; bool failed; };
void message_begin(struct out_message *, const char *kind);
void message_put(struct out_message *, const char *word, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Ends the head, once, and begins the bytes; then more of them. */
void message_body(struct out_message *, const void *, size_t len);
void message_more(struct out_message *, const void *, size_t len);
void message_free(struct out_message *);

/* ---- reading ---- */

struct message {
	char *head;			/* a copy, cut into words */
	const char *kind;
	struct { const char *word, *value; } v[MESSAGE_WORDS];
	int n;
	const char *body;		/* in the bytes that were read */
	size_t len;
};
bool message_read(struct message *, const char *bytes, size_t len);	/* false: it is none */
void message_end(struct message *);
const char *message_get(const struct message *, const char *word);	/* "" if it is not there */
uint64_t message_number(const struct message *, const char *word);	/* 0 if it is not there, or none */

#endif
