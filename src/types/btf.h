/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private to src/types: the type data (BTF) of one module. The record formats are libbpf's (bpf/btf.h);
 * the reader is our own, because libbpf 1.1 does not export btf__new_split(), which modules need if
 * their data come as bytes, and because libbpf copies everything.
 */
#ifndef DT_TYPES_BTF_H
#define DT_TYPES_BTF_H

#include "base/file.h"
#include "types/table.h"

#include <bpf/btf.h>

struct dt_btf {
	struct dt_btf *next;
	struct dt_btf *base;		/* vmlinux under a module, or NULL */
	char *module;
	struct dt_whole bytes;		/* owned */
	const unsigned char *data;	/* those; NULL: could not be read and will not be tried again */
	const unsigned char *records;	/* the type section, in data */
	const char *strings;		/* the string section, in data; the last byte is NUL */
	uint32_t str_first, str_end;	/* string offsets that are this module's own */
	uint32_t first, end;		/* ids that are this module's own */
	uint32_t *offset;		/* [id - first] of the record */
	const struct dt_type **by_id;	/* [id - first], NULL: not yet converted */
	uint32_t *bucket, *chain;	/* name index of ids; 0 ends a chain */
	uint32_t nbucket;
};

/*
 * Takes over bytes, checks that header, sections and every record are whole, and locates the
 * records. Returns 0 or -errno; frees the bytes if it fails.
 */
int dt_btf_open(struct dt_btf *, struct dt_whole *);
/* The bytes at a string offset, NUL-terminated; NULL if the offset is outside. */
const char *dt_btf_string(const struct dt_btf *, uint32_t off);

/* The record of an id that belongs to this module. */
static inline const struct btf_type *dt_btf_record(const struct dt_btf *b, uint32_t id)
{
	return (const struct btf_type *)(const void *)(b->records + b->offset[id - b->first]);
}
/* The name at a string offset; NULL if there is none or it contains bytes that no name has. */
const char *dt_btf_name(const struct dt_btf *, uint32_t off);
/* Converts a record. Anything wrong with the graph (bad id, wrong kind, a loop) becomes void. */
const struct dt_type *dt_btf_convert(struct dt_types *, struct dt_btf *, uint32_t id);
/* The type of a VAR or FUNC. */
const struct dt_type *dt_btf_convert_symbol(struct dt_types *, struct dt_btf *, uint32_t id);

#endif
