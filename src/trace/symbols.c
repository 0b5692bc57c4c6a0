/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Addresses as text, for stacks and sym(), usym() and the like; and the one address that stands for a whole
 * function or module, by which aggregations fold their keys. With -x noresolve addresses of processes stay
 * numbers. Symbols are opened at the first need and belong to the handle.
 */
#include "dif/action.h"
#include "kernel/rights.h"
#include "handle/entry.h"
#include "trace/trace_procs.h"
#include "trace/trace.h"
#include "provider/provider.h"

#include "file/elf.h"
#include "file/lines.h"
#include "lang/lang.h"

#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>

enum { PIDS_MAX = 64 };

/* ---- the kernel ---- */

static bool kernel_at(struct dtrace_hdl *h, uint64_t addr, const char **module, const char **name,
    uint64_t *start)
{
	if (h->kernel == NULL)
		h->kernel = dt_kernel_new(h->arena);
	return dt_kernel_lookup(h->kernel, addr, module, name, start) == 0;
}

/* module`name+0xoffset, or the module alone. */
static bool kernel_text(struct dtrace_hdl *h, bool module_only, uint64_t addr, char *buf, size_t len)
{
	const char *module, *name;
	uint64_t start;

	if (!kernel_at(h, addr, &module, &name, &start))
		return false;
	if (module_only)
		snprintf(buf, len, "%s", module);
	else if (addr == start)
		snprintf(buf, len, "%s`%s", module, name);
	else
		snprintf(buf, len, "%s`%s+0x%llx", module, name, (unsigned long long)(addr - start));
	return true;
}

/* ---- processes ---- */

/* For the readers of files and processes: dtrace_interrupt() was called, so they should end soon. */
static bool is_interrupted(void *ctx)
{
	const struct dtrace_hdl *h = ctx;

	return h->interrupted != 0;
}

/* For the same: addresses that could not be named, reported with the notices of the trace. */
static void note_unnamed(void *ctx, const char *text)
{
	struct dtrace_hdl *h = ctx;

	if (h->trace != NULL)
		dt_handle_note(h, dt_arena_printf(h->trace->arena, "%s", text));
}

void dt_trace_hints(struct dtrace_hdl *h)
{
	char text[512];

	for (unsigned i = 0; h->usyms != NULL && i < DT_URUNTIMES; i++)
		if (dt_usyms_hint(h->usyms, i, text, sizeof(text)))
			note_unnamed(h, text);
}

bool dt_handle_usyms(struct dtrace_hdl *h)
{
	if (h->usyms == NULL && (h->usyms = dt_usyms_new()) != NULL) {
		dt_usyms_limit(h->usyms, (uint64_t)h->options.val[DT_OPT_namesize]);
		dt_usyms_heed(h->usyms, is_interrupted, note_unnamed, h);
	}
	return h->usyms != NULL;
}

/* Frames of stacks are then more than addresses. */
static bool wants_lines(const struct dtrace_hdl *h)
{
	return dt_options_on(&h->options, DT_OPT_inlines) || dt_options_on(&h->options, DT_OPT_lines);
}

/* -x noresolve switches names of processes off, never those of the kernel. */
static bool resolves(const struct dtrace_hdl *h)
{
	return !dt_options_on(&h->options, DT_OPT_noresolve);
}

/* False: the address cannot be named, which is never an error. */
static bool user_at(struct dtrace_hdl *h, uint32_t pid, uint64_t addr, struct dt_uplace *p)
{
	if (!resolves(h) || !dt_handle_usyms(h))
		return false;
	return dt_usyms_lookup(h->usyms, pid, addr, p);
}

/* function (file:line), of a frame of a language; as much of it as is known. Returns its length. */
static size_t lang_frame(const struct dt_lang_frame *f, char *buf, size_t len)
{
	int n;

	if (f->function == NULL)
		n = snprintf(buf, len, "%s`?", f->lang);
	else if (f->file == NULL)
		n = snprintf(buf, len, "%s", f->function);
	else if (f->line == 0)
		n = snprintf(buf, len, "%s (%s)", f->function, f->file);
	else
		n = snprintf(buf, len, "%s (%s:%u)", f->function, f->file, f->line);
	return (size_t)n;
}

/* A line for each call, innermost first, where the compiler has made one frame of several. */
static bool lang_text(struct dtrace_hdl *h, uint32_t pid, uint64_t frame, char *buf, size_t len)
{
	struct dt_langs *langs = resolves(h) && dt_handle_usyms(h) ? dt_usyms_langs(h->usyms) : NULL;
	struct dt_lang_frame f;
	size_t n = 0;

	if (langs == NULL || !dt_langs_frame(langs, pid, frame, 0, &f))
		return false;
	n = lang_frame(&f, buf, len);
	for (unsigned i = 1; n + 2 < len && dt_langs_frame(langs, pid, frame, i, &f); i++) {
		buf[n++] = '\n';
		n += lang_frame(&f, buf + n, len - n);
	}
	return true;
}

/* As -x demangle wants it. */
static const char *clear_name(const struct dtrace_hdl *h, const char *name, char *clear, size_t len)
{
	return name != NULL && dt_options_on(&h->options, DT_OPT_demangle) &&
	    dt_elf_demangle(name, clear, len) ? clear : name;
}

/*
 * object`function+0xoffset; with usym() no offset. Where no function is known, object+0xvaddr, which is equal
 * in all processes and what addr2line(1) takes; object`0xaddress in memory without a file ([heap]). The place
 * is that of an address `back` bytes before.
 */
static size_t place_text(struct dtrace_hdl *h, enum dt_symkind kind, const struct dt_uplace *p, uint64_t addr,
    unsigned back, char *buf, size_t len)
{
	char clear[1024];
	const char *name = clear_name(h, p->function, clear, sizeof(clear));
	int n;

	if (kind == DT_SYM_UOBJECT)
		n = snprintf(buf, len, "%s", p->object);
	else if (name == NULL && p->in_file)
		n = snprintf(buf, len, "%s+0x%llx", p->object, (unsigned long long)p->vaddr + back);
	else if (name == NULL)
		n = snprintf(buf, len, "%s`0x%llx", p->object, (unsigned long long)addr);
	else if (kind == DT_SYM_USER || addr == p->function_start)
		n = snprintf(buf, len, "%s`%s", p->object, name);
	else
		n = snprintf(buf, len, "%s`%s+0x%llx", p->object, name,
		    (unsigned long long)(addr - p->function_start));
	return (size_t)n < len ? (size_t)n : len;
}

/*
 * The code of one address may stand for several calls: a line for each, as in lang_text(), of which the last
 * one is the function that has the code. With -x lines alone it is the only one, with its own place.
 */
static void frame_text(struct dtrace_hdl *h, uint32_t pid, uint64_t addr, unsigned back,
    const struct dt_uplace *p, char *buf, size_t len)
{
	bool inlines = dt_options_on(&h->options, DT_OPT_inlines);
	bool lines = dt_options_on(&h->options, DT_OPT_lines);
	char clear[1024];
	struct dt_line l;
	size_t n = 0;

	for (unsigned i = 0; n + 2 < len && dt_usyms_line(h->usyms, pid, p, i, &l); i++) {
		if (l.function != NULL && !inlines)
			continue;
		if (n > 0)
			buf[n++] = '\n';
		if (l.function != NULL)
			n += (size_t)snprintf(buf + n, len - n, "%s`%s" DT_FRAME_INLINED, p->object,
			    clear_name(h, l.function, clear, sizeof(clear)));
		else
			n += place_text(h, DT_SYM_UADDR, p, addr, back, buf + n, len - n);
		if (l.file != NULL && lines && n < len)
			n += (size_t)snprintf(buf + n, len - n, " (%s:%u)", l.file, l.line);
	}
}

static bool user_text(struct dtrace_hdl *h, enum dt_symkind kind, uint32_t pid, uint64_t addr, char *buf,
    size_t len)
{
	unsigned back = kind == DT_SYM_UCALLER;
	struct dt_uplace p;

	if (dt_lang_is_frame(addr))
		return lang_text(h, pid, addr, buf, len);
	if (!user_at(h, pid, addr - back, &p))
		return false;
	if (kind > DT_SYM_UADDR)
		frame_text(h, pid, addr, back, &p, buf, len);
	else
		(void)place_text(h, kind, &p, addr, back, buf, len);
	return true;
}

static bool find_name(void *ctx, enum dt_symkind kind, uint32_t pid, uint64_t addr, char *buf, size_t len)
{
	switch (kind) {
	case DT_SYM_KERNEL: return kernel_text(ctx, false, addr, buf, len);
	case DT_SYM_MODULE: return kernel_text(ctx, true, addr, buf, len);
	default: return user_text(ctx, kind, pid, addr, buf, len);
	}
}

bool dt_trace_symbolize(void *ctx, enum dt_symkind kind, uint32_t pid, uint64_t addr, char *buf, size_t len)
{
	const struct dtrace_hdl *h = ctx;
	const struct dt_trace *t = h->trace;
	bool found;

	if (kind > DT_SYM_UADDR && !wants_lines(h))
		kind = DT_SYM_UADDR;
	found = find_name(ctx, kind, pid, addr, buf, len);

	if (t != NULL && t->sink != NULL && t->sink->type->symbol != NULL)
		t->sink->type->symbol(t->sink, kind, pid, addr, found ? buf : "");
	return found;
}

/* As snprintf(): returns the length of the whole text. What cannot be named is its number. */
static int addr_to_string(dtrace_hdl_t *h, enum dt_symkind kind, pid_t pid, uint64_t addr, char *str, int n)
{
	char text[2048];

	if (!dt_trace_symbolize(h, kind, (uint32_t)pid, addr, text, sizeof(text)))
		snprintf(text, sizeof(text), "0x%llx", (unsigned long long)addr);
	return snprintf(str, n > 0 ? (size_t)n : 0, "%s", text);
}

int dtrace_addr2str(dtrace_hdl_t *h, uint64_t addr, char *str, int n)
{
	DT_PUBLIC(h, -1, addr_to_string(h, DT_SYM_KERNEL, 0, addr, str, n));
}

int dtrace_uaddr2str(dtrace_hdl_t *h, pid_t pid, uint64_t addr, char *str, int n)
{
	DT_PUBLIC(h, -1, addr_to_string(h, DT_SYM_UADDR, pid, addr, str, n));
}

/* ---- folding ---- */

/*
 * Keys of sym(), mod(), usym() and umod() are addresses: all of one function or module fold into its first.
 * An address that cannot be named stays itself.
 */
uint64_t dt_trace_fold(void *ctx, const struct dt_value *v)
{
	struct dtrace_hdl *h = ctx;
	const char *module, *name;
	struct dt_uplace p;
	uint64_t start;

	if (v->kind == DT_V_SYM || v->kind == DT_V_MOD) {
		if (!kernel_at(h, v->i, &module, &name, &start))
			return v->i;
		if (v->kind == DT_V_MOD)
			start = dt_kernel_module_start(h->kernel, module);
		return start != 0 ? start : v->i;
	}
	if (!user_at(h, v->pid, v->i, &p))
		return v->i;
	if (v->kind == DT_V_UMOD)
		return p.object_start;
	return p.function != NULL ? p.function_start : v->i;
}

/* ---- the start ---- */

/* Has the format this conversion, whatever stands between it and its %? */
static bool converts(const struct dt_act *a, char to)
{
	const char *p = dt_act_is(a, DT_AF_FORMAT) ? a->fmt : NULL;

	while (p != NULL && (p = strchr(p, '%')) != NULL) {
		p += 1 + strspn(p + 1, "0123456789.-+ #'*@hlqLjzt$?");
		if (*p == to)
			return true;
		p += *p != '\0';
	}
	return false;
}

/* The action will need names of processes: it says so itself, or its format has %A. */
static bool names_users(const struct dt_act *a)
{
	return dt_act_is(a, DT_AF_USER) || converts(a, 'A');
}

static bool wants_users(const struct dt_trace *t)
{
	for (size_t i = 0; i < t->enabled.n; i++)
		for (uint32_t k = 0; k < t->enabled.v[i].ecb->nacts; k++)
			if (names_users(&t->enabled.v[i].ecb->acts[k]))
				return true;
	return false;
}

static bool names_kernel(const struct dt_act *a)
{
	return dt_act_is(a, DT_AF_KSTACK) || dt_act_kind(a) == DT_ACT_SYM || dt_act_kind(a) == DT_ACT_MOD ||
	    converts(a, 'a');
}

static bool wants_kernel(const struct dt_trace *t)
{
	for (size_t i = 0; i < t->enabled.n; i++)
		for (uint32_t k = 0; k < t->enabled.v[i].ecb->nacts; k++)
			if (names_kernel(&t->enabled.v[i].ecb->acts[k]))
				return true;
	return false;
}

/* Addresses without names have a reason that can be mended. Who has the right is not kept waiting. */
static void note_kernel(struct dtrace_hdl *h, struct dt_trace *t)
{
	const char *why = wants_kernel(t) ? dt_rights_names_withheld() : NULL;

	if (why != NULL)
		dt_handle_note(h, dt_arena_printf(t->arena, "addresses of the kernel will have no names: %s",
		    why));
	if (why != NULL || !wants_kernel(t) || dt_rights_has(CAP_SYSLOG) != 0)
		return;
	if (h->kernel == NULL)
		h->kernel = dt_kernel_new(h->arena);
	if (dt_rights_hide_names(h->kernel))
		dt_handle_note(t->h, "addresses of the kernel will have no names: that takes CAP_SYSLOG "
		    "(dtrace --doctor)");
}

/* ---- whose addresses ---- */

/* Does the clause walk user stacks, or name addresses of processes? */
static bool concerns_users(const struct dt_ecb *e)
{
	if (dt_difo_needs(e->pred, DT_NEED_USTACK))
		return true;
	for (uint32_t i = 0; i < e->nacts; i++)
		if (names_users(&e->acts[i]) || dt_act_is(&e->acts[i], DT_AF_USTACK) ||
		    dt_difo_needs(e->acts[i].difo, DT_NEED_USTACK))
			return true;
	return false;
}

/* The process that a probe is of, by the number at the end of its provider; 0: it fires in many. */
static uint32_t process_of(const struct dt_probe *p)
{
	const char *at = p->prov + strlen(p->prov);

	while (at > p->prov && at[-1] >= '0' && at[-1] <= '9')
		at--;
	return p->row->per_process && !p->every ? (uint32_t)strtoul(at, NULL, 10) : 0;
}

struct pid_set { uint32_t pid[PIDS_MAX], n; };

/* False if the process does not exist (yet): it could become a child of any process. */
static bool add_process(struct pid_set *f, uint32_t pid)
{
	uint32_t i = 0;

	while (i < f->n && f->pid[i] != pid)
		i++;
	if (pid == 0 || i == PIDS_MAX || (kill((pid_t)pid, 0) != 0 && errno == ESRCH))
		return false;
	f->pid[i] = pid;
	f->n += i == f->n;
	return true;
}

/*
 * The processes whose addresses are of interest: those of the probes, or of predicates like pid == $target.
 * False: they may be any.
 */
static bool few_processes(const struct dt_trace *t, struct pid_set *f)
{
	uint32_t pid;

	*f = (struct pid_set){ .n = 0 };
	for (size_t i = 0; i < t->enabled.n; i++) {
		const struct dt_enabled *e = &t->enabled.v[i];

		if (!concerns_users(e->ecb))
			continue;
		pid = process_of(e->probe);
		if (!add_process(f, pid) && !(dt_difo_one_process(e->ecb->pred, &pid) && add_process(f, pid)))
			return false;
	}
	for (size_t i = 0; i < t->retained.n; i++)	/* probes of processes to come */
		if (concerns_users(t->retained.v[i].ecb) &&
		    !(dt_difo_one_process(t->retained.v[i].ecb->pred, &pid) && add_process(f, pid)))
			return false;
	return true;
}

/* An engine without the kernel takes samples of the processes of -p and -c alone. */
static bool named_only(const struct dtrace_hdl *h, const struct dt_trace *t, struct pid_set *f)
{
	bool all = t->ops->where == DT_IN_PROCESS && t->retained.n == 0;

	*f = (struct pid_set){ .n = 0 };
	for (size_t i = 0; i < t->enabled.n && all; i++)
		if (concerns_users(t->enabled.v[i].ecb) && process_of(t->enabled.v[i].probe) != 0)
			all = add_process(f, process_of(t->enabled.v[i].probe));
	for (int i = 0; all && dt_procs_pid(h, i) != 0; i++)
		all = add_process(f, dt_procs_pid(h, i));
	return all && f->n > 0;
}

/*
 * A process may be gone when its addresses are printed. So what is mapped is learned before the first firing,
 * and watched from then on.
 */
void dt_trace_symbols(struct dtrace_hdl *h, struct dt_trace *t)
{
	bool unwinds = dt_trace_unwinds(h, t);
	const uint32_t *only = NULL;
	struct pid_set pids;
	uint32_t n = 0;

	note_kernel(h, t);
	if (!unwinds && (!resolves(h) || !wants_users(t) || !dt_handle_usyms(h)))
		return;
	if (dt_procs_limit(h, t, &only, &n) != 0)
		n = 0;
	if (n == 0 && (few_processes(t, &pids) || named_only(h, t, &pids))) {
		only = pids.pid;
		n = pids.n;
	}
	dt_usyms_limit(h->usyms, (uint64_t)h->options.val[DT_OPT_namesize]);
	if (wants_lines(h))
		dt_usyms_lines(h->usyms);
	/* without the right to: names of processes that are there */
	(void)dt_usyms_watch(h->usyms, n > 0);
	if (h->target > 0)
		dt_usyms_follow(h->usyms, (uint32_t)h->target);
	if (n > 0) {
		for (uint32_t i = 0; i < n; i++)
			dt_usyms_follow(h->usyms, only[i]);
	} else {
		dt_usyms_learn_all(h->usyms);
	}
	dt_trace_unwind_start(h, t, n > 0);
}
