/* SPDX-License-Identifier: BSD-2-Clause */
/* priv: capabilities that are asked for (derived.h), at the return of security_capable(credentials, namespace, capability, options). */
#include "provider/derived.h"

#define CAP "self->__priv_cap"
#define ASKED(when) { { DT_HOOK_KRET, "security_capable", when, { "(int)arg4" }, .needs_fexit = true }, \
	{ DT_HOOK_KFUNC, "security_capable", "(" CAP " = (int)arg2, 0)", { "0" }, .no_fexit = true }, \
	{ DT_HOOK_KRET, "security_capable", when, { CAP }, .no_fexit = true } }

const struct dt_derived dt_priv_probes[] = {
	{ "priv-ok", "priv_check", .place = ASKED("(int)arg1 == 0") },
	{ "priv-err", "priv_check", .place = ASKED("(int)arg1 != 0") },
	{ 0 },
};
