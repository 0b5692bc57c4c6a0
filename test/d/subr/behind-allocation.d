/*
 * All of the scratch area may be written and read, also behind what was allocated: scripts end the bytes of copyin() with a
 * NUL (T 8). Behind scratch itself a store faults.
 * @quiet
 * @mem: user 0x1000 "hello678 and more"
 */
BEGIN { this->t = (char *)copyin(0x1000, 8); this->t[8] = 0; printf("%s\n", stringof(this->t)); }
BEGIN { this->u = (int *)alloca(4); this->u[2] = 7; *(short *)(this->u + 5) = 9; printf("%d %d\n", this->u[2], *(short *)(this->u + 5)); }
BEGIN { this->v = (char *)alloca(8); bcopy("0123456789", this->v, 5); bcopy("abc", this->v + 16, 4); printf("%s %s\n", stringof(this->v), stringof(this->v + 16)); }
BEGIN { this->w = (char *)alloca(8); this->w[1 << 20] = 1; printf("not reached\n"); }
