/* @flags: -C -I test/d/cpp */
#include "header.h"
D`hdr_t x;
dtrace:::BEGIN { }
