/* SPDX-License-Identifier: BSD-2-Clause */
/* mac, priv, audit: what the kernel allows, and what is told of it. Arguments of mac_framework are those of each hook. */

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
	probe commit(string name, struct audit_context *record);
	probe bsm(string name, struct audit_context *record, void *text, size_t length);
};

#pragma D attributes Evolving/Evolving/ISA provider audit provider
#pragma D attributes Private/Private/Unknown provider audit module
#pragma D attributes Private/Private/Unknown provider audit function
#pragma D attributes Evolving/Evolving/ISA provider audit name
#pragma D attributes Evolving/Evolving/ISA provider audit args
