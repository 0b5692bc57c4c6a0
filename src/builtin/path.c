/* SPDX-License-Identifier: BSD-2-Clause */
/* Paths as text: basename(), dirname(), cleanpath(). Nothing is looked up; links are not followed. */
#include "builtin/subr.h"

static size_t trim(const char *path, size_t len)
{
	while (len > 1 && path[len - 1] == '/')
		len--;
	return len;
}

const char *dt_path_basename(const char *path, size_t *len)
{
	size_t end = trim(path, strlen(path)), start = end;

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

const char *dt_path_dirname(const char *path, size_t *len)
{
	size_t end = trim(path, strlen(path));

	*len = 1;
	while (end > 0 && path[end - 1] != '/')
		end--;
	if (end == 0)
		return ".";
	*len = trim(path, end);
	return path;
}

/* Forgets the last component of the n bytes written, if it can be forgotten: the new length, or n. */
static size_t up(const char *to, size_t n)
{
	size_t start = n;

	while (start > 0 && to[start - 1] != '/')
		start--;
	if (n - start == 2 && to[start] == '.' && to[start + 1] == '.')
		return n;
	return start;
}

/*
 * `//` becomes `/`, `/./` too, `/../` takes the component before it away. The first component of a relative path and
 * a slash at the end stay; /.. at the root is the root. `to` ends in a slash, or is empty, before each component.
 */
size_t dt_path_clean(const char *path, char *to)
{
	size_t n = 0;
	bool first = true;

	while (*path) {
		size_t len = strcspn(path, "/");
		bool slash = path[len] == '/';

		if (len == 2 && path[0] == '.' && path[1] == '.' && !first) {
			size_t before = n ? up(to, n - 1) : 0;

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
