#ifndef HEADER_H
#define HEADER_H
#define HDR_CONST 41
enum { HDR_ONE = 1, HDR_TWO };
typedef unsigned short hdr_t;
struct hdr_pt { int x; hdr_t y; };
extern int hdr_function(const char *, int);
#endif
