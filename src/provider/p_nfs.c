/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nfsv3, nfsv4: requests to the kernel's NFS server (derived.h), from the tracepoints of its RPC: a request
 * begins at svc_process and its answer leaves at svc_send. The operations inside of a request of version 4
 * are known when they are done (nfsd_compound_status); the thread remembers whose they are. Native
 * arguments are the request, twice, and what it holds. The modules must be loaded.
 */
#include "provider/derived.h"

#define REQUEST "((struct svc_rqst *)arg0)"
#define ASKS(version, procedure) REQUEST "->rq_prog == 100003 && " REQUEST "->rq_vers == " version " && " \
	REQUEST "->rq_proc == " procedure
#define AT(point, version, holds) { DT_SITE(RAWTP, point, ASKS(version, "$"), \
	DT_ARGS("arg0", "arg0", "(uint64_t)" REQUEST holds), DT_NEEDS(MODULE, "sunrpc")) }

/* $ is the procedure. */
static const struct dt_site begins_3[] = AT("svc_process", "3", "->rq_argp");
static const struct dt_site begins_4[] = AT("svc_process", "4", "->rq_argp");
static const struct dt_site leaves_3[] = AT("svc_send", "3", "->rq_resp");
static const struct dt_site leaves_4[] = AT("svc_send", "4", "->rq_resp");

#define PAIR(name, version, procedure) \
	{ name "-start", .mod = "sunrpc", DT_LIKE(begins_##version, procedure) }, \
	{ name "-done", .mod = "sunrpc", DT_LIKE(leaves_##version, procedure) }

static const struct dt_derived nfsv3_probes[] = {
	PAIR("op-null", 3, "0"),
	PAIR("op-getattr", 3, "1"),
	PAIR("op-setattr", 3, "2"),
	PAIR("op-lookup", 3, "3"),
	PAIR("op-access", 3, "4"),
	PAIR("op-readlink", 3, "5"),
	PAIR("op-read", 3, "6"),
	PAIR("op-write", 3, "7"),
	PAIR("op-create", 3, "8"),
	PAIR("op-mkdir", 3, "9"),
	PAIR("op-symlink", 3, "10"),
	PAIR("op-mknod", 3, "11"),
	PAIR("op-remove", 3, "12"),
	PAIR("op-rmdir", 3, "13"),
	PAIR("op-rename", 3, "14"),
	PAIR("op-link", 3, "15"),
	PAIR("op-readdir", 3, "16"),
	PAIR("op-readdirplus", 3, "17"),
	PAIR("op-fsstat", 3, "18"),
	PAIR("op-fsinfo", 3, "19"),
	PAIR("op-pathconf", 3, "20"),
	PAIR("op-commit", 3, "21"),
	{ "" },
};

#define RUNNING "self->__nfs_request"

/* $ is the operation. */
static const struct dt_site ends[] = {
	DT_SITE(RAWTP, "svc_process", ASKS("4", "1") " && (" RUNNING " = arg0, 0)", DT_ARGS("0"),
	    .required = true, DT_NEEDS(MODULE, "sunrpc")),
	DT_SITE(RAWTP, "nfsd_compound_status", RUNNING " != 0 && stringof((char *)arg3) == \"$\"",
	    DT_ARGS(RUNNING, RUNNING, "(uint64_t)ntohl((uint32_t)arg2)"), .required = true,
	    DT_NEEDS(MODULE, "nfsd")),
};

#define DONE(name, kernel) \
	{ name "-done", .func = "nfsd_compound_status", .mod = "nfsd", DT_LIKE(ends, kernel) }, \
	{ name "-start", .never = "the kernel has no tracepoint where an operation inside of a request " \
	    "begins: nfsv4:::" name "-done and compound-start are there" }

static const struct dt_derived nfsv4_probes[] = {
	PAIR("null", 4, "0"),
	PAIR("compound", 4, "1"),
	DONE("op-access", "OP_ACCESS"),
	DONE("op-close", "OP_CLOSE"),
	DONE("op-commit", "OP_COMMIT"),
	DONE("op-create", "OP_CREATE"),
	DONE("op-delegreturn", "OP_DELEGRETURN"),
	DONE("op-getattr", "OP_GETATTR"),
	DONE("op-getfh", "OP_GETFH"),
	DONE("op-link", "OP_LINK"),
	DONE("op-lock", "OP_LOCK"),
	DONE("op-lockt", "OP_LOCKT"),
	DONE("op-locku", "OP_LOCKU"),
	DONE("op-lookup", "OP_LOOKUP"),
	DONE("op-lookupp", "OP_LOOKUPP"),
	DONE("op-nverify", "OP_NVERIFY"),
	DONE("op-open", "OP_OPEN"),
	DONE("op-open-confirm", "OP_OPEN_CONFIRM"),
	DONE("op-open-downgrade", "OP_OPEN_DOWNGRADE"),
	DONE("op-putfh", "OP_PUTFH"),
	DONE("op-putpubfh", "OP_PUTPUBFH"),
	DONE("op-putrootfh", "OP_PUTROOTFH"),
	DONE("op-read", "OP_READ"),
	DONE("op-readdir", "OP_READDIR"),
	DONE("op-readlink", "OP_READLINK"),
	DONE("op-remove", "OP_REMOVE"),
	DONE("op-rename", "OP_RENAME"),
	DONE("op-renew", "OP_RENEW"),
	DONE("op-restorefh", "OP_RESTOREFH"),
	DONE("op-savefh", "OP_SAVEFH"),
	DONE("op-secinfo", "OP_SECINFO"),
	DONE("op-setattr", "OP_SETATTR"),
	DONE("op-setclientid", "OP_SETCLIENTID"),
	DONE("op-setclientid-confirm", "OP_SETCLIENTID_CONFIRM"),
	DONE("op-verify", "OP_VERIFY"),
	DONE("op-write", "OP_WRITE"),
	{ "" },
};

const struct dt_provider dt_provider_nfsv3 = {
	.name = "nfsv3",
	.form = "nfsv3:::op-NAME-start, op-NAME-done",
	.doc = "Requests to the NFS server, version 3.",
	.attrs = { { EEI, PPU, PPU, EEI, EEI } },
	DT_DERIVED(nfsv3_probes),
};

const struct dt_provider dt_provider_nfsv4 = {
	.name = "nfsv4",
	.form = "nfsv4:::compound-start, compound-done, op-NAME-done",
	.doc = "Requests to the NFS server, version 4.",
	.attrs = { { EEI, PPU, PPU, EEI, EEI } },
	DT_DERIVED(nfsv4_probes),
};
