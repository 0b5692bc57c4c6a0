/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Built-in variables: what a firing's context holds, by DIF id. All are read-only.
 */
#include "dif/builtin.h"
#include "interp/interp.h"

enum {				/* slots of dt_interp_text() */
	TEXT_PROV, TEXT_MOD, TEXT_FUNC, TEXT_NAME, TEXT_EXECNAME, TEXT_ZONENAME, TEXT_CWD, TEXT_ROOT, TEXT_THREADNAME,
	TEXT_EXECARGS,
};

#define CONTEXT(ip) dt_interp_context(ip)
#define GETTER(name, expr) \
	static uint64_t get_##name(struct dt_interp *ip, uint64_t index) { (void)index; return (uint64_t)(expr); }

GETTER(curthread, CONTEXT(ip)->curthread)
GETTER(timestamp, CONTEXT(ip)->timestamp)
GETTER(vtimestamp, CONTEXT(ip)->vtimestamp)
GETTER(walltimestamp, CONTEXT(ip)->walltimestamp)
GETTER(ipl, CONTEXT(ip)->ipl)
GETTER(epid, dt_interp_epid(ip))
GETTER(id, CONTEXT(ip)->probe_id)
GETTER(arg0, CONTEXT(ip)->arg[0])
GETTER(arg1, CONTEXT(ip)->arg[1])
GETTER(arg2, CONTEXT(ip)->arg[2])
GETTER(arg3, CONTEXT(ip)->arg[3])
GETTER(arg4, CONTEXT(ip)->arg[4])
GETTER(arg5, CONTEXT(ip)->arg[5])
GETTER(arg6, CONTEXT(ip)->arg[6])
GETTER(arg7, CONTEXT(ip)->arg[7])
GETTER(arg8, CONTEXT(ip)->arg[8])
GETTER(arg9, CONTEXT(ip)->arg[9])
GETTER(stackdepth, CONTEXT(ip)->nstack)
GETTER(ustackdepth, CONTEXT(ip)->nustack)
GETTER(caller, CONTEXT(ip)->caller)
GETTER(ucaller, CONTEXT(ip)->ucaller)
/* 32-bit values come sign-extended to the register when their D type is signed */
GETTER(pid, (int64_t)(int32_t)CONTEXT(ip)->pid)
GETTER(tid, (int64_t)(int32_t)CONTEXT(ip)->tid)
GETTER(ppid, (int64_t)(int32_t)CONTEXT(ip)->ppid)
GETTER(nspid, (int64_t)(int32_t)CONTEXT(ip)->nspid)
GETTER(uid, CONTEXT(ip)->uid)
GETTER(gid, CONTEXT(ip)->gid)
GETTER(errno, (int64_t)CONTEXT(ip)->err)
GETTER(cpu, (int64_t)(int32_t)CONTEXT(ip)->cpu)
GETTER(cgroup, CONTEXT(ip)->cgroup)
GETTER(probeprov, dt_interp_text(ip, TEXT_PROV, CONTEXT(ip)->probe.prov))
GETTER(probemod, dt_interp_text(ip, TEXT_MOD, CONTEXT(ip)->probe.mod))
GETTER(probefunc, dt_interp_text(ip, TEXT_FUNC, CONTEXT(ip)->probe.func))
GETTER(probename, dt_interp_text(ip, TEXT_NAME, CONTEXT(ip)->probe.name))
GETTER(cwd, dt_interp_text(ip, TEXT_CWD, CONTEXT(ip)->cwd))
GETTER(root, dt_interp_text(ip, TEXT_ROOT, CONTEXT(ip)->root))
GETTER(execargs, dt_interp_text(ip, TEXT_EXECARGS, CONTEXT(ip)->execargs))

static uint64_t comm(struct dt_interp *ip, unsigned slot)
{
	char name[sizeof(CONTEXT(ip)->execname) + 1] = "";

	memcpy(name, CONTEXT(ip)->execname, sizeof(CONTEXT(ip)->execname));
	return dt_interp_text(ip, slot, name);
}

static uint64_t get_execname(struct dt_interp *ip, uint64_t index)
{
	(void)index;
	return comm(ip, TEXT_EXECNAME);
}

static uint64_t get_threadname(struct dt_interp *ip, uint64_t index)
{
	const char *name = CONTEXT(ip)->threadname;

	(void)index;
	return name ? dt_interp_text(ip, TEXT_THREADNAME, name) : comm(ip, TEXT_THREADNAME);
}

/* Linux has one zone, the whole machine. */
static uint64_t get_zonename(struct dt_interp *ip, uint64_t index)
{
	const char *name = CONTEXT(ip)->zonename;

	(void)index;
	return dt_interp_text(ip, TEXT_ZONENAME, name ? name : "global");
}

static uint64_t get_args(struct dt_interp *ip, uint64_t index)
{
	if (index >= sizeof(CONTEXT(ip)->arg) / sizeof(CONTEXT(ip)->arg[0]))
		return dt_interp_fault(ip, DT_FLT_BADINDEX, index);
	return CONTEXT(ip)->arg[index];
}

static uint64_t get_uregs(struct dt_interp *ip, uint64_t index)
{
	uint64_t value = 0;

	if (!dt_interp_ureg(ip, index, &value))
		return dt_interp_fault(ip, DT_FLT_BADINDEX, index);
	return value;
}

#define V1_0 DT_VERS(1, 0, 0)
#define V1_2 DT_VERS(1, 2, 0)
#define V1_7 DT_VERS(1, 7, 0)
#define V1_14 DT_VERS(1, 14, 0)
#define STABLE DT_ATTR_STABLE_COMMON
#define EVOLVING DT_ATTR_EVOLVING_COMMON
#define STABLE_PRIVATE { DT_STAB_STABLE, DT_STAB_PRIVATE, DT_CLS_COMMON }
#define ARRAY(n, type, vers, a, f) \
	{ .name = #n, .kind = DT_BI_ARRAY, .id = DT_VAR_##n, .proto = type, .version = vers, .attr = a, .get = f }
#define SCALAR(n, type, vers, a, f) \
	{ .name = #n, .kind = DT_BI_SCALAR, .id = DT_VAR_##n, .proto = type, .version = vers, .attr = a, .get = f }
#define NONE(n, k, type, vers, why) \
	{ .name = #n, .kind = k, .id = DT_VAR_##n, .proto = type, .version = vers, .attr = EVOLVING, .unsupported = why }

const struct dt_builtin dt_builtin_vars[] = {
	ARRAY(args, "int64_t", V1_0, STABLE, get_args),
	NONE(regs, DT_BI_ARRAY, "uint64_t", V1_0,
	    "kernel registers are not saved at a probe; use uregs[] for the user's registers"),
	ARRAY(uregs, "uint64_t", V1_0, STABLE, get_uregs),
	NONE(vmregs, DT_BI_ARRAY, "uint64_t", V1_7, "registers of a virtual machine's guest are known only to its hypervisor"),
	SCALAR(curthread, "struct task_struct *", V1_0, STABLE_PRIVATE, get_curthread),
	SCALAR(timestamp, "uint64_t", V1_0, STABLE, get_timestamp),
	SCALAR(vtimestamp, "uint64_t", V1_0, STABLE, get_vtimestamp),
	SCALAR(ipl, "uint_t", V1_0, STABLE, get_ipl),
	SCALAR(epid, "uint_t", V1_0, STABLE, get_epid),
	SCALAR(id, "uint_t", V1_0, STABLE, get_id),
	SCALAR(arg0, "int64_t", V1_0, STABLE, get_arg0),
	SCALAR(arg1, "int64_t", V1_0, STABLE, get_arg1),
	SCALAR(arg2, "int64_t", V1_0, STABLE, get_arg2),
	SCALAR(arg3, "int64_t", V1_0, STABLE, get_arg3),
	SCALAR(arg4, "int64_t", V1_0, STABLE, get_arg4),
	SCALAR(arg5, "int64_t", V1_0, STABLE, get_arg5),
	SCALAR(arg6, "int64_t", V1_0, STABLE, get_arg6),
	SCALAR(arg7, "int64_t", V1_0, STABLE, get_arg7),
	SCALAR(arg8, "int64_t", V1_0, STABLE, get_arg8),
	SCALAR(arg9, "int64_t", V1_0, STABLE, get_arg9),
	SCALAR(stackdepth, "uint32_t", V1_0, STABLE, get_stackdepth),
	SCALAR(caller, "uintptr_t", V1_0, STABLE, get_caller),
	SCALAR(probeprov, "string", V1_0, STABLE, get_probeprov),
	SCALAR(probemod, "string", V1_0, STABLE, get_probemod),
	SCALAR(probefunc, "string", V1_0, STABLE, get_probefunc),
	SCALAR(probename, "string", V1_0, STABLE, get_probename),
	SCALAR(pid, "pid_t", V1_0, STABLE, get_pid),
	SCALAR(tid, "id_t", V1_0, STABLE, get_tid),
	SCALAR(execname, "string", V1_0, STABLE, get_execname),
	SCALAR(zonename, "string", V1_0, STABLE, get_zonename),
	SCALAR(walltimestamp, "int64_t", V1_0, STABLE, get_walltimestamp),
	SCALAR(ustackdepth, "uint32_t", V1_2, STABLE, get_ustackdepth),
	SCALAR(ucaller, "uint64_t", V1_2, STABLE, get_ucaller),
	SCALAR(ppid, "pid_t", V1_0, STABLE, get_ppid),
	SCALAR(uid, "uint32_t", V1_0, STABLE, get_uid),
	SCALAR(gid, "uint32_t", V1_0, STABLE, get_gid),
	SCALAR(errno, "int", V1_0, STABLE, get_errno),
	SCALAR(threadname, "string", V1_14, STABLE, get_threadname),
	NONE(jid, DT_BI_SCALAR, "int", V1_0, "Linux has no jails; use cgroup to tell containers apart"),
	NONE(jailname, DT_BI_SCALAR, "string", V1_0, "Linux has no jails; use cgroup to tell containers apart"),
	SCALAR(cwd, "string", V1_0, STABLE, get_cwd),
	SCALAR(root, "string", V1_0, STABLE, get_root),
	SCALAR(execargs, "string", V1_0, EVOLVING, get_execargs),
	SCALAR(cgroup, "uint64_t", V1_0, EVOLVING, get_cgroup),
	SCALAR(nspid, "pid_t", V1_0, EVOLVING, get_nspid),
	SCALAR(cpu, "int", V1_0, STABLE, get_cpu),
	{ .name = NULL },
};
