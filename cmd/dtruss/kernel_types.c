/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Structs that need no decoder of ours: the kernel's own type data has their members, and the library shows
 * bytes by a type. Seldom used ones, so that the layout may be the library's, on one line.
 */
#include "decode.h"

#include <stdlib.h>

/* What print() makes of it, with runs of white space as one blank. */
static void put_one_line(struct text *t, const char *s)
{
	bool blank = false;

	for (; *s != '\0'; s++) {
		if (*s == ' ' || *s == '\n' || *s == '\t') {
			blank = true;
			continue;
		}
		if (blank)
			text_char(t, ' ');
		blank = false;
		text_char(t, *s);
	}
}

static void put_by_type(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	size_t size = 0, len = 0;
	const char *p = c->a[arg] != 0 && !call_failed(c) ? call_bytes(c, arg, 0, &size) : NULL;
	char *text = NULL;
	FILE *f = p != NULL ? open_memstream(&text, &len) : NULL;
	int n = 0;

	if (f != NULL) {
		n = dtrace_print(c->dtp, f, k->type, (char *)(uintptr_t)p, size);
		if (fclose(f) != 0)
			n = 0;
	}
	if (n > 0 && text != NULL)
		put_one_line(t, text);
	else
		text_addr(t, c->a[arg]);
	free(text);
}

static const struct name bpf_commands[] = {
	{ 0, "BPF_MAP_CREATE" }, { 1, "BPF_MAP_LOOKUP_ELEM" }, { 2, "BPF_MAP_UPDATE_ELEM" },
	{ 3, "BPF_MAP_DELETE_ELEM" }, { 4, "BPF_MAP_GET_NEXT_KEY" }, { 5, "BPF_PROG_LOAD" },
	{ 6, "BPF_OBJ_PIN" },
	{ 7, "BPF_OBJ_GET" }, { 8, "BPF_PROG_ATTACH" }, { 9, "BPF_PROG_DETACH" }, { 10, "BPF_PROG_TEST_RUN" },
	{ 13, "BPF_PROG_GET_FD_BY_ID" }, { 14, "BPF_MAP_GET_FD_BY_ID" }, { 15, "BPF_OBJ_GET_INFO_BY_FD" },
	{ 17, "BPF_RAW_TRACEPOINT_OPEN" }, { 18, "BPF_BTF_LOAD" }, { 22, "BPF_MAP_FREEZE" },
	{ 28, "BPF_LINK_CREATE" },
};

#define TYPE(kind, t) { .name = kind, .put = put_by_type, .type = t, .fetch = IN("sizeof (" t ")"), .nrecs \
	= 1 }

static const struct kind list[] = {
	{ .name = "bpfcmd", .put = put_kind_name, NAMES(bpf_commands) },
	{ .name = "bpfattr", .put = put_kind_addr },
	{ .name = "pselectsig", .put = put_kind_addr },
	TYPE("timex", "struct __kernel_timex"),
	TYPE("caphdr", "struct __user_cap_header_struct"),
	TYPE("capdata", "struct __user_cap_data_struct"),
	TYPE("range", "struct cachestat_range"),
	TYPE("cachestat", "struct cachestat"),
	TYPE("uringparam", "struct io_uring_params"),
	TYPE("openhow", "struct open_how"),
	TYPE("perfattr", "struct perf_event_attr"),
	TYPE("schedattr", "struct sched_attr"),
	TYPE("mqattr", "struct mq_attr"),
	TYPE("xattrargs", "struct xattr_args"),
	TYPE("mountattr", "struct mount_attr"),
	TYPE("mntidreq", "struct mnt_id_req"),
	TYPE("fileattr", "struct file_attr"),
};
KINDS(kinds_kernel);
