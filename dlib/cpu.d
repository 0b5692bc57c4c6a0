/* SPDX-License-Identifier: BSD-2-Clause */
/* Processors. The topology beyond the number is not in any kernel structure a probe can reach in one step: 0. */

#pragma D depends_on library types.d

typedef struct cpuinfo {
	processorid_t cpu_id;
	psetid_t cpu_pset;
	chipid_t cpu_chip;
	lgrp_id_t cpu_lgrp;
} cpuinfo_t;

#pragma D attributes Stable/Stable/Common translator
translator cpuinfo_t < struct task_struct *T > {
	cpu_id = T == curthread ? cpu : T->thread_info.cpu;
	cpu_pset = 0;
	cpu_chip = 0;
	cpu_lgrp = 0;
};

#pragma D attributes Stable/Stable/Common translator
translator cpuinfo_t < int C > {
	cpu_id = C;
	cpu_pset = 0;
	cpu_chip = 0;
	cpu_lgrp = 0;
};

inline cpuinfo_t *curcpu = xlate <cpuinfo_t *> (curthread);
inline psetid_t pset = 0;
inline chipid_t chip = 0;
inline lgrp_id_t lgrp = 0;
#pragma D attributes Stable/Stable/Common curcpu
