/* SPDX-License-Identifier: BSD-2-Clause */
/* mac_framework, mac, priv, audit: decisions of the kernel's security modules. The check's own arguments follow the error. */

provider mac_framework {
	probe mac__check__ok(int error, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d);
	probe mac__check__err(int error, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d);
	probe mac__grant__ok(int error, uintptr_t a, uintptr_t b);
	probe mac__grant__err(int error, uintptr_t a, uintptr_t b);
};

#pragma D attributes Evolving/Evolving/ISA provider mac_framework provider
#pragma D attributes Private/Private/Unknown provider mac_framework module
#pragma D attributes Private/Private/Unknown provider mac_framework function
#pragma D attributes Evolving/Evolving/ISA provider mac_framework name
#pragma D attributes Evolving/Evolving/ISA provider mac_framework args

provider mac {
	probe modevent(int what, void *policy);
	probe register(void *policy);
	probe unregister(void *policy);
};

#pragma D attributes Evolving/Evolving/ISA provider mac provider
#pragma D attributes Private/Private/Unknown provider mac module
#pragma D attributes Private/Private/Unknown provider mac function
#pragma D attributes Evolving/Evolving/ISA provider mac name
#pragma D attributes Evolving/Evolving/ISA provider mac args

provider priv {
	probe priv__ok(int privilege);
	probe priv__err(int privilege);
};

#pragma D attributes Evolving/Evolving/ISA provider priv provider
#pragma D attributes Private/Private/Unknown provider priv module
#pragma D attributes Private/Private/Unknown provider priv function
#pragma D attributes Evolving/Evolving/ISA provider priv name
#pragma D attributes Evolving/Evolving/ISA provider priv args

provider audit {
	probe commit(char *name, struct audit_context *record);
	probe bsm(char *name, struct audit_context *record, void *text, size_t length);
};

#pragma D attributes Evolving/Evolving/ISA provider audit provider
#pragma D attributes Private/Private/Unknown provider audit module
#pragma D attributes Private/Private/Unknown provider audit function
#pragma D attributes Evolving/Evolving/ISA provider audit name
#pragma D attributes Evolving/Evolving/ISA provider audit args
