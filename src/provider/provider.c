/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of providers: stability of each part of their probes, and argument types read from kernel type data. */
#include "provider/provider.h"

#include "builtin/builtin.h"

#define A(n, d, c) { DT_STAB_##n, DT_STAB_##d, DT_CLS_##c }

#define PPU A(PRIVATE, PRIVATE, UNKNOWN)
#define PPI A(PRIVATE, PRIVATE, ISA)
#define EEC A(EVOLVING, EVOLVING, COMMON)
#define EEI A(EVOLVING, EVOLVING, ISA)
#define SSC A(STABLE, STABLE, COMMON)

static struct dt_probe_sig *sig_new(struct dt_arena *arena, uint32_t n)
{
	struct dt_probe_sig *sig = DT_NEW(arena, struct dt_probe_sig);

	sig->nin = sig->nout = n;
	sig->in = sig->out = DT_NEWN(arena, const struct dt_type *, n + 1);
	sig->map = DT_NEWN(arena, uint8_t, n + 1);
	for (uint32_t i = 0; i < n; i++)
		sig->map[i] = (uint8_t)i;
	return sig;
}

static bool literal(const char *part)
{
	return part[0] != '\0' && strpbrk(part, "*?[\\") == NULL;
}

/* Function arguments at entry; at return args[0] is the return offset, args[1] the value. */
static struct dt_probe_sig *fbt_signature(struct dt_arena *arena, struct dt_types *types, const struct dt_probedesc *p)
{
	const struct dt_type *f;
	struct dt_probe_sig *sig;
	bool entry = strcmp(p->name, "entry") == 0;

	if (!literal(p->func) || (!entry && strcmp(p->name, "return") != 0))
		return NULL;
	f = dt_types_symbol(types, literal(p->mod) ? p->mod : NULL, p->func);
	f = f != NULL ? dt_type_base(f) : NULL;
	if (f == NULL || f->kind != DT_T_FUNC)
		return NULL;
	if (!entry) {
		bool has_value = !dt_type_is_void(f->ref);

		sig = sig_new(arena, has_value ? 2 : 1);
		sig->in[0] = dt_types_sized(types, 8, true);
		if (has_value)
			sig->in[1] = f->ref;
		return sig;
	}
	sig = sig_new(arena, f->nparams < 255 ? f->nparams : 255);
	for (uint32_t i = 0; i < sig->nin; i++)
		sig->in[i] = f->params[i];
	return sig;
}

/* A tracepoint's prototype is the typedef btf_trace_NAME; its first parameter is the tracer's own. */
static struct dt_probe_sig *tracepoint_signature(struct dt_arena *arena, struct dt_types *types, const struct dt_probedesc *p)
{
	const struct dt_type *f;
	struct dt_probe_sig *sig;

	if (!literal(p->name))
		return NULL;
	f = dt_types_find(types, NULL, DT_T_TYPEDEF, dt_arena_printf(arena, "btf_trace_%s", p->name));
	f = f != NULL ? dt_type_base(f) : NULL;
	if (f == NULL || f->kind != DT_T_PTR || (f = dt_type_base(f->ref))->kind != DT_T_FUNC || f->nparams == 0)
		return NULL;
	sig = sig_new(arena, f->nparams - 1 < 255 ? f->nparams - 1 : 255);
	for (uint32_t i = 0; i < sig->nin; i++)
		sig->in[i] = f->params[i + 1];
	return sig;
}

const struct dt_provider_row dt_providers[] = {
	{ "dtrace", { { SSC, PPU, PPU, SSC, SSC } }, false, NULL },
	{ "profile", { { EEC, A(UNSTABLE, UNSTABLE, UNKNOWN), PPU, EEC, EEC } }, false, NULL },
	{ "syscall", { { EEC, PPU, PPI, EEC, PPI } }, false, NULL },
	{ "fbt", { { EEC, PPU, PPI, EEC, PPI } }, false, fbt_signature },
	{ "rawfbt", { { EEC, PPU, PPI, EEC, PPI } }, false, NULL },
	{ "sdt", { { EEI, PPU, PPU, PPI, PPI } }, false, tracepoint_signature },
	{ "rawtp", { { EEI, PPU, PPU, PPI, PPI } }, false, tracepoint_signature },
	{ "lockstat", { { EEC, PPU, PPU, EEC, EEC } }, false, NULL },
	{ "proc", { { EEI, PPU, PPU, EEI, EEI } }, false, NULL },
	{ "sched", { { EEI, PPU, PPU, EEI, EEI } }, false, NULL },
	{ "io", { { EEI, PPU, PPU, EEI, EEI } }, false, NULL },
	{ "ip", { { EEI, PPU, PPU, EEI, EEI } }, false, NULL },
	{ "tcp", { { EEI, PPU, PPU, EEI, EEI } }, false, NULL },
	{ "udp", { { EEI, PPU, PPU, EEI, EEI } }, false, NULL },
	{ "mib", { { EEI, PPU, PPU, EEI, EEI } }, false, NULL },
	{ "sysinfo", { { EEI, PPU, PPU, EEI, PPI } }, false, NULL },
	{ "vminfo", { { EEI, PPU, PPU, EEI, PPI } }, false, NULL },
	{ "fsinfo", { { EEI, PPU, PPU, EEI, EEI } }, false, NULL },
	{ "vfs", { { EEI, PPU, PPU, EEI, EEI } }, false, NULL },
	{ "cpc", { { EEC, PPU, PPU, A(EVOLVING, EVOLVING, CPU), EEC } }, false, NULL },
	{ "dtmalloc", { { SSC, PPU, PPU, SSC, SSC } }, false, NULL },
	{ "mac_framework", { { EEI, PPU, PPU, EEI, EEI } }, false, NULL },
	{ "priv", { { EEI, PPU, PPU, EEI, EEI } }, false, NULL },
	{ "audit", { { EEI, PPU, PPU, EEI, EEI } }, false, NULL },
	{ "pid", { { EEI, PPU, PPU, EEI, PPU } }, true, NULL },
	{ "plockstat", { { EEI, PPU, PPU, EEI, EEI } }, true, NULL },
	{ 0 },
};

const struct dt_provider_row *dt_provider_find(const char *name)
{
	for (const struct dt_provider_row *row = dt_providers; row->name != NULL; row++) {
		size_t len = strlen(row->name);

		if (strcmp(row->name, name) == 0)
			return row;
		if (row->per_process && strncmp(row->name, name, len) == 0 && name[len] != '\0' &&
		    name[len + strspn(name + len, "0123456789")] == '\0')
			return row;
	}
	return NULL;
}
