/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dtrace: probes of the tracer itself. Providers without a probe here have theirs typed by type data, or not at all: of
 * those only the stability is declared.
 */

provider dtrace {
	probe BEGIN(); /* tracing begins, before any other probe */
	probe END(); /* tracing has ended, after all other probes */
	probe ERROR(uint64_t unused, uint_t epid, int action, int offset, int fault, uint64_t value); /* a clause had a fault */
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

provider fbt {
};

#pragma D attributes Evolving/Evolving/Common provider fbt provider
#pragma D attributes Private/Private/Unknown provider fbt module
#pragma D attributes Private/Private/ISA provider fbt function
#pragma D attributes Evolving/Evolving/Common provider fbt name
#pragma D attributes Private/Private/ISA provider fbt args

provider rawfbt {
};

#pragma D attributes Evolving/Evolving/Common provider rawfbt provider
#pragma D attributes Private/Private/Unknown provider rawfbt module
#pragma D attributes Private/Private/ISA provider rawfbt function
#pragma D attributes Evolving/Evolving/Common provider rawfbt name
#pragma D attributes Private/Private/ISA provider rawfbt args

provider kinst {
};

#pragma D attributes Evolving/Evolving/Common provider kinst provider
#pragma D attributes Private/Private/Unknown provider kinst module
#pragma D attributes Private/Private/ISA provider kinst function
#pragma D attributes Evolving/Evolving/Common provider kinst name
#pragma D attributes Private/Private/ISA provider kinst args

provider sdt {
};

#pragma D attributes Evolving/Evolving/ISA provider sdt provider
#pragma D attributes Private/Private/Unknown provider sdt module
#pragma D attributes Private/Private/Unknown provider sdt function
#pragma D attributes Private/Private/ISA provider sdt name
#pragma D attributes Private/Private/ISA provider sdt args

provider rawtp {
};

#pragma D attributes Evolving/Evolving/ISA provider rawtp provider
#pragma D attributes Private/Private/Unknown provider rawtp module
#pragma D attributes Private/Private/Unknown provider rawtp function
#pragma D attributes Private/Private/ISA provider rawtp name
#pragma D attributes Private/Private/ISA provider rawtp args

provider pid {
};

#pragma D attributes Evolving/Evolving/ISA provider pid provider
#pragma D attributes Private/Private/Unknown provider pid module
#pragma D attributes Private/Private/Unknown provider pid function
#pragma D attributes Evolving/Evolving/ISA provider pid name
#pragma D attributes Private/Private/Unknown provider pid args
