/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes and threads as the documentation shows them, made of the kernel's struct task_struct. */

#pragma D depends_on library types.d

inline char SSLEEP = 1;
inline char SRUN = 2;
inline char SZOMB = 3;
inline char SSTOP = 4;
inline char SIDL = 5;
inline char SONPROC = 6;
inline char SWAIT = 7;

inline int PR_STOPPED = 0x00000001;
inline int PR_ISTOP = 0x00000002;
inline int PR_DSTOP = 0x00000004;
inline int PR_STEP = 0x00000008;
inline int PR_ASLEEP = 0x00000010;
inline int PR_PCINVAL = 0x00000020;
inline int PR_ASLWP = 0x00000040;
inline int PR_AGENT = 0x00000080;
inline int PR_DETACH = 0x00000100;
inline int PR_DAEMON = 0x00000200;
inline int PR_ISSYS = 0x00001000;
inline int PR_VFORKP = 0x00002000;
inline int PR_ORPHAN = 0x00004000;
inline int PR_IDLE = 0x10000000;

inline uint32_t PRNODEV = 0xffffffff;

inline char PR_MODEL_ILP32 = 1;
inline char PR_MODEL_LP64 = 2;

typedef struct lwpsinfo {
	int pr_flag;			/* PR_* */
	id_t pr_lwpid;			/* number of the thread */
	uintptr_t pr_addr;		/* address of its struct task_struct */
	uintptr_t pr_wchan;		/* 0: Linux keeps no such address */
	char pr_stype;			/* 0 */
	char pr_state;			/* SSLEEP … */
	char pr_sname;			/* 'S', 'R', 'Z', 'T', 'O', 'W' */
	char pr_nice;			/* nice value */
	short pr_syscall;		/* 0: see syscall:::entry */
	char pr_oldpri;			/* 0 */
	char pr_cpu;			/* 0 */
	int pr_pri;			/* priority of the kernel: 100 to 139, below that real time */
	ushort_t pr_pctcpu;		/* 0 */
	timestruc_t pr_start;		/* when it was made */
	timestruc_t pr_time;		/* 0: see vtimestamp */
	string pr_clname;		/* scheduling class: TS, RT, DL */
	string pr_name;			/* its name */
	processorid_t pr_onpro;		/* CPU it is on, or was last */
	processorid_t pr_bindpro;	/* -1 */
	psetid_t pr_bindpset;		/* -1 */
	int pr_lgrp;			/* 0 */
} lwpsinfo_t;

typedef struct psinfo {
	int pr_flag;			/* 0 */
	int pr_nlwp;			/* number of threads */
	pid_t pr_pid;			/* number of the process */
	pid_t pr_ppid;			/* number of its parent */
	pid_t pr_pgid;			/* number of its group */
	pid_t pr_sid;			/* number of its session */
	uint32_t pr_uid;		/* real user */
	uint32_t pr_euid;		/* effective user */
	uint32_t pr_gid;		/* real group */
	uint32_t pr_egid;		/* effective group */
	uintptr_t pr_addr;		/* address of its struct task_struct */
	size_t pr_size;			/* size of its address space in KiB */
	size_t pr_rssize;		/* 0: not kept in one place */
	uint32_t pr_ttydev;		/* device of its terminal; PRNODEV without one */
	ushort_t pr_pctcpu;		/* 0 */
	ushort_t pr_pctmem;		/* 0 */
	timestruc_t pr_start;		/* when it was made */
	timestruc_t pr_time;		/* 0: see vtimestamp */
	timestruc_t pr_ctime;		/* 0 */
	string pr_fname;		/* name of its program */
	string pr_psargs;		/* arguments of its program; of another process its name alone */
	uint_t pr_arglen;		/* length of the arguments in bytes */
	int pr_wstat;			/* exit status, as in wait(2) */
	int pr_argc;			/* number of arguments; of another process 0 */
	uintptr_t pr_argv;		/* address of argv in the process */
	uintptr_t pr_envp;		/* address of the environment in the process */
	char pr_dmodel;			/* PR_MODEL_LP64 */
	taskid_t pr_taskid;		/* 0 */
	uint32_t pr_projid;		/* 0 */
	int pr_nzomb;			/* 0 */
	poolid_t pr_poolid;		/* 0 */
	zoneid_t pr_zoneid;		/* 0 */
	uint_t pr_jailid;		/* 0 */
	id_t pr_contract;		/* 0 */
	lwpsinfo_t pr_lwp;		/* one of its threads */
} psinfo_t;

/* Nanoseconds since 1970. */
#pragma D attributes Stable/Stable/Common translator
translator timestruc_t < uint64_t N > {
	tv_sec = N / 1000000000;
	tv_nsec = N % 1000000000;
};

#pragma D attributes Stable/Stable/Common translator
translator psinfo_t < struct task_struct *T > {
	pr_flag = 0;
	pr_nlwp = T->signal->nr_threads;
	/* in a container the current process has the number that it has there; of others only the system's is known */
	pr_pid = T == curthread ? pid : T->tgid;
	pr_ppid = T == curthread ? ppid : T->real_parent->tgid;
	pr_pgid = T->signal->pids[2]->numbers[0].nr;
	pr_sid = T->signal->pids[3]->numbers[0].nr;
	pr_uid = T->real_cred->uid.val;
	pr_euid = T->cred->euid.val;
	pr_gid = T->real_cred->gid.val;
	pr_egid = T->cred->egid.val;
	pr_addr = (uintptr_t)T;
	pr_size = T->mm != 0 ? T->mm->total_vm * 4 : 0;
	pr_fname = stringof(T->comm);
	/* the arguments are in user memory: only the process itself can be asked */
	pr_psargs = T == curthread || T->group_leader == curthread->group_leader ? execargs : stringof(T->comm);
	pr_arglen = T->mm != 0 ? T->mm->arg_end - T->mm->arg_start : 0;
	pr_ttydev = T->signal->tty != 0 ?
	    T->signal->tty->driver->major << 20 | (T->signal->tty->driver->minor_start + T->signal->tty->index) : PRNODEV;
	pr_start = xlate <timestruc_t> ((uint64_t)(walltimestamp - (timestamp - T->start_time)));
	/* a program starts with its stack at argc, argv[ ], 0, envp[ ], 0; argc is in user memory, too */
	pr_argc = T->mm != 0 && T->group_leader == curthread->group_leader ? *(int *)copyin(T->mm->start_stack, sizeof (int)) : 0;
	pr_argv = T->mm != 0 ? T->mm->start_stack + 8 : 0;
	pr_envp = T->mm != 0 && T->group_leader == curthread->group_leader ?
	    T->mm->start_stack + 8 * (*(int *)copyin(T->mm->start_stack, sizeof (int)) + 2) : 0;
	pr_wstat = T->exit_code;
	pr_dmodel = PR_MODEL_LP64;
	pr_taskid = 0;
	pr_projid = 0;
	pr_nzomb = 0;
	pr_poolid = 0;
	pr_zoneid = 0;
	pr_jailid = 0;
	pr_contract = 0;
	pr_lwp = xlate <lwpsinfo_t> (T);
};

/* States are bits: 1 and 2 sleep, 4 and 8 stop, 0x10, 0x20 and 0x80 are ends, 0x100 and 0x200 wait. */
#pragma D attributes Stable/Stable/Common translator
translator lwpsinfo_t < struct task_struct *T > {
	pr_flag = T->pid == 0 ? PR_IDLE : T->__state & 0xc ? PR_STOPPED : T->__state & 0x3 ? PR_ASLEEP : 0;
	pr_lwpid = T == curthread ? tid : T->pid;
	pr_addr = (uintptr_t)T;
	pr_wchan = 0;
	pr_stype = 0;
	pr_state = T->__state & 0x3 ? SSLEEP : T->__state & 0xc ? SSTOP : T->__state & 0xb0 ? SZOMB :
	    T->__state & 0x300 ? SWAIT : T->on_cpu ? SONPROC : SRUN;
	pr_sname = T->__state & 0x3 ? 'S' : T->__state & 0xc ? 'T' : T->__state & 0xb0 ? 'Z' :
	    T->__state & 0x300 ? 'W' : T->on_cpu ? 'O' : 'R';
	pr_nice = T->static_prio - 120;
	pr_syscall = 0;
	pr_oldpri = 0;
	pr_cpu = 0;
	pr_pri = T->prio;
	pr_pctcpu = 0;
	pr_start = xlate <timestruc_t> ((uint64_t)(walltimestamp - (timestamp - T->start_time)));
	pr_clname = T->policy == 1 || T->policy == 2 ? "RT" : T->policy == 6 ? "DL" : "TS";
	pr_name = stringof(T->comm);
	pr_onpro = T->thread_info.cpu;
	pr_bindpro = -1;
	pr_bindpset = -1;
	pr_lgrp = 0;
};

inline psinfo_t *curpsinfo = xlate <psinfo_t *> (curthread);
inline lwpsinfo_t *curlwpsinfo = xlate <lwpsinfo_t *> (curthread);
#pragma D attributes Stable/Stable/Common curpsinfo
#pragma D attributes Stable/Stable/Common curlwpsinfo
