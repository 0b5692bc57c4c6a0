/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * priv: capability checks (derived.h), at the return of security_capable(credentials, namespace,
 * capability, options).
 */
#include "provider/derived.h"

#define CAP "self->__priv_cap"
#define ASKED(when) DT_AT( \
	DT_SITE(KRET, "security_capable", when, DT_ARGS("(int)arg4"), .needs_fexit = true), \
	DT_SITE(KFUNC, "security_capable", "(" CAP " = (int)arg2, 0)", DT_ARGS("0"), .no_fexit = true), \
	DT_SITE(KRET, "security_capable", when, DT_ARGS(CAP), .no_fexit = true))

static const struct dt_derived priv_probes[] = {
	{ "priv-ok", .func = "priv_check", ASKED("(int)arg1 == 0") },
	{ "priv-err", .func = "priv_check", ASKED("(int)arg1 != 0") },
	{ "" },
};

const struct dt_provider dt_provider_priv = {
	.name = "priv",
	.form = "priv:kernel:priv_check:priv-ok, priv-err",
	.doc = "Capabilities that are asked for.",
	.attrs = { { EEI, PPU, PPU, EEI, EEI } },
	DT_DERIVED(priv_probes),
};
