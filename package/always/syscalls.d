/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls by program, those that failed, and how long they take, in ns. For /etc/dtrace/always.d. */
syscall:::entry
{
	@calls[execname] = count();
	self->t = timestamp;
}

syscall:::return
/self->t/
{
	@ns = quantize(timestamp - self->t);
	self->t = 0;
}

syscall:::return
/errno != 0/
{
	@failed[execname] = count();
}
