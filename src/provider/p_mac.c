/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mac_framework: what security modules are asked and how they answer: mac_framework::HOOK:mac-check-ok
 * and mac-check-err, at the return of the kernel's security_HOOK() functions. arg0 is the error,
 * followed by the hook's own arguments. Checks by their FreeBSD names are created when named. mac: policies
 * that are loaded and unloaded, which does not happen on Linux.
 */
#include "base/diag.h"
#include "base/count.h"
#include "kernel/kfunc.h"
#include "provider/derived.h"
#include "provider/provider.h"

#define PREFIX "security_"
#define ARGS_MAX 6
#define OK "mac-check-ok"
#define ERR "mac-check-err"
#define NO_FUNCTIONS "answers of security modules cannot be seen: this kernel has no way to trace its " \
	"functions (security_file_open and the like)"

/*
 * A name of FreeBSD, the hook that asks the same here, and for some the change of attributes that is
 * meant: bits of iattr.ia_valid. Where one hook serves several names, each of them fires for all that
 * the hook is asked.
 */
static const struct alias { const char *name, *hook; unsigned valid;
} aliases[] = {
	{ "vnode_check_open", "file_open", 0 },
	{ "vnode_check_exec", "bprm_check", 0 },
	{ "vnode_check_mmap", "mmap_file", 0 },
	{ "vnode_check_mprotect", "file_mprotect", 0 },
	{ "vnode_check_create", "inode_create", 0 },
	{ "vnode_check_unlink", "inode_unlink", 0 },
	{ "vnode_check_rename_from", "inode_rename", 0 },
	{ "vnode_check_rename_to", "inode_rename", 0 },
	{ "vnode_check_link", "inode_link", 0 },
	{ "vnode_check_stat", "inode_getattr", 0 },
	{ "vnode_check_readlink", "inode_readlink", 0 },
	{ "vnode_check_lookup", "inode_permission", 0 },
	{ "vnode_check_access", "inode_permission", 0 },
	{ "vnode_check_read", "file_permission", 0 },
	{ "vnode_check_write", "file_permission", 0 },
	{ "vnode_check_readdir", "file_permission", 0 },
	{ "vnode_check_setmode", "inode_setattr", 0x1 },
	{ "vnode_check_setowner", "inode_setattr", 0x6 },
	{ "vnode_check_setutimes", "inode_setattr", 0x30 },
	{ "vnode_check_setextattr", "inode_setxattr", 0 },
	{ "vnode_check_getextattr", "inode_getxattr", 0 },
	{ "vnode_check_listextattr", "inode_listxattr", 0 },
	{ "vnode_check_deleteextattr", "inode_removexattr", 0 },
	{ "vnode_check_setacl", "inode_set_acl", 0 },
	{ "vnode_check_getacl", "inode_get_acl", 0 },
	{ "vnode_check_deleteacl", "inode_remove_acl", 0 },
	{ "proc_check_debug", "ptrace_access_check", 0 },
	{ "proc_check_signal", "task_kill", 0 },
	{ "proc_check_sched", "task_setscheduler", 0 },
	{ "socket_check_accept", "socket_accept", 0 },
	{ "socket_check_bind", "socket_bind", 0 },
	{ "socket_check_connect", "socket_connect", 0 },
	{ "socket_check_create", "socket_create", 0 },
	{ "socket_check_deliver", "sock_rcv_skb", 0 },
	{ "socket_check_listen", "socket_listen", 0 },
	{ "socket_check_receive", "socket_recvmsg", 0 },
	{ "socket_check_send", "socket_sendmsg", 0 },
	{ "socket_check_stat", "socket_getsockname", 0 },
	{ "kld_check_load", "kernel_read_file", 0 },
	{ "priv_check", "capable", 0 },
	{ "sysvmsq_check_msqget", "msg_queue_associate", 0 },
	{ "sysvmsq_check_msqsnd", "msg_queue_msgsnd", 0 },
	{ "sysvmsq_check_msqrcv", "msg_queue_msgrcv", 0 },
	{ "sysvmsq_check_msqctl", "msg_queue_msgctl", 0 },
	{ "sysvsem_check_semget", "sem_associate", 0 },
	{ "sysvsem_check_semop", "sem_semop", 0 },
	{ "sysvsem_check_semctl", "sem_semctl", 0 },
	{ "sysvshm_check_shmget", "shm_associate", 0 },
	{ "sysvshm_check_shmat", "shm_shmat", 0 },
	{ "sysvshm_check_shmctl", "shm_shmctl", 0 },
	{ "mount_check_stat", "sb_statfs", 0 },
};

static const struct {
	const char *name, *why;
} without[] = {
	{ "system_check_sysctl",
	    "security modules are not asked about sysctl: mac_framework::file_open, of files under "
	    "/proc/sys" },
	{ "system_check_swapon", "swapon(2) asks for a capability: priv:::priv-ok, arg0 == 21" },
	{ "system_check_swapoff", "swapoff(2) asks for a capability: priv:::priv-ok, arg0 == 21" },
	{ "system_check_reboot", "reboot(2) asks for a capability: priv:::priv-ok, arg0 == 22" },
	{ "system_check_acct", "acct(2) asks for a capability: priv:::priv-ok, arg0 == 20" },
	{ "priv_grant", "security modules of Linux only refuse: mac_framework::capable:mac-check-err" },
};

static const struct alias *alias_named(const char *name)
{
	for (size_t i = 0; i < DT_COUNT(aliases); i++)
		if (strcmp(aliases[i].name, name) == 0)
			return &aliases[i];
	return NULL;
}

/* NULL: no such function here, or it does not answer with an int and so is no check. */
static const struct dt_type *check_prototype(struct dt_arena *arena, struct dt_types *types, const char *hook)
{
	const struct dt_type *f = dt_types_symbol(types, "vmlinux",
	    dt_arena_printf(arena, PREFIX "%s", hook));

	f = f != NULL ? dt_type_base(f) : NULL;
	return f != NULL && f->kind == DT_T_FUNC && dt_type_is_integer(f->ref) &&
		dt_type_size(types, f->ref) == 4 ?
	    f :
	    NULL;
}

/* The error first, then the arguments of the hook as this kernel has them. */
static struct dt_probe_sig *mac_signature(struct dt_arena *arena, struct dt_types *types,
    const struct dt_probedesc *p)
{
	const struct alias *a = alias_named(p->func);
	const struct dt_type *f = dt_part_literal(p->func) ?
	    check_prototype(arena, types, a != NULL ? a->hook : p->func) :
	    NULL;
	struct dt_probe_sig *sig;

	if (f == NULL)
		return NULL;
	sig = dt_sig_new(arena, 1 + (f->nparams < ARGS_MAX ? f->nparams : ARGS_MAX));
	sig->in[0] = dt_types_basic(types, "int");
	for (uint32_t i = 1; i < sig->nin; i++)
		sig->in[i] = f->params[i - 1];
	return sig;
}

/* The argument that describes the change of attributes: its number differs between kernels. */
static const char *changes_attributes(struct dt_probes *p, const struct dt_type *f, char *const *arg,
    unsigned valid)
{
	for (uint32_t i = 0; i < f->nparams && i < ARGS_MAX; i++) {
		const struct dt_type *t = dt_type_base(f->params[i]);

		if (t->kind == DT_T_PTR &&
		    strcmp(dt_type_str(p->arena, dt_type_base(t->ref)), "struct iattr") == 0)
			return dt_arena_printf(p->arena,
			    " && %s != 0 && (((struct iattr *)%s)->ia_valid & %u) != 0", arg[i], arg[i],
			    valid);
	}
	return "";
}

/* If return does not know the arguments, entry keeps them. */
static void fill_hook(struct dt_probes *p, const char *hook, const struct dt_type *f, bool ok, unsigned valid,
    struct dt_hook *first)
{
	bool fexit = dt_probes_fexit(p);
	uint32_t n = f->nparams < ARGS_MAX ? f->nparams : ARGS_MAX;
	struct dt_hook ret = { .kind = DT_HOOK_KRET,
		.target = dt_arena_printf(p->arena, PREFIX "%s", hook),
		.needs_fexit = fexit };
	char *arg[ARGS_MAX];
	const char *keep = "(";

	for (uint32_t i = 0; i < n; i++) {
		arg[i] = fexit ? dt_arena_printf(p->arena, "arg%u", i + 2) :
				 dt_arena_printf(p->arena, "self->__mac_%s_%u", hook, i);
		keep = dt_arena_printf(p->arena, "%s%s = (uint64_t)arg%u, ", keep, arg[i], i);
		ret.args[i + 1] = dt_type_size(p->types, f->params[i]) == 4 ?
		    dt_arena_printf(p->arena, "(int)%s", arg[i]) :
		    arg[i];
	}
	ret.args[0] = ok ? "0" : "-(int)arg1";
	ret.when = dt_arena_printf(p->arena, "(int)arg1 %s 0%s", ok ? ">=" : "<",
	    valid != 0 ? changes_attributes(p, f, arg, valid) : "");
	*first = ret;
	if (fexit)
		return;
	*first = (struct dt_hook){ .kind = DT_HOOK_KFUNC,
		.target = ret.target,
		.when = dt_arena_printf(p->arena, "%s0)", keep),
		.args = { "0" } };
	first->next = dt_arena_memdup(p->arena, &ret, sizeof(ret));
}

/* Two probes at one place: the answer decides which of them fires. */
static void mac_add_probe(struct dt_probes *p, const struct dt_provider *row, const char *func,
    const char *hook, const struct dt_type *f, unsigned valid)
{
	struct dt_hook first;

	fill_hook(p, hook, f, true, valid, &first);
	dt_probes_add(p, row, "vmlinux", func, OK, &first);
	fill_hook(p, hook, f, false, valid, &first);
	dt_probes_add(p, row, "vmlinux", func, ERR, &first);
}

struct making {
	struct dt_probes *p;
	const struct dt_provider *row;
};

/* Every function of the core kernel called security_… that answers with an int is a check. */
static int mac_make_probe(void *ctx, const struct dt_kfunc *k)
{
	struct making *m = ctx;
	const char *func = k->name;
	const struct dt_type *f;

	if (strncmp(func, PREFIX, strlen(PREFIX)) != 0 || strcmp(k->module, "vmlinux") != 0)
		return 0;
	f = check_prototype(m->p->arena, m->p->types, func + strlen(PREFIX));
	if (f != NULL)
		mac_add_probe(m->p, m->row, func + strlen(PREFIX), func + strlen(PREFIX), f, 0);
	return 0;
}

static const char *mac_missing(struct dt_probes *p, const struct dt_probedesc *want)
{
	struct dt_near near;

	for (size_t i = 0; i < DT_COUNT(without); i++)
		if (strcmp(want->func, without[i].name) == 0)
			return without[i].why;
	if (!dt_probes_functions(p))
		return NO_FUNCTIONS;
	dt_near_init(&near, want->func);
	for (size_t i = 0; i < p->list.n; i++)
		if (strcmp(p->list.v[i]->prov, "mac_framework") == 0)
			dt_near_offer(&near, p->list.v[i]->func);
	for (size_t i = 0; i < DT_COUNT(aliases); i++)
		dt_near_offer(&near, aliases[i].name);
	return dt_arena_printf(p->arena, "security modules have no check %s here%s%s%s", want->func,
	    near.best != NULL ? "; did you mean " : "", near.best != NULL ? near.best : "",
	    near.best != NULL ? "?" : "");
}

static bool mac_may_match(const struct dt_provider *row, const struct dt_probedesc *d)
{
	(void)row;
	return !dt_part_literal(d->name) || strcmp(d->name, OK) == 0 || strcmp(d->name, ERR) == 0;
}

/*
 * Checks by Linux names are in the list; those by FreeBSD names are created when a description names
 * one.
 */
static int mac_provide(struct dt_probes *p, const struct dt_provider *row, const struct dt_probedesc *want,
    const char **why)
{
	struct making m = { p, row };
	const struct alias *a;
	const struct dt_type *f;

	if (want == NULL)
		return dt_probes_each_function(p, mac_make_probe, &m);
	if (strcmp(want->prov, row->name) == 0 && !dt_part_literal(want->func) && !dt_probes_functions(p))
		*why = NO_FUNCTIONS;
	if (strcmp(want->prov, row->name) != 0 || !dt_part_literal(want->func))
		return 0;
	a = alias_named(want->func);
	f = a != NULL && dt_probes_functions(p) ? check_prototype(p->arena, p->types, a->hook) : NULL;
	if (f != NULL)
		mac_add_probe(p, row, a->name, a->hook, f, a->valid);
	else
		*why = mac_missing(p, want);
	return 0;
}

const struct dt_provider dt_provider_mac_framework = {
	.name = "mac_framework",
	.form = "mac_framework::HOOK:mac-check-ok, mac-check-err",
	.doc = "What security modules are asked and answer.",
	.attrs = { { EEI, PPU, PPU, EEI, EEI } },
	.signature = mac_signature,
	.provide = mac_provide,
	.may_match = mac_may_match,
};

#define FIXED(name) { name, .func = "policy", .mod = "kernel", .never = "mac:kernel:policy:" name \
	" is never there on Linux: security modules are chosen when the " \
	"kernel starts (/sys/kernel/security/lsm) and stay; what they answer is mac_framework" }

static const struct dt_derived mac_probes[] = {
	FIXED("modevent"),
	FIXED("register"),
	FIXED("unregister"),
	{ "" },
};

const struct dt_provider dt_provider_mac = {
	.name = "mac",
	.form = "mac:kernel:policy:NAME",
	.doc = "Security modules that come and go: never on Linux.",
	.attrs = { { EEI, PPU, PPU, EEI, EEI } },
	DT_DERIVED(mac_probes),
};
