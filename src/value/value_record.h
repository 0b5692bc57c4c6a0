/* SPDX-License-Identifier: BSD-2-Clause */
/* From what an action recorded to a value that can be printed. Values point into the record. */
#ifndef DT_VALUE_VALUE_RECORD_H
#define DT_VALUE_VALUE_RECORD_H

#include "value/value.h"
#include "dif/action.h"

/* `data` is 8-aligned and stays where it is as long as the value is used. */
static inline void dt_record_value(const struct dt_act *act, const void *data, size_t len, struct dt_value *v)
{
	dt_action_of(act)->value(act, data, len, v);
}
/* value of the rows that record as the type of their expression says */
void dt_record_by_type(const struct dt_act *, const void *data, size_t len, struct dt_value *);
/* By type alone; NULL: bytes. */
void dt_record_plain(const struct dt_diftype *, const void *data, size_t len, struct dt_value *);

#endif
