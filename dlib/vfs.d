/* SPDX-License-Identifier: BSD-2-Clause */
/* vfs: operations of file systems by function, and the name cache. `entry` and `return` of each take what fsinfo takes, raw. */

provider vfs {
	probe entry(void *object, void *args);
	probe return(void *object, void *args, int error);
	probe hit(struct dentry *dir, char *name, struct dentry *found);
	probe hit__negative(struct dentry *dir, char *name);
	probe miss(struct dentry *dir, char *name);
	probe done(struct dentry *dir, char *name, struct dentry *found);
};

#pragma D attributes Evolving/Evolving/ISA provider vfs provider
#pragma D attributes Private/Private/Unknown provider vfs module
#pragma D attributes Private/Private/Unknown provider vfs function
#pragma D attributes Evolving/Evolving/ISA provider vfs name
#pragma D attributes Evolving/Evolving/ISA provider vfs args
