/*
 * @quiet
 * @opt: cpp incdir=test/d/cpp
 */
#include "header.h"
#include "header.h"
dtrace:::BEGIN { printf("%d\n", HDR_CONST); }
