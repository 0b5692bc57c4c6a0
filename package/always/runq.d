/* SPDX-License-Identifier: BSD-2-Clause */
/* How long threads wait for a CPU, in ns. For /etc/dtrace/always.d. */
sched:::enqueue
{
	waits[args[0]->pr_lwpid] = timestamp;
}

sched:::dequeue
/waits[args[0]->pr_lwpid] != 0/
{
	@ns = quantize(timestamp - waits[args[0]->pr_lwpid]);
	waits[args[0]->pr_lwpid] = 0;
}
