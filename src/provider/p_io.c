/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * io: block requests (derived.h). The unit is the kernel's bio: start when it is given to the device's queue, in the thread that asks
 * for it. Devices with a queue of requests tell the end of a request, when its bios still know their size; others that of the bio.
 */
#include "provider/derived.h"

#define RQ "((struct request *)arg0)"

/* the request, and the file it is for (dlib/file.d) */
#define BIO(text) { "(uint64_t)" text, "(uint64_t)dt_bio_file[(struct bio *)" text "]" }

const struct dt_derived dt_io_probes[] = {
	{ "start", .place = { { DT_HOOK_RAWTP, "block_bio_queue", NULL, BIO("arg0") } } },
	{ "done", .place = { { DT_HOOK_RAWTP, "block_rq_complete", RQ "->bio != 0", BIO(RQ "->bio") },
		{ DT_HOOK_RAWTP, "block_bio_complete", NULL, BIO("arg1") } } },
	/* a thread that waits for one request and nothing else */
	{ "wait-start", .place = { { DT_HOOK_KFUNC, "submit_bio_wait", NULL, BIO("arg0") } } },
	{ "wait-done", .place = { { DT_HOOK_KRET, "submit_bio_wait", NULL, BIO("arg2"), .needs_fexit = true } } },
	{ 0 },
};
