/* SPDX-License-Identifier: BSD-2-Clause */
/* What waits for the end of its speculation: in order, and in not much more memory than specsize counts. */
#include "check.h"
#include "consume/state.h"

#include "bpf/image.h"

#include <malloc.h>
#include <string.h>

struct told { uint64_t n, wrong; };

static int tell(void *ctx, const void *rec, size_t len)
{
	struct told *t = ctx;
	uint64_t first;

	memcpy(&first, rec, sizeof(first));
	t->wrong += first != t->n || len != 24 + t->n % 17;
	t->n++;
	return 0;
}

static size_t in_use(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

int main(void)
{
	enum { N = 100000 };
	struct dt_specs all = { 0 };
	struct told told = { 0 };
	uint64_t rec[8] = { 0 }, bytes = 0;
	size_t before = in_use();

	for (uint64_t i = 0; i < N; i++) {
		rec[0] = i;
		CHECK_INT(dt_specs_keep(&all, 3, DT_SPEC_ACTIVE, rec, 24 + i % 17, tell, &told), 0);
		bytes += 24 + i % 17;
	}
	/* issue 11: 32 bytes beside each record, which nobody had counted */
	CHECK(in_use() - before < bytes + bytes / 2 + (512 << 10));
	CHECK_INT(told.n, 0);
	CHECK_INT(dt_specs_end(&all, 3, DT_SPEC_ACTIVE, true, tell, &told), 0);
	CHECK_INT(told.n, N);
	CHECK_INT(told.wrong, 0);
	CHECK_INT(all.lost, 0);
	CHECK(in_use() < before + (1 << 20));
	dt_specs_free(&all);
	return check_report("spec");
}
