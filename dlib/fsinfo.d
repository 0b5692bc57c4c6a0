/* SPDX-License-Identifier: BSD-2-Clause */
/* fsinfo: operations on files, with the file they are about and a count where there is one. */

#pragma D depends_on library file.d

/* Of the probes: arg2 says what it is, 0 an open file, 1 a name, 2 an inode. */
struct dt_fsinfo {
	uint64_t none;
};

#pragma D attributes Evolving/Evolving/Common translator
translator fileinfo_t < struct dt_fsinfo *F > {
	fi_name = arg2 == 0 ? xlate <fileinfo_t *> ((struct file *)F)->fi_name :
	    arg2 == 1 ? xlate <fileinfo_t *> ((struct dentry *)F)->fi_name : xlate <fileinfo_t *> ((struct inode *)F)->fi_name;
	fi_dirname = arg2 == 0 ? xlate <fileinfo_t *> ((struct file *)F)->fi_dirname :
	    arg2 == 1 ? xlate <fileinfo_t *> ((struct dentry *)F)->fi_dirname : xlate <fileinfo_t *> ((struct inode *)F)->fi_dirname;
	fi_pathname = arg2 == 0 ? xlate <fileinfo_t *> ((struct file *)F)->fi_pathname :
	    arg2 == 1 ? xlate <fileinfo_t *> ((struct dentry *)F)->fi_pathname : xlate <fileinfo_t *> ((struct inode *)F)->fi_pathname;
	fi_offset = arg2 == 0 ? xlate <fileinfo_t *> ((struct file *)F)->fi_offset :
	    arg2 == 1 ? xlate <fileinfo_t *> ((struct dentry *)F)->fi_offset : xlate <fileinfo_t *> ((struct inode *)F)->fi_offset;
	fi_fs = arg2 == 0 ? xlate <fileinfo_t *> ((struct file *)F)->fi_fs :
	    arg2 == 1 ? xlate <fileinfo_t *> ((struct dentry *)F)->fi_fs : xlate <fileinfo_t *> ((struct inode *)F)->fi_fs;
	fi_mount = arg2 == 0 ? xlate <fileinfo_t *> ((struct file *)F)->fi_mount :
	    arg2 == 1 ? xlate <fileinfo_t *> ((struct dentry *)F)->fi_mount : xlate <fileinfo_t *> ((struct inode *)F)->fi_mount;
	fi_oflags = arg2 == 0 ? xlate <fileinfo_t *> ((struct file *)F)->fi_oflags :
	    arg2 == 1 ? xlate <fileinfo_t *> ((struct dentry *)F)->fi_oflags : xlate <fileinfo_t *> ((struct inode *)F)->fi_oflags;
};

provider fsinfo {
	probe read(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n);
	probe write(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n);
	probe open(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n);
	probe close(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n);
	probe readdir(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n);
	probe fsync(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n);
	probe ioctl(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n);
	probe setfl(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n);
	probe map(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n);
	probe seek(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n);
	probe space(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n);
	probe frlock(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n);
	probe getpage(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n);
	probe addmap(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n);
	probe delmap(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n);
	probe create(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n);
	probe lookup(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n);
	probe link(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n);
	probe symlink(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n);
	probe mkdir(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n);
	probe rmdir(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n);
	probe remove(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n);
	probe rename(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n);
	probe readlink(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n);
	probe getattr(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n);
	probe setattr(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n);
	probe getsecattr(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n);
	probe setsecattr(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n);
	probe access(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n);
	probe fid(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n);
	probe inactive(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n);
	probe putpage(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n);
};

#pragma D attributes Evolving/Evolving/ISA provider fsinfo provider
#pragma D attributes Private/Private/Unknown provider fsinfo module
#pragma D attributes Private/Private/Unknown provider fsinfo function
#pragma D attributes Evolving/Evolving/ISA provider fsinfo name
#pragma D attributes Evolving/Evolving/ISA provider fsinfo args
