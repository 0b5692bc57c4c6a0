/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PHP 7.4 to 8.4, built without threads, as distributions have it: frames begin in a global variable, offsets
 * go by the version in the name of the file (php8.2, php-fpm8.2, libphp8.2.so). Functions are known by their
 * names and files; a string that was freed is recognised by its hash.
 */
#include "lang/lang.h"

#include "base/count.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const files[] = { "php", "libphp", NULL };
static const char *const loops[] = { "execute_ex", NULL };
static const char *const symbols[] = { "executor_globals", NULL };

/* executor_globals.current_execute_data, zend_op_array.filename */
static const struct { uint32_t version, current, file; } layouts[] = {
	{ 0x0704, 488, 136 }, { 0x0800, 488, 144 }, { 0x0801, 488, 144 }, { 0x0802, 488, 152 },
	{ 0x0803, 488, 144 }, { 0x0804, 488, 168 },
};

static int learn(struct dt_lang_process *p, struct dt_unwind_lang *to)
{
	size_t i = 0;

	while (i < DT_COUNT(layouts) && layouts[i].version != p->version)
		i++;
	if (i == DT_COUNT(layouts))
		return -ENOTSUP;
	to->word[DT_PHP_CURRENT] = p->symbol[0] + layouts[i].current;
	to->word[DT_PHP_FILE] = layouts[i].file;
	return 0;
}

/* ---- names ---- */

enum { TYPE_STRING = 6, HEAD = 24, TEXT_MAX = 1024 };
#define HASHED (1ull << 63)

/* As zend_string_hash_val(); 0: it was never asked for, and what is there now may be another string. */
static bool is_hash(uint64_t hash, const char *text, size_t n)
{
	uint64_t h = 5381;

	for (size_t i = 0; i < n; i++)
		h = h * 33 + (unsigned char)text[i];
	return hash == (h | HASHED);
}

/*
 * A string that the walk has seen (runtime/lang_php.h), with the low bits of its hash above its address. Its
 * end, if it has no room.
 */
static bool read_string(const struct dt_lang_process *p, uint64_t seen, char *to, size_t room)
{
	uint64_t head[HEAD / 8], at = seen & ((1ull << 48) - 1), n;
	char text[TEXT_MAX];

	if (at == 0 || !dt_lang_read(p, at, head, sizeof(head)) || (uint32_t)head[0] == 0 ||
	    (head[0] >> 32 & 15) != TYPE_STRING || head[2] >= sizeof(text) ||
	    (head[1] & 0xffff) != seen >> 48)
		return false;
	n = head[2];
	if (!dt_lang_read(p, at + HEAD, text, n) || !is_hash(head[1], text, n))
		return false;
	text[n] = '\0';
	snprintf(to, room, "%.*s", (int)room - 1, n >= room ? text + n - room + 1 : text);
	return true;
}

/* Of a class; its hash was not seen by the walk. */
static bool read_class(const struct dt_lang_process *p, uint64_t class, char *to, size_t room)
{
	uint64_t at, hash;

	return dt_lang_word(p, class + 8, &at) && at >> 48 == 0 && dt_lang_word(p, at + 8, &hash) &&
	    read_string(p, at | hash << 48, to, room);
}

/* "name", "Class::name"; what is outside of functions has no name. Its file it must have. */
static int function(const struct dt_lang_process *p, const struct dt_unwind_lang *l,
    const struct dt_unwind_func *seen, struct dt_lang_function *to)
{
	char class[DT_LANG_NAME / 2 - 1] = "", name[DT_LANG_NAME / 2 - 1] = "{main}";

	(void)l;
	if (!read_string(p, seen->code, to->file, sizeof(to->file)) ||
	    (seen->more != 0 && !read_string(p, seen->more, name, sizeof(name))) ||
	    (seen->more != 0 && seen->key != 0 && !read_class(p, seen->key, class, sizeof(class))))
		return -ESTALE;
	snprintf(to->name, sizeof(to->name), "%s%s%s", class, class[0] != '\0' ? "::" : "", name);
	return 0;
}

static uint32_t line(const struct dt_lang_function *f, uint32_t pos)
{
	(void)f;
	return pos;
}

const struct dt_lang dt_lang_php = {
	.name = "php",
	.files = files,
	.loops = loops,
	.symbols = symbols,
	.learn = learn,
	.function = function,
	.line = line,
};
