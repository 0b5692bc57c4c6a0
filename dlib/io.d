/* SPDX-License-Identifier: BSD-2-Clause */
/* io: block requests, as the documentation shows them, made of the kernel's struct bio. */

#pragma D depends_on library types.d
#pragma D depends_on library file.d

inline int B_BUSY = 0x00000001;
inline int B_DONE = 0x00000002;
inline int B_ERROR = 0x00000004;
inline int B_PAGEIO = 0x00000010;
inline int B_PHYS = 0x00000020;
inline int B_READ = 0x00000040;
inline int B_WRITE = 0x00000100;
inline int B_ASYNC = 0x00000400;
/* Of Linux, where requests need not move data: neither B_READ nor B_WRITE, unless they do. */
inline int B_FLUSH = 0x01000000;	/* the device empties its cache, before it writes what comes along */
inline int B_DISCARD = 0x02000000;	/* what is there is no longer needed, or is to be destroyed */
inline int B_ZERO = 0x04000000;		/* a write of zeros, without data */

typedef struct bufinfo {
	int b_flags;			/* B_READ, B_WRITE and others */
	size_t b_bcount;		/* bytes to move */
	caddr_t b_addr;			/* address of the kernel's list of pages */
	uint64_t b_lblkno;		/* block on the device */
	uint64_t b_blkno;		/* block on the device, of 512 bytes */
	size_t b_resid;			/* 0 */
	size_t b_bufsize;		/* size of the request in bytes */
	caddr_t b_iodone;		/* function of the kernel that ends it */
	int b_error;			/* error with which it ended */
	uint32_t b_edev;		/* number of the device */
} bufinfo_t;

typedef struct devinfo {
	int dev_major;			/* major number */
	int dev_minor;			/* minor number */
	int dev_instance;		/* first minor number of the disk */
	string dev_name;		/* disk: sda */
	string dev_statname;		/* device or partition: sda1 */
	string dev_pathname;		/* its name below /dev */
} devinfo_t;

/*
 * The lowest byte of bi_opf is the operation. Data go the way the lowest bit says, but for discards (3, 5) and the management of zones (from 10);
 * a flush is a write with nothing to write. Reads are waited for unless they are ahead of what is read: the kernel reads a
 * window of pages at a time and marks the first of a window that no thread waits for.
 */
inline int dt_bio_op[struct bio *b] = b->bi_opf & 0xff;
inline int dt_bio_flush[struct bio *b] = (b->bi_opf & 1 << (enum req_flag_bits)__REQ_PREFLUSH) != 0;
inline int dt_bio_moves[struct bio *b] = dt_bio_op[b] == 0 ? B_READ : dt_bio_op[b] == 3 || dt_bio_op[b] == 5 ? B_DISCARD :
    dt_bio_op[b] == 9 ? B_WRITE | B_ZERO : dt_bio_op[b] == 1 || dt_bio_op[b] == 7 ?
    (dt_bio_flush[b] ? B_FLUSH : 0) | (dt_bio_flush[b] && b->bi_iter.bi_size == 0 ? 0 : B_WRITE) : 0;
inline int dt_bio_ahead[struct bio *b] = (b->bi_opf & 1 << (enum req_flag_bits)__REQ_RAHEAD) != 0 &&
    (*(uint64_t *)dt_bio_page[b] & 1 << (enum pageflags)PG_readahead) != 0;
inline int dt_bio_async[struct bio *b] = dt_bio_op[b] == 0 ? dt_bio_ahead[b] : (b->bi_opf & 1 << (enum req_flag_bits)__REQ_SYNC) == 0;

/*
 * Whose memory it is: the page cache or the swap (B_PAGEIO), a program's own (B_PHYS), or the kernel's, metadata of file systems too. For `soft`
 * texts, as in file.d.
 */
inline int dt_page_kind[struct page *p, int moves] = ((uintptr_t)p->mapping & 1) != 0 ? (moves ? B_PAGEIO : B_PHYS) :
    dt_mapping_cache[p->mapping] == 0 ? 0 : moves ? B_PAGEIO : dt_mapping_inode[p->mapping] != 0 ? B_PHYS : 0;
inline int dt_bio_memory[struct bio *b] = dt_page_kind[dt_bio_page[b], dt_page_moves[dt_bio_page[b], b->bi_opf & 1]];

/* As blk_status_to_errno() has it: those that have had their number since Linux 5, EIO for others. */
inline int dt_blk_errno[int status] =
    status == 0 ? 0 : status == 1 ? 95 : status == 2 ? 110 : status == 3 ? 28 : status == 4 ? 67 : status == 5 ? 121 : status == 6 ? 52 :
    status == 7 ? 61 : status == 8 ? 84 : status == 9 ? 12 : status == 11 ? 78 : status == 12 ? 11 : status == 13 ? 16 : 5;

#pragma D attributes Evolving/Evolving/Common translator
translator bufinfo_t < struct bio *B > {
	b_flags = dt_bio_moves[B] | (dt_bio_op[B] != 0 && dt_bio_async[B] ? B_ASYNC : 0) | (B->bi_status != 0 ? B_ERROR : 0);
	b_bcount = dt_bio_op[B] == 3 || dt_bio_op[B] == 5 ? 0 : B->bi_iter.bi_size;
	b_addr = (caddr_t)B->bi_io_vec;
	b_lblkno = B->bi_iter.bi_sector;
	b_blkno = B->bi_iter.bi_sector;
	b_resid = 0;
	b_bufsize = B->bi_iter.bi_size;
	b_iodone = (caddr_t)B->bi_end_io;
	b_error = dt_blk_errno[B->bi_status];
	b_edev = B->bi_bdev != 0 ? B->bi_bdev->bd_dev : 0;
};

/* Of the probes, which know more of a request than its bio does: arg2 the status it ends with, arg3 B_PAGEIO or B_PHYS, arg4 for B_ASYNC. */
struct dt_io_bio {
	uint64_t none;
};

#pragma D attributes Evolving/Evolving/Common translator
translator bufinfo_t < struct dt_io_bio *B > {
	b_flags = dt_bio_moves[(struct bio *)B] | (int)arg3 | (arg4 != 0 ? B_ASYNC : 0) | (arg2 != 0 ? B_ERROR : 0);
	b_bcount = xlate <bufinfo_t *> ((struct bio *)B)->b_bcount;
	b_addr = xlate <bufinfo_t *> ((struct bio *)B)->b_addr;
	b_lblkno = xlate <bufinfo_t *> ((struct bio *)B)->b_lblkno;
	b_blkno = xlate <bufinfo_t *> ((struct bio *)B)->b_blkno;
	b_resid = xlate <bufinfo_t *> ((struct bio *)B)->b_resid;
	b_bufsize = xlate <bufinfo_t *> ((struct bio *)B)->b_bufsize;
	b_iodone = xlate <bufinfo_t *> ((struct bio *)B)->b_iodone;
	b_error = dt_blk_errno[(int)arg2];
	b_edev = xlate <bufinfo_t *> ((struct bio *)B)->b_edev;
};

/* A partition's device carries its own name ("sda1"). */
#pragma D attributes Evolving/Evolving/Common translator
translator devinfo_t < struct bio *B > {
	dev_major = B->bi_bdev != 0 ? B->bi_bdev->bd_dev >> 20 : 0;
	dev_minor = B->bi_bdev != 0 ? B->bi_bdev->bd_dev & 0xfffff : 0;
	dev_instance = B->bi_bdev != 0 ? B->bi_bdev->bd_disk->first_minor : 0;
	dev_name = B->bi_bdev != 0 ? stringof(B->bi_bdev->bd_disk->disk_name) : "<none>";
	dev_statname = B->bi_bdev != 0 ? stringof(B->bi_bdev->bd_device.kobj.name) : "<none>";
	dev_pathname = B->bi_bdev != 0 ? strjoin("/dev/", stringof(B->bi_bdev->bd_device.kobj.name)) : "<none>";
};

provider io {
	probe start(struct dt_io_bio *b, struct inode *i, int status, int memory, int async, struct bio *d) :
	    (bufinfo_t *b, devinfo_t *d, fileinfo_t *i); /* a request goes to a device */
	probe done(struct dt_io_bio *b, struct inode *i, int status, int memory, int async, struct bio *d) :
	    (bufinfo_t *b, devinfo_t *d, fileinfo_t *i); /* it is done */
	probe wait__start(struct dt_io_bio *b, struct inode *i, int status, int memory, int async, struct bio *d) :
	    (bufinfo_t *b, devinfo_t *d, fileinfo_t *i); /* a thread begins to wait for a request */
	probe wait__done(struct dt_io_bio *b, struct inode *i, int status, int memory, int async, struct bio *d) :
	    (bufinfo_t *b, devinfo_t *d, fileinfo_t *i); /* it has waited */
};

#pragma D attributes Evolving/Evolving/ISA provider io provider
#pragma D attributes Private/Private/Unknown provider io module
#pragma D attributes Private/Private/Unknown provider io function
#pragma D attributes Evolving/Evolving/ISA provider io name
#pragma D attributes Evolving/Evolving/ISA provider io args
