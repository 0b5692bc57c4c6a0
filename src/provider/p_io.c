/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * io: block requests (derived.h). The unit is the kernel's bio: start fires when it is submitted to the
 * device's queue, in the thread that asks for it. Devices with a request queue report the end of a
 * request, while its bios still know their size; it may consist of many merged bios, and done fires for
 * each. Other devices report the end of a bio.
 */
#include "provider/derived.h"

#define RQ "((struct request *)arg0)"
#define PART "((struct bio *)arg9)"

/*
 * The request, its file (dlib/file.d), the status it ends with, whose memory it is, whether no one
 * waits (dlib/io.d), and the request again.
 */
#define BIO(text, status) DT_ARGS("(uint64_t)" text, \
	"(uint64_t)dt_bio_file[(struct bio *)" text "]", status, "dt_bio_memory[(struct bio *)" text "]", \
	"dt_bio_async[(struct bio *)" text "]", "(uint64_t)" text), .soft = true
#define STATUS(text) "((struct bio *)" text ")->bi_status"

/*
 * block_rq_complete(request, error, bytes): if a request ends in parts, the bios within the bytes end.
 * The first part of a bio that was split is a clone (bit 1 of bi_flags), whose start was not reported.
 */
#define ENDS "(arg2 >= " RQ "->__data_len || ((" PART "->bi_iter.bi_sector - " RQ "->__sector) << 9) + " \
	PART "->bi_iter.bi_size <= arg2)"
#define WHOLE(bio) "!((" bio "->bi_flags & 2) != 0 && (uintptr_t)" bio \
	"->bi_end_io == (uintptr_t)&`bio_chain_endio)"
#define NEXT "arg9 == 0 ? (uint64_t)" RQ "->bio : (uint64_t)" PART "->bi_next"
#define AWAITED "self->__io_awaited"
#define LAST "((struct bio *)arg1)"

static const struct dt_derived io_probes[] = {
	{ "start", DT_AT(DT_SITE(RAWTP, "block_bio_queue", DT_ALWAYS, BIO("arg0", "0"))) },
	{ "done",
	    DT_AT(DT_SITE(RAWTP, "block_rq_complete", DT_EACH(NEXT, ENDS " && " WHOLE(PART)),
			   BIO("arg9", "arg1"), .each = true, DT_NEEDS(SYMBOL, "bio_chain_endio")),
		DT_SITE(RAWTP, "block_rq_complete", DT_EACH(NEXT, ENDS), BIO("arg9", "arg1"), .each = true,
		    .otherwise = true),
		DT_SITE(RAWTP, "block_bio_complete", WHOLE(LAST), BIO("arg1", STATUS("arg1")),
		    DT_NEEDS(SYMBOL, "bio_chain_endio")),
		DT_SITE(RAWTP, "block_bio_complete", DT_ALWAYS, BIO("arg1", STATUS("arg1")),
		    .otherwise = true)) },
	/* a thread that waits for one request only */
	{ "wait-start", DT_AT(DT_SITE(KFUNC, "submit_bio_wait", DT_ALWAYS, BIO("arg0", "0"))) },
	{ "wait-done",
	    DT_AT(DT_SITE(KRET, "submit_bio_wait", DT_ALWAYS, BIO("arg2", STATUS("arg2")),
			   .needs_fexit = true),
		DT_SITE(KFUNC, "submit_bio_wait", "(" AWAITED " = arg0, 0)", DT_ARGS("0"), .no_fexit = true),
		DT_SITE(KRET, "submit_bio_wait", DT_ALWAYS, BIO(AWAITED, STATUS(AWAITED)),
		    .no_fexit = true)) },
	{ "" },
};

const struct dt_provider dt_provider_io = {
	.name = "io",
	.form = "io:::start, done, wait-start, wait-done",
	.doc = "Requests to disks.",
	.attrs = { { EEI, PPU, PPU, EEI, EEI } },
	DT_DERIVED(io_probes),
};
