/* SPDX-License-Identifier: BSD-2-Clause */
/* mac, priv, audit: what the kernel allows, and what it logs about it. Arguments of mac_framework are those of each hook. */

provider mac {
	probe modevent(int what, void *policy); /* never on Linux */
	probe register(void *policy); /* never on Linux */
	probe unregister(void *policy); /* never on Linux */
};

#pragma D attributes Evolving/Evolving/ISA provider mac provider
#pragma D attributes Private/Private/Unknown provider mac module
#pragma D attributes Private/Private/Unknown provider mac function
#pragma D attributes Evolving/Evolving/ISA provider mac name
#pragma D attributes Evolving/Evolving/ISA provider mac args

provider priv {
	probe priv__ok(int privilege); /* a capability is granted; args[0] is its number */
	probe priv__err(int privilege); /* it is refused */
};

#pragma D attributes Evolving/Evolving/ISA provider priv provider
#pragma D attributes Private/Private/Unknown provider priv module
#pragma D attributes Private/Private/Unknown provider priv function
#pragma D attributes Evolving/Evolving/ISA provider priv name
#pragma D attributes Evolving/Evolving/ISA provider priv args

provider audit {
	probe commit(string name, struct audit_context *record); /* a record of a system call is made */
	probe bsm(string name, struct audit_context *record, void *text, size_t length); /* a piece of its text */
};

#pragma D attributes Evolving/Evolving/ISA provider audit provider
#pragma D attributes Private/Private/Unknown provider audit module
#pragma D attributes Private/Private/Unknown provider audit function
#pragma D attributes Evolving/Evolving/ISA provider audit name
#pragma D attributes Evolving/Evolving/ISA provider audit args
