nosuch_t *p;
