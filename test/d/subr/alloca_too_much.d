/*
 * @quiet
 * @opt: scratchsize=1024
 */
dtrace:::BEGIN { this->p = alloca(512); this->q = alloca(arg0 + 512); printf("fits\n"); }
dtrace:::BEGIN { this->p = alloca(512); this->q = alloca(arg0 + 520); printf("not shown\n"); }
dtrace:::BEGIN { this->p = alloca(arg0 - 1); printf("not shown\n"); }
dtrace:::BEGIN { this->p = alloca(1000); printf("again\n"); }
