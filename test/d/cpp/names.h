extern unsigned long strlen(const char *);
extern char *index(const char *, int);
enum { pid = 77, trace = 78 };
