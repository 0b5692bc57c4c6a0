/* SPDX-License-Identifier: BSD-2-Clause */
/* fcntl(): the command says what the argument and the result are. */
#include "decode.h"

#include <fcntl.h>

static const struct name commands[] = {
	{ F_DUPFD, "F_DUPFD" }, { F_GETFD, "F_GETFD" }, { F_SETFD, "F_SETFD" }, { F_GETFL, "F_GETFL" },
	{ F_SETFL, "F_SETFL" }, { 5, "F_GETLK" }, { 6, "F_SETLK" }, { 7, "F_SETLKW" },
	{ F_SETOWN, "F_SETOWN" },
	{ F_GETOWN, "F_GETOWN" }, { F_SETSIG, "F_SETSIG" }, { F_GETSIG, "F_GETSIG" },
	{ F_SETOWN_EX, "F_SETOWN_EX" },
	{ F_GETOWN_EX, "F_GETOWN_EX" }, { 36, "F_OFD_GETLK" }, { 37, "F_OFD_SETLK" }, { 38, "F_OFD_SETLKW" },
	{ F_SETLEASE, "F_SETLEASE" }, { F_GETLEASE, "F_GETLEASE" }, { F_NOTIFY, "F_NOTIFY" },
	{ F_DUPFD_CLOEXEC, "F_DUPFD_CLOEXEC" }, { F_SETPIPE_SZ, "F_SETPIPE_SZ" },
	{ F_GETPIPE_SZ, "F_GETPIPE_SZ" },
	{ F_ADD_SEALS, "F_ADD_SEALS" }, { F_GET_SEALS, "F_GET_SEALS" },
};
static const struct name seals[] = {
	{ 1, "F_SEAL_SEAL" }, { 2, "F_SEAL_SHRINK" }, { 4, "F_SEAL_GROW" }, { 8, "F_SEAL_WRITE" },
	{ 16, "F_SEAL_FUTURE_WRITE" }, { 32, "F_SEAL_EXEC" },
};
static const struct name fd_flags[] = { { FD_CLOEXEC, "FD_CLOEXEC" } };
static const struct name lock_types[] = { { F_RDLCK, "F_RDLCK" }, { F_WRLCK, "F_WRLCK" }, { F_UNLCK, "F_UNLCK"
    } };
static const struct name whence[] = { { 0, "SEEK_SET" }, { 1, "SEEK_CUR" }, { 2, "SEEK_END" } };

static bool is_lock(uint32_t cmd) { return (cmd >= 5 && cmd <= 7) || (cmd >= 36 && cmd <= 38); }

static void put_lock(struct text *t, const struct call *c, unsigned arg)
{
	struct flock l;

	if (!call_struct(t, c, arg, 0, &l, sizeof(l)))
		return;
	text_put(t, "{l_type=");
	put_name(t, (uint16_t)l.l_type, lock_types, COUNT(lock_types), NULL);
	text_put(t, ", l_whence=");
	put_name(t, (uint16_t)l.l_whence, whence, COUNT(whence), NULL);
	text_format(t, ", l_start=%lld, l_len=%lld", (long long)l.l_start, (long long)l.l_len);
	if ((c->a[1] == 5 || c->a[1] == 36) && !call_failed(c))
		text_format(t, ", l_pid=%d", (int)l.l_pid);
	text_char(t, '}');
}

static void put_arg(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	uint32_t cmd = (uint32_t)c->a[1], v = (uint32_t)c->a[arg];

	(void)k;
	if (cmd == F_SETFD)
		put_flags(t, v, fd_flags, COUNT(fd_flags), NULL);
	else if (cmd == F_SETFL)
		put_open_flags(t, v);
	else if (is_lock(cmd))
		put_lock(t, c, arg);
	else if (cmd == F_ADD_SEALS)
		put_flags(t, v, seals, COUNT(seals), NULL);
	else if (cmd == F_SETSIG)
		put_signal(t, (int)v);
	else if (cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC || cmd == F_SETOWN || cmd == F_SETPIPE_SZ)
		text_int(t, (int32_t)v);
	else if (cmd != F_GETFD && cmd != F_GETFL && cmd != F_GETOWN && cmd != F_GETSIG && cmd != F_GETPIPE_SZ
	    &&
	    cmd != F_GET_SEALS && cmd != F_GETLEASE)
		text_hex(t, c->a[arg]);
}

static void put_ret(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	uint32_t cmd = (uint32_t)c->a[1];

	(void)arg;
	(void)k;
	if (cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC) {
		put_fd(t, c, (int)c->ret);
	} else if ((cmd == F_GETFD && c->ret != 0) || cmd == F_GETFL || cmd == F_GET_SEALS) {
		text_hex(t, (uint64_t)c->ret);
		text_put(t, cmd == F_GET_SEALS ? " (seals " : " (flags ");
		if (cmd == F_GETFL)
			put_open_flags(t, (uint32_t)c->ret);
		else if (cmd == F_GETFD)
			put_flags(t, (uint64_t)c->ret, fd_flags, COUNT(fd_flags), NULL);
		else
			put_flags(t, (uint64_t)c->ret, seals, COUNT(seals), NULL);
		text_char(t, ')');
	} else {
		text_int(t, c->ret);
	}
}

static const struct kind list[] = {
	{ .name = "fcntl", .put = put_kind_name, NAMES(commands) },
	/* whatever may be an address: locks are. Where it is not one, the record is made without it. */
	{ .name = "fcntlarg", .put = put_arg, .nrecs = 1,
	    .fetch = "tracemem(copyin(%a, 32 & ((4096 - %a) >> 63)), 32);" },
	{ .name = "=fcntl", .put = put_ret },
};
KINDS(kinds_fcntl);
