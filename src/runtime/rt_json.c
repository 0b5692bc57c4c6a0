/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json(): the element of the text a that the path b names. It is one loop. Each step looks at one
 * character, in the phase that the step before left; each phase is a function that returns the next one.
 * Groups that are open are a stack of bits.
 *
 * The path is taken apart a step at a time: a step looks into the group that begins at pos, passes over
 * members or elements until it meets the one it names, and the next step begins there. A value that is
 * passed over must be well-formed; what follows the element is not looked at.
 */
#include "runtime/rt.h"

#define DEPTH_MAX 128			/* bits of `objects` */

/* STRING to NUMBER are tokens: step_json() tests for that range. */
enum phase {
	FAIL, DONE,
	STEP_BEGIN, STEP,			/* of the path */
	GROUP, FIRST, MEMBER, ELEMENT, FOUND,	/* the group a step of the path looks into */
	VALUE, STRING, ESCAPE, HEX, WORD, NUMBER, OPEN, ITEM, AFTER,
	NAME, COLON, NAMED, COMPARE,		/* of an object's member */
};

struct json {
	struct dt_work w;		/* pos: in the text; x: of the phase; out: end of the element */
	u64 phase;
	u64 depth, objects[2];		/* open groups of the value in hand, a bit each: an object */
	u64 path, bracket, step, steplen, last;	/* of the path: next character; the step in hand */
	u64 number, isnumber, index;	/* the step as a number; elements seen */
	u64 object;			/* the step looks into an object */
	u64 inname, name, namelen;
	u64 final, start;		/* the value in hand is the element */
};
_Static_assert(sizeof(struct json) <= DT_WORK_SIZE, "the slot has this much for a function's words");

INLINE struct json *json_of(struct rt *r) { return (struct json *)r->w; }

/* Beyond the end both read as the NUL, which no phase goes on after. */
INLINE u8 text_at(struct rt *r, u64 at) { return at < r->size ? r->a[at] : 0; }
INLINE u8 path_at(struct rt *r, u64 at) { return at < r->size ? r->b[at] : 0; }
INLINE u64 is_digit(u8 c) { return c >= '0' && c <= '9'; }

INLINE u64 is_space(u8 c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Is the innermost open group an object? */
INLINE u64 in_object(const struct json *j)
{
	u64 top = j->depth - 1;

	return (top & 64 ? j->objects[1] : j->objects[0]) >> (top & 63) & 1;
}

/* A group inside the value in hand begins; deeper than DEPTH_MAX there is no element. */
INLINE u64 open_group(struct json *j, u64 object)
{
	u64 bit = 1ull << (j->depth & 63);

	if (j->depth >= DEPTH_MAX)
		return FAIL;
	if (j->depth & 64)
		j->objects[1] = (j->objects[1] & ~bit) | (object ? bit : 0);
	else
		j->objects[0] = (j->objects[0] & ~bit) | (object ? bit : 0);
	j->depth++;
	j->w.pos++;
	return OPEN;
}

/* ---- the path ---- */

INLINE u64 step_begin(struct rt *r, struct json *j)
{
	j->bracket = path_at(r, j->path) == '[';
	j->path += j->bracket;
	j->step = j->path;
	j->steplen = 0;
	j->number = 0;
	j->isnumber = 1;
	j->index = 0;
	return STEP;
}

/*
 * One character of a step: name, name.name or [number]. A number of more than ten digits is not a number. A
 * `]` that is missing, or text after it, is no path.
 */
INLINE u64 path_step(struct rt *r, struct json *j)
{
	u8 c = path_at(r, j->path);

	if (c && !(j->bracket ? c == ']' : c == '.' || c == '[')) {
		if (!is_digit(c) || j->steplen > 9)
			j->isnumber = 0;
		j->number = j->number * 10 + (c - '0');
		j->steplen++;
		j->path++;
		return STEP;
	}
	if (j->bracket) {
		if (!c)
			return FAIL;
		j->path++;
		c = path_at(r, j->path);
	}
	if (c == '.')
		j->path++;
	else if (c && c != '[')
		return FAIL;
	j->last = !c;
	return GROUP;
}

/* ---- the group a step looks into ---- */

/* An object takes any step, an array only a number. */
INLINE u64 enter_group(struct json *j, u8 c)
{
	j->object = c == '{';
	if (!j->object && (c != '[' || !j->isnumber || !j->steplen))
		return FAIL;
	j->w.pos++;
	return FIRST;
}

INLINE u64 array_element(struct json *j)
{
	if (j->index == j->number)
		return FOUND;
	j->index++;
	return VALUE;
}

/* The step has met what it names: the next one looks into it, and after the last it is the element. */
INLINE u64 step_found(struct json *j)
{
	if (!j->last)
		return STEP_BEGIN;
	j->final = 1;
	j->start = j->w.pos;
	return VALUE;
}

/* ---- values ---- */

#define LETTERS(a, b, c, d) ((u64)(a) | (u64)(b) << 8 | (u64)(c) << 16 | (u64)(d) << 24)

/* x holds what is left of true, false or null after the first letter. */
INLINE u64 begin_value(struct json *j, u8 c)
{
	j->inname = 0;
	j->w.x = 0;
	if (c == '{' || c == '[')
		return open_group(j, c == '{');
	if (c == 't')
		j->w.x = LETTERS('r', 'u', 'e', 0);
	if (c == 'f')
		j->w.x = LETTERS('a', 'l', 's', 'e');
	if (c == 'n')
		j->w.x = LETTERS('u', 'l', 'l', 0);
	if (c != '"' && !j->w.x)
		return NUMBER;
	j->w.pos++;
	return c == '"' ? STRING : WORD;
}

/* A name ends like a string; its length is kept for choose_member(). */
INLINE u64 in_string(struct json *j, u8 c)
{
	if (!c)
		return FAIL;
	j->w.pos++;
	if (c == '\\')
		return ESCAPE;
	if (c != '"')
		return STRING;
	j->namelen = j->w.pos - 1 - j->name;
	return j->inname ? COLON : AFTER;
}

INLINE u64 in_escape(struct json *j, u8 c)
{
	j->w.pos++;
	j->w.x = 4;
	if (c == 'u')
		return HEX;
	return c == '"' || c == '\\' || c == '/' || c == 'b' || c == 'f' || c == 'n' || c == 'r' || c == 't' ?
	    STRING : FAIL;
}

INLINE u64 hex_digit(struct json *j, u8 c)
{
	u8 low = c | 0x20;

	if (!is_digit(c) && !(low >= 'a' && low <= 'f'))
		return FAIL;
	j->w.pos++;
	j->w.x--;
	return j->w.x ? HEX : STRING;
}

INLINE u64 in_word(struct json *j, u8 c)
{
	if (c != (u8)j->w.x)
		return FAIL;
	j->w.pos++;
	j->w.x >>= 8;
	return j->w.x ? WORD : AFTER;
}

/* x: 0 the sign; 1, 3, 6 a digit must come; 2, 4, 7 more digits; 5 the sign of the exponent */
INLINE u64 in_number(struct json *j, u8 c)
{
	u64 x = j->w.x, digit = is_digit(c), exponent = (c | 0x20) == 'e';

	if (x == 0 || x == 5) {
		j->w.pos += c == '-' || (x == 5 && c == '+');
		j->w.x = x + 1;
		return NUMBER;
	}
	if (x == 1 || x == 3 || x == 6) {
		if (!digit)
			return FAIL;
		j->w.x = x + 1;
	} else if (!digit) {
		if (x == 2 && c == '.')
			j->w.x = 3;
		else if (x != 7 && exponent)
			j->w.x = 5;
		else
			return AFTER;
	}
	j->w.pos++;
	return NUMBER;
}

/* The innermost group ends here, or `otherwise` is next. */
INLINE u64 close_or(struct json *j, u8 c, u64 otherwise)
{
	if (c != (in_object(j) ? '}' : ']'))
		return otherwise;
	j->w.pos++;
	j->depth--;
	return AFTER;
}

/* After a value: of an open group, of the group the step looks into, or the element itself. */
INLINE u64 after_value(struct json *j, u8 c)
{
	if (j->depth == 0 && j->final) {
		j->w.out = j->w.pos;
		return DONE;
	}
	if (is_space(c)) {
		j->w.pos++;
		return AFTER;
	}
	if (c == ',') {
		j->w.pos++;
		return j->depth ? ITEM : MEMBER;
	}
	return j->depth ? close_or(j, c, FAIL) : FAIL;
}

/* ---- members of objects ---- */

INLINE u64 begin_name(struct json *j, u8 c)
{
	if (c != '"')
		return FAIL;
	j->w.pos++;
	j->inname = 1;
	j->name = j->w.pos;
	return STRING;
}

INLINE u64 after_name(struct json *j, u8 c)
{
	if (c != ':')
		return FAIL;
	j->w.pos++;
	return NAMED;
}

/*
 * Only members of the group that the step looks into are compared, and only names of its length. Names are
 * compared as they are written: escapes are not resolved.
 */
INLINE u64 choose_member(struct json *j)
{
	j->w.x = 0;
	return !j->depth && j->namelen == j->steplen ? COMPARE : VALUE;
}

INLINE u64 compare_name(struct rt *r, struct json *j)
{
	u64 x = j->w.x;

	if (x >= j->steplen)
		return FOUND;
	j->w.x = x + 1;
	return text_at(r, j->name + x) == path_at(r, j->step + x) ? COMPARE : VALUE;
}

/* ---- the loop ---- */

/* Phases that look at the next character of the text, whatever it is. */
INLINE u64 in_token(struct json *j, u64 phase, u8 c)
{
	if (phase == STRING)
		return in_string(j, c);
	if (phase == ESCAPE)
		return in_escape(j, c);
	if (phase == HEX)
		return hex_digit(j, c);
	if (phase == WORD)
		return in_word(j, c);
	if (phase == NUMBER)
		return in_number(j, c);
	return after_value(j, c);
}

/* Those before which space does not count. */
INLINE u64 between_tokens(struct json *j, u64 phase, u8 c)
{
	if (is_space(c)) {
		j->w.pos++;
		return phase;
	}
	if (phase == VALUE)
		return begin_value(j, c);
	if (phase == NAME)
		return begin_name(j, c);
	if (phase == COLON)
		return after_name(j, c);
	if (phase == NAMED)
		return choose_member(j);
	if (phase == OPEN)
		return close_or(j, c, ITEM);
	if (phase == FIRST)
		return c == '}' || c == ']' ? FAIL : MEMBER;
	if (phase == ELEMENT)
		return array_element(j);
	if (phase == FOUND)
		return step_found(j);
	return enter_group(j, c);
}

/* One phase. A chain of ifs: eBPF has no jump tables. */
STEP(step_json)
{
	struct json *j = json_of(r);
	u64 phase = j->phase;
	u8 c = text_at(r, j->w.pos);

	if (phase == STEP_BEGIN)
		phase = step_begin(r, j);
	else if (phase == STEP)
		phase = path_step(r, j);
	else if (phase == COMPARE)
		phase = compare_name(r, j);
	else if (phase == MEMBER)
		phase = j->object ? NAME : ELEMENT;
	else if (phase == ITEM)
		phase = in_object(j) ? NAME : VALUE;
	else if (phase >= STRING && phase <= NUMBER)
		phase = in_token(j, phase, c);
	else if (phase == AFTER)
		phase = after_value(j, c);
	else
		phase = between_tokens(j, phase, c);
	j->phase = phase;
	return phase == FAIL || phase == DONE;
}

/* What a number or a word must be followed by: 0x1000 is not the number 0. */
INLINE u64 ends_token(u8 c)
{
	return is_space(c) || c == ',' || c == ']' || c == '}';
}

/*
 * 0: there is no such element. No character is looked at more than eight times, which bounds the loop. A
 * string comes without its quotes.
 */
RT(rt_json)
{
	CONTEXT;
	struct json *j = (struct json *)w;
	u64 start, end;
	u8 c;

	w->pos = 0;
	j->phase = STEP_BEGIN;
	j->depth = j->path = j->final = j->namelen = j->name = 0;
	LOOP(&r, 8 * (w->la + w->lb) + 64, step_json);
	start = j->start;
	end = w->out;
	if (j->phase != DONE || start >= size || end >= size || end < start)
		return 0;
	c = a[start];
	if (c != '"' && c != '{' && c != '[' && !ends_token(a[end]))
		return 0;
	if (c == '"') {
		start++;
		end--;
	}
	return result(d, a + start, end - start, size);
}
