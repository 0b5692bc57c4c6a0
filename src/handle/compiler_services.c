/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Answers to what the compiler asks (struct dt_services): symbols, libraries, probe signatures, types of
 * processes, modules; and the values of macro variables. The compiler knows nothing of the system: whatever
 * it learns of it comes through here, with the handle as context.
 */
#include "base/count.h"
#include "handle/handle.h"
#include "provider/provider.h"
#include "provider/usertype.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* With DTRACE_C_KNODEF an unknown one has address 0. */
int dt_handle_symbol(void *ctx, const char *module, const char *name, uint64_t *addr, const char **home)
{
	struct dtrace_hdl *h = ctx;
	int err;

	if (h->nosys)
		return -ENOENT;
	if (h->kernel == NULL)
		h->kernel = dt_kernel_new(h->arena);
	err = dt_kernel_symbol(h->kernel, module, name, addr, home);
	/* resolved when the program is loaded, or not at all */
	if (err != 0 && dt_handle_flag(h, DTRACE_C_KNODEF)) {
		*addr = 0;
		*home = module;
		return 0;
	}
	return err;
}

static bool load_library(void *ctx, const char *name)
{
	return dt_library_need(ctx, name);
}

static void offer_library_names(void *ctx, struct dt_near *near)
{
	dt_library_offer(ctx, near);
}

/* Types are interned, so equal types are the same pointer. */
static bool same_types(const struct dt_probe_sig *a, const struct dt_probe_sig *b)
{
	if (a->nout != b->nout)
		return false;
	for (uint32_t i = 0; i < a->nout; i++)
		if (a->out[i] != b->out[i])
			return false;
	return true;
}

struct agreed { struct dt_probes *probes; const struct dt_probe_sig *sig; bool differ; };

/* Collects the signature that all matching probes share, or notes that they differ. */
static int compare_signature(void *ctx, const struct dt_probe *probe)
{
	struct agreed *a = ctx;
	const struct dt_probe_sig *sig = probe->sig;

	if (sig == NULL && probe->row->typed != NULL && !a->differ)
		sig = probe->row->typed(a->probes, probe);
	if (sig == NULL || (a->sig != NULL && !same_types(a->sig, sig)))
		a->differ = true;
	else
		a->sig = sig;
	return 0;
}

/*
 * For kernel probes the provider's row knows. Probes of processes have to be made first, and all that match
 * must have the same types.
 */
static const struct dt_probe_sig *find_signature(void *ctx, const struct dt_pdesc *p)
{
	struct dtrace_hdl *h = ctx;
	const struct dt_provider *row = dt_provider_find(p->prov);
	struct dt_probedesc desc = { p->prov, p->mod, p->func, p->name, p->id };
	struct agreed a = { 0 };

	if (row != NULL && row->signature != NULL)
		return row->signature(h->arena, h->types, &desc);
	if (row != NULL && row->wants == NULL)
		return NULL;
	a.probes = &h->probes;
	dt_handle_match(h, &desc, compare_signature, &a, NULL);
	return a.differ ? NULL : a.sig;
}

/* The stability a provider declares. */
static const struct dt_provider_attrs *provider_attributes(void *ctx, const char *provider)
{
	const struct dt_provider *row = dt_provider_find(provider);

	(void)ctx;
	return row != NULL ? &row->attrs : NULL;
}

/*
 * mydb* and pid* fire in several processes; mydb123 is one. With DTRACE_O_NODEV programs run elsewhere, and
 * their runner says who fires.
 */
static bool every_process(void *ctx, const char *prov)
{
	const struct dtrace_hdl *h = ctx;

	return h->nodev ? false : dt_pid_every(prov) || dt_usdt_every(prov);
}

/* The process of a scope: pid123, pid, pid123`libc.so.6. 0: *why says what is wrong with it. */
static uint32_t scope_process(struct dtrace_hdl *h, const char *scope, const char **why)
{
	const char *digits = scope + strlen("pid"), *end = digits + strspn(digits, "0123456789");
	unsigned long pid = strtoul(digits, NULL, 10);

	*why = "a process is named by its number, as pid123; pid and pid$target are the one of -p or -c";
	if (*end != '\0' && *end != '`')
		return 0;
	if (end == digits) {
		h->target_named = true;
		pid = (unsigned long)h->target;
	}
	if (pid == 0)
		*why = "there is no process 0; $target is the one of -p or -c";
	else if ((int64_t)pid == h->target && (pid_t)pid == getpid())
		*why = "with -e no command of -c is started: name a process that runs with -p";
	else if (pid > INT32_MAX)
		*why = "no process has so large a number";
	else
		*why = NULL;
	return *why == NULL ? (uint32_t)pid : 0;
}

static const struct dt_type *find_process_type(void *ctx, const char *scope, enum dt_tkind kind,
    const char *name, const char **why, struct dt_near *near)
{
	struct dtrace_hdl *h = ctx;
	uint32_t pid = scope_process(h, scope, why);
	const char *tick = strchr(scope, '`');
	struct dt_usertype want = { pid, tick != NULL ? tick + 1 : NULL, kind, name };

	if (pid == 0)
		return NULL;
	return dt_usertype_find(&h->probes, &want, why, near);
}

/*
 * A module is there if it is loaded (or built in and known to sysfs); the core kernel always is. Names that
 * could leave /sys/module do not exist.
 */
static bool module_exists(void *ctx, const char *name)
{
	char path[128];
	struct stat st;

	(void)ctx;
	if (strcmp(name, "vmlinux") == 0 || strcmp(name, "kernel") == 0)
		return true;
	if (name[0] == '.' || strchr(name, '/') != NULL || strlen(name) > 64)
		return false;
	snprintf(path, sizeof(path), "/sys/module/%s", name);
	return stat(path, &st) == 0;
}

static bool library_exists(void *ctx, const char *name)
{
	return dt_library_exists(ctx, name);
}

/* Everything is asked through the handle, so the table is the same for all. */
void dt_services_init(struct dtrace_hdl *h)
{
	h->compiler.services = (struct dt_services){
		.ctx = h, .symbol = dt_handle_symbol,
		.library = load_library, .library_names = offer_library_names,
		.signature = find_signature, .probes = dt_handle_described, .attributes = provider_attributes,
		.every_process = every_process, .process_type = find_process_type, .module = module_exists,
		.library_file = library_exists,
	};
}

/* $egid and its siblings: those of the tracing process. */
static int64_t m_egid(struct dtrace_hdl *h) { (void)h; return getegid(); }
static int64_t m_euid(struct dtrace_hdl *h) { (void)h; return geteuid(); }
static int64_t m_gid(struct dtrace_hdl *h) { (void)h; return getgid(); }
static int64_t m_pid(struct dtrace_hdl *h) { (void)h; return getpid(); }
static int64_t m_pgid(struct dtrace_hdl *h) { (void)h; return getpgrp(); }
static int64_t m_ppid(struct dtrace_hdl *h) { (void)h; return getppid(); }
static int64_t m_sid(struct dtrace_hdl *h) { (void)h; return getsid(0); }
static int64_t m_uid(struct dtrace_hdl *h) { (void)h; return getuid(); }
static int64_t m_target(struct dtrace_hdl *h)
{
	h->target_named = true;
	return h->target;
}
/* projects and tasks: Linux has none */
static int64_t m_zero(struct dtrace_hdl *h) { (void)h; return 0; }

/* The value of $name. False: there is no such macro variable. */
bool dt_handle_macro(void *ctx, const char *name, int64_t *value)
{
	static const struct {
		const char *name;
		int64_t (*get)(struct dtrace_hdl *);
	} rows[] = {
		{ "egid", m_egid }, { "euid", m_euid }, { "gid", m_gid }, { "pid", m_pid },
		{ "pgid", m_pgid },
		{ "ppid", m_ppid }, { "sid", m_sid }, { "uid", m_uid }, { "target", m_target },
		{ "projid", m_zero },
		{ "taskid", m_zero },
	};

	for (size_t i = 0; i < DT_COUNT(rows); i++)
		if (strcmp(rows[i].name, name) == 0) {
			*value = rows[i].get(ctx);
			return true;
		}
	return false;
}

/*
 * The parser asks this only for "(name) * x", which is a cast if `name` is a type. A variable of that name
 * wins.
 */
bool dt_handle_is_type(void *ctx, const char *name)
{
	struct dtrace_hdl *h = ctx;

	if (dt_decl_in_process(name))
		return true;
	if (dt_map_get(&h->compiler.globals, name) != NULL || dt_builtin_find(name) != NULL)
		return false;
	return dt_types_declared(h->types, NULL, DT_T_TYPEDEF, name) != NULL || dt_library_need(h, name) ||
	    dt_types_find(h->types, NULL, DT_T_TYPEDEF, name) != NULL;
}
