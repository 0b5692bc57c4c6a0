/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Paths as text: basename(), dirname(), cleanpath(). Nothing is looked up, and links are not followed. The
 * kernel's versions are in the runtime; test/unit/runtime_test.c compares the two.
 */
#include "builtin/row.h"

/* The length without slashes at the end; the root stays a slash. */
static size_t trimmed_length(const char *path, size_t len)
{
	while (len > 1 && path[len - 1] == '/')
		len--;
	return len;
}

/* As basename(1): "" is ".", and "/" is "/". */
static const char *path_basename(const char *path, size_t *len)
{
	size_t end = trimmed_length(path, strlen(path)), start = end;

	*len = 1;
	if (end == 0)
		return ".";
	if (end == 1 && path[0] == '/')
		return "/";
	while (start > 0 && path[start - 1] != '/')
		start--;
	*len = end - start;
	return path + start;
}

static uint64_t call_basename(struct dt_interp *ip, const struct dt_subr_call *call)
{
	const char *s = dt_subr_string(ip, call, 0);
	size_t len;

	if (!s)
		return 0;
	s = path_basename(s, &len);
	return dt_interp_put(ip, s, len);
}

/* As dirname(1): a path without a slash is in ".". */
static const char *path_dirname(const char *path, size_t *len)
{
	size_t end = trimmed_length(path, strlen(path));

	*len = 1;
	while (end > 0 && path[end - 1] != '/')
		end--;
	if (end == 0)
		return ".";
	*len = trimmed_length(path, end);
	return path;
}

static uint64_t call_dirname(struct dt_interp *ip, const struct dt_subr_call *call)
{
	const char *s = dt_subr_string(ip, call, 0);
	size_t len;

	if (!s)
		return 0;
	s = path_dirname(s, &len);
	return dt_interp_put(ip, s, len);
}

/*
 * Forgets the last component of the n bytes written, if it can be forgotten: returns the new length, else n.
 */
static size_t length_of_parent(const char *to, size_t n)
{
	size_t start = n;

	while (start > 0 && to[start - 1] != '/')
		start--;
	if (n - start == 2 && to[start] == '.' && to[start + 1] == '.')
		return n;
	return start;
}

/*
 * // and /./ become /, and /../ takes the component before it away. The first component of a relative path
 * and a slash at the end stay; /.. at the root is the root. `to` is empty or ends in a slash before each
 * component, and is never longer than `path`.
 */
static size_t path_clean(const char *path, char *to)
{
	size_t n = 0;
	bool first = true;

	while (*path) {
		size_t len = strcspn(path, "/");
		bool slash = path[len] == '/';

		if (len == 2 && path[0] == '.' && path[1] == '.' && !first) {
			size_t before = n ? length_of_parent(to, n - 1) : 0;

			if (n == 0 || (before == n - 1 && n > 1)) {	/* nothing to take away */
				memcpy(to + n, path, 2 + slash);
				n += 2 + slash;
			} else {
				n = before ? before : to[0] == '/' && n;
			}
		} else if (len == 1 && path[0] == '.' && !first) {
			;
		} else if (len || first) {
			memcpy(to + n, path, len + slash);
			n += len + slash;
		}
		path += len + slash;
		first = false;
	}
	to[n] = '\0';
	return n;
}

static uint64_t call_cleanpath(struct dt_interp *ip, const struct dt_subr_call *call)
{
	const char *s = dt_subr_string(ip, call, 0);
	char *to = s ? dt_interp_temp(ip, strlen(s) + 1) : NULL;

	return to ? dt_interp_put(ip, to, path_clean(s, to)) : 0;
}

/* All three take one string and leave one: the runtime does the rest. */
static void text_to_text(struct dt_lower *l, const char *name)
{
	dt_tuple_strings(l, 1);
	dt_runtime(l, name);
	dt_runtime_take(l);
}
static void lower_basename(struct dt_lower *l) { text_to_text(l, "rt_basename"); }
static void lower_dirname(struct dt_lower *l) { text_to_text(l, "rt_dirname"); }
static void lower_cleanpath(struct dt_lower *l) { text_to_text(l, "rt_cleanpath"); }

const struct dt_builtin dt_subr_basename = {
	DT_SUBR(basename, "string(const char *)", V(1, 0), STABLE),
	.call = call_basename, .lower = lower_basename, .scratch = DT_SCRATCH_STRING,
	.doc = "The last component of a path.",
};

const struct dt_builtin dt_subr_dirname = {
	DT_SUBR(dirname, "string(const char *)", V(1, 0), STABLE),
	.call = call_dirname, .lower = lower_dirname, .scratch = DT_SCRATCH_STRING,
	.doc = "A path without its last component.",
};

const struct dt_builtin dt_subr_cleanpath = {
	DT_SUBR(cleanpath, "string(const char *)", V(1, 0), STABLE),
	.call = call_cleanpath, .lower = lower_cleanpath, .scratch = DT_SCRATCH_STRING,
	.doc = "A path without //, /./ and /../. Links are not followed.",
};
