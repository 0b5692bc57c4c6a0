/* SPDX-License-Identifier: BSD-2-Clause */
/* dtrace, profile, cpc: probes of the tracer itself and of time. Their arguments are plain numbers. */

provider dtrace {
	probe BEGIN();
	probe END();
	probe ERROR(uint64_t unused, uint_t epid, int action, int offset, int fault, uint64_t value);
};

#pragma D attributes Stable/Stable/Common provider dtrace provider
#pragma D attributes Private/Private/Unknown provider dtrace module
#pragma D attributes Private/Private/Unknown provider dtrace function
#pragma D attributes Stable/Stable/Common provider dtrace name
#pragma D attributes Stable/Stable/Common provider dtrace args

provider profile {
};

#pragma D attributes Evolving/Evolving/Common provider profile provider
#pragma D attributes Unstable/Unstable/Unknown provider profile module
#pragma D attributes Private/Private/Unknown provider profile function
#pragma D attributes Evolving/Evolving/Common provider profile name
#pragma D attributes Evolving/Evolving/Common provider profile args

provider cpc {
};

#pragma D attributes Evolving/Evolving/Common provider cpc provider
#pragma D attributes Private/Private/Unknown provider cpc module
#pragma D attributes Private/Private/Unknown provider cpc function
#pragma D attributes Evolving/Evolving/CPU provider cpc name
#pragma D attributes Evolving/Evolving/Common provider cpc args

provider syscall {
};

#pragma D attributes Evolving/Evolving/Common provider syscall provider
#pragma D attributes Private/Private/Unknown provider syscall module
#pragma D attributes Private/Private/ISA provider syscall function
#pragma D attributes Evolving/Evolving/Common provider syscall name
#pragma D attributes Private/Private/ISA provider syscall args
