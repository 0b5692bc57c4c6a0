/*
 * A header's prototypes and enumerators do not take D's names away.
 * @quiet
 * @opt: cpp incdir=test/d/cpp
 */
#include "names.h"
dtrace:::BEGIN { printf("%d %d %d\n", strlen("abc"), index("xa", "a"), pid); }
