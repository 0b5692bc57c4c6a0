/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Raw BTF comes in, located records and strings go out. Afterwards each record lies in its section,
 * aligned. What records say about each other (ids, names, loops) is not checked here: the converter
 * must.
 */
#include "types/btf.h"

#include <errno.h>
#include <stdlib.h>

/* -ENOTSUP: the data are of the other byte order. */
static int check_header(const struct btf_header *h, size_t len)
{
	uint64_t room;

	if (h->magic != BTF_MAGIC || h->version != BTF_VERSION)
		return h->magic == __builtin_bswap16(BTF_MAGIC) ? -ENOTSUP : -EINVAL;
	if (h->hdr_len < sizeof(*h) || h->hdr_len % 4 || h->hdr_len > len)
		return -EINVAL;
	room = len - h->hdr_len;
	if (h->type_off % 4 || h->type_len % 4)
		return -EINVAL;
	if ((uint64_t)h->type_off + h->type_len > h->str_off || (uint64_t)h->str_off + h->str_len > room)
		return -EINVAL;
	return 0;
}

/* Split BTF continues the strings of its base, so it may have none and need not begin with "". */
static int check_strings(const unsigned char *s, uint32_t len, bool split)
{
	if (!len)
		return split ? 0 : -EINVAL;
	if (s[len - 1] != '\0' || (!split && s[0] != '\0'))
		return -EINVAL;
	return 0;
}

/* The bytes of a record after its first twelve; -1: unknown kind. */
static int64_t tail_size(uint32_t info)
{
	uint64_t n = BTF_INFO_VLEN(info);

	switch (BTF_INFO_KIND(info)) {
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT: case BTF_KIND_FUNC: case BTF_KIND_FLOAT: case BTF_KIND_TYPE_TAG:
		return 0;
	case BTF_KIND_INT: case BTF_KIND_VAR: case BTF_KIND_DECL_TAG:
		return 4;
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT: case BTF_KIND_UNION: case BTF_KIND_DATASEC: case BTF_KIND_ENUM64:
		return (int64_t)(n * 12);
	case BTF_KIND_ENUM: case BTF_KIND_FUNC_PROTO:
		return (int64_t)(n * 8);
	default:
		return -1;
	}
}

/* Counts the records and stores their offsets, for which there is room: none is shorter than its head. */
static int walk_records(const unsigned char *records, uint32_t len, uint32_t *offset, uint32_t *count)
{
	uint32_t at = 0, n = 0, info;

	for (; at < len; n++) {
		uint32_t left = len - at;
		int64_t tail;

		if (left < sizeof(struct btf_type))
			return -EINVAL;
		memcpy(&info, records + at + offsetof(struct btf_type, info), sizeof(info));
		tail = tail_size(info);
		if (tail < 0 || (uint64_t)tail > left - sizeof(struct btf_type))
			return -EINVAL;
		offset[n] = at;
		at += (uint32_t)sizeof(struct btf_type) + (uint32_t)tail;
	}
	*count = n;
	return 0;
}

/* Fills *h, the offsets of the records, for the caller to free, and their number *n; changes nothing in b. */
static int check_data(const struct dt_btf *b, const struct dt_whole *bytes, struct btf_header *h,
    uint32_t **offset, uint32_t *n)
{
	int err;

	/* Offsets are 32-bit and are added, so half of that is the limit. */
	if (bytes->len < sizeof(*h) || bytes->len > UINT32_MAX / 2)
		return -EINVAL;
	memcpy(h, bytes->data, sizeof(*h));
	err = check_header(h, bytes->len);
	if (!err)
		err = check_strings(bytes->data + h->hdr_len + h->str_off, h->str_len, b->base != NULL);
	if (err)
		return err;
	*offset = malloc((h->type_len / sizeof(struct btf_type) + 1) * sizeof(**offset));
	if (!*offset)
		return -ENOMEM;
	return walk_records(bytes->data + h->hdr_len + h->type_off, h->type_len, *offset, n);
}

/*
 * Takes over the bytes, also when it fails. Ids and string offsets of split BTF continue those of its
 * base, so the base must be open.
 */
int dt_btf_open(struct dt_btf *b, struct dt_whole *bytes)
{
	struct btf_header h;
	uint32_t *offset = NULL, n;
	int err = check_data(b, bytes, &h, &offset, &n);

	if (err) {
		free(offset);
		dt_whole_free(bytes);
		return err;
	}
	b->bytes = *bytes;
	b->data = bytes->data;
	b->offset = offset;
	b->records = b->data + h.hdr_len + h.type_off;
	b->strings = (const char *)b->data + h.hdr_len + h.str_off;
	b->str_first = b->base ? b->base->str_end : 0;
	b->str_end = b->str_first + h.str_len;
	b->first = b->base ? b->base->end : 1;
	b->end = b->first + n;
	return 0;
}

/* NULL: the offset is in no section. Each section ends with NUL, so the string ends in it. */
const char *dt_btf_string(const struct dt_btf *b, uint32_t off)
{
	while (b && off < b->str_first)
		b = b->base;
	return b && off < b->str_end ? b->strings + (off - b->str_first) : NULL;
}
