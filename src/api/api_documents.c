/* SPDX-License-Identifier: BSD-2-Clause */
/* Documents for backends of others: what is in them is said in src/sink; and one over HTTP. */
#include "handle/entry.h"
#include "process/serve.h"
#include "sink/documents.h"
#include "trace/trace.h"

#include <ctype.h>
#include <errno.h>

/* ---- documents of a trace ---- */

/* A part of names of metrics, where an underscore ends it. */
static bool is_name(const char *name)
{
	size_t n = 0;

	while (isalnum((unsigned char)name[n]) && (unsigned char)name[n] < 128)
		n++;
	return n > 0 && n <= 64 && name[n] == '\0';
}

int dtrace_documents(dtrace_hdl_t *h, const char *name, const char *host)
{
	if (name == NULL || !is_name(name) || (host != NULL && strlen(host) >= sizeof(h->documents_host)))
		return dt_handle_error(h, EINVAL);
	if (h->trace != NULL && h->trace->consumer != NULL)
		return dt_handle_error(h, EDT_ACTIVE);
	h->options.val[DT_OPT_oformat] = DT_OFORMAT_openmetrics;	/* what callers should add: nothing */
	h->options.str[DT_OPT_oformat] = NULL;
	snprintf(h->documents, sizeof(h->documents), "%s", name);
	snprintf(h->documents_host, sizeof(h->documents_host), "%s", host != NULL ? host : "");
	return 0;
}

/* After a snapshot, so that all that was counted up to now is in it. */
static int put_since(dtrace_hdl_t *h, int kind, struct dt_out *out)
{
	struct dt_trace *t = h->trace;

	if (t->consumer == NULL)
		return EINVAL;
	if (dt_consumer_snap(t->consumer) != 0)
		return EDT_NOMEM;
	return kind == DTRACE_DOCUMENT_RECORDING ? dt_trace_sink_recording(h, out) :
	    dt_trace_sink_profile(h, kind == DTRACE_DOCUMENT_OTLP_PROFILES_1_10, out);
}

static int put_document(dtrace_hdl_t *h, int kind, FILE *fp, uint64_t *left)
{
	struct dt_trace *t = h->trace;
	struct dt_out out;
	int err = 0;

	if (fp == NULL || left == NULL || t == NULL || t->sink == NULL)
		return dt_handle_error(h, EINVAL);
	dt_out_init(&out, NULL, NULL);
	if (kind >= DTRACE_DOCUMENT_RECORDING && kind <= DTRACE_DOCUMENT_OTLP_PROFILES_1_10)
		err = put_since(h, kind, &out);
	else if (!dt_document_put(t->sink, kind, &out, left))
		err = EINVAL;
	if (err == 0 && !out.failed)
		(void)fwrite(dt_out_text(&out), 1, out.len, fp);
	if (err == 0 && (out.failed || ferror(fp)))
		err = out.failed ? EDT_NOMEM : EIO;
	dt_out_free(&out);
	return err != 0 ? dt_handle_error(h, err) : 0;
}

int dtrace_document(dtrace_hdl_t *h, int kind, FILE *fp, uint64_t *left)
{
	DT_PUBLIC(h, -1, put_document(h, kind, fp, left));
}

/* ---- one over HTTP ---- */

dtrace_server_t *dtrace_server_open(const char *where, const char *type, char *why, size_t len)
{
	return (dtrace_server_t *)dt_serve_open(where, type, why, len);
}

const char *dtrace_server_address(const dtrace_server_t *s)
{
	return dt_serve_address((const struct dt_serve *)s);
}

void dtrace_server_put(dtrace_server_t *s, const void *text, size_t n)
{
	dt_serve_put((struct dt_serve *)s, text, n);
}

void dtrace_server_close(dtrace_server_t *s) { dt_serve_close((struct dt_serve *)s); }
