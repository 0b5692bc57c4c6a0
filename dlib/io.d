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

typedef struct bufinfo {
	int b_flags;
	size_t b_bcount;
	caddr_t b_addr;
	uint64_t b_lblkno;
	uint64_t b_blkno;
	size_t b_resid;
	size_t b_bufsize;
	caddr_t b_iodone;
	int b_error;
	uint32_t b_edev;
} bufinfo_t;

typedef struct devinfo {
	int dev_major;
	int dev_minor;
	int dev_instance;
	string dev_name;
	string dev_statname;
	string dev_pathname;
} devinfo_t;

/* In bi_opf the lowest bit says write, bit 11 that somebody waits. */
#pragma D attributes Evolving/Evolving/Common translator
translator bufinfo_t < struct bio *B > {
	b_flags = (B->bi_opf & 1 ? B_WRITE : B_READ) | (B->bi_opf & 0x800 ? 0 : B_ASYNC) | B_PHYS |
	    (B->bi_status != 0 ? B_ERROR : 0);
	b_bcount = B->bi_iter.bi_size;
	b_addr = (caddr_t)B->bi_io_vec;
	b_lblkno = B->bi_iter.bi_sector;
	b_blkno = B->bi_iter.bi_sector;
	b_resid = 0;
	b_bufsize = B->bi_iter.bi_size;
	b_iodone = (caddr_t)B->bi_end_io;
	b_error = B->bi_status;
	b_edev = B->bi_bdev != 0 ? B->bi_bdev->bd_dev : 0;
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
	probe start(struct bio *b, struct inode *i) : (bufinfo_t *b, devinfo_t *b, fileinfo_t *i);
	probe done(struct bio *b, struct inode *i) : (bufinfo_t *b, devinfo_t *b, fileinfo_t *i);
	probe wait__start(struct bio *b, struct inode *i) : (bufinfo_t *b, devinfo_t *b, fileinfo_t *i);
	probe wait__done(struct bio *b, struct inode *i) : (bufinfo_t *b, devinfo_t *b, fileinfo_t *i);
};

#pragma D attributes Evolving/Evolving/ISA provider io provider
#pragma D attributes Private/Private/Unknown provider io module
#pragma D attributes Private/Private/Unknown provider io function
#pragma D attributes Evolving/Evolving/ISA provider io name
#pragma D attributes Evolving/Evolving/ISA provider io args
