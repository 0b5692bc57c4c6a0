/* SPDX-License-Identifier: BSD-2-Clause */
/* Processors. The topology beyond the number is not in any kernel structure a probe can reach in one step: 0. */

#pragma D depends_on library types.d

inline int P_OFFLINE = 1;
inline int P_ONLINE = 2;

typedef struct processor_info {
	int pi_state;			/* P_ONLINE: nothing fires elsewhere */
	string pi_processor_type;	/* x86_64 or aarch64 */
	string pi_fputypes;		/* kinds of floating-point units */
	int pi_clock;			/* MHz; 0: not known */
} processor_info_t;

typedef struct cpuinfo {
	processorid_t cpu_id;		/* number of the CPU */
	psetid_t cpu_pset;		/* 0: no processor sets */
	chipid_t cpu_chip;		/* 0: not known in a probe */
	lgrp_id_t cpu_lgrp;		/* 0: not known in a probe */
	processor_info_t cpu_info;	/* more about it */
} cpuinfo_t;

/* The architecture is recognized by the size of its registers, as in regs.d. */
#pragma D attributes Stable/Stable/Common translator
translator processor_info_t < int C > {
	pi_state = P_ONLINE;
	pi_processor_type = sizeof (struct pt_regs) == 168 ? "x86_64" : "aarch64";
	pi_fputypes = sizeof (struct pt_regs) == 168 ? "x87 sse" : "fp asimd";
	pi_clock = 0;
};

#pragma D attributes Stable/Stable/Common translator
translator cpuinfo_t < struct task_struct *T > {
	cpu_id = T == curthread ? cpu : T->thread_info.cpu;
	cpu_pset = 0;
	cpu_chip = 0;
	cpu_lgrp = 0;
	cpu_info = xlate <processor_info_t> (0);
};

#pragma D attributes Stable/Stable/Common translator
translator cpuinfo_t < int C > {
	cpu_id = C;
	cpu_pset = 0;
	cpu_chip = 0;
	cpu_lgrp = 0;
	cpu_info = xlate <processor_info_t> (0);
};

inline cpuinfo_t *curcpu = xlate <cpuinfo_t *> (curthread);
inline psetid_t pset = 0;
inline chipid_t chip = 0;
inline lgrp_id_t lgrp = 0;
#pragma D attributes Stable/Stable/Common curcpu
