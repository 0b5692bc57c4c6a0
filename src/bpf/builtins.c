/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Built-in variables: a DIF variable id in, its value in a DIF register out. The variable's row in
 * src/builtin makes the code; here are the parts of bpf/lower.h that only rows of variables use.
 */
#include "bpf/build.h"
#include "dif/builtin.h"

#include <sys/utsname.h>

/*
 * A clause has one timestamp, taken when something first asks for it. F_TIME is 0 before that; the first code
 * that asks need not look, code after it may stand in another arm and does.
 */
void dt_time(struct dt_lower *l)
{
	uint32_t have = dt_label(l->a);

	if (l->timed) {
		dt_ldx(l->a, B8, R0, FP, F_TIME);
		dt_jmpi(l->a, BPF_JNE, R0, 0, have);
	}
	l->timed = true;
	dt_call(l->a, BPF_FUNC_ktime_get_ns);
	dt_stx(l->a, B8, FP, F_TIME, R0);
	dt_put(l->a, have);
	l->cached = 0;
}

static void check_offset(struct dt_lower *l, uint32_t off, const char *what)
{
	if (off == DT_KOFF_NONE)
		REFUSE(l, "this kernel's type data does not show where %s is kept", what);
}

uint32_t dt_member(struct dt_lower *l, const char *tag, const char *path, const char *what)
{
	uint32_t off = dt_kmember(l->b->opts, tag, path);

	check_offset(l, off, what);
	return off;
}

void dt_follow(struct dt_lower *l, uint32_t off, int size, const char *what)
{
	struct dt_emit *a = l->a;

	check_offset(l, off, what);
	dt_mov(a, R3, R0);
	if (off)
		dt_alui(a, BPF_ADD, R3, (int32_t)off);
	dt_sti(a, B8, FP, F_T0, 0);
	dt_fpaddr(a, R1, F_T0);
	dt_imm(a, R2, (uint64_t)size);
	dt_help(l, BPF_FUNC_probe_read_kernel);
	dt_ldx(a, size == 4 ? B4 : B8, R0, FP, F_T0);
}

void dt_follow_member(struct dt_lower *l, const char *tag, const char *path, int size, const char *what)
{
	dt_follow(l, dt_member(l, tag, path, what), size, what);
}

/* F_IDS is there when the clause needs the numbers more than once (lower_clause.c). */
void dt_ids(struct dt_lower *l)
{
	if (l->ids)
		dt_ldx(l->a, B8, R0, FP, F_IDS);
	else
		dt_help(l, BPF_FUNC_get_current_pid_tgid);
	l->cached = 0;
}

void dt_task_id(struct dt_lower *l, bool process)
{
	dt_member(l, "task_struct", "tgid", "the process id");
	if (l->b->opts->pidns_ino != 0) {
		dt_member(l, "upid", NULL, "the namespace's process id");
		dt_member(l, "pid_namespace", "ns.inum", "the namespace's process id");
	}
	dt_task_number(l->a, l->b->opts, F_T0, process);
	l->cached = 0;
}

bool dt_reg_known(const struct dt_lower *l, unsigned r, uint64_t *v)
{
	*v = r ? l->reg[r].v : 0;
	return !r || l->reg[r].kind == V_CONST;
}

/* ---- loads ---- */

/* The parts of the probe's name in a clause of dtrace:::ERROR. */
static struct dt_known error_part(struct dt_known part)
{
	static const char *const parts[] = { "dtrace", "", "", "ERROR" };

	return (struct dt_known){ .kind = V_STR, .text = parts[part.v] };
}

/* The name of this machine as it is when the trace begins. */
static struct dt_known host_name(const struct dt_lower *l)
{
	struct utsname host;

	return (struct dt_known){ .kind = V_STR,
		.text = uname(&host) == 0 ? dt_arena_strdup(l->a->arena, host.nodename) : "" };
}

void dt_lower_builtin(struct dt_lower *l, uint32_t id, unsigned rd)
{
	const struct dt_builtin *row = dt_builtin_var(id);

	l->cached = 0;
	if (row && row->known) {
		struct dt_known k = *row->known;

		if (k.kind == V_HOST)
			k = host_name(l);
		dt_set_known(l, rd, l->error && k.kind == V_PART ? error_part(k) : k);
		return;
	}
	if (!row || !row->lower)
		REFUSE(l, "%s is not available for tracing", row ? row->name : "this variable");
	row->lower(l);
	dt_set(l, rd);
}

void dt_lower_ldga(struct dt_lower *l, uint32_t in)
{
	const struct dt_builtin *row = dt_builtin_var(dt_dif_r1(in));

	if (!row || !row->lower_at)
		REFUSE(l, "%s[] is not available for tracing", row ? row->name : "this array");
	row->lower_at(l, dt_dif_r2(in));
	dt_set(l, dt_dif_rd(in));
}
