/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads records as the bindings of other languages always did (L1, L2): a record of 1, 2, 4 or 8 bytes is a
 * number, any other is a string; the first key of an element is at offset 16; one dtrace_work() right behind
 * dtrace_go() is enough to see what BEGIN recorded.
 */
#include <dtrace.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void fail(dtrace_hdl_t *h, const char *what)
{
	fprintf(stderr, "%s: %s\n", what, dtrace_errmsg(h, dtrace_errno(h)));
	exit(1);
}

/* Also touches every byte of the record, as one that copies it does. */
static void show(const char *data, const dtrace_recdesc_t *r)
{
	int64_t n = 0;
	uint32_t used = 0;

	switch (r->dtrd_size) {
	case 0:
		return;
	case 1: case 2: case 4: case 8:
		memcpy(&n, data, r->dtrd_size);
		printf(" %" PRId64, n);
		return;
	default:
		for (uint32_t i = 0; i < r->dtrd_size; i++)
			used = data[i] != 0 ? i + 1 : used;
		printf(" '%s'%s", data, used == strlen(data) ? "" : " and more");
	}
}

/* All records at once, from the beginning of the firing's data. */
static int on_probe(const dtrace_probedata_t *d, void *arg)
{
	const dtrace_eprobedesc_t *e = d->dtpda_edesc;

	(void)arg;
	printf("%s:", d->dtpda_pdesc->dtpd_name);
	for (int i = 0; i < e->dtepd_nrecs; i++) {
		const dtrace_recdesc_t *r = &e->dtepd_rec[i];

		if (r->dtrd_offset + r->dtrd_size > e->dtepd_size)
			printf(" (record %d lies outside)", i);
		else
			show(d->dtpda_data + r->dtrd_offset, r);
	}
	printf("\n");
	return DTRACE_CONSUME_THIS;
}

/* One after the other: the data are those of this record. */
static int on_record(const dtrace_probedata_t *d, const dtrace_recdesc_t *r, void *arg)
{
	const dtrace_eprobedesc_t *e = d->dtpda_edesc;
	int *strings = arg;

	if (r == NULL)
		return DTRACE_CONSUME_NEXT;
	*strings += r->dtrd_size > 8 && r->dtrd_size == e->dtepd_rec[0].dtrd_size && d->dtpda_data[0] != 0;
	return DTRACE_CONSUME_NEXT;
}

static int on_element(const dtrace_aggdata_t *a, void *arg)
{
	const dtrace_aggdesc_t *d = a->dtada_desc;
	dtrace_aggvarid_t id;

	(void)arg;
	memcpy(&id, a->dtada_data + d->dtagd_rec[0].dtrd_offset, sizeof(id));
	printf("@%s%s, first key at %u:", d->dtagd_name, id == d->dtagd_varid ? "" : " with another number",
	    d->dtagd_rec[1].dtrd_offset);
	for (int i = 1; i < d->dtagd_nrecs; i++)
		show(a->dtada_data + d->dtagd_rec[i].dtrd_offset, &d->dtagd_rec[i]);
	printf("\n");
	return DTRACE_AGGWALK_NEXT;
}

int main(int argc, char **argv)
{
	int err = 0, strings = 0;
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, 0, &err);
	dtrace_prog_t *p;

	if (h == NULL || argc < 2)
		return fprintf(stderr, "%s\n", dtrace_errmsg(NULL, err)), 2;
	if (argc > 2 && dtrace_setopt(h, "strsize", argv[2]) != 0)
		fail(h, "strsize");
	p = dtrace_program_strcompile(h, argv[1], DTRACE_PROBESPEC_NAME, 0, 0, NULL);
	if (p == NULL || dtrace_program_exec(h, p, NULL) != 0 || dtrace_go(h) != 0)
		fail(h, "start");
	if (dtrace_work(h, stdout, on_probe, on_record, &strings) != DTRACE_WORKSTATUS_OKAY)
		fail(h, "work");
	printf("%d strings of the same size\n", strings);
	if (dtrace_stop(h) != 0 ||
	    dtrace_work(h, stdout, on_probe, on_record, &strings) != DTRACE_WORKSTATUS_DONE)
		fail(h, "stop");
	if (dtrace_aggregate_walk_sorted(h, on_element, NULL) != 0)
		fail(h, "walk");
	dtrace_close(h);
	return 0;
}
