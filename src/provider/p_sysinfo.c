/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sysinfo: system statistics (derived.h). arg0 is the increment; the counters themselves are not shown:
 * arg1 and arg2 are 0.
 */
#include "provider/derived.h"

#define ONE DT_ARGS("1")
#define TASK(arg) "((struct task_struct *)" arg ")"
#define BIO "((struct bio *)arg0)"
#define INFO "((struct kernel_siginfo *)arg1)"

/*
 * submit_bh(): requests for buffers end in this function. The lowest bit of bi_opf means write, bit 11
 * that a thread waits.
 */
#define OF_BUFFER "(uintptr_t)" BIO "->bi_end_io == (uintptr_t)&`end_bio_bh_io_sync"
#define BUFFER(cond) DT_SITE(RAWTP, "block_bio_queue", OF_BUFFER " && " cond, ONE, \
	DT_NEEDS(SYMBOL, "end_bio_bh_io_sync"))
/* kiocb.ki_flags: IOCB_DIRECT */
#define RAW(func) DT_SITE(KFUNC, func, "(((struct kiocb *)arg0)->ki_flags & 0x20000) != 0", ONE)

#define CALL(name) DT_SITE(SYS_ENTER, name, DT_ALWAYS, ONE)
#define BYTES(name) DT_SITE(SYS_EXIT, name, "(int64_t)arg0 > 0", DT_ARGS("arg0"))
#define NO_PROCESS(name) DT_SITE(SYS_EXIT, name, "errno == 11", ONE)

/* clone flags: CLONE_VFORK 0x4000, CLONE_THREAD 0x10000; PF_KTHREAD 0x200000 */
#define FORKS "(arg1 & 0x14000) == 0 && (" TASK("arg0") "->flags & 0x200000) == 0"
#define VFORKS "(arg1 & 0x14000) == 0x4000 && (" TASK("arg0") "->flags & 0x200000) == 0"

/* contention_begin(lock, flags): 1 spins, 2 reader, 4 writer, 0x20 mutex */
#define CONTENDED(cond) DT_AT(DT_SITE(RAWTP, "contention_begin", cond, ONE))

#define NEVER(what, why) { what, .never = "sysinfo:::" what " is never there on Linux: " why }

static const struct dt_derived sysinfo_probes[] = {
	{ "bread", DT_AT(BUFFER("(" BIO "->bi_opf & 1) == 0")) },
	{ "bwrite", DT_AT(BUFFER("(" BIO "->bi_opf & 1) != 0")) },
	{ "bawrite", DT_AT(BUFFER("(" BIO "->bi_opf & 0x801) == 1")) },
	{ "lread", DT_AT(DT_SITE(RAWTP, "block_touch_buffer", DT_ALWAYS, ONE)) },
	{ "lwrite", DT_AT(DT_SITE(RAWTP, "block_dirty_buffer", DT_ALWAYS, ONE)) },
	{ "phread", DT_AT(RAW("blkdev_read_iter")) },
	{ "phwrite", DT_AT(RAW("blkdev_write_iter")) },
	{ "pswitch", DT_AT(DT_SITE(RAWTP, "sched_switch", DT_ALWAYS, ONE)) },
	/*
	 * As the kernel counts them for getrusage(2), without the idle thread: sched_switch(preempt,
	 * prev, next, state of prev)
	 */
	{ "inv_swtch",
	    DT_AT(DT_SITE(RAWTP, "sched_switch",
		"(arg0 != 0 || (uint32_t)arg3 == 0) && " TASK("arg1") "->pid != 0", ONE)) },
	/*
	 * Page faults, and other faults that end in a signal: SIGILL 4, SIGTRAP 5, SIGFPE 8, which the
	 * kernel sends for what the thread did
	 */
	{ "trap",
	    DT_AT(DT_SITE(COUNTER, "page_faults", DT_ALWAYS, ONE, .required = true),
		DT_SITE(RAWTP, "signal_generate",
		    "(arg0 == 4 || arg0 == 5 || arg0 == 8) && (uint64_t)arg1 > 1 && " INFO
		    "->si_code > 0 && " TASK("arg2") " == curthread",
		    ONE)) },
	{ "intr", DT_AT(DT_SITE(RAWTP, "irq_handler_entry", DT_ALWAYS, ONE)) },
	NEVER("intrblk", "interrupts do not block, they have no threads that could"),
	NEVER("intrunpin", "interrupts pin no thread"),
	{ "idlethread", DT_AT(DT_SITE(RAWTP, "sched_switch", TASK("arg2") "->pid == 0", ONE)) },
	{ "syscall", DT_AT(DT_SITE(RAWTP, "sys_enter", DT_ALWAYS, ONE)) },
	{ "sysread",
	    DT_AT(CALL("read"), CALL("readv"), CALL("pread64"), CALL("preadv"), CALL("preadv2")) },
	{ "syswrite",
	    DT_AT(CALL("write"), CALL("writev"), CALL("pwrite64"), CALL("pwritev"), CALL("pwritev2")) },
	{ "sysfork", DT_AT(DT_SITE(RAWTP, "task_newtask", FORKS, ONE)) },
	{ "sysvfork", DT_AT(DT_SITE(RAWTP, "task_newtask", VFORKS, ONE)) },
	{ "sysexec", DT_AT(CALL("execve"), CALL("execveat")) },
	NEVER("sysspawn", "posix_spawn(3) is made of sysinfo:::sysvfork and sysinfo:::sysexec"),
	{ "readch",
	    DT_AT(BYTES("read"), BYTES("readv"), BYTES("pread64"), BYTES("preadv"), BYTES("preadv2")) },
	{ "writech",
	    DT_AT(BYTES("write"), BYTES("writev"), BYTES("pwrite64"), BYTES("pwritev"),
		BYTES("pwritev2")) },
	{ "rcvint", DT_AT(DT_SITE(KFUNC, "tty_flip_buffer_push", DT_ALWAYS, ONE)) },
	{ "xmtint", DT_AT(DT_SITE(KFUNC, "uart_write_wakeup", DT_ALWAYS, ONE)) },
	NEVER("mdmint",
	    "each driver looks at the lines of its modem by itself; of most serial ports they are "
	    "fbt::uart_handle_dcd_change:entry and "
	    "fbt::uart_handle_cts_change:entry"),
	{ "rawch", DT_AT(DT_SITE(KFUNC, "n_tty_receive_buf2", "(int64_t)arg3 > 0", DT_ARGS("arg3"))) },
	/* n_tty_read(tty, …): ICANON is 2 in c_lflag */
	{ "canch",
	    DT_AT(DT_SITE(KRET, "n_tty_read",
		"(int64_t)arg1 > 0 && (((struct tty_struct *)arg2)->termios.c_lflag & 2) != 0",
		DT_ARGS("arg1"), .needs_fexit = true)) },
	{ "outch", DT_AT(DT_SITE(KRET, "n_tty_write", "(int64_t)arg1 > 0", DT_ARGS("arg1"))) },
	{ "msg", DT_AT(CALL("msgsnd"), CALL("msgrcv")) },
	{ "sema", DT_AT(CALL("semop"), CALL("semtimedop")) },
	/* names that are opened, looked up, created or removed */
	{ "namei",
	    DT_AT(DT_SITE(KFUNC, "do_filp_open", DT_ALWAYS, ONE),
		DT_SITE(KFUNC, "filename_lookup", DT_ALWAYS, ONE, .required = true),
		DT_SITE(KFUNC, "__filename_parentat", DT_ALWAYS, ONE),
		DT_SITE(KFUNC, "filename_parentat", DT_ALWAYS, ONE, .otherwise = true)) },
	NEVER("ufsiget", "there is no UFS; see vfs, and sdt:ext4"),
	NEVER("ufsdirblk", "there is no UFS; see vfs, and sdt:ext4"),
	NEVER("ufsipage", "there is no UFS; see vfs, and sdt:ext4"),
	NEVER("ufsinopage", "there is no UFS; see vfs, and sdt:ext4"),
	{ "procovf",
	    DT_AT(NO_PROCESS("clone"), NO_PROCESS("clone3"), NO_PROCESS("fork"), NO_PROCESS("vfork")) },
	{ "nthreads", DT_AT(DT_SITE(RAWTP, "task_newtask", DT_ALWAYS, ONE)) },
	{ "cpumigrate", DT_AT(DT_SITE(RAWTP, "sched_migrate_task", DT_ALWAYS, ONE)) },
	/* once for every CPU that is called */
	{ "xcalls",
	    DT_AT(DT_SITE(RAWTP, "csd_queue_cpu", DT_ALWAYS, ONE),
		DT_SITE(KFUNC, "__smp_call_single_queue", DT_ALWAYS, ONE, .otherwise = true)) },
	{ "mutex_adenters", CONTENDED("(arg1 & 0x21) == 0x20") },
	{ "rw_rdfails", CONTENDED("(arg1 & 2) != 0") },
	{ "rw_wrfails", CONTENDED("(arg1 & 4) != 0") },
	{ "modload", DT_AT(DT_SITE(RAWTP, "module_load", DT_ALWAYS, ONE)) },
	{ "modunload", DT_AT(DT_SITE(RAWTP, "module_free", DT_ALWAYS, ONE)) },
	{ "" },
};

const struct dt_provider dt_provider_sysinfo = {
	.name = "sysinfo",
	.form = "sysinfo:::COUNTER",
	.doc = "Counters of CPUs: system calls, bytes, switches.",
	.attrs = { { EEI, PPU, PPU, EEI, PPI } },
	DT_DERIVED(sysinfo_probes),
};
