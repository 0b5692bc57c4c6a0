/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to src/lang/lang_python*.c. */
#ifndef DT_LANG_LANG_PYTHON_H
#define DT_LANG_LANG_PYTHON_H

#include "lang/lang.h"

enum { DT_PY_RUNTIME, DT_PY_VERSION, DT_PY_CODE_SYMBOL, DT_PY_STR_SYMBOL, DT_PY_BYTES_SYMBOL };	/* symbols */
enum { DT_PY_LNOTAB, DT_PY_LINETABLE, DT_PY_LOCATIONS };	/* DT_PY_FORMAT: 3.8, 3.10, 3.11 */

int dt_python_function(const struct dt_lang_process *, const struct dt_unwind_lang *,
    const struct dt_unwind_func *, struct dt_lang_function *);
uint32_t dt_python_line(const struct dt_lang_function *, uint32_t pos);

#endif
