/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames of PHP 7.4 to 8.4, built without threads. They are a chain that begins in a global variable, through
 * all activations of execute_ex(); ZEND_CALL_TOP says which frame entered one. Functions in C have frames
 * too, which are not shown: their native ones are. The place is the line itself.
 */
#ifndef DT_RUNTIME_LANG_PHP_H
#define DT_RUNTIME_LANG_PHP_H

enum { PHP_NEXT };			/* of keep[]: the next frame, innermost first */
enum { PHP_INTERNAL = 1, PHP_TOP = 1 << 17 };
/* words of struct _zend_execute_data, of zend_function; the line in zend_op */
enum { PHP_OPLINE = 0, PHP_FUNC = 3, PHP_INFO = 5, PHP_PREVIOUS = 6, PHP_FRAME_SIZE = 56 };
enum { PHP_TYPE = 0, PHP_NAME = 1, PHP_SCOPE = 2, PHP_FUNC_SIZE = 24, PHP_LINENO = 24, PHP_HASH = 8 };

/*
 * A string, with a part of its hash: another one may take its place before it is read (src/lang/lang_php.c).
 */
INLINE u64 php_string(struct rt *r, u64 at) { return at | (at ? user_word(r, at + PHP_HASH) << 48 : 0); }

/* Functions are known by their names: closures are copies, which are freed when they return. */
INLINE void php_function(struct rt *r, struct dt_work_walk *w, const struct dt_unwind_lang *l)
{
	w->tmp[0] = w->buf[PHP_OPLINE];
	w->tmp[2] = w->code;
	w->code = 0;
	if (!w->tmp[2] || read_user(r, w->buf, PHP_FUNC_SIZE, w->tmp[2]) ||
	    (w->buf[PHP_TYPE] & 0xff) == PHP_INTERNAL)
		return;
	w->key = w->buf[PHP_SCOPE];
	w->more = php_string(r, w->buf[PHP_NAME]);
	w->code = php_string(r, user_word(r, w->tmp[2] + l->word[DT_PHP_FILE]));
	w->at = w->tmp[0] ? user_word(r, w->tmp[0] + PHP_LINENO) & 0xffffffff : DT_FRAME_POS_MAX;
}

static FN long php_step(struct rt *r)
{
	struct dt_work_walk *w = (struct dt_work_walk *)r->w;
	struct dt_unwind_lang *l = lang_record(r, w);

	if (!l)
		return 1;
	if (w->kept != DT_LANG_PHP) {
		w->kept = DT_LANG_PHP;
		w->keep[PHP_NEXT] = user_word(r, l->word[DT_PHP_CURRENT]);
	}
	if (!w->keep[PHP_NEXT] || read_user(r, w->buf, PHP_FRAME_SIZE, w->keep[PHP_NEXT]))
		return 1;
	w->keep[PHP_NEXT] = w->buf[PHP_PREVIOUS];
	w->tmp[1] = w->buf[PHP_INFO] & PHP_TOP;
	w->code = w->buf[PHP_FUNC];
	php_function(r, w, l);
	return w->tmp[1] != 0;
}

#endif
