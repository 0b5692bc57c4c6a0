/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the walk along the frames of each language has to know of a runtime in a process: the words of struct
 * dt_unwind_lang. src/lang finds them out, once for each process; runtime/lang_*.h uses them. Offsets differ
 * from version to version, so they are words and not constants.
 */
#ifndef DT_RUNTIME_LANG_WORDS_H
#define DT_RUNTIME_LANG_WORDS_H

/* Numbers are part of recorded frames: 31 at most. */
enum dt_lang_id {
	DT_LANG_NONE,
	DT_LANG_PYTHON,
	DT_LANG_HOTSPOT,
	DT_LANG_PHP,
	DT_LANG_V8,
	DT_LANG_RUBY,
	DT_LANGS
};

enum dt_python_word {
	DT_PY_SELF,			/* task_struct's robust_list - this: its number in Python */
	DT_PY_SLOT,			/* robust_list - this: the thread's PyThreadState * */
	DT_PY_THREAD_ID,		/* in PyThreadState: that number again */
	DT_PY_FRAME,			/* in PyThreadState: its frame, or what DT_PY_CFRAME leads on from */
	DT_PY_CFRAME,			/* offset + 1 in struct _PyCFrame, 0: there is none */
	DT_PY_SIZE,			/* of what is read of a frame, at most 128; offsets in it: */
	DT_PY_CODE, DT_PY_BACK, DT_PY_POS, DT_PY_OWNER,
	DT_PY_ENTRY,			/* is_entry, of DT_PY_END_ENTRY */
	DT_PY_POS_KIND,			/* enum dt_python_pos */
	DT_PY_END,			/* enum dt_python_end */
	/* in PyCodeObject, where pos is a pointer; 16 before it: how many instructions are the prologue */
	DT_PY_BYTECODE,
	DT_PY_KEYS,			/* in PyCodeObject: three pointers that tell one from another */
	DT_PY_FIRST,			/* in PyCodeObject: its first line */
	/* for names alone */
	DT_PY_CODE_TYPE, DT_PY_STR_TYPE, DT_PY_BYTES_TYPE, DT_PY_FILE, DT_PY_NAME, DT_PY_QUALNAME,
	DT_PY_LINES, DT_PY_TEXT, DT_PY_FORMAT,
	DT_PY_WORDS
};

enum dt_python_pos { DT_PY_POS_BYTES, DT_PY_POS_UNITS, DT_PY_POS_POINTER };

enum dt_python_end {			/* which frame is the last one of an activation of the loop */
	DT_PY_END_EACH,			/* each: the loop calls itself for every call */
	DT_PY_END_ENTRY,		/* the one with is_entry */
	DT_PY_END_SHIM,			/* the one before a frame of the C stack, none of the program */
};

enum dt_php_word {
	DT_PHP_CURRENT,			/* where the innermost zend_execute_data is */
	DT_PHP_FILE,			/* in zend_op_array: its file; 8 after it its first line */
	DT_PHP_WORDS
};

enum dt_ruby_word {
	DT_RB_SLOT,			/* robust_list - this: ruby_current_ec of the thread */
	DT_RB_THREAD,			/* not 0: its rb_thread_t, in which this is the execution context */
	DT_RB_FRAME_SIZE,		/* of rb_control_frame_t */
	/* for names alone: insns_info in the body, bytes of an entry; where the text of a short string is */
	DT_RB_LINES, DT_RB_LINE_SIZE, DT_RB_TEXT,
	DT_RB_WORDS
};

/* In rb_iseq_t: its body; words of that: its file, its name, its first line. */
enum { DT_RB_BODY = 16, DT_RB_PATH = 8, DT_RB_LABEL = 10, DT_RB_FIRST = 11 };
/* Flags of strings: the type; the text is elsewhere. Of a text, so much at its end tells it from another. */
enum { DT_RB_TYPE = 0x1f, DT_RB_STRING = 5, DT_RB_ARRAY = 7, DT_RB_ELSEWHERE = 1 << 13,
	DT_RB_TEXT_MAX = 128 };
/* Where a short text is in the string: before 3.2, when its length was among the flags */
enum { DT_RB_TEXT_OLD = 16, DT_RB_LENGTH_SHIFT = 14, DT_RB_LENGTH_MASK = 0x1f };
#define DT_RB_MIX(h, word) (((h) ^ (h) >> 29 ^ (word)) * 0x9e3779b97f4a7c15ull)
#define DT_RB_KEY(h, body, first) (DT_RB_MIX(DT_RB_MIX(h, body), first) | 1)
#define DT_RB_METHOD_IN_C 2		/* the key of one: code has its name */

enum { DT_HS_WALK_HEAPS = 3, DT_HS_HEAD_BYTES = 128, DT_HS_TAIL_BYTES = 64 };
enum dt_hotspot_word {
	/* of each heap of code: its start, its size, the map of its segments */
	DT_HS_HEAP, DT_HS_INTERP = DT_HS_HEAP + 3 * DT_HS_WALK_HEAPS, DT_HS_INTERP_LEN,
	DT_HS_SEGMENT,			/* bits of a segment's size */
	DT_HS_BLOCK,			/* what is before a blob */
	/* two pieces of a blob's header, which are read one after the other; offsets in them: */
	DT_HS_HEAD_AT, DT_HS_TAIL_AT,
	DT_HS_FRAME_SIZE, DT_HS_FRAME_COMPLETE, DT_HS_CODE, DT_HS_ID,
	DT_HS_DEOPT,			/* 0: not known */
	DT_HS_ORIG_PC,
	DT_HS_POINTERS,			/* 1: places in code are addresses, and not counted from the blob */
	DT_HS_BCP,			/* words below fp: an interpreted frame's bytecode */
	DT_HS_CALL_STUB,		/* where C++ is returned to from Java: an address of its stub */
	DT_HS_CONST_METHOD, DT_HS_CONST_SIZE, DT_HS_CONST_POOL, DT_HS_POOL_HOLDER, DT_HS_KLASS_NAME,
	DT_HS_WORDS
};

/*
 * Each is the value of a constant by which V8 describes itself (src/lang/lang_v8.c has their names in this
 * order): offsets in objects, numbers of types of objects, and where frames have what.
 */
enum dt_v8_word {
	DT_V8_SHARED_TYPE, DT_V8_SHARED, DT_V8_TOKEN, DT_V8_FP_BYTECODE,
	DT_V8_SCRIPT_TYPE, DT_V8_SCOPE_TYPE, DT_V8_BYTECODE_TYPE,
	DT_V8_BYTECODE_DATA, DT_V8_SCOPE_VARS, DT_V8_NOT_STRING,
	DT_V8_WORDS
};
/*
 * In a SharedFunctionInfo, before DT_V8_TOKEN: its name or its ScopeInfo, and its script. They tell one from
 * another.
 */
enum { DT_V8_NAME_BEFORE = 28, DT_V8_SCRIPT_BEFORE = 12 };
#define DT_V8_KEY(name, script) ((name) ^ ((script) << 21 | (script) >> 43))

/* The key of a method that is interpreted; of compiled code it has bits and the number of the compilation. */
#define DT_HS_KEY(cm, name) (((cm) ^ ((name) << 20 | (name) >> 44)) & ~(3ull << 62))
#define DT_HS_COMPILED (1ull << 63)
#define DT_HS_EXACT_SHIFT 62

#endif
