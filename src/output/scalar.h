/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The leaves of a recorded object, read by type. Both text layouts of print() and the JSON one use it.
 */
#ifndef DT_OUTPUT_SCALAR_H
#define DT_OUTPUT_SCALAR_H

#include "output/out.h"
#include "types/type.h"

/* Objects nested more deeply print as "..." in text and null in JSON. */
#define DT_PRINT_DEPTH 32

struct dt_bytes { const unsigned char *p; size_t len; };	/* what was recorded of an object */

/*
 * Whether an object has been printed long enough. The debugging data of a process may have structs that
 * contain each other; no honest type has so many values for its bytes.
 */
static inline bool dt_print_enough(uint64_t *values, struct dt_bytes b)
{
	return (*values)++ > 4096 + 64 * (uint64_t)b.len;
}

/*
 * The integer at a bit offset, sign-extended when its type is signed. bit_size is 0 for a member that
 * is no bit-field. False: the record ends before it.
 */
bool dt_scalar_read(const struct dt_type *, struct dt_bytes, uint64_t bit_off, uint16_t bit_size,
    uint64_t *value);
/* `len` bytes from a byte offset on; fewer, or none, where the record ends earlier. */
struct dt_bytes dt_bytes_at(struct dt_bytes, uint64_t off, uint64_t len);
bool dt_scalar_is_char(const struct dt_type *);
/* The name of a type; one without a name is called by its kind: "struct". */
void dt_scalar_type(const struct dt_type *, char *buf, size_t len);
/* The enumerator's name, or NULL. */
const char *dt_scalar_enum(struct dt_types *, const struct dt_type *, uint64_t value);
/*
 * A floating-point object as %+.7e, a long double as %+.16E. False: no such type of C has its size.
 */
bool dt_scalar_float(struct dt_out *, struct dt_bytes);
/* 'c', '\n', '\004' */
void dt_scalar_char(struct dt_out *, unsigned char);

#endif
