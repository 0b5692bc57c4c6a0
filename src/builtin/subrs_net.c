/* SPDX-License-Identifier: BSD-2-Clause */
/* Subroutines for what travels on a network: byte order (of a little-endian machine) and addresses as text. */
#include "builtin/subr.h"

#include <stdio.h>

enum { AF_IP4 = 2, AF_IP6 = 10 };		/* Linux's numbers */
enum { LINK_ETHERNET = 1, LINK_INFINIBAND = 32 };

static uint64_t call_swap16(struct dt_interp *ip, const struct dt_subr_call *call)
{
	(void)ip;
	return __builtin_bswap16((uint16_t)call->arg[0].value);
}
static uint64_t call_swap32(struct dt_interp *ip, const struct dt_subr_call *call)
{
	(void)ip;
	return __builtin_bswap32((uint32_t)call->arg[0].value);
}
static uint64_t call_swap64(struct dt_interp *ip, const struct dt_subr_call *call)
{
	(void)ip;
	return __builtin_bswap64(call->arg[0].value);
}

static int format4(char *to, size_t size, const uint8_t *a)
{
	return snprintf(to, size, "%u.%u.%u.%u", a[0], a[1], a[2], a[3]);
}

/* The longest run of at least two zero groups, the first of equals: where and how many. */
static unsigned zero_run(const uint8_t *a, unsigned *where)
{
	unsigned best = 0;

	for (unsigned i = 0; i < 8; i++) {
		unsigned n = 0;

		while (i + n < 8 && !a[2 * (i + n)] && !a[2 * (i + n) + 1])
			n++;
		if (n > best && n > 1) {
			best = n;
			*where = i;
		}
	}
	return best;
}

static void format_groups(char *to, size_t size, const uint8_t *a)
{
	unsigned where = 0, run = zero_run(a, &where);
	size_t n = 0;

	for (unsigned i = 0; i < 8;) {
		if (run && i == where) {
			n += (size_t)snprintf(to + n, size - n, "::");
			i += run;
			continue;
		}
		n += (size_t)snprintf(to + n, size - n, "%s%x", i && !(run && i == where + run) ? ":" : "", a[2 * i] << 8 | a[2 * i + 1]);
		i++;
	}
}

/* An IPv4 address inside: mapped (::ffff:a.b.c.d) or compatible (::a.b.c.d, but not :: and ::1). */
static const char *embedded4(const uint8_t *a)
{
	static const uint8_t zero[16];
	static const uint8_t one[4] = { 0, 0, 0, 1 };

	if (memcmp(a, zero, 10) != 0)
		return NULL;
	if (a[10] == 0xff && a[11] == 0xff)
		return "::ffff:";
	if (a[10] || a[11] || memcmp(a + 12, zero, 4) == 0 || memcmp(a + 12, one, 4) == 0)
		return NULL;
	return "::";
}

/* strict: an embedded IPv4 address keeps its IPv6 prefix. */
static uint64_t put6(struct dt_interp *ip, uint64_t addr, bool strict)
{
	uint8_t a[16];
	char text[64];
	const char *prefix;
	size_t n = 0;

	if (!dt_interp_read(ip, addr, a, sizeof(a), false))
		return 0;
	prefix = embedded4(a);
	if (prefix) {
		if (strict)
			n = (size_t)snprintf(text, sizeof(text), "%s", prefix);
		format4(text + n, sizeof(text) - n, a + 12);
	} else {
		format_groups(text, sizeof(text), a);
	}
	return dt_interp_put(ip, text, strlen(text));
}

static uint64_t put4(struct dt_interp *ip, uint64_t addr)
{
	uint8_t a[4];
	char text[20];

	if (!dt_interp_read(ip, addr, a, sizeof(a), false))
		return 0;
	return dt_interp_put(ip, text, (size_t)format4(text, sizeof(text), a));
}

static uint64_t call_inet_ntop(struct dt_interp *ip, const struct dt_subr_call *call)
{
	switch (dt_subr_int(call, 0)) {
	case AF_IP4: return put4(ip, call->arg[1].value);
	case AF_IP6: return put6(ip, call->arg[1].value, true);
	default: return dt_interp_fault(ip, DT_FLT_ILLOP, call->arg[0].value);
	}
}

static uint64_t call_inet_ntoa(struct dt_interp *ip, const struct dt_subr_call *call) { return put4(ip, call->arg[0].value); }

static uint64_t call_inet_ntoa6(struct dt_interp *ip, const struct dt_subr_call *call)
{
	return put6(ip, call->arg[0].value, call->nargs > 1 && dt_subr_int(call, 1));
}

/* Hardware addresses: bytes in hexadecimal with colons. */
static uint64_t call_link_ntop(struct dt_interp *ip, const struct dt_subr_call *call)
{
	int64_t type = dt_subr_int(call, 0);
	unsigned len = type == LINK_ETHERNET ? 6 : 20;
	uint8_t a[20];
	char text[64];
	size_t n = 0;

	if (type != LINK_ETHERNET && type != LINK_INFINIBAND)
		return dt_interp_fault(ip, DT_FLT_ILLOP, call->arg[0].value);
	if (!dt_interp_read(ip, call->arg[1].value, a, len, false))
		return 0;
	for (unsigned i = 0; i < len; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%02x", i ? ":" : "", a[i]);
	return dt_interp_put(ip, text, n);
}

static uint64_t call_uuidstr(struct dt_interp *ip, const struct dt_subr_call *call)
{
	uint8_t a[16];
	char text[40];
	size_t n = 0;

	if (!dt_interp_read(ip, call->arg[0].value, a, sizeof(a), false))
		return 0;
	for (unsigned i = 0; i < 16; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%02X", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", a[i]);
	return dt_interp_put(ip, text, n);
}

#define V(major, minor) DT_VERS(major, minor, 0)
#define EVOLVING DT_ATTR_EVOLVING_COMMON
#define STABLE DT_ATTR_STABLE_COMMON

const struct dt_builtin dt_builtin_subrs_net[] = {
	DT_SUBR(htons, "uint16_t(uint16_t)", V(1, 3), EVOLVING, call_swap16),
	DT_SUBR(htonl, "uint32_t(uint32_t)", V(1, 3), EVOLVING, call_swap32),
	DT_SUBR(htonll, "uint64_t(uint64_t)", V(1, 3), EVOLVING, call_swap64),
	DT_SUBR(ntohs, "uint16_t(uint16_t)", V(1, 3), EVOLVING, call_swap16),
	DT_SUBR(ntohl, "uint32_t(uint32_t)", V(1, 3), EVOLVING, call_swap32),
	DT_SUBR(ntohll, "uint64_t(uint64_t)", V(1, 3), EVOLVING, call_swap64),
	DT_SUBR(inet_ntop, "string(int, void *)", V(1, 5), STABLE, call_inet_ntop),
	DT_SUBR(inet_ntoa, "string(void *)", V(1, 5), STABLE, call_inet_ntoa),
	DT_SUBR(inet_ntoa6, "string(in6_addr_t *, [int])", V(1, 5), STABLE, call_inet_ntoa6),
	DT_SUBR(link_ntop, "string(int, void *)", V(1, 5), STABLE, call_link_ntop),
	DT_SUBR(uuidstr, "string(void *)", V(1, 0), EVOLVING, call_uuidstr),
	{ .name = NULL },
};
