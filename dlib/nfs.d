/* SPDX-License-Identifier: BSD-2-Clause */
/* nfsv3, nfsv4: requests to the NFS server, made of struct svc_rqst. */

#pragma D depends_on library types.d
#pragma D depends_on library net.d

typedef struct conninfo {
	string ci_local;		/* address of the server */
	string ci_remote;		/* address of the client */
	string ci_protocol;		/* ipv4 or ipv6 */
} conninfo_t;

typedef struct nfsv3opinfo {
	string noi_curpath;		/* path: a request does not carry one */
	struct svc_cred *noi_cred;	/* who asks */
	uint64_t noi_xid;		/* number of the request */
} nfsv3opinfo_t;

typedef struct nfsv4opinfo {
	string noi_curpath;		/* path: a request does not carry one */
	struct svc_cred *noi_cred;	/* who asks */
	uint64_t noi_xid;		/* number of the request */
} nfsv4opinfo_t;

/* an address as struct sockaddr_in and sockaddr_in6 have it */
inline string dt_rpc_address[uintptr_t a] = *(uint16_t *)a == 2 ? inet_ntoa((uint32_t *)(a + 4)) :
    *(uint16_t *)a == 10 ? inet_ntoa6((struct in6_addr *)(a + 8)) : "<unknown>";

#pragma D attributes Evolving/Evolving/ISA translator
translator conninfo_t < struct svc_rqst *R > {
	ci_local = dt_rpc_address[(uintptr_t)&R->rq_daddr];
	ci_remote = dt_rpc_address[(uintptr_t)&R->rq_addr];
	ci_protocol = *(uint16_t *)&R->rq_addr == 2 ? "ipv4" : *(uint16_t *)&R->rq_addr == 10 ? "ipv6" : "<unknown>";
};

#pragma D attributes Evolving/Evolving/ISA translator
translator nfsv3opinfo_t < struct svc_rqst *R > {
	noi_curpath = "<unknown>";
	noi_cred = &R->rq_cred;
	noi_xid = ntohl(R->rq_xid);
};

#pragma D attributes Evolving/Evolving/ISA translator
translator nfsv4opinfo_t < struct svc_rqst *R > {
	noi_curpath = "<unknown>";
	noi_cred = &R->rq_cred;
	noi_xid = ntohl(R->rq_xid);
};

provider nfsv3 {
	probe op__null__start(struct svc_rqst *c, struct svc_rqst *o, void *args) : (conninfo_t *c, nfsv3opinfo_t *o, void *args); /* a client does nothing */
	probe op__null__done(struct svc_rqst *c, struct svc_rqst *o, void *res) : (conninfo_t *c, nfsv3opinfo_t *o, void *res); /* the answer leaves */
	probe op__getattr__start(struct svc_rqst *c, struct svc_rqst *o, void *args) : (conninfo_t *c, nfsv3opinfo_t *o, void *args); /* a client asks for attributes */
	probe op__getattr__done(struct svc_rqst *c, struct svc_rqst *o, void *res) : (conninfo_t *c, nfsv3opinfo_t *o, void *res); /* the answer leaves */
	probe op__setattr__start(struct svc_rqst *c, struct svc_rqst *o, void *args) : (conninfo_t *c, nfsv3opinfo_t *o, void *args); /* a client changes attributes */
	probe op__setattr__done(struct svc_rqst *c, struct svc_rqst *o, void *res) : (conninfo_t *c, nfsv3opinfo_t *o, void *res); /* the answer leaves */
	probe op__lookup__start(struct svc_rqst *c, struct svc_rqst *o, void *args) : (conninfo_t *c, nfsv3opinfo_t *o, void *args); /* a client looks a name up */
	probe op__lookup__done(struct svc_rqst *c, struct svc_rqst *o, void *res) : (conninfo_t *c, nfsv3opinfo_t *o, void *res); /* the answer leaves */
	probe op__access__start(struct svc_rqst *c, struct svc_rqst *o, void *args) : (conninfo_t *c, nfsv3opinfo_t *o, void *args); /* a client asks for rights */
	probe op__access__done(struct svc_rqst *c, struct svc_rqst *o, void *res) : (conninfo_t *c, nfsv3opinfo_t *o, void *res); /* the answer leaves */
	probe op__readlink__start(struct svc_rqst *c, struct svc_rqst *o, void *args) : (conninfo_t *c, nfsv3opinfo_t *o, void *args); /* a client reads a symbolic link */
	probe op__readlink__done(struct svc_rqst *c, struct svc_rqst *o, void *res) : (conninfo_t *c, nfsv3opinfo_t *o, void *res); /* the answer leaves */
	probe op__read__start(struct svc_rqst *c, struct svc_rqst *o, void *args) : (conninfo_t *c, nfsv3opinfo_t *o, void *args); /* a client reads a file */
	probe op__read__done(struct svc_rqst *c, struct svc_rqst *o, void *res) : (conninfo_t *c, nfsv3opinfo_t *o, void *res); /* the answer leaves */
	probe op__write__start(struct svc_rqst *c, struct svc_rqst *o, void *args) : (conninfo_t *c, nfsv3opinfo_t *o, void *args); /* a client writes a file */
	probe op__write__done(struct svc_rqst *c, struct svc_rqst *o, void *res) : (conninfo_t *c, nfsv3opinfo_t *o, void *res); /* the answer leaves */
	probe op__create__start(struct svc_rqst *c, struct svc_rqst *o, void *args) : (conninfo_t *c, nfsv3opinfo_t *o, void *args); /* a client makes a file */
	probe op__create__done(struct svc_rqst *c, struct svc_rqst *o, void *res) : (conninfo_t *c, nfsv3opinfo_t *o, void *res); /* the answer leaves */
	probe op__mkdir__start(struct svc_rqst *c, struct svc_rqst *o, void *args) : (conninfo_t *c, nfsv3opinfo_t *o, void *args); /* a client makes a folder */
	probe op__mkdir__done(struct svc_rqst *c, struct svc_rqst *o, void *res) : (conninfo_t *c, nfsv3opinfo_t *o, void *res); /* the answer leaves */
	probe op__symlink__start(struct svc_rqst *c, struct svc_rqst *o, void *args) : (conninfo_t *c, nfsv3opinfo_t *o, void *args); /* a client makes a symbolic link */
	probe op__symlink__done(struct svc_rqst *c, struct svc_rqst *o, void *res) : (conninfo_t *c, nfsv3opinfo_t *o, void *res); /* the answer leaves */
	probe op__mknod__start(struct svc_rqst *c, struct svc_rqst *o, void *args) : (conninfo_t *c, nfsv3opinfo_t *o, void *args); /* a client makes a special file */
	probe op__mknod__done(struct svc_rqst *c, struct svc_rqst *o, void *res) : (conninfo_t *c, nfsv3opinfo_t *o, void *res); /* the answer leaves */
	probe op__remove__start(struct svc_rqst *c, struct svc_rqst *o, void *args) : (conninfo_t *c, nfsv3opinfo_t *o, void *args); /* a client removes a file */
	probe op__remove__done(struct svc_rqst *c, struct svc_rqst *o, void *res) : (conninfo_t *c, nfsv3opinfo_t *o, void *res); /* the answer leaves */
	probe op__rmdir__start(struct svc_rqst *c, struct svc_rqst *o, void *args) : (conninfo_t *c, nfsv3opinfo_t *o, void *args); /* a client removes a folder */
	probe op__rmdir__done(struct svc_rqst *c, struct svc_rqst *o, void *res) : (conninfo_t *c, nfsv3opinfo_t *o, void *res); /* the answer leaves */
	probe op__rename__start(struct svc_rqst *c, struct svc_rqst *o, void *args) : (conninfo_t *c, nfsv3opinfo_t *o, void *args); /* a client gives another name */
	probe op__rename__done(struct svc_rqst *c, struct svc_rqst *o, void *res) : (conninfo_t *c, nfsv3opinfo_t *o, void *res); /* the answer leaves */
	probe op__link__start(struct svc_rqst *c, struct svc_rqst *o, void *args) : (conninfo_t *c, nfsv3opinfo_t *o, void *args); /* a client makes a link */
	probe op__link__done(struct svc_rqst *c, struct svc_rqst *o, void *res) : (conninfo_t *c, nfsv3opinfo_t *o, void *res); /* the answer leaves */
	probe op__readdir__start(struct svc_rqst *c, struct svc_rqst *o, void *args) : (conninfo_t *c, nfsv3opinfo_t *o, void *args); /* a client reads a folder */
	probe op__readdir__done(struct svc_rqst *c, struct svc_rqst *o, void *res) : (conninfo_t *c, nfsv3opinfo_t *o, void *res); /* the answer leaves */
	probe op__readdirplus__start(struct svc_rqst *c, struct svc_rqst *o, void *args) : (conninfo_t *c, nfsv3opinfo_t *o, void *args); /* a client reads a folder with attributes */
	probe op__readdirplus__done(struct svc_rqst *c, struct svc_rqst *o, void *res) : (conninfo_t *c, nfsv3opinfo_t *o, void *res); /* the answer leaves */
	probe op__fsstat__start(struct svc_rqst *c, struct svc_rqst *o, void *args) : (conninfo_t *c, nfsv3opinfo_t *o, void *args); /* a client asks how full a file system is */
	probe op__fsstat__done(struct svc_rqst *c, struct svc_rqst *o, void *res) : (conninfo_t *c, nfsv3opinfo_t *o, void *res); /* the answer leaves */
	probe op__fsinfo__start(struct svc_rqst *c, struct svc_rqst *o, void *args) : (conninfo_t *c, nfsv3opinfo_t *o, void *args); /* a client asks what a file system can do */
	probe op__fsinfo__done(struct svc_rqst *c, struct svc_rqst *o, void *res) : (conninfo_t *c, nfsv3opinfo_t *o, void *res); /* the answer leaves */
	probe op__pathconf__start(struct svc_rqst *c, struct svc_rqst *o, void *args) : (conninfo_t *c, nfsv3opinfo_t *o, void *args); /* a client asks for limits of names */
	probe op__pathconf__done(struct svc_rqst *c, struct svc_rqst *o, void *res) : (conninfo_t *c, nfsv3opinfo_t *o, void *res); /* the answer leaves */
	probe op__commit__start(struct svc_rqst *c, struct svc_rqst *o, void *args) : (conninfo_t *c, nfsv3opinfo_t *o, void *args); /* a client asks for data to be on disk */
	probe op__commit__done(struct svc_rqst *c, struct svc_rqst *o, void *res) : (conninfo_t *c, nfsv3opinfo_t *o, void *res); /* the answer leaves */
};

#pragma D attributes Evolving/Evolving/ISA provider nfsv3 provider
#pragma D attributes Private/Private/Unknown provider nfsv3 module
#pragma D attributes Private/Private/Unknown provider nfsv3 function
#pragma D attributes Evolving/Evolving/ISA provider nfsv3 name
#pragma D attributes Evolving/Evolving/ISA provider nfsv3 args

provider nfsv4 {
	probe null__start(struct svc_rqst *c, struct svc_rqst *o, void *args) : (conninfo_t *c, nfsv4opinfo_t *o, void *args); /* a client does nothing */
	probe null__done(struct svc_rqst *c, struct svc_rqst *o, void *res) : (conninfo_t *c, nfsv4opinfo_t *o, void *res); /* the answer leaves */
	probe compound__start(struct svc_rqst *c, struct svc_rqst *o, void *args) : (conninfo_t *c, nfsv4opinfo_t *o, void *args); /* a client asks for operations */
	probe compound__done(struct svc_rqst *c, struct svc_rqst *o, void *res) : (conninfo_t *c, nfsv4opinfo_t *o, void *res); /* the answer leaves */
	probe op__access__done(struct svc_rqst *c, struct svc_rqst *o, int status) : (conninfo_t *c, nfsv4opinfo_t *o, int status); /* operation access is done; args[2] is its nfsstat4 */
	probe op__close__done(struct svc_rqst *c, struct svc_rqst *o, int status) : (conninfo_t *c, nfsv4opinfo_t *o, int status); /* operation close is done; args[2] is its nfsstat4 */
	probe op__commit__done(struct svc_rqst *c, struct svc_rqst *o, int status) : (conninfo_t *c, nfsv4opinfo_t *o, int status); /* operation commit is done; args[2] is its nfsstat4 */
	probe op__create__done(struct svc_rqst *c, struct svc_rqst *o, int status) : (conninfo_t *c, nfsv4opinfo_t *o, int status); /* operation create is done; args[2] is its nfsstat4 */
	probe op__delegreturn__done(struct svc_rqst *c, struct svc_rqst *o, int status) : (conninfo_t *c, nfsv4opinfo_t *o, int status); /* operation delegreturn is done; args[2] is its nfsstat4 */
	probe op__getattr__done(struct svc_rqst *c, struct svc_rqst *o, int status) : (conninfo_t *c, nfsv4opinfo_t *o, int status); /* operation getattr is done; args[2] is its nfsstat4 */
	probe op__getfh__done(struct svc_rqst *c, struct svc_rqst *o, int status) : (conninfo_t *c, nfsv4opinfo_t *o, int status); /* operation getfh is done; args[2] is its nfsstat4 */
	probe op__link__done(struct svc_rqst *c, struct svc_rqst *o, int status) : (conninfo_t *c, nfsv4opinfo_t *o, int status); /* operation link is done; args[2] is its nfsstat4 */
	probe op__lock__done(struct svc_rqst *c, struct svc_rqst *o, int status) : (conninfo_t *c, nfsv4opinfo_t *o, int status); /* operation lock is done; args[2] is its nfsstat4 */
	probe op__lockt__done(struct svc_rqst *c, struct svc_rqst *o, int status) : (conninfo_t *c, nfsv4opinfo_t *o, int status); /* operation lockt is done; args[2] is its nfsstat4 */
	probe op__locku__done(struct svc_rqst *c, struct svc_rqst *o, int status) : (conninfo_t *c, nfsv4opinfo_t *o, int status); /* operation locku is done; args[2] is its nfsstat4 */
	probe op__lookup__done(struct svc_rqst *c, struct svc_rqst *o, int status) : (conninfo_t *c, nfsv4opinfo_t *o, int status); /* operation lookup is done; args[2] is its nfsstat4 */
	probe op__lookupp__done(struct svc_rqst *c, struct svc_rqst *o, int status) : (conninfo_t *c, nfsv4opinfo_t *o, int status); /* operation lookupp is done; args[2] is its nfsstat4 */
	probe op__nverify__done(struct svc_rqst *c, struct svc_rqst *o, int status) : (conninfo_t *c, nfsv4opinfo_t *o, int status); /* operation nverify is done; args[2] is its nfsstat4 */
	probe op__open__done(struct svc_rqst *c, struct svc_rqst *o, int status) : (conninfo_t *c, nfsv4opinfo_t *o, int status); /* operation open is done; args[2] is its nfsstat4 */
	probe op__open__confirm__done(struct svc_rqst *c, struct svc_rqst *o, int status) : (conninfo_t *c, nfsv4opinfo_t *o, int status); /* operation open-confirm is done; args[2] is its nfsstat4 */
	probe op__open__downgrade__done(struct svc_rqst *c, struct svc_rqst *o, int status) : (conninfo_t *c, nfsv4opinfo_t *o, int status); /* operation open-downgrade is done; args[2] is its nfsstat4 */
	probe op__putfh__done(struct svc_rqst *c, struct svc_rqst *o, int status) : (conninfo_t *c, nfsv4opinfo_t *o, int status); /* operation putfh is done; args[2] is its nfsstat4 */
	probe op__putpubfh__done(struct svc_rqst *c, struct svc_rqst *o, int status) : (conninfo_t *c, nfsv4opinfo_t *o, int status); /* operation putpubfh is done; args[2] is its nfsstat4 */
	probe op__putrootfh__done(struct svc_rqst *c, struct svc_rqst *o, int status) : (conninfo_t *c, nfsv4opinfo_t *o, int status); /* operation putrootfh is done; args[2] is its nfsstat4 */
	probe op__read__done(struct svc_rqst *c, struct svc_rqst *o, int status) : (conninfo_t *c, nfsv4opinfo_t *o, int status); /* operation read is done; args[2] is its nfsstat4 */
	probe op__readdir__done(struct svc_rqst *c, struct svc_rqst *o, int status) : (conninfo_t *c, nfsv4opinfo_t *o, int status); /* operation readdir is done; args[2] is its nfsstat4 */
	probe op__readlink__done(struct svc_rqst *c, struct svc_rqst *o, int status) : (conninfo_t *c, nfsv4opinfo_t *o, int status); /* operation readlink is done; args[2] is its nfsstat4 */
	probe op__remove__done(struct svc_rqst *c, struct svc_rqst *o, int status) : (conninfo_t *c, nfsv4opinfo_t *o, int status); /* operation remove is done; args[2] is its nfsstat4 */
	probe op__rename__done(struct svc_rqst *c, struct svc_rqst *o, int status) : (conninfo_t *c, nfsv4opinfo_t *o, int status); /* operation rename is done; args[2] is its nfsstat4 */
	probe op__renew__done(struct svc_rqst *c, struct svc_rqst *o, int status) : (conninfo_t *c, nfsv4opinfo_t *o, int status); /* operation renew is done; args[2] is its nfsstat4 */
	probe op__restorefh__done(struct svc_rqst *c, struct svc_rqst *o, int status) : (conninfo_t *c, nfsv4opinfo_t *o, int status); /* operation restorefh is done; args[2] is its nfsstat4 */
	probe op__savefh__done(struct svc_rqst *c, struct svc_rqst *o, int status) : (conninfo_t *c, nfsv4opinfo_t *o, int status); /* operation savefh is done; args[2] is its nfsstat4 */
	probe op__secinfo__done(struct svc_rqst *c, struct svc_rqst *o, int status) : (conninfo_t *c, nfsv4opinfo_t *o, int status); /* operation secinfo is done; args[2] is its nfsstat4 */
	probe op__setattr__done(struct svc_rqst *c, struct svc_rqst *o, int status) : (conninfo_t *c, nfsv4opinfo_t *o, int status); /* operation setattr is done; args[2] is its nfsstat4 */
	probe op__setclientid__done(struct svc_rqst *c, struct svc_rqst *o, int status) : (conninfo_t *c, nfsv4opinfo_t *o, int status); /* operation setclientid is done; args[2] is its nfsstat4 */
	probe op__setclientid__confirm__done(struct svc_rqst *c, struct svc_rqst *o, int status) : (conninfo_t *c, nfsv4opinfo_t *o, int status); /* operation setclientid-confirm is done; args[2] is its nfsstat4 */
	probe op__verify__done(struct svc_rqst *c, struct svc_rqst *o, int status) : (conninfo_t *c, nfsv4opinfo_t *o, int status); /* operation verify is done; args[2] is its nfsstat4 */
	probe op__write__done(struct svc_rqst *c, struct svc_rqst *o, int status) : (conninfo_t *c, nfsv4opinfo_t *o, int status); /* operation write is done; args[2] is its nfsstat4 */
};

#pragma D attributes Evolving/Evolving/ISA provider nfsv4 provider
#pragma D attributes Private/Private/Unknown provider nfsv4 module
#pragma D attributes Private/Private/Unknown provider nfsv4 function
#pragma D attributes Evolving/Evolving/ISA provider nfsv4 name
#pragma D attributes Evolving/Evolving/ISA provider nfsv4 args
