/* SPDX-License-Identifier: BSD-2-Clause */
/* fsinfo: operations on files, with the file they are about and a count where there is one. */

#pragma D depends_on library file.d

provider fsinfo {
	probe read(struct file *f, int n) : (fileinfo_t *f, int n);
	probe write(struct file *f, int n) : (fileinfo_t *f, int n);
	probe open(struct file *f, int n) : (fileinfo_t *f, int n);
	probe close(struct file *f, int n) : (fileinfo_t *f, int n);
	probe readdir(struct file *f, int n) : (fileinfo_t *f, int n);
	probe fsync(struct file *f, int n) : (fileinfo_t *f, int n);
	probe ioctl(struct file *f, int n) : (fileinfo_t *f, int n);
	probe setfl(struct file *f, int n) : (fileinfo_t *f, int n);
	probe map(struct file *f, int n) : (fileinfo_t *f, int n);
	probe seek(struct file *f, int n) : (fileinfo_t *f, int n);
	probe space(struct file *f, int n) : (fileinfo_t *f, int n);
	probe frlock(struct file *f, int n) : (fileinfo_t *f, int n);
	probe getpage(struct file *f, int n) : (fileinfo_t *f, int n);
	probe addmap(struct file *f, int n) : (fileinfo_t *f, int n);
	probe delmap(struct file *f, int n) : (fileinfo_t *f, int n);
	probe create(struct dentry *d, int n) : (fileinfo_t *d, int n);
	probe lookup(struct dentry *d, int n) : (fileinfo_t *d, int n);
	probe link(struct dentry *d, int n) : (fileinfo_t *d, int n);
	probe symlink(struct dentry *d, int n) : (fileinfo_t *d, int n);
	probe mkdir(struct dentry *d, int n) : (fileinfo_t *d, int n);
	probe rmdir(struct dentry *d, int n) : (fileinfo_t *d, int n);
	probe remove(struct dentry *d, int n) : (fileinfo_t *d, int n);
	probe rename(struct dentry *d, int n) : (fileinfo_t *d, int n);
	probe readlink(struct dentry *d, int n) : (fileinfo_t *d, int n);
	probe getattr(struct dentry *d, int n) : (fileinfo_t *d, int n);
	probe setattr(struct dentry *d, int n) : (fileinfo_t *d, int n);
	probe getsecattr(struct dentry *d, int n) : (fileinfo_t *d, int n);
	probe setsecattr(struct dentry *d, int n) : (fileinfo_t *d, int n);
	probe access(struct inode *i, int n) : (fileinfo_t *i, int n);
	probe fid(struct inode *i, int n) : (fileinfo_t *i, int n);
	probe inactive(struct inode *i, int n) : (fileinfo_t *i, int n);
	probe putpage(struct inode *i, int n) : (fileinfo_t *i, int n);
};

#pragma D attributes Evolving/Evolving/ISA provider fsinfo provider
#pragma D attributes Private/Private/Unknown provider fsinfo module
#pragma D attributes Private/Private/Unknown provider fsinfo function
#pragma D attributes Evolving/Evolving/ISA provider fsinfo name
#pragma D attributes Evolving/Evolving/ISA provider fsinfo args
