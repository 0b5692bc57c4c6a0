/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * D programs whose meaning must be the same in the interpreter and in the kernel; arg9 is the address of
 * a user string.
 */
	"BEGIN { trace(1); }",
	"BEGIN { }",
	"BEGIN { @ = count(); }",
	"BEGIN { @[execname] = count(); }",
	"BEGIN { printf(\"%d %s\", arg0, execname); exit(3); }",
	"BEGIN { printf(\"hello\\n\"); }",
	"BEGIN { x = 1; }",
	"BEGIN { trace(\"text\"); trace(\"a longer text that does not fit into a few stores of eight bytes "
	"each, so it is copied\"); }",
	/* exit(): S A1 */
	"BEGIN { exit(3); } BEGIN { trace(1); exit(4); } ERROR { trace(2); }",
	"BEGIN { trace(1); exit(3); exit(4); trace(2); }",
	"BEGIN { trace(*(int *)0); } BEGIN { exit(0); } ERROR { exit(1); } ERROR { trace(9); } ERROR { "
	"trace(8); exit(2); }",
	    "BEGIN { if (arg0 == 7) { trace(1); exit(3); trace(2); } else { trace(3); } trace(4); exit(4); } "
	    "BEGIN { trace(5); }",
	"BEGIN { exit(3); trace(1); if (n++ == 0) trace(2); trace(3); } BEGIN { trace(n); }",
	"BEGIN { if (arg0 == 7) { if (arg1 == 0) exit(1); trace(1); } else { exit(5); } trace(2); } BEGIN { "
	"@ = count(); }",
	/* predicates and arithmetic */
	"BEGIN /arg0 == 7/ { trace(arg0); } BEGIN /arg0 > arg1/ { trace(arg1); } BEGIN /arg0 < 0 || arg1 != "
	"0 && arg2 >= 2/ { trace(arg2); }",
	    "BEGIN { trace(arg0 + arg1); trace(arg0 - arg1); trace(arg0 * arg2); trace(arg0 & arg1); "
	    "trace(arg0 | arg1); trace(arg0 ^ arg1); }",
	"BEGIN { trace(arg0 << 3); trace(arg0 >> 1); trace((uint64_t)arg0 >> 1); trace(arg2 << arg5); "
	"trace(~arg0); trace(-arg2); trace(!arg0); }",
	    "BEGIN /arg1 != 0/ { trace(arg0 / arg1); trace(arg0 % arg1); trace((uint64_t)arg0 / "
	    "(uint64_t)arg1); trace((uint64_t)arg0 % (uint64_t)arg1); }",
	"BEGIN { trace(arg2 / 3); trace(arg2 % 3); trace(arg0 / -1); trace(arg0 % -1); trace(arg3 / 7); }",
	"BEGIN { trace((char)arg5); trace((short)arg3); trace((int)arg2); trace((unsigned char)arg3); "
	"trace((uint32_t)arg2); }",
	    "BEGIN { trace(arg0 > arg1 ? arg2 : arg3); trace(arg0 && arg1); trace(arg0 || arg1); trace(arg0 "
	    "^^ arg1); }",
	"BEGIN { trace(arg0 == 7 ? \"seven\" : \"other\");  }",
	"BEGIN { trace(pid); trace(tid); trace(uid); trace(gid); trace(probename); trace(probeprov); "
	"trace(id); trace(epid); }",
	    "BEGIN { if (arg0 == 7) { trace(1); if (arg1) trace(2); else trace(3); } else { trace(4); } "
	    "trace(5); }",
	/* strings */
	"BEGIN /execname == \"bpfrun_test\"/ { trace(1); } BEGIN /execname != \"bpfrun_test\"/ { trace(2); } "
	"BEGIN /execname < \"zzz\"/ { trace(3); }",
	    "BEGIN /execname > \"bpfrun\"/ { trace(1); } BEGIN /\"bpfrun_testing and more\" > execname/ { "
	    "trace(2); } BEGIN /execname == probename/ { trace(3); }",
	"BEGIN { x = execname; y = \"abc\"; } BEGIN /x == execname/ { trace(x); trace(y); } BEGIN /x < y/ { "
	"trace(1); } BEGIN /y < x/ { trace(2); }",
	/* variables */
	"long y; BEGIN { x++; y += arg0; trace(x); trace(y); z = x++ + ++y; trace(z); }",
	"BEGIN { this->a = arg0; this->s = execname; } BEGIN { trace(this->a); trace(this->s); this->a++; } "
	"BEGIN { trace(this->a); }",
	    "this int n; this string t; BEGIN { trace(this->n); this->n = 5; trace(this->t); this->t = "
	    "\"x\"; }",
	"self int x; BEGIN { trace(self->x); self->x += arg1; self->y = self->x + 1; trace(self->y); }",
	"BEGIN { self->s = probename; } BEGIN { trace(self->s); self->s = 0; } BEGIN { trace(self->s); }",
	"BEGIN { s = \"abc\"; } BEGIN { trace(s); s = NULL; trace(s); }",
	"BEGIN { a[arg0] = arg1; a[1] = 2; trace(a[7]); trace(a[arg0]); trace(a[99]); }",
	"long a[long, string]; BEGIN { a[arg0, execname] += arg1; trace(a[7, \"bpfrun_test\"]); a[7, "
	"execname] = 0; trace(a[7, execname]); }",
	    "BEGIN { a[\"k\", 1] = execname; trace(a[\"k\", 1]); a[\"k\", 1] = 0; trace(a[\"k\", 1]); "
	    "self->b[arg0] = arg1; trace(self->b[7]); }",
	/* aggregations */
	"BEGIN { @ = sum(arg0); @b = avg(arg2); @c = min(arg2); @d = max(arg2); @e = stddev(arg2); @f = "
	"min(arg0); @g = max(arg0); @h = stddev(arg0); }",
	    "BEGIN { @[pid, execname, arg0] = sum(arg1); @k[probename, arg1] = count(); @t[\"text\", "
	    "(char)arg2] = max(arg3); }",
	"BEGIN { @ = quantize(arg0); @b = quantize(arg1); @c = quantize(arg2); @d = quantize(arg3); @e = "
	"quantize(arg2, arg1); }",
	    ("BEGIN { @ = quantize(0); @ = quantize(1); @ = quantize(-1); @ = quantize(2); @ = quantize(3); "
	    "@ = quantize(-3); @ = quantize(255); @ = quantize(256); @ = quantize(-65536);"
	    "@ = quantize(0x100000000); @ = quantize(-0x100000001); @ = quantize(0x3fffffffffffffff); @ = "
	    "quantize(0x4000000000000000); @ = quantize(0x7fffffffffffffff); @ = "
	    "quantize(-0x7fffffffffffffff); @ = quantize(-0x7fffffffffffffff - 1); }"),
	"BEGIN { cat(\"/proc/%d/%s\", arg0, \"comm\"); cat(\"/no\"); }",
	"BEGIN { @ = percentiles(arg0); @b[arg1] = percentiles(arg2); @c = percentiles(arg3); @d[execname] = "
	"percentiles(arg5); }",
	    ("BEGIN { @ = percentiles(0); @ = percentiles(15); @ = percentiles(16); @ = percentiles(31); @ = "
	    "percentiles(32); @ = percentiles(33); @ = percentiles(63); @ = percentiles(64); @ = "
	    "percentiles(-31); @ = percentiles(-64);"
	    "@ = percentiles(0x100000000); @ = percentiles(-0x100000001); @ = "
	    "percentiles(0x3fffffffffffffff); @ = percentiles(0x4000000000000000); @ = "
	    "percentiles(0x7fffffffffffffff); @ = percentiles(-0x7fffffffffffffff - 1); }"),
	"BEGIN { @ = lquantize(arg0, 0, 100, 10); @b = lquantize(arg2, -10, 10); @c = lquantize(arg3, 0, "
	"1000, 3); @d = lquantize(arg4, 1, 100, 7, arg1); }",
	    "BEGIN { @ = llquantize(arg0, 10, 0, 6, 20); @b = llquantize(arg2, 2, 3, 10, 4); @c = "
	    "llquantize(arg3, 10, 0, 6, 10); @d = llquantize(arg4, 10, 2, 4, 100); }",
	"string x; BEGIN { @[x] = count(); x = execname; @y[x, arg0] = sum(arg1); }",
	"BEGIN { @a = count(); printa(@a); clear(@a); normalize(@a, 5); trunc(@a); }",
	/* faults */
	"BEGIN { trace(1 / arg1); } BEGIN { trace(2); }",
	"BEGIN /10 % arg1/ { trace(1); } ERROR { trace(arg1); trace(arg2); trace(arg3); trace(arg4); "
	"trace(arg5); }",
	    "BEGIN { trace(*(int *)8); } ERROR { trace(arg4); trace(arg5); this->q++; trace(this->q); "
	    "trace(1 / arg0); } BEGIN { trace(this->q); }",
	"BEGIN { trace(*(int *)(arg0 | 1)); } BEGIN { trace(stringof(16)); } BEGIN { @[1 / arg1] = count(); "
	"}",
	/* speculations */
	"BEGIN { self->s = speculation(); } BEGIN { speculate(self->s); trace(arg0); } BEGIN /arg0 == 7/ { "
	"commit(self->s); } BEGIN /arg0 != 7/ { discard(self->s); }",
	    "BEGIN { trace(speculation()); } BEGIN { speculate(1); trace(arg0); } BEGIN { speculate(9); "
	    "trace(arg1); }",
	/* the rest */
	"BEGIN { stack(5); ustack(3); sym(arg0); usym(arg1); @[stack(4)] = count(); }",
	"BEGIN { tracemem(execname, 8); print(arg0); }",
	"BEGIN { setopt(\"quiet\"); freopen(\"%d\", arg0); system(\"echo %d\", arg1); }",
	"struct s { int a; char b; long c; }; BEGIN { this->p = (struct s *)alloca(sizeof(struct s)); "
	"this->p->a = 5; this->p->c = arg0; trace(this->p->a); trace(this->p->c); trace(this->p->b); }",
	/* subroutines */
	"BEGIN { trace(strlen(execname)); trace(strlen(\"\")); trace(strjoin(execname, \"abc\")); "
	"trace(strjoin(strjoin(\"x\", probename), execname)); }",
	    "BEGIN { trace(copyinstr(arg9)); trace(copyinstr(arg9, 4)); trace(*(char *)copyin(arg9, 3)); "
	    "trace(stringof(copyin(arg9, 10))); }",
	"BEGIN { trace(copyinstr(arg1)); } BEGIN { trace(strlen((string)arg1)); } BEGIN { trace(strlen((char "
	"*)NULL)); }",
	    "BEGIN { trace(htons(arg3)); trace(htonl(arg3)); trace(htonll(arg3)); trace(getmajor(arg4)); "
	    "trace(getminor(arg4)); }",
	"BEGIN { this->p = (char *)alloca(16); bcopy(\"hello\", this->p, 6); trace(stringof(this->p)); "
	"this->p[1] = 'a'; trace(stringof(this->p)); copyinto(arg9, 4, this->p); trace(stringof(this->p)); }",
	"BEGIN { this->p = (int *)alloca(8); this->p[1] = arg3; trace(this->p[1]); trace(this->p[0]); "
	"this->p[2] = 1; }",
	    "BEGIN { trace(alloca(arg4) != NULL); } BEGIN { @[copyinstr(arg9)] = count(); "
	    "@b[strjoin(execname, copyinstr(arg9)), arg0] = sum(1); }",
	"BEGIN { a[copyinstr(arg9)] = arg0; trace(a[\"user text\"]); s[arg0] = copyinstr(arg9); trace(s[7]); "
	"}",
	/* subroutines with loops */
	"BEGIN { trace(strchr(\"hello\", 'l')); trace(strrchr(\"hello\", 'l')); trace(strstr(\"hello "
	"world\", \"o w\")); trace(strstr(execname, \"run\")); trace(strchr(execname, 'z')); }",
	"BEGIN { trace(index(\"hello\", \"l\")); trace(index(\"hello\", \"l\", 3)); trace(index(\"hello\", "
	"\"\", arg0)); trace(rindex(\"hello\", \"l\")); trace(rindex(\"hello\", \"l\", 2)); "
	"trace(index(execname, \"zz\")); trace(rindex(\"aXaXa\", \"aX\", arg1)); }",
	"BEGIN { trace(substr(\"hello world\", 6)); trace(substr(\"hello world\", arg1, 3)); "
	"trace(substr(\"hello\", -3, 2)); trace(substr(\"hello\", 1, -2)); trace(substr(execname, arg3)); }",
	"BEGIN { trace(basename(\"/usr/lib/x\")); trace(dirname(\"/usr/lib/x\")); trace(basename(\"/\")); "
	"trace(dirname(\"x\")); trace(basename(\"\")); trace(dirname(\"/a//\")); trace(basename(\"a/b//\")); "
	"trace(basename(execname)); }",
	    "BEGIN { trace(cleanpath(\"/a/b/../c/./d//e\")); trace(cleanpath(\"../a/..\")); "
	    "trace(cleanpath(\"/..\")); trace(cleanpath(\"a/../../b\")); trace(cleanpath(\"./x/\")); "
	    "trace(cleanpath(\"\")); }",
	"BEGIN { trace(lltostr(arg0)); trace(lltostr(arg2)); trace(lltostr(arg3, 16)); trace(lltostr(arg4, "
	"8)); trace(lltostr(arg0, 2)); trace(lltostr(0)); trace(lltostr(arg5, 36)); }",
	"BEGIN { trace(strtoll(\"123\")); trace(strtoll(\" -42x\")); trace(strtoll(\"0xff\", 16)); "
	"trace(strtoll(\"777\", 8)); trace(strtoll(\"\")); trace(strtoll(lltostr(arg3))); } BEGIN { "
	"trace(strtoll(\"1\", arg0)); }",
	    "BEGIN { trace(toupper(execname)); trace(tolower(\"ABCxyz[]\")); trace(toupper(\"\")); }",
	"BEGIN { this->t = strtok(\"a,b;;c\", \",;\"); trace(this->t); this->t = strtok(NULL, \",;\"); "
	"trace(this->t); } BEGIN { trace(strtok(NULL, \";\")); trace(strtok(NULL, \";\")); "
	"trace(strtok(execname, \"_\")); }",
	    "BEGIN { this->p = (unsigned char *)alloca(16); this->p[0] = 192; this->p[1] = 168; this->p[3] = "
	    "255; trace(inet_ntoa((void *)this->p)); trace(inet_ntop(2, (void *)this->p)); "
	    "trace(inet_ntop(10, (void *)this->p)); trace(inet_ntoa6((void *)this->p)); trace(uuidstr((void "
	    "*)this->p)); trace(link_ntop(1, (void *)this->p)); }",
	"BEGIN { this->p = (unsigned char *)alloca(16); trace(inet_ntop(10, (void *)this->p)); this->p[15] = "
	"1; trace(inet_ntop(10, (void *)this->p)); this->p[12] = 10; trace(inet_ntop(10, (void *)this->p)); "
	"trace(inet_ntoa6((void *)this->p)); this->p[10] = 255; this->p[11] = 255; trace(inet_ntop(10, (void "
	"*)this->p)); this->p[0] = 0x20; this->p[5] = 7; trace(inet_ntop(10, (void *)this->p)); "
	"trace(inet_ntop(arg0, (void *)this->p)); }",
	    "BEGIN { this->p = (char *)alloca(16); this->p[0] = 'a'; this->p[2] = 'b'; trace(memstr(this->p, "
	    "' ', 3)); trace(memstr(this->p, '.', arg0 & 7)); }",
	"BEGIN { @[basename(copyinstr(arg9)), strlen(copyinstr(arg9))] = count(); @b[substr(copyinstr(arg9), "
	"0, 4)] = quantize(strlen(execname)); }",
	    "BEGIN { @b[\"read\"] = count(); @b[execname] = count(); @b[probename] = count(); @b[\"\"] = "
	    "count(); @b[strjoin(\"re\", \"ad\")] = count(); @c[\"short\"] = count(); @c[execname] = "
	    "count(); }",
	"struct out { int a; short b; int none; char t[8]; }; translator struct out < int x > { a = x; b = x "
	"+ 1; t = \"seven\"; }; struct out v; BEGIN { v = xlate <struct out>(3); trace(v.a); "
	"trace(stringof(v.t)); } BEGIN { this->w = xlate <struct out>(arg0 + 8); trace(this->w.a); trace(v); "
	"v.none = 12; v.t[1] = 'x'; trace(stringof(v.t)); trace(v.none); }",
	"BEGIN { this->p = (char *)alloca(32); bcopy(\"hello\", this->p, arg1 & 3); "
	"trace(stringof(this->p)); copyinto(arg9, arg1 & 7, this->p + 2); trace(stringof(this->p)); "
	"bcopy(this->p, this->p + 1, arg3 << 20); trace(1); }",
	/* overlapping copies */
	"BEGIN { this->q = (char *)alloca(32); bcopy(\"0123456789abcdef\", this->q, 16); bcopy(this->q, "
	"this->q + 3, 12); trace(stringof(this->q)); bcopy(this->q + 5, this->q, 12); "
	"trace(stringof(this->q)); bcopy(this->q + 1, this->q + 2, arg0 & 15); trace(stringof(this->q)); }",
	/* members of structs in arrays, one store inside another */
	"struct s { int a; int b:5; char c[4]; }; struct s q[long]; self struct s w[string]; BEGIN { "
	"q[arg0].a += (q[2].b += (q[3].a += 1)); self->w[\"x\"].b = q[arg0].a++; q[4].c[2] = "
	"self->w[\"x\"].b; trace(q[arg0].a); trace(q[2].b); trace(q[3].a); trace(self->w[\"x\"].b); "
	"trace(q[4].c[2]); q[2] = q[3]; q[3] = 0; trace(q[2].a); trace(q[3].a); }",
