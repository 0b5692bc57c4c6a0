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
	probe read(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n); /* bytes are read; args[1] is how many are asked for */
	probe write(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n); /* bytes are written */
	probe open(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n); /* a file is opened; args[1] is the flags */
	probe close(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n); /* its last descriptor is closed */
	probe readdir(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n); /* a folder is read */
	probe fsync(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n); /* a file is to be on its disk */
	probe ioctl(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n); /* ioctl; args[1] is the command */
	probe setfl(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n); /* flags are changed by fcntl */
	probe map(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n); /* mmap; args[1] is the protection */
	probe seek(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n); /* lseek; args[1] is the offset */
	probe space(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n); /* room is given to or taken from a file */
	probe frlock(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n); /* a range is locked */
	probe getpage(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n); /* a page is needed */
	probe addmap(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n); /* a mapping is made; args[1] is its bytes */
	probe delmap(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n); /* a mapping is removed */
	probe create(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n); /* a file is made */
	probe lookup(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n); /* a part of a name is looked up */
	probe link(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n); /* a second name */
	probe symlink(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n); /* a symbolic link */
	probe mkdir(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n); /* a folder is made */
	probe rmdir(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n); /* a folder is removed */
	probe remove(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n); /* a name is removed */
	probe rename(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n); /* a name is changed */
	probe readlink(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n); /* a symbolic link is read */
	probe getattr(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n); /* attributes are read, as by stat */
	probe setattr(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n); /* attributes are changed, as by chmod */
	probe getsecattr(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n); /* an extended attribute is read */
	probe setsecattr(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n); /* an extended attribute is changed */
	probe access(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n); /* permissions are asked for */
	probe fid(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n); /* a file handle is made */
	probe inactive(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n); /* the kernel forgets the file */
	probe putpage(struct dt_fsinfo *f, int n, int what) : (fileinfo_t *f, int n); /* pages are written back */
};

#pragma D attributes Evolving/Evolving/ISA provider fsinfo provider
#pragma D attributes Private/Private/Unknown provider fsinfo module
#pragma D attributes Private/Private/Unknown provider fsinfo function
#pragma D attributes Evolving/Evolving/ISA provider fsinfo name
#pragma D attributes Evolving/Evolving/ISA provider fsinfo args
