/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vminfo: virtual memory statistics (derived.h). arg0 is the increment; the counters themselves are not
 * shown: arg1 and arg2 are 0. Pages read from and written to devices are those of block requests,
 * counted in 4 KiB: pages of files by their first page, swapped pages by the function that ends the
 * request.
 */
#include "provider/derived.h"

#define ONE DT_ARGS("1")
#define TASK(arg) "((struct task_struct *)" arg ")"
#define BIO "((struct bio *)arg0)"
#define INFO "((struct kernel_siginfo *)arg1)"

/* the lowest byte of bi_opf is the operation: 0 reads, 1 writes; dt_bio_file[] is in dlib/file.d */
#define FILE_IN BIO "->bi_iter.bi_size != 0 && (" BIO "->bi_opf & 0xff) == 0 && dt_bio_file[" BIO "] != 0"
#define FILE_OUT BIO "->bi_iter.bi_size != 0 && (" BIO "->bi_opf & 0xff) == 1 && dt_bio_file[" BIO "] != 0"
#define ENDS_IN(func) "(uintptr_t)" BIO "->bi_end_io == (uintptr_t)&`" func
#define PAGES DT_ARGS("(" BIO "->bi_iter.bi_size + 4095) / 4096")

#define READ_FILE(n) DT_SITE(RAWTP, "block_bio_queue", FILE_IN, n, .soft = true)
#define WRITE_FILE(n) DT_SITE(RAWTP, "block_bio_queue", FILE_OUT, n, .soft = true)
#define READ_SWAP(n) DT_SITE(RAWTP, "block_bio_queue", ENDS_IN("end_swap_bio_read"), n, \
	DT_NEEDS(SYMBOL, "end_swap_bio_read"))
#define WRITE_SWAP(n) DT_SITE(RAWTP, "block_bio_queue", ENDS_IN("end_swap_bio_write"), n, \
	DT_NEEDS(SYMBOL, "end_swap_bio_write"))

/*
 * mm_vmscan_lru_shrink_inactive(node, scanned, reclaimed, statistics, priority, of files); madvise(2)
 * has its own way
 */
#define FREED(cond) DT_SITE(RAWTP, "mm_vmscan_lru_shrink_inactive", cond, DT_ARGS("arg2"))

#define COPYING "self->__vminfo_copying"
#define COPIES(f, ...) DT_SITE(KFUNC, f, "(" COPYING " = 1, 0)", DT_ARGS("0"), ##__VA_ARGS__)
#define COPIED(f, ...) DT_SITE(KRET, f, "(" COPYING " = 0, 0)", DT_ARGS("0"), ##__VA_ARGS__)

#define NEVER(what, why) { what, .never = "vminfo:::" what " is never there on Linux: " why }

static const struct dt_derived vminfo_probes[] = {
	/*
	 * x86: page_fault_user(address, registers, error code); bit 0 is set if the page exists but not
	 * for this access. Other machines do not tell: every fault.
	 */
	{ "as_fault",
	    DT_AT(DT_SITE(RAWTP, "page_fault_user", "(arg2 & 1) == 0", ONE),
		DT_SITE(COUNTER, "page_faults", DT_ALWAYS, ONE, .otherwise = true),
		DT_SITE(RAWTP, "page_fault_kernel", "(arg2 & 1) == 0", ONE)) },
	NEVER("kernel_asflt", "memory of the kernel is not paged, a fault there is an error"),
	{ "maj_fault", DT_AT(DT_SITE(COUNTER, "major_faults", DT_ALWAYS, ONE)) },
	/*
	 * The functions that copy are often inlined: a page becomes private to this process while a
	 * protection fault, or a first fault in a file, is handled.
	 */
	{ "cow_fault",
	    DT_AT(COPIES("do_wp_page", .required = true), COPIES("do_fault"),
		COPIES("do_cow_fault", .otherwise = true), COPIED("do_wp_page"), COPIED("do_fault"),
		COPIED("do_cow_fault", .otherwise = true),
		DT_SITE(KFUNC, "folio_add_new_anon_rmap", COPYING " != 0", ONE),
		DT_SITE(KFUNC, "page_add_new_anon_rmap", COPYING " != 0", ONE, .otherwise = true,
		    .required = true)) },
	/* SEGV_ACCERR */
	{ "prot_fault",
	    DT_AT(DT_SITE(RAWTP, "signal_generate",
		"arg0 == 11 && (uint64_t)arg1 > 1 && " INFO "->si_code == 2 && " TASK("arg2") " == curthread",
		ONE)) },
	NEVER("hat_fault", "there is no layer of address translation that faults by itself"),
	/*
	 * without registers of the thread, handle_mm_fault() is called to get a page, not because of a
	 * fault
	 */
	{ "softlock", DT_AT(DT_SITE(KFUNC, "handle_mm_fault", "arg3 == 0", ONE)) },
	/*
	 * a page for a program (__GFP_HIGHMEM 2, __GFP_MOVABLE 8) that must be zeroed (__GFP_ZERO
	 * 0x100): mm_page_alloc(page, order, gfp)
	 */
	{ "zfod",
	    DT_AT(DT_SITE(RAWTP, "mm_page_alloc", "arg0 != 0 && (arg2 & 0x10a) == 0x10a",
		DT_ARGS("(uint64_t)1 << arg1"))) },
	{ "pgin", DT_AT(READ_FILE(ONE), READ_SWAP(ONE)) },
	{ "pgpgin", DT_AT(READ_FILE(PAGES), READ_SWAP(PAGES)) },
	{ "pgout", DT_AT(WRITE_FILE(ONE), WRITE_SWAP(ONE)) },
	{ "pgpgout", DT_AT(WRITE_FILE(PAGES), WRITE_SWAP(PAGES)) },
	{ "anonpgin", DT_AT(READ_SWAP(PAGES)) },
	{ "anonpgout", DT_AT(WRITE_SWAP(PAGES)) },
	{ "fspgin", DT_AT(READ_FILE(PAGES)) },
	{ "fspgout", DT_AT(WRITE_FILE(PAGES)) },
	/* VM_FAULT_MAJOR is 4, VM_EXEC too */
	{ "execpgin",
	    DT_AT(DT_SITE(KRET, "filemap_fault",
		"(arg1 & 4) != 0 && (((struct vm_fault *)arg2)->vma->vm_flags & 4) != 0", ONE,
		.needs_fexit = true)) },
	NEVER("execpgout", "pages of programs are dropped, not written"),
	{ "dfree",
	    DT_AT(FREED("arg2 != 0"),
		DT_SITE(RAWTP, "mm_vmscan_reclaim_pages", "arg2 != 0", DT_ARGS("arg2"))) },
	{ "anonfree", DT_AT(FREED("arg2 != 0 && arg5 == 0")) },
	{ "fsfree", DT_AT(FREED("arg2 != 0 && arg5 != 0")) },
	NEVER("execfree", "pages of programs are freed as those of any file: vminfo:::fsfree"),
	/* mm_vmscan_lru_isolate(zone, order, requested, scanned, …) */
	{ "scan", DT_AT(DT_SITE(RAWTP, "mm_vmscan_lru_isolate", "arg3 != 0", DT_ARGS("arg3"))) },
	{ "pgrrun", DT_AT(DT_SITE(RAWTP, "mm_vmscan_kswapd_wake", DT_ALWAYS, ONE)) },
	NEVER("rev", "pages are kept in lists, no hand goes round over them; see vminfo:::scan"),
	{ "pgrec", DT_AT(DT_SITE(RAWTP, "mm_lru_activate", DT_ALWAYS, ONE)) },
	NEVER("pgfrec", "a page that is free is empty and cannot be had back"),
	{ "swapin", DT_AT(READ_SWAP(ONE)) },
	{ "pgswapin", DT_AT(READ_SWAP(PAGES)) },
	{ "swapout", DT_AT(WRITE_SWAP(ONE)) },
	{ "pgswapout", DT_AT(WRITE_SWAP(PAGES)) },
	{ "" },
};

const struct dt_provider dt_provider_vminfo = {
	.name = "vminfo",
	.form = "vminfo:::COUNTER",
	.doc = "Counters of memory: faults, pages in and out.",
	.attrs = { { EEI, PPU, PPU, EEI, PPI } },
	DT_DERIVED(vminfo_probes),
};
