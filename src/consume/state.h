/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to src/consume: the aggregations of a consumer. */
#ifndef DT_CONSUME_STATE_H
#define DT_CONSUME_STATE_H

#include "consume/consumer.h"

struct dt_agg_table {			/* one aggregation and where its keys are */
	struct dt_agg agg;
	uint32_t cap;			/* of agg.elem */
	uint32_t *bucket;		/* element index + 1 */
	uint32_t nbuckets;
};

struct dt_aggs {
	const struct dt_image *image;
	struct dt_agg_table *table;	/* by the image's aggregation index */
	uint32_t n;
	const struct dt_consumer_ops *ops;
};

int dt_aggs_init(struct dt_aggs *, const struct dt_image *);
void dt_aggs_free(struct dt_aggs *);
struct dt_aggs *dt_consumer_aggs(struct dt_consumer *);
struct dt_session *dt_consumer_session(struct dt_consumer *);

#endif
