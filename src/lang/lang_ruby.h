/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by lang_ruby.c, which finds Ruby in a process, and lang_ruby_names.c, which reads names. */
#ifndef DT_LANG_LANG_RUBY_H
#define DT_LANG_LANG_RUBY_H

#include "lang/lang.h"

enum { DT_RB_OWN_SYMBOLS };		/* own[]: where the names of IDs are; 0: not found */

/* Where the table of the names of IDs is, in the data around `near`; 0: not found. */
uint64_t dt_ruby_symbols(const struct dt_lang_process *, const struct dt_unwind_lang *, uint64_t near);
int dt_ruby_function(const struct dt_lang_process *, const struct dt_unwind_lang *,
    const struct dt_unwind_func *, struct dt_lang_function *);
uint32_t dt_ruby_line(const struct dt_lang_function *, uint32_t pos);

#endif
