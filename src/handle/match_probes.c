/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A description in, the probes it matches out; where it matches none, a sentence that says why, and what may
 * have been meant. The compiler asks here for each clause, and so does enabling.
 */
#include "base/count.h"
#include "handle/handle.h"

#include "handle/errors.h"
#include "provider/provider.h"
#include "replay/events.h"

#include <errno.h>

/* -x replay: the file is read at the first question. False: it cannot be, and *why says so. */
static bool read_events(struct dtrace_hdl *h, const char **why)
{
	const char *path = h->options.str[DT_OPT_replay];
	char msg[512];

	if (path == NULL || h->probes.events != NULL)
		return true;
	h->probes.events = dt_replay_read(h->kept, path, msg, sizeof(msg));
	if (h->probes.events == NULL && why != NULL)
		*why = dt_arena_printf(h->kept, "%s", msg);
	return h->probes.events != NULL;
}

/* Options that change what providers offer are handed over with each question. */
int dt_handle_match(struct dtrace_hdl *h, const struct dt_probedesc *d, dt_probe_f *f, void *ctx,
    const char **why)
{
	h->probes.follow = dt_options_on(&h->options, DT_OPT_follow);
	h->probes.uretprobe = dt_options_on(&h->options, DT_OPT_uretprobe);
	if (!read_events(h, why))
		return 0;
	return dt_probes_match(&h->probes, d, f, ctx, why);
}

/* ---- what may have been meant ---- */

/*
 * Kinds of probes as bpftrace calls them: its users write them where the provider, module or function stands.
 */
static const char *other_kind(const struct dt_probedesc *d)
{
	static const struct { const char *theirs, *why; } rows[] = {
		{ "tracepoint", "tracepoints are sdt:GROUP::NAME, and system calls syscall::NAME:entry" },
		{ "kprobe", "functions of the kernel are fbt::FUNCTION:entry" },
		{ "kretprobe", "functions of the kernel are fbt::FUNCTION:return" },
		{ "uprobe", "functions of a process are pid$target:MODULE:FUNCTION:entry" },
		{ "uretprobe", "functions of a process are pid$target:MODULE:FUNCTION:return" },
		{ "usdt", "static probes of a process are PROVIDER$target:MODULE::NAME" },
		{ "interval", "what fires at intervals is tick-1s, tick-100ms" },
		{ "rawtracepoint", "raw tracepoints are rawtp:::NAME" },
		{ "software", "events that are counted are cpc:::" },
		{ "hardware", "events that are counted are cpc:::" },
	};

	for (size_t i = 0; i < DT_COUNT(rows); i++)
		if (strcmp(d->prov, rows[i].theirs) == 0 || strcmp(d->mod, rows[i].theirs) == 0 ||
		    strcmp(d->func, rows[i].theirs) == 0)
			return rows[i].why;
	return NULL;
}

/* Providers of other systems that Linux has no place for, and what to use instead. */
static const char *other_provider(const struct dt_probedesc *d)
{
	static const struct { const char *prov, *why; } rows[] = {
		{ "smb", "the SMB server of Solaris is not here: functions of Linux' are fbt:ksmbd::" },
		{ "smb2", "the SMB server of Solaris is not here: functions of Linux' are fbt:ksmbd::" },
		{ "iscsi", "the target of Solaris is not here: tracepoints of Linux' are sdt:target::" },
		{ "srp", "the SRP target of Solaris is not here: tracepoints of Linux' are sdt:target::" },
		{ "fc", "the FC target of Solaris is not here: tracepoints of Linux' are sdt:target::" },
		{ "xpv", "Linux reports Xen by tracepoints: sdt:xen::" },
		{ "fpuinfo", "emulation of floating point on SPARC, which Linux does not have" },
		{ "vtrace", "the old kernel trace of Solaris: tracepoints of Linux are sdt:::" },
		{ "sysevent", "events of Solaris' syseventd: Linux' are fbt::kobject_uevent_env:entry" },
		{ "mach_trap", "calls of the Mach kernel: Linux has system calls alone, syscall:::" },
		{ "machdep", "calls of the Mach kernel: Linux has system calls alone, syscall:::" },
		{ "objc", "only macOS' Objective-C has these probes; functions of a process are "
		    "pid$target:::entry" },
		{ "magmalloc", "only macOS' malloc has these probes: pid$target:libc:malloc:entry" },
		{ "nfscl", "the NFS client of FreeBSD is not here: tracepoints of Linux' are sdt:nfs::" },
		{ "opencrypto", "FreeBSD's framework is not here: Linux' functions are fbt::crypto_*:entry" },
		{ "callout_execute", "timers of Linux are sdt:timer::timer_expire_entry" },
		{ "linuxulator", "this is Linux, and no emulation of it: its calls are syscall:::" },
		{ "random", "FreeBSD's generator is not here: Linux' is fbt::get_random_bytes*:entry" },
	};
	size_t len = strcspn(d->prov, "0123456789");

	for (size_t i = 0; i < DT_COUNT(rows); i++)
		if (strcmp(d->prov, rows[i].prov) == 0 || (len > 0 && strlen(rows[i].prov) == len &&
		    strncmp(d->prov, rows[i].prov, len) == 0 && strcmp(rows[i].prov, "objc") == 0))
			return rows[i].why;
	return NULL;
}

/*
 * tcp::entry: parts are counted from the right, so that the name of a provider stands for a module, which
 * none has.
 */
static const char *provider_in_module(struct dtrace_hdl *h, const struct dt_probedesc *d)
{
	const char *part = d->mod[0] != '\0' ? d->mod : d->func[0] != '\0' ? d->func : d->name;

	if (d->prov[0] != '\0' || part[0] == '\0' || dt_provider_find(part) == NULL)
		return NULL;
	if (part == d->name)
		return dt_arena_printf(h->kept, "%s is a provider: its probes are %s:::NAME, and "
		    "all of them -P %s", part, part, part);
	return dt_arena_printf(h->kept, "parts are counted from the right: %s stands for the %s "
	    "here. Its probes are %s:::NAME (dtrace -l -P %s lists them); functions of the kernel are "
	    "fbt::%s*:%s", part, part == d->mod ? "module" : "function", part, part, part,
	    d->name[0] != '\0' ? d->name : "entry");
}

/* profile:hz:99 of bpftrace is profile-99 here, interval:ms:10 is tick-10ms. */
static const char *interval_of(struct dtrace_hdl *h, const struct dt_probedesc *d)
{
	static const char *const units[] = { "hz", "s", "ms", "us" };
	const char *kind = d->mod[0] != '\0' ? d->mod : d->prov;

	if (strcmp(kind, "profile") != 0 && strcmp(kind, "interval") != 0)
		return NULL;
	for (size_t i = 0; i < DT_COUNT(units); i++)
		if (strcmp(d->func, units[i]) == 0)
			return dt_arena_printf(h->kept, "did you mean %s-%s%s?",
			    kind[0] == 'p' ? "profile" : "tick", d->name, units[i]);
	return NULL;
}

/* One match is enough. */
static int stop_at_first(void *ctx, const struct dt_probe *p)
{
	(void)ctx, (void)p;
	return -ECANCELED;
}

static bool any_match(struct dtrace_hdl *h, const struct dt_probedesc *d)
{
	return dt_handle_match(h, d, stop_at_first, NULL, NULL) == -ECANCELED;
}

/*
 * syscall:openat:entry lacks a colon. Parts are counted from the right, so the provider landed in a later
 * part. Returns the description with the colon, if it matches something.
 */
static const char *with_missing_colon(struct dtrace_hdl *h, const struct dt_probedesc *d)
{
	struct dt_probedesc with = *d;

	if (d->prov[0] != '\0')
		return NULL;
	if (d->mod[0] != '\0' && dt_provider_find(d->mod) != NULL) {
		with.prov = d->mod;
		with.mod = "";
	} else if (d->func[0] != '\0' && d->mod[0] == '\0' && dt_provider_find(d->func) != NULL) {
		with.prov = d->func;
		with.func = "";
	} else {
		return NULL;
	}
	if (!any_match(h, &with))
		return NULL;
	return dt_arena_printf(h->kept, "%s:%s:%s:%s", with.prov, with.mod, with.func, with.name);
}

/* Empty parts at the front need not be written. */
static const char *without_colons(const char *text)
{
	return text + strspn(text, ":");
}

struct offering { struct dt_near near; bool func; };

static int offer_name(void *ctx, const struct dt_probe *p)
{
	struct offering *o = ctx;

	dt_near_offer(&o->near, o->func ? p->func : p->name);
	return 0;
}

/* The one part that is misspelt: with all the others, some probe has to match. */
static const char *nearest_name(struct dtrace_hdl *h, const struct dt_probedesc *d, bool func)
{
	const char *part = func ? d->func : d->name;
	struct dt_probedesc without = *d;
	struct offering o = { .func = func };

	if (!dt_part_literal(part))
		return NULL;
	if (func)
		without.func = "";
	else
		without.name = "";
	dt_near_init(&o.near, part);
	dt_handle_match(h, &without, offer_name, &o, NULL);
	if (o.near.best == NULL)
		return NULL;
	return dt_arena_printf(h->kept, "%s:%s:%s:%s", d->prov, d->mod, func ? o.near.best : d->func,
	    func ? d->name : o.near.best);
}

/*
 * What may have been meant, or NULL. Providers that are asked each time suggest names themselves, and a
 * provider that does not exist has none.
 */
static const char *what_was_meant(struct dtrace_hdl *h, const struct dt_probedesc *d)
{
	const struct dt_provider *row = d->prov[0] != '\0' ? dt_provider_find(d->prov) : NULL;
	const char *text = with_missing_colon(h, d);

	if (text != NULL || (row != NULL && row->wants != NULL))
		return text;
	if (row == NULL && !(d->prov[0] == '\0' && d->mod[0] == '\0' && d->func[0] == '\0'))
		return NULL;
	text = nearest_name(h, d, false);
	return text != NULL || d->func[0] == '\0' ? text : nearest_name(h, d, true);
}

/* The best sentence there is: another tracer's word, the provider's reason, what may have been meant. */
const char *dt_handle_reason(struct dtrace_hdl *h, const struct dt_probedesc *d, const char *why)
{
	const char *other = d->id == 0 ? interval_of(h, d) : NULL, *text;

	if (other == NULL && d->id == 0)
		other = other_kind(d);
	if (other == NULL && d->id == 0)
		other = other_provider(d);
	if (other != NULL)
		return other;
	if (d->id != 0 || (why != NULL && strstr(why, "did you mean") != NULL))
		return why;
	text = what_was_meant(h, d);
	if (text == NULL && why == NULL)
		why = provider_in_module(h, d);
	if (text == NULL)
		return why;
	return dt_arena_printf(h->kept, "%s%sdid you mean %s?", why != NULL ? why : "",
	    why != NULL ? "; " : "",
	    without_colons(text));
}

/* ---- for the compiler ---- */

struct pdesc_call { dt_pdesc_f *f; void *ctx; };

static int pass_to_compiler(void *ctx, const struct dt_probe *p)
{
	struct pdesc_call *t = ctx;
	struct dt_pdesc d = { .prov = p->prov, .mod = p->mod, .func = p->func, .name = p->name };

	return t->f != NULL && t->f(t->ctx, &d) ? 0 : -ECANCELED;
}

/*
 * The compiler asks whether a description matches, and sees each probe until it has seen enough (f returns
 * false).
 */
bool dt_handle_described(void *hdl, const struct dt_pdesc *p, dt_pdesc_f *f, void *ctx, const char **why,
    enum dt_tag *tag)
{
	struct dtrace_hdl *h = hdl;
	struct dt_probedesc d = { p->prov, p->mod, p->func, p->name, p->id };
	struct pdesc_call t = { f, ctx };
	const char *reason = NULL;
	int n = dt_handle_match(h, &d, pass_to_compiler, &t, &reason);

	if (n > 0 || n == -ECANCELED)
		return true;
	if (tag != NULL)
		*tag = h->probes.tag;
	if (why != NULL)
		*why = n < 0 ? dt_error_text(-n) : dt_handle_reason(h, &d, reason);
	return false;
}
