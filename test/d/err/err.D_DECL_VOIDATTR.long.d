long void *p;
