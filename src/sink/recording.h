/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The recording: the one stream that -O record=FILE writes, the page receives and --play reads.
 * sink_record.c writes it, sink_play.c reads it, doc/RECORDING.md describes every byte. Here are its
 * numbers, and the reader.
 */
#ifndef DT_SINK_RECORDING_H
#define DT_SINK_RECORDING_H

#include "sink/sink.h"

#define DT_RECORDING "dtrace recording 2\n"
#define DT_RECORDING_ANY "dtrace recording "	/* what all versions begin with */
#define DT_RECORDING_MAX ((size_t)4 << 30)	/* bytes of a file that is played */
#define DT_BLOCK_MAX ((size_t)256 << 20)	/* bytes of a block */
#define DT_BLOCK_HEAD 5				/* letter and length */

enum dt_recform {			/* how a record of E is read (block C) */
	DT_RF_NONE, DT_RF_UNSIGNED, DT_RF_SIGNED, DT_RF_STRING, DT_RF_BYTES, DT_RF_STACK,
	DT_RF_USTACK, DT_RF_SYM, DT_RF_MOD, DT_RF_USYM, DT_RF_UMOD, DT_RF_UADDR, DT_RF_LENGTH,
	DT_RF_COUNTED,
};

enum { DT_ORDER_LITTLE = 1, DT_ORDER_BIG = 2 };			/* block H */
enum { DT_SNAP_COMPLETE = 1, DT_SNAP_SHOWN = 2 };		/* block V */
enum { DT_TEXT_ANY, DT_TEXT_FIRING };				/* block T */
enum { DT_LEFT_FIRINGS, DT_LEFT_BLOCKS, DT_LEFT_ERRORS };	/* block M */

/* ---- reading ---- */

struct dt_host {			/* block H; texts live as long as the player */
	uint32_t ncpus;
	uint64_t monotonic, wall;	/* ns, at the same moment */
	const char *name, *machine, *release, *boot, *version;
};

struct dt_play {
	unsigned format;		/* of formats.def; text gives what was shown */
	const char *argument;		/* after its word; NULL none */
	/* Takes the place of the format; NULL: `format` says it. */
	const struct dt_sink_type *sink;
	struct dt_out *out;		/* whose options have the symbolizer of the player meanwhile */
	struct dt_print_opts *opts;	/* of `out` */
	void *ctx;			/* of the calls below; any of them may be NULL */
	const struct dt_type *(*type)(void *ctx, const char *name);
	void (*note)(void *ctx, const char *text);
	int (*host)(void *ctx, const struct dt_host *);
	int (*fault)(void *ctx, const dtrace_errdata_t *);
	int (*drop)(void *ctx, const dtrace_dropdata_t *);
	int (*left)(void *ctx, uint32_t kind, uint64_t n);	/* kind: DT_LEFT_* */
	bool terminal;			/* `out` goes to one */
	int status;			/* of exit(), out */
	bool ended;			/* the stream has its end, out */
};

/*
 * A player is fed with the bytes of a stream in pieces of any size: whole blocks are played at once, an
 * incomplete one waits for the rest. Functions return 0, or -1 and `why` (DT_SINK_WHY bytes) says what is
 * wrong with the stream or with the format; then nothing more may be fed.
 */
struct dt_player;
struct dt_player *dt_play_open(struct dt_play *, char *why);	/* NULL: out of memory, or the format */
int dt_play_feed(struct dt_player *, const void *, size_t n);
/* Each element of the last snapshots, until f returns something else than 0; that is returned. */
typedef int dt_play_elem_f(void *ctx, int64_t id, const char *name, const struct dt_aggrow *);
int dt_play_walk(struct dt_player *, dt_play_elem_f *, void *ctx);
/* No more bytes come. -1: there was no recording at all. Frees the player. */
int dt_play_close(struct dt_player *);
/* All of it at once. */
int dt_play_run(struct dt_play *, const void *, size_t n, char *why);

#endif
