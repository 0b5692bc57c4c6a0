/* SPDX-License-Identifier: BSD-2-Clause */
/* D programs whose meaning must be the same in the interpreter and in the kernel; arg9 is the address of a user string. */
	"BEGIN { trace(1); }",
	"BEGIN { }",
	"BEGIN { @ = count(); }",
	"BEGIN { @[execname] = count(); }",
	"BEGIN { printf(\"%d %s\", arg0, execname); exit(3); }",
