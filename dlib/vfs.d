/* SPDX-License-Identifier: BSD-2-Clause */
/* vfs: operations of file systems, and the cache of names. Arguments of entry and return differ by function: src/provider/p_vfs.c knows them. */

provider vfs {
	probe hit(struct dentry *dir, char *name, struct dentry *found); /* a name is in the cache */
	probe hit__negative(struct dentry *dir, char *name); /* the cache knows that there is no such file */
	probe miss(struct dentry *dir, char *name); /* the cache does not know the name */
	probe done(struct dentry *dir, char *name, struct dentry *found); /* a name enters or leaves the cache */
};

#pragma D attributes Evolving/Evolving/ISA provider vfs provider
#pragma D attributes Private/Private/Unknown provider vfs module
#pragma D attributes Private/Private/Unknown provider vfs function
#pragma D attributes Evolving/Evolving/ISA provider vfs name
#pragma D attributes Evolving/Evolving/ISA provider vfs args
