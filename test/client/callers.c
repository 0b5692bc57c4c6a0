/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A consumer as plockstat is one: it starts a command, traces it until it ends, and shows who called a system
 * call, how often and how long. Titles come as records of trace(), tables as records of printa(), whose
 * aggregations it joins itself.
 * 	callers COMMAND [ARGUMENT ...]
 */
#include <dtrace.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char program[] =
    "syscall::getppid:entry /pid == $target/ { self->since = timestamp; }\n"
    "syscall::getppid:return /self->since/ {\n"
    "	@time[probefunc, ustack(5)] = sum(timestamp - self->since);\n"
    "	@count[probefunc, ustack(5)] = count();\n"
    "	@hist[probefunc] = quantize(arg1);\n"
    "	self->since = 0;\n"
    "}\n"
    "END { trace(\"System calls\"); printa(@time, @count); }\n";

static dtrace_hdl_t *dtp;
static int gone;

static void fail(const char *what)
{
	fprintf(stderr, "callers: %s: %s\n", what, dtrace_errmsg(dtp, dtrace_errno(dtp)));
	exit(1);
}

static void on_process(struct ps_prochandle *p, const char *msg, void *arg)
{
	(void)p;
	(void)arg;
	if (msg != NULL)
		fprintf(stderr, "callers: %s\n", msg);
	else
		gone = 1;
}

static uint64_t number(const dtrace_aggdata_t *a)
{
	const dtrace_aggdesc_t *d = a->dtada_desc;
	uint64_t v;

	memcpy(&v, a->dtada_data + d->dtagd_rec[d->dtagd_nrecs - 1].dtrd_offset, sizeof(v));
	return v;
}

/* The first frame outside of the C library: word 0 of the key is the process, the others are addresses. */
static void caller(const dtrace_aggdata_t *a, char *buf, int len)
{
	const dtrace_recdesc_t *r = &a->dtada_desc->dtagd_rec[2];
	const uint64_t *stack = (const uint64_t *)(const void *)(a->dtada_data + r->dtrd_offset);

	snprintf(buf, (size_t)len, "?");
	for (uint32_t i = 1; i < r->dtrd_size / sizeof(*stack) && stack[i] != 0; i++) {
		dtrace_uaddr2str(dtp, (pid_t)stack[0], stack[i], buf, len);
		if (strncmp(buf, "libc", 4) != 0)
			break;
	}
}

static int show_row(const dtrace_aggdata_t **aggs, const int n, void *arg)
{
	const dtrace_aggdata_t *key = aggs[0];
	uint64_t time = number(aggs[1]), count = number(aggs[2]);
	char text[256];

	(void)arg;
	caller(key, text, sizeof(text));
	printf("%d %5" PRIu64 " %s %-12s %s\n", n, count, time / count > 0 ? "some" : "no",
	    key->dtada_data + key->dtada_desc->dtagd_rec[1].dtrd_offset, text);
	return DTRACE_AGGWALK_NEXT;
}

static int on_record(const dtrace_probedata_t *data, const dtrace_recdesc_t *rec, void *arg)
{
	const dtrace_eprobedesc_t *epd = data->dtpda_edesc;
	dtrace_aggvarid_t ids[4];
	const char *base;
	int n = 0;

	(void)arg;
	if (rec == NULL)
		return DTRACE_CONSUME_NEXT;
	if (rec->dtrd_action == DTRACEACT_DIFEXPR) {
		printf("%s\n", data->dtpda_data);
		return DTRACE_CONSUME_NEXT;
	}
	if (rec->dtrd_action != DTRACEACT_PRINTA)
		return DTRACE_CONSUME_NEXT;
	base = data->dtpda_data - rec->dtrd_offset;
	for (int i = 0; i < epd->dtepd_nrecs && n < 4; i++)
		if (epd->dtepd_rec[i].dtrd_action == DTRACEACT_PRINTA &&
		    epd->dtepd_rec[i].dtrd_uarg == rec->dtrd_uarg)
			memcpy(&ids[n++], base + epd->dtepd_rec[i].dtrd_offset, sizeof(ids[0]));
	/* once for the statement, at its first record */
	if (n > 0 && memcmp(&ids[0], data->dtpda_data, sizeof(ids[0])) == 0 &&
	    dtrace_aggregate_walk_joined(dtp, ids, n, show_row, NULL) != 0)
		fail("walking");
	return DTRACE_CONSUME_NEXT;
}

/* Histograms, bucket by bucket, with the macros of the header. */
static int show_buckets(const dtrace_aggdata_t *a, void *arg)
{
	const dtrace_aggdesc_t *d = a->dtada_desc;
	const dtrace_recdesc_t *r = &d->dtagd_rec[d->dtagd_nrecs - 1];
	const int64_t *buckets = (const int64_t *)(const void *)(a->dtada_data + r->dtrd_offset);
	int64_t total = 0;

	(void)arg;
	if (r->dtrd_action != DTRACEAGG_QUANTIZE)
		return DTRACE_AGGWALK_NEXT;
	for (int i = 0; i < DTRACE_QUANTIZE_NBUCKETS; i++)
		if (DTRACE_QUANTIZE_BUCKETVAL(i) > 0)
			total += buckets[i];
	printf("@%s %s %" PRId64 "\n", d->dtagd_name, a->dtada_data + d->dtagd_rec[1].dtrd_offset, total);
	return DTRACE_AGGWALK_REMOVE;
}

static int on_drop(const dtrace_dropdata_t *d, void *arg)
{
	(void)arg;
	fprintf(stderr, "callers: %s", d->dtdda_msg);
	return DTRACE_HANDLE_OK;
}

int main(int argc, char **argv)
{
	struct ps_prochandle *p;
	dtrace_proginfo_t info;
	dtrace_prog_t *prog;
	int err, done = 0;

	if (argc < 2)
		return 2;
	if ((dtp = dtrace_open(DTRACE_VERSION, 0, &err)) == NULL) {
		fprintf(stderr, "callers: %s\n", dtrace_errmsg(NULL, err));
		return 1;
	}
	if (dtrace_setopt(dtp, "bufsize", "64k") != 0 || dtrace_setopt(dtp, "aggsortrev", NULL) != 0)
		fail("options");
	if ((p = dtrace_proc_create(dtp, argv[1], &argv[1])) == NULL)
		fail(argv[1]);
	if ((prog = dtrace_program_strcompile(dtp, program, DTRACE_PROBESPEC_NAME, 0, 0, NULL)) == NULL ||
	    dtrace_program_exec(dtp, prog, &info) != 0)
		fail("program");
	if (dtrace_handle_proc(dtp, on_process, NULL) != 0 || dtrace_handle_drop(dtp, on_drop, NULL) != 0 ||
	    dtrace_go(dtp) != 0)
		fail("tracing");
	dtrace_proc_continue(dtp, p);
	while (!done) {
		if (!gone)
			dtrace_sleep(dtp);
		if (gone) {
			done = 1;
			if (dtrace_stop(dtp) != 0)
				fail("stopping");
		}
		switch (dtrace_work(dtp, stdout, NULL, on_record, NULL)) {
		case DTRACE_WORKSTATUS_DONE: done = 1; break;
		case DTRACE_WORKSTATUS_OKAY: break;
		default: fail("processing");
		}
	}
	if (dtrace_aggregate_snap(dtp) != 0 || dtrace_aggregate_walk_valrevsorted(dtp, show_buckets,
	    NULL) != 0)
		fail("aggregations");
	dtrace_close(dtp);
	return 0;
}
