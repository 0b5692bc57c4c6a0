/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs that are started, by name, and starts that failed. For /etc/dtrace/always.d. */
proc:::exec-success
{
	@started[execname] = count();
}

proc:::exec-failure
{
	@failed[execname] = count();
}
