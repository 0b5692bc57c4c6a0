/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the bytes that an action recorded to the value they are, by the type of its DIFO. Actions that record
 * in a way of their own (stacks, symbols) have a function in their row. Record layouts: doc/DIF.md. The bytes
 * come from the kernel side with the length that the layout gives them, so `len` is right, and what they hold
 * is not trusted: a string may lack its NUL.
 */
#include "value/value_record.h"

#include <string.h>

/*
 * len is at most 8. Each size is loaded as itself: 4 bytes put into 8 of memory and read back as 8 would wait
 * for the store. Signs are not extended; the printer does that by the size of the value.
 */
static uint64_t load_integer(const void *data, size_t len)
{
	uint64_t v = 0;
	uint32_t w;

	switch (len) {
	case 4:
		memcpy(&w, data, sizeof(w));
		return w;
	case 8:
		memcpy(&v, data, sizeof(v));
		return v;
	default:
		memcpy(&v, data, len);
		return v;
	}
}

void dt_record_plain(const struct dt_diftype *t, const void *data, size_t len, struct dt_value *v)
{
	if (!t || t->kind == DT_DT_STRING || (t->flags & (DT_DTF_REF | DT_DTF_USERREF)) ||
	    t->ckind == DT_CK_FLOAT || len > 8)
		*v = (struct dt_value){ .kind = t && t->kind == DT_DT_STRING ? DT_V_STRING : DT_V_BYTES,
			.bytes = data,
			.len = len };
	else
		*v = (struct dt_value){ .kind = DT_V_INT,
			.size = (uint8_t)len,
			.is_signed = t->is_signed,
			.i = load_integer(data, len) };
}

void dt_record_by_type(const struct dt_act *act, const void *data, size_t len, struct dt_value *v)
{
	dt_record_plain(act->difo ? &act->difo->rtype : NULL, data, len, v);
}
