/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words of a slot that a clause fills before it calls a function of src/runtime, and that the
 * function keeps its state in. Both sides include this file: the clause's code is made with offsetof(), the
 * function is compiled for eBPF and for this machine. It has plain C types only, since there are no headers
 * for eBPF. A function
 * that needs more room puts a struct of its own, which begins with struct dt_work, over the whole
 * DT_WORK_SIZE.
 */
#ifndef DT_RUNTIME_RT_WORK_H
#define DT_RUNTIME_RT_WORK_H

/* Bytes of a slot for all of these; after them are the frames of a user stack. */
#define DT_WORK_SIZE 768

typedef unsigned long long dt_word;

struct dt_work {
	dt_word la, lb;			/* lengths of the strings a and b */
	dt_word n, m;			/* numbers that came as arguments */
	dt_word pos, out, x, y;		/* the function's own */
};

/*
 * progenyof() by the numbers of a namespace (bpf/lower_process.c): offsets in kernel structs, and which
 * namespace it is.
 */
struct dt_work_progeny {
	struct dt_work w;
	dt_word leader, thread_pid, level, our_level, ns, inum, our_inum, nr;
};

/* A walk along a user stack. The clause fills in all but the middle part, which is the walk's own. */
struct dt_work_walk {
	dt_word pc, sp, fp, lr;		/* the registers of the frame in hand */
	dt_word want, out;		/* frames */
	dt_word lists, nlists;		/* the process's mappings */
	dt_word exact;			/* 1: pc is the instruction itself, not where a call returns to */
	dt_word start, len, bias, first, n;	/* the mapping in hand */
	dt_word link;			/* the machine has a link register: struct dt_machine */
	dt_word page;			/* bits of a page */
	/* offsets in kernel structs; vm_pgoff 0: not known */
	dt_word vm_pgoff, vm_file, f_inode, i_ino, i_sb, s_dev;
	/* functions whose return is probed: the innermost, and offsets */
	dt_word ret, ret_stack, ret_orig, ret_next;
	dt_word vague;			/* 1: sp is a lower bound, the caller's frame begins above it */
	dt_word switches;		/* of a thread that does not run: how often it has left a CPU */

	/* frames of languages (runtime/lang.h): the task, and offsets in it, 0: not known */
	dt_word task, robust_off, tp_off;
	dt_word langs, nlangs;		/* the process's runtimes, in its list */
	dt_word lang;			/* enum dt_lang_id of the frames in hand; 0: native ones */
	dt_word jit;			/* 1: the native frame in hand is code that this runtime made */
	dt_word low, high;		/* the native frame of the loop: its stack from here to there */
	dt_word fresh;			/* 1: the first step of a segment */
	dt_word only;			/* 1: of a process with a runtime, no native frames */
	dt_word ended;			/* 1: no native frame comes after those of the language */
	dt_word idle;			/* steps that gave no frame */
	dt_word word;			/* the frame that a step gave; 0: none */
	dt_word code, key, more, at;		/* the same, before it has a number */
	dt_word kept;			/* whose words these are (enum dt_lang_id); 0 in the first segment: */
	dt_word keep[6];		/* a runtime's own, from segment to segment of a stack */
	dt_word tmp[4];
	dt_word bytecode;		/* the register that HotSpot's interpreter has it in */
	dt_word buf[32];		/* what was read of the process */
};

_Static_assert(sizeof(struct dt_work_progeny) <= DT_WORK_SIZE, "the words of progenyof() fit");
_Static_assert(sizeof(struct dt_work_walk) <= DT_WORK_SIZE, "the words of a walk fit");

/*
 * What the walks over paths get in place of a second string: offsets of members of kernel structs. A walk
 * from a struct path reads the first DT_PATH_WORDS of them, one from a dentry alone reads all.
 */
enum dt_path_word {
	DT_PATH_PARENT,
	DT_PATH_NAME,
	DT_PATH_LEN,
	DT_PATH_MNT,
	DT_PATH_MNT_PARENT,
	DT_PATH_MOUNTPOINT,
	DT_PATH_MNT_ROOT,
	DT_PATH_WORDS,
	DT_PATH_SB = DT_PATH_WORDS,
	DT_PATH_SB_ROOT,
	DT_PATH_SB_MOUNTS,
	DT_PATH_LINK,
	DT_PATH_CHAINED, /* no offset: mounts are a chain and not a list */
	DT_PATH_MNT_NS,
	DT_DENTRY_WORDS,
};

/* The same for the walk up the directories of control groups. */
enum dt_cgroup_word { DT_CGROUP_PARENT, DT_CGROUP_NAME, DT_CGROUP_WORDS };

#endif
