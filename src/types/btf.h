/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private to src/types: the type data of one module. The records are libbpf's (bpf/btf.h), the reader
 * is our own: libbpf 1.1 does not export btf__new_split(), which modules need when their data come as
 * bytes, and it keeps a copy of everything.
 */
#ifndef DT_TYPES_BTF_H
#define DT_TYPES_BTF_H

#include "types/table.h"

#include <bpf/btf.h>

struct dt_btf {
	struct dt_btf *next;
	struct dt_btf *base;		/* vmlinux under a module, or NULL */
	char *module;
	unsigned char *data;		/* NULL: could not be read, and will not be tried again */
	const unsigned char *records;	/* the type section, in data */
	const char *strings;		/* the string section, in data; the last byte is NUL */
	uint32_t str_first, str_end;	/* string offsets that are this module's own */
	uint32_t first, end;		/* ids that are this module's own */
	uint32_t *offset;		/* [id - first] of the record */
	const struct dt_type **by_id;	/* [id - first], NULL: not converted yet */
	uint32_t *bucket, *chain;	/* name index: ids; chain is [id - first] */
	uint32_t nbucket;
};

/*
 * Takes over malloc'ed bytes: checks that header, sections and every record are whole, and finds the records.
 * 0 or -errno; the bytes are freed when it fails.
 */
int dt_btf_open(struct dt_btf *, unsigned char *data, size_t len);
/* The bytes at a string offset, ended by NUL; NULL: there are none. */
const char *dt_btf_string(const struct dt_btf *, uint32_t off);

/* The record of an id that is this module's own. */
static inline const struct btf_type *dt_btf_record(const struct dt_btf *b, uint32_t id)
{
	return (const struct btf_type *)(const void *)(b->records + b->offset[id - b->first]);
}
/* The name at a string offset; NULL when there is none or it holds bytes no name has. */
const char *dt_btf_name(const struct dt_btf *, uint32_t off);
/* Anything wrong with the graph (bad id, wrong kind, a loop) becomes void. */
const struct dt_type *dt_btf_convert(struct dt_types *, struct dt_btf *, uint32_t id);
/* The type of a VAR or FUNC. */
const struct dt_type *dt_btf_convert_symbol(struct dt_types *, struct dt_btf *, uint32_t id);

#endif
