/* SPDX-License-Identifier: BSD-2-Clause */
/* Files: from an open file, a name in the directory tree, or an inode. */

#pragma D depends_on library types.d

typedef struct fileinfo {
	string fi_name;			/* last part of the name; <none> without a file */
	string fi_dirname;		/* folder */
	string fi_pathname;		/* whole name; <pipefs>, <sockfs> for what has none */
	offset_t fi_offset;		/* where the next read or write begins */
	string fi_fs;			/* kind of file system: ext4, tmpfs */
	string fi_mount;		/* where the file system is mounted */
	int fi_oflags;			/* flags of open(2): O_* */
} fileinfo_t;

/*
 * Pipes, sockets and the like are on file systems that cannot be mounted (bit 31 of s_flags), most of them without a name: <pipefs>,
 * <sockfs>, anon_inodefs:[eventfd]. They are named by kind, not by number, so that a summary has a line for each kind.
 */
inline int dt_nowhere[struct dentry *d] = (d->d_sb->s_flags & 0x80000000) != 0;
inline string dt_name[struct dentry *d] = d->d_name.len != 0 ? stringof(d->d_name.name) :
    strjoin("<", strjoin(stringof(d->d_sb->s_type->name), ">"));
inline string dt_path[struct path *p] = !dt_nowhere[p->dentry] ? d_path(p) : p->dentry->d_name.len == 0 ? dt_name[p->dentry] :
    strjoin(stringof(p->dentry->d_sb->s_type->name), strjoin(":", stringof(p->dentry->d_name.name)));

#pragma D attributes Evolving/Evolving/Common translator
translator fileinfo_t < struct file *F > {
	fi_name = F == 0 ? "<none>" : dt_name[F->f_path.dentry];
	fi_dirname = F == 0 || dt_nowhere[F->f_path.dentry] ? "<none>" : dirname(d_path((struct path *)&F->f_path));
	fi_pathname = F == 0 ? "<none>" : dt_path[(struct path *)&F->f_path];
	fi_offset = F == 0 ? 0 : F->f_pos;
	fi_fs = F == 0 ? "<none>" : stringof(F->f_path.dentry->d_sb->s_type->name);
	fi_mount = F == 0 || dt_nowhere[F->f_path.dentry] ? "<none>" : dentry_path(F->f_path.dentry->d_sb->s_root);
	fi_oflags = F == 0 ? 0 : F->f_flags;
};

#pragma D attributes Evolving/Evolving/Common translator
translator fileinfo_t < struct dentry *D > {
	fi_name = D == 0 ? "<none>" : stringof(D->d_name.name);
	fi_dirname = D == 0 ? "<none>" : dirname(dentry_path(D));
	fi_pathname = D == 0 ? "<none>" : dentry_path(D);
	fi_offset = 0;
	fi_fs = D == 0 ? "<none>" : stringof(D->d_sb->s_type->name);
	fi_mount = D == 0 ? "<none>" : dentry_path(D->d_sb->s_root);
	fi_oflags = 0;
};

/* The first name of an inode, if any is in memory: names hang on it by their d_u. */
inline struct dentry *dt_inode_dentry[struct inode *i] = i != 0 && i->i_dentry.first != 0 ?
    (struct dentry *)((uintptr_t)i->i_dentry.first - offsetof(struct dentry, d_u)) : (struct dentry *)0;

#pragma D attributes Evolving/Evolving/Common translator
translator fileinfo_t < struct inode *I > {
	fi_name = dt_inode_dentry[I] == 0 ? "<none>" : stringof(dt_inode_dentry[I]->d_name.name);
	fi_dirname = dt_inode_dentry[I] == 0 ? "<none>" : dirname(dentry_path(dt_inode_dentry[I]));
	fi_pathname = dt_inode_dentry[I] == 0 ? "<none>" : dentry_path(dt_inode_dentry[I]);
	fi_offset = 0;
	fi_fs = I == 0 ? "<none>" : stringof(I->i_sb->s_type->name);
	fi_mount = I == 0 ? "<none>" : dentry_path(I->i_sb->s_root);
	fi_oflags = 0;
};

/*
 * The memory of a request is that of its first page. One without data has no pages; a clone (bit 1 of bi_flags) uses those of another. A page
 * inside a larger one says so in compound_head, whose lowest bit is set then.
 */
inline struct page *dt_page_head[struct page *p] =
    p != 0 && (p->compound_head & 1) != 0 ? (struct page *)(p->compound_head - 1) : p;
inline struct page *dt_bio_page[struct bio *b] =
    dt_page_head[(b->bi_vcnt > 0 || (b->bi_flags & 2) != 0) && b->bi_io_vec != 0 ? b->bi_io_vec->bv_page : (struct page *)0];

/*
 * What a page's mapping is depends on whose page it is, and pages do not all say: of a cache of the allocator it is a list, or a counter. Only that
 * of the page cache leads to an inode that leads back. So these look at what may not be an address: for texts of probes that are `soft`
 * (src/provider/derived.h), where that gives 0. The lowest bit: memory of a program (2 alone: of a driver).
 */
inline struct address_space *dt_mapping_cache[struct address_space *m] = m != 0 && ((uintptr_t)m & 3) == 0 && m->host->i_mapping == m ? m :
    (struct address_space *)0;
/* The cache reads into pages that are locked (bit 0 of the flags) and writes those under writeback; others lend their memory to a request. */
inline int dt_page_moves[struct page *p, int write] = (*(uint64_t *)p & (write ? 1 << (enum pageflags)PG_writeback : 1)) != 0;
inline struct address_space *dt_page_cache[struct page *p, int write] = dt_page_moves[p, write] ? dt_mapping_cache[p->mapping] :
    (struct address_space *)0;
inline struct address_space *dt_bio_cache[struct bio *b] = dt_page_cache[dt_bio_page[b], b->bi_opf & 1];
/* the file system bdev (0x62646576) is that of devices */
inline struct inode *dt_mapping_inode[struct address_space *m] = m != 0 && m->host->i_sb->s_magic != 0x62646576 ? m->host :
    (struct inode *)0;
inline struct inode *dt_bio_file[struct bio *b] = dt_mapping_inode[dt_bio_cache[b]];

inline fileinfo_t fds[int fd] = xlate <fileinfo_t> (getf(fd));
#pragma D attributes Stable/Stable/Common fds
