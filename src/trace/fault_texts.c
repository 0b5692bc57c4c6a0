/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Errors of firings as sentences for the error handler: those that a program meets in the kernel (a bad
 * address, a division by zero), and those of actions that the library carries out itself.
 */
#include "trace/trace.h"

#include <fcntl.h>
#include <stdarg.h>

/* The probe's four parts; a probe that is not known has empty ones. */
void dt_trace_describe(const struct dt_trace *t, uint32_t id, dtrace_probedesc_t *d)
{
	dt_handle_desc(d, id, dt_trace_part(t, id, DT_PART_PROV), dt_trace_part(t, id, DT_PART_MOD),
	    dt_trace_part(t, id, DT_PART_FUNC),
	    dt_trace_part(t, id, DT_PART_NAME));
}

/*
 * An action could not be carried out here: an error of the firing in hand, reported like any other. Outside
 * of firings (dtrace_fprinta() by a caller) there is no handler to call.
 */
void dt_trace_action_failed(struct dtrace_hdl *h, const char *fmt, ...)
{
	struct dt_trace *t = h->trace;
	char why[512], msg[1024];
	dtrace_errdata_t d = { .dteda_handle = h, .dteda_action = -1, .dteda_offset = -1,
		.dteda_fault = DTRACEFLT_LIBRARY,
		.dteda_msg = msg };
	const dtrace_probedesc_t *p;
	va_list ap;

	if (t->h->doing.firing == NULL)
		return;
	d.dteda_edesc = t->h->doing.firing->dtpda_edesc;
	d.dteda_pdesc = t->h->doing.firing->dtpda_pdesc;
	d.dteda_cpu = t->h->doing.firing->dtpda_cpu;
	p = d.dteda_pdesc;
	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	snprintf(msg, sizeof(msg), "error on enabled probe ID %u (ID %u: %s:%s:%s:%s): %s\n",
	    d.dteda_edesc->dtepd_epid, p->dtpd_id,
	    p->dtpd_provider, p->dtpd_mod, p->dtpd_func, p->dtpd_name, why);
	if (t->sink->type->fault != NULL)
		t->sink->type->fault(t->sink, &d, false);
	if (t->h->on.err_f != NULL && t->h->on.err_f(&d, t->h->on.err_arg) == DTRACE_HANDLE_ABORT)
		t->failed = EDT_ERRABORT;
}

/*
 * Two mistakes that are common on Linux. Scripts from systems where open(2) is a system call read arg0 of
 * openat(2), which is a directory. And what a system call is to read may lie in a page that no code has
 * touched yet: a probe cannot wait for the page, while the kernel fetches it between entry and return.
 */
static const char *fault_hint(const struct dt_recfault *f, const dtrace_probedesc_t *p)
{
	if (f->fault != DT_FLT_BADADDR || strcmp(p->dtpd_provider, "syscall") != 0)
		return "";
	if ((int32_t)f->addr == AT_FDCWD)
		return ": this is AT_FDCWD, a directory; the path is the next argument";
	if (strcmp(p->dtpd_name, "entry") == 0 && f->addr >= 4096 && f->addr >> 56 == 0)
		return ": its page may not be in memory yet; it is at the system call's return "
		    "(keep the address in self->)";
	return "";
}

/* The consumer's callback for a fault record. The words are historic: scripts look for them. */
int dt_trace_fault(void *ctx, const struct dt_recfault *f)
{
	struct dtrace_hdl *h = ctx;
	struct dt_trace *t = h->trace;
	dtrace_eprobedesc_t none = { .dtepd_epid = f->epid, .dtepd_probeid = f->probe_id },
		*edesc = dt_trace_edesc(t, f->epid);
	dtrace_probedesc_t pdesc;
	char msg[1024], where[32], addr[32] = "", offset[40] = "";
	dtrace_errdata_t d = { .dteda_handle = h, .dteda_edesc = edesc != NULL ? edesc : &none,
		.dteda_pdesc = &pdesc, .dteda_action = f->action,
		.dteda_offset = f->offset, .dteda_fault = (int)f->fault, .dteda_addr = f->addr,
		.dteda_msg = msg };

	dt_trace_describe(t, f->probe_id, &pdesc);
	if (f->fault == DT_FLT_BADADDR || f->fault == DT_FLT_BADALIGN || f->fault == DT_FLT_BADSTACK)
		snprintf(addr, sizeof(addr), " (0x%llx)", (unsigned long long)f->addr);
	if (f->action < 0)
		snprintf(where, sizeof(where), "predicate");
	else
		snprintf(where, sizeof(where), "action #%d", f->action + 1);
	if (f->offset >= 0)
		snprintf(offset, sizeof(offset), " at DIF offset %d", f->offset);
	snprintf(msg, sizeof(msg), "error on enabled probe ID %u (ID %u: %s:%s:%s:%s): %s%s in %s%s%s\n",
	    f->epid, f->probe_id,
	    pdesc.dtpd_provider, pdesc.dtpd_mod, pdesc.dtpd_func, pdesc.dtpd_name,
	    dt_fault_text((int)f->fault), addr, where, offset,
	    fault_hint(f, &pdesc));
	dt_trace_sink_start(t);
	if (t->sink->type->fault != NULL)
		t->sink->type->fault(t->sink, &d, addr[0] != '\0');
	if (t->h->on.err_f != NULL && t->h->on.err_f(&d, t->h->on.err_arg) == DTRACE_HANDLE_ABORT)
		return dt_handle_error(h, EDT_ERRABORT);
	return 0;
}
