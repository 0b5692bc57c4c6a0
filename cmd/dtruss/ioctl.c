/* SPDX-License-Identifier: BSD-2-Clause */
/* ioctl(): names of requests, the arguments of a few, and what the number itself says of all others. */
#include "decode.h"

#include <asm/ioctls.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/sockios.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>

#define R(name) { name, #name }
static const struct name requests[] = {
	R(TCGETS), R(TCSETS), R(TCSETSW), R(TCSETSF), R(TCSBRK), R(TCXONC), R(TCFLSH), R(TIOCEXCL),
	    R(TIOCNXCL),
	R(TIOCSCTTY), R(TIOCGPGRP), R(TIOCSPGRP), R(TIOCOUTQ), R(TIOCSTI), R(TIOCGWINSZ), R(TIOCSWINSZ),
	R(TIOCMGET), R(TIOCMSET), R(FIONREAD), R(TIOCNOTTY), R(TIOCGSID), R(TIOCGPTN), R(TIOCSPTLCK),
	R(TIOCGPTPEER), R(FIONBIO), R(FIOASYNC), R(FIOCLEX), R(FIONCLEX), R(FIOQSIZE), R(BLKGETSIZE64),
	R(BLKSSZGET), R(BLKROGET), R(FIGETBSZ), R(FICLONE), R(FICLONERANGE), R(FS_IOC_GETFLAGS),
	R(FS_IOC_SETFLAGS), R(FS_IOC_FIEMAP), R(FIFREEZE), R(FITHAW), R(FITRIM), R(SIOCGIFCONF),
	    R(SIOCGIFFLAGS),
	R(SIOCSIFFLAGS), R(SIOCGIFADDR), R(SIOCGIFHWADDR), R(SIOCGIFINDEX), R(SIOCGIFNAME), R(SIOCGIFMTU),
	R(SIOCGIFBRDADDR), R(SIOCGIFNETMASK), R(SIOCETHTOOL), R(SIOCATMARK),
	{ 0x2400, "PERF_EVENT_IOC_ENABLE" }, { 0x2401, "PERF_EVENT_IOC_DISABLE" },
	{ 0x40042408, "PERF_EVENT_IOC_SET_BPF" }, { 0x5331, "CDROM_GET_CAPABILITY" },
};
#undef R

/* A request without a name says what it is made of. */
static void put_request(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	static const char *const directions[] = { "_IOC_NONE", "_IOC_WRITE", "_IOC_READ",
	    "_IOC_READ|_IOC_WRITE" };
	uint32_t v = (uint32_t)c->a[arg];
	const char *name = name_of(k->names, k->nnames, v);

	if (name != NULL)
		text_put(t, name);
	else
		text_format(t, "_IOC(%s, %#x, %#x, %#x)", directions[_IOC_DIR(v)], _IOC_TYPE(v), _IOC_NR(v),
		    _IOC_SIZE(v));
}

/* The kernel's struct, which is not the C library's. */
struct kernel_termios {
	uint32_t iflag, oflag, cflag, lflag;
	unsigned char line, cc[19];
};

static const struct name iflags[] = {
	{ IGNBRK, "IGNBRK" }, { BRKINT, "BRKINT" }, { IGNPAR, "IGNPAR" }, { PARMRK, "PARMRK" },
	{ INPCK, "INPCK" },
	{ ISTRIP, "ISTRIP" }, { INLCR, "INLCR" }, { IGNCR, "IGNCR" }, { ICRNL, "ICRNL" }, { IUCLC, "IUCLC" },
	{ IXON, "IXON" }, { IXANY, "IXANY" }, { IXOFF, "IXOFF" }, { IMAXBEL, "IMAXBEL" }, { IUTF8, "IUTF8" },
};
static const struct name oflags[] = {
	{ 0, "NL0" }, { OPOST, "OPOST" }, { OLCUC, "OLCUC" }, { ONLCR, "ONLCR" }, { OCRNL, "OCRNL" },
	{ ONOCR, "ONOCR" }, { ONLRET, "ONLRET" }, { OFILL, "OFILL" },
};
static const struct name lflags[] = {
	{ ISIG, "ISIG" }, { ICANON, "ICANON" }, { ECHO, "ECHO" }, { ECHOE, "ECHOE" }, { ECHOK, "ECHOK" },
	{ ECHONL, "ECHONL" }, { NOFLSH, "NOFLSH" }, { TOSTOP, "TOSTOP" }, { ECHOCTL, "ECHOCTL" },
	{ ECHOPRT, "ECHOPRT" }, { ECHOKE, "ECHOKE" }, { IEXTEN, "IEXTEN" },
};

static void put_termios(struct text *t, const struct call *c, unsigned arg)
{
	struct kernel_termios v;

	if (!call_struct(t, c, arg, 0, &v, sizeof(v)))
		return;
	text_put(t, "{c_iflag=");
	put_flags(t, v.iflag, iflags, COUNT(iflags), NULL);
	text_put(t, ", c_oflag=");
	put_flags(t, v.oflag, oflags, COUNT(oflags), NULL);
	text_put(t, ", c_cflag=");
	text_hex(t, v.cflag);
	text_put(t, ", c_lflag=");
	put_flags(t, v.lflag, lflags, COUNT(lflags), NULL);
	text_put(t, ", ...}");
}

static void put_cell(struct text *t, const struct call *c, unsigned arg)
{
	int v;

	if (call_struct(t, c, arg, 0, &v, sizeof(v)))
		text_format(t, "[%d]", v);
}

static void put_winsize(struct text *t, const struct call *c, unsigned arg)
{
	struct winsize w;

	if (call_struct(t, c, arg, 0, &w, sizeof(w)))
		text_format(t, "{ws_row=%u, ws_col=%u, ws_xpixel=%u, ws_ypixel=%u}", w.ws_row, w.ws_col,
		    w.ws_xpixel,
		    w.ws_ypixel);
}

static const struct {
	uint32_t request;
	bool out;			/* there only when the call has succeeded */
	void (*put)(struct text *, const struct call *, unsigned arg);
} known[] = {
	{ TCGETS, true, put_termios }, { TCSETS, false, put_termios }, { TCSETSW, false, put_termios },
	{ TCSETSF, false, put_termios }, { TIOCGWINSZ, true, put_winsize },
	{ TIOCSWINSZ, false, put_winsize },
	{ TIOCGPGRP, true, put_cell }, { TIOCSPGRP, false, put_cell }, { FIONREAD, true, put_cell },
	{ TIOCOUTQ, true, put_cell }, { FIONBIO, false, put_cell }, { FIOASYNC, false, put_cell },
	{ TIOCGSID, true, put_cell }, { TIOCGPTN, true, put_cell }, { TIOCSPTLCK, false, put_cell },
};

static void put_arg(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	uint32_t request = (uint32_t)c->a[arg - 1];

	(void)k;
	for (size_t i = 0; i < COUNT(known); i++) {
		if (known[i].request == request && !(known[i].out && call_failed(c))) {
			known[i].put(t, c, arg);
			return;
		}
	}
	if (request == FICLONE)
		put_fd(t, c, (int)c->a[arg]);
	else if (request == FIOCLEX || request == FIONCLEX || request == TIOCNOTTY)
		return;
	else if (request == 0x2400 || request == 0x2401 || request == TCSBRK || request == TCFLSH)
		text_int(t, (int64_t)c->a[arg]);
	else
		text_addr(t, c->a[arg]);
}

static const struct kind list[] = {
	{ .name = "ioctl", .put = put_request, NAMES(requests) },
	/* terminals and FIONREAD and their like are at 0x54xx, and take up to 36 bytes */
	{ .name = "ioctlarg", .put = put_arg, .fetch =
	    "this->n = (self->a1 & 0xff00) ^ 0x5400; "
	    "tracemem(copyin(%a, 36 & ~((this->n | -this->n) >> 63) & ((4096 - %a) >> 63) & " DONE "), 36);",
	    .nrecs = 1 },
};
KINDS(kinds_ioctl);
