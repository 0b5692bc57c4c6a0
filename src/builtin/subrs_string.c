/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Subroutines on strings. A null string faults, but for strtok()'s first argument; strings have at most strsize
 * characters; new strings live in scratch; strchr(), strrchr() and strstr() point into their first argument.
 */
#include "builtin/subr.h"

static uint64_t call_strlen(struct dt_interp *ip, const struct dt_subr_call *call)
{
	const char *s = dt_subr_string(ip, call, 0);

	return s ? strlen(s) : 0;
}

static uint64_t call_strjoin(struct dt_interp *ip, const struct dt_subr_call *call)
{
	const char *a = dt_subr_string(ip, call, 0), *b = a ? dt_subr_string(ip, call, 1) : NULL;
	size_t la, lb;
	char *both;

	if (!b)
		return 0;
	la = strlen(a);
	lb = strlen(b);
	if (la + lb + 1 > dt_interp_options(ip)->strsize)
		return dt_interp_fault(ip, DT_FLT_NOSCRATCH, 0);
	both = dt_interp_temp(ip, la + lb + 1);
	if (!both)
		return 0;
	memcpy(both, a, la);
	memcpy(both + la, b, lb + 1);
	return dt_interp_put(ip, both, la + lb);
}

/* Base 10 is signed, others are not; 8 and 16 have their prefix. */
static uint64_t call_lltostr(struct dt_interp *ip, const struct dt_subr_call *call)
{
	int64_t i = (int64_t)call->arg[0].value, base = call->nargs > 1 ? dt_subr_int(call, 1) : 10;
	bool negative = base == 10 && i < 0;
	uint64_t v = negative ? -(uint64_t)i : (uint64_t)i;
	char buf[72], *p = buf + sizeof(buf);

	if (base < 2 || base > 36)
		return dt_interp_fault(ip, DT_FLT_ILLOP, (uint64_t)base);
	do {
		*--p = "0123456789abcdefghijklmnopqrstuvwxyz"[v % (uint64_t)base];
		v /= (uint64_t)base;
	} while (v);
	if (base == 16)
		*--p = 'x';
	if (base == 16 || (base == 8 && i))
		*--p = '0';
	if (negative)
		*--p = '-';
	return dt_interp_put(ip, p, (size_t)(buf + sizeof(buf) - p));
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'Z' ? c - 'A' + 10 : 99;
}

/* Blanks, a sign, with base 16 a 0x, digits up to the first that is none; wraps. */
static uint64_t call_strtoll(struct dt_interp *ip, const struct dt_subr_call *call)
{
	const char *s = dt_subr_string(ip, call, 0);
	int64_t base = call->nargs > 1 ? dt_subr_int(call, 1) : 10;
	uint64_t v = 0;
	bool negative;

	if (base < 2 || base > 36)
		return dt_interp_fault(ip, DT_FLT_ILLOP, (uint64_t)base);
	if (!s)
		return 0;
	s += strspn(s, " \t\n\v\f\r");
	negative = *s == '-';
	if (*s == '-' || *s == '+')
		s++;
	if (base == 16 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && digit_of(s[2]) < 16)
		s += 2;
	for (; digit_of(*s) < base; s++)
		v = v * (uint64_t)base + (uint64_t)digit_of(*s);
	return negative ? -v : v;
}

static uint64_t call_basename(struct dt_interp *ip, const struct dt_subr_call *call)
{
	const char *s = dt_subr_string(ip, call, 0);
	size_t len;

	if (!s)
		return 0;
	s = dt_path_basename(s, &len);
	return dt_interp_put(ip, s, len);
}

static uint64_t call_dirname(struct dt_interp *ip, const struct dt_subr_call *call)
{
	const char *s = dt_subr_string(ip, call, 0);
	size_t len;

	if (!s)
		return 0;
	s = dt_path_dirname(s, &len);
	return dt_interp_put(ip, s, len);
}

static uint64_t call_cleanpath(struct dt_interp *ip, const struct dt_subr_call *call)
{
	const char *s = dt_subr_string(ip, call, 0);
	char *to = s ? dt_interp_temp(ip, strlen(s) + 1) : NULL;

	return to ? dt_interp_put(ip, to, dt_path_clean(s, to)) : 0;
}

static uint64_t call_strchr(struct dt_interp *ip, const struct dt_subr_call *call)
{
	const char *s = dt_subr_string(ip, call, 0), *at = s ? strchr(s, (char)call->arg[1].value) : NULL;

	return at ? call->arg[0].value + (uint64_t)(at - s) : 0;
}

static uint64_t call_strrchr(struct dt_interp *ip, const struct dt_subr_call *call)
{
	const char *s = dt_subr_string(ip, call, 0), *at = s ? strrchr(s, (char)call->arg[1].value) : NULL;

	return at ? call->arg[0].value + (uint64_t)(at - s) : 0;
}

static uint64_t call_strstr(struct dt_interp *ip, const struct dt_subr_call *call)
{
	const char *s = dt_subr_string(ip, call, 0), *sub = s ? dt_subr_string(ip, call, 1) : NULL;
	const char *at = sub ? strstr(s, sub) : NULL;

	return at ? call->arg[0].value + (uint64_t)(at - s) : 0;
}

static uint64_t call_strtok(struct dt_interp *ip, const struct dt_subr_call *call)
{
	struct dt_strtok *tok = dt_interp_strtok(ip);
	const char *seps = dt_subr_string(ip, call, 1), *token;
	size_t len;

	if (!seps)
		return 0;
	if (call->arg[0].value) {
		const char *s = dt_subr_string(ip, call, 0);

		if (!s)
			return 0;
		free(tok->text);
		*tok = (struct dt_strtok){ .text = strdup(s) };
		if (!tok->text)
			return dt_interp_fault(ip, DT_FLT_NOSCRATCH, 0);
	}
	if (!tok->text)
		return 0;
	tok->pos += strspn(tok->text + tok->pos, seps);
	token = tok->text + tok->pos;
	len = strcspn(token, seps);
	if (!len)
		return 0;
	tok->pos += len;
	return dt_interp_put(ip, token, len);
}

/* A negative start counts from the end; a negative length leaves that many at the end. */
static uint64_t call_substr(struct dt_interp *ip, const struct dt_subr_call *call)
{
	const char *s = dt_subr_string(ip, call, 0);
	int64_t start = dt_subr_int(call, 1), len, n;

	if (!s)
		return 0;
	len = (int64_t)strlen(s);
	n = call->nargs > 2 ? dt_subr_int(call, 2) : INT32_MAX;
	if (start < 0) {
		start += len;
		if (start < 0 && start + n > 0) {	/* what would stand before the string is missing */
			n += start;
			start = 0;
		}
	}
	if (start < 0 || start >= len)
		return dt_interp_put(ip, "", 0);
	if (n < 0)
		n += len - start;
	if (n > len - start)
		n = len - start;
	return dt_interp_put(ip, s + start, n > 0 ? (size_t)n : 0);
}

static uint64_t call_index(struct dt_interp *ip, const struct dt_subr_call *call)
{
	const char *s = dt_subr_string(ip, call, 0), *sub = s ? dt_subr_string(ip, call, 1) : NULL, *at;
	int64_t pos = call->nargs > 2 ? dt_subr_int(call, 2) : 0, len;

	if (!sub)
		return 0;
	len = (int64_t)strlen(s);
	if (pos < 0)
		pos = 0;
	if (pos >= len)
		return *sub ? UINT64_MAX : (uint64_t)len;
	at = strstr(s + pos, sub);
	return at ? (uint64_t)(at - s) : UINT64_MAX;
}

static uint64_t call_rindex(struct dt_interp *ip, const struct dt_subr_call *call)
{
	const char *s = dt_subr_string(ip, call, 0), *sub = s ? dt_subr_string(ip, call, 1) : NULL;
	int64_t pos, len, sublen;

	if (!sub)
		return 0;
	len = (int64_t)strlen(s);
	sublen = (int64_t)strlen(sub);
	pos = call->nargs > 2 ? dt_subr_int(call, 2) : len;
	if (pos < 0)
		return *sub ? UINT64_MAX : 0;
	for (pos = pos > len - sublen ? len - sublen : pos; pos >= 0; pos--) {
		if (memcmp(s + pos, sub, (size_t)sublen) == 0)
			return (uint64_t)pos;
	}
	return UINT64_MAX;
}

/* ASCII letters from `from` to `from` + 25 change their case. */
static uint64_t change_case(struct dt_interp *ip, const struct dt_subr_call *call, char from)
{
	const char *s = dt_subr_string(ip, call, 0);
	size_t len = s ? strlen(s) : 0;
	char *to = s ? dt_interp_temp(ip, len + 1) : NULL;

	if (!to)
		return 0;
	for (size_t i = 0; i <= len; i++)
		to[i] = s[i] >= from && s[i] <= from + 25 ? (char)(s[i] ^ 0x20) : s[i];
	return dt_interp_put(ip, to, len);
}

static uint64_t call_toupper(struct dt_interp *ip, const struct dt_subr_call *call) { return change_case(ip, call, 'a'); }
static uint64_t call_tolower(struct dt_interp *ip, const struct dt_subr_call *call) { return change_case(ip, call, 'A'); }

static uint64_t call_json(struct dt_interp *ip, const struct dt_subr_call *call)
{
	const char *text = dt_subr_string(ip, call, 0), *path = text ? dt_subr_string(ip, call, 1) : NULL, *value;
	size_t len;

	if (!path)
		return 0;
	value = dt_json_find(text, path, &len);
	return value ? dt_interp_put(ip, value, len) : 0;
}

#define V(major, minor) DT_VERS(major, minor, 0)
#define STABLE DT_ATTR_STABLE_COMMON

const struct dt_builtin dt_builtin_subrs_string[] = {
	DT_SUBR(strlen, "size_t(const char *)", V(1, 0), STABLE, call_strlen),
	DT_SUBR(strjoin, "string(const char *, const char *)", V(1, 0), STABLE, call_strjoin),
	DT_SUBR(lltostr, "string(int64_t, [int])", V(1, 0), STABLE, call_lltostr),
	DT_SUBR(basename, "string(const char *)", V(1, 0), STABLE, call_basename),
	DT_SUBR(dirname, "string(const char *)", V(1, 0), STABLE, call_dirname),
	DT_SUBR(cleanpath, "string(const char *)", V(1, 0), STABLE, call_cleanpath),
	DT_SUBR(strchr, "string(const char *, char)", V(1, 1), STABLE, call_strchr),
	DT_SUBR(strrchr, "string(const char *, char)", V(1, 1), STABLE, call_strrchr),
	DT_SUBR(strstr, "string(const char *, const char *)", V(1, 1), STABLE, call_strstr),
	DT_SUBR(strtok, "string(const char *, const char *)", V(1, 1), STABLE, call_strtok),
	DT_SUBR(substr, "string(const char *, int, [int])", V(1, 1), STABLE, call_substr),
	DT_SUBR(index, "int(const char *, const char *, [int])", V(1, 1), STABLE, call_index),
	DT_SUBR(rindex, "int(const char *, const char *, [int])", V(1, 1), STABLE, call_rindex),
	DT_SUBR(toupper, "string(const char *)", V(1, 8), STABLE, call_toupper),
	DT_SUBR(tolower, "string(const char *)", V(1, 8), STABLE, call_tolower),
	DT_SUBR(json, "string(const char *, const char *)", V(1, 11), STABLE, call_json),
	DT_SUBR(strtoll, "int64_t(const char *, [int])", V(1, 11), STABLE, call_strtoll),
	{ .name = NULL },
};
