/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes as a recording, played in a format that the first of them chooses. What is wrong must be refused with
 * a reason; what is played must end, in valid UTF-8 where the format promises it.
 */
#include "output/json.h"
#include "sink/recording.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static int told_fault(void *ctx, const dtrace_errdata_t *d)
{
	(void)ctx;
	return d->dteda_msg == NULL || d->dteda_pdesc == NULL;
}

static int told_drop(void *ctx, const dtrace_dropdata_t *d)
{
	(void)ctx;
	return d->dtdda_msg == NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct dt_print_opts opts = dt_print_defaults;
	struct dt_out out;
	struct dt_play p = { .out = &out, .opts = &opts, .fault = told_fault, .drop = told_drop };
	char why[DT_SINK_WHY];

	if (len == 0)
		return 0;
	p.format = data[0] % DT_NOFORMATS;
	p.bytes = data + 1;
	p.len = len - 1;
	dt_out_init(&out, NULL, &opts);
	if (dt_play_run(&p, why) != 0 && why[0] == '\0')
		abort();
	if (p.format == DT_OFORMAT_json && !dt_json_is_utf8(dt_out_text(&out), out.len))
		abort();
	dt_out_free(&out);
	return 0;
}
