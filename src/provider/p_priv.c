/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * priv: capability checks (derived.h), at the return of security_capable(credentials, namespace,
 * capability, options). mac: policies that are loaded and unloaded, which does not happen on Linux.
 */
#include "provider/derived.h"

#define CAP "self->__priv_cap"
#define ASKED(when) DT_AT({ DT_HOOK_KRET, "security_capable", when, { "(int)arg4" }, .needs_fexit = true }, \
	{ DT_HOOK_KFUNC, "security_capable", "(" CAP " = (int)arg2, 0)", { "0" }, .no_fexit = true }, \
	{ DT_HOOK_KRET, "security_capable", when, { CAP }, .no_fexit = true })

const struct dt_derived dt_priv_probes[] = {
	{ "priv-ok", "priv_check", ASKED("(int)arg1 == 0") },
	{ "priv-err", "priv_check", ASKED("(int)arg1 != 0") },
	{ 0 },
};

#define FIXED(name) { name, "policy", .mod = "kernel", .never = "mac:kernel:policy:" name \
	" is never there on Linux: security modules are chosen when the " \
	"kernel starts (/sys/kernel/security/lsm) and stay; what they answer is mac_framework" }

const struct dt_derived dt_mac_probes[] = {
	FIXED("modevent"),
	FIXED("register"),
	FIXED("unregister"),
	{ 0 },
};
