// SPDX-License-Identifier: BSD-2-Clause
// What the page shows of a machine before anything was asked: five small programs, run together as one. Those that do
// not run here are left out, with the reason. Together they are to cost less than a hundredth of a CPU; where one costs
// more, it is left out too, and says so.
import type { Link } from "./link";

export interface Part {
	agg: string;			// of the panel
	title: string;
	sub: string;
	tool: string;			// that asks the same question in more detail
	needs: RegExp;			// rows of dtrace --doctor that it depends on
	span: number;
	dear: number;			// the greater, the sooner it is left out where it costs too much; 0: never
	program: string;
}

export interface Ability { name: string; found: string; gives: string; change: string }

const ALWAYS = /^(eBPF programs|ring buffers|CAP_BPF|CAP_PERFMON)$/;

/** `$ppid` of a trace is the server of the page: its own work is left out. */
export const parts: Part[] = [{
	agg: "cpu", title: "Who uses the CPUs?", sub: "share of a CPU by program", tool: "hotkernel", needs: /^clock events$/, span: 6, dear: 0,
	program: `profile-97\n/pid && pid != $ppid/\n{\n\t@cpu[execname] = count();\n}\n`,
}, {
	agg: "runq_ns", title: "How long do threads wait for a CPU?", sub: "run-queue latency", tool: "runqlat", needs: /^type data/, span: 6, dear: 1,
	program: `sched:::enqueue\n{\n\tready[args[0]->pr_lwpid] = timestamp;\n}\n\n` +
		`sched:::dequeue\n/ready[args[0]->pr_lwpid]/\n{\n\t@runq_ns = quantize(timestamp - ready[args[0]->pr_lwpid]);\n\tready[args[0]->pr_lwpid] = 0;\n}\n`,
}, {
	agg: "calls", title: "Who makes system calls?", sub: "calls by program", tool: "syscount", needs: /^tracefs$/, span: 4, dear: 2,
	program: `syscall:::entry\n/pid != $pid && pid != $ppid/\n{\n\t@calls[execname] = count();\n}\n`,
}, {
	agg: "disk_ns", title: "How fast are the disks?", sub: "block I/O latency", tool: "biolatency", needs: /^type data/, span: 4, dear: 0,
	program: `io:::start\n{\n\tbegun[arg0] = timestamp;\n}\n\n` +
		`io:::done\n/begun[arg0]/\n{\n\t@disk_ns[args[1]->dev_statname] = quantize(timestamp - begun[arg0]);\n\tbegun[arg0] = 0;\n}\n`,
}, {
	agg: "tcp_bytes", title: "Who talks over TCP?", sub: "payload by direction and program", tool: "tcptop", needs: /^(type data|functions by)/, span: 4, dear: 0,
	program: `tcp:::send\n/pid != $pid && pid != $ppid/\n{\n\t@tcp_bytes["out", execname] = sum(args[2]->ip_plength);\n}\n\n` +
		`tcp:::receive\n/pid != $pid && pid != $ppid/\n{\n\t@tcp_bytes["in", execname] = sum(args[2]->ip_plength);\n}\n`,
}];

const MARK = "/* The overview of this machine: small programs, each for a panel. */\n\n";

export const compose = (of: Part[]): string => MARK + of.map((p) => p.program).join("\n");

/** The parts of such a program; none: it is another one. */
export function partsOf(program: string): Part[] {
	const found = program.startsWith(MARK) ? parts.filter((p) => program.includes(p.program)) : [];
	return found.length && compose(found).trim() === program.trim() ? found : [];
}

export interface Refusal { why: string; change: string }

/** Which parts do not run here, and why: the sentence of dtrace, and what --doctor says to change. */
export async function refusals(link: Link): Promise<Map<string, Refusal>> {
	const out = new Map<string, Refusal>(), answers = await Promise.all(parts.map((p) =>
		link.post<{ why: string; lacks: string }>("/refusal", p.program, { why: "", lacks: "" }).catch((e: Error) => ({ why: e.message, lacks: "" }))));
	if (!answers.some((a) => a.why || a.lacks)) return out;
	const rows = await link.get<Ability[]>("/machine", []).catch(() => []);
	answers.forEach((a, i) => {
		const why = a.why || a.lacks, missing = rows.filter((r) => r.found === "no" && r.change && (ALWAYS.test(r.name) || parts[i].needs.test(r.name)));
		if (why) out.set(parts[i].agg, { why: sentence(why), change: missing.map((r) => `${r.name}: ${r.change}`).join("; ") });
	});
	return out;
}

/** Without the place in a program that the reader has not written. */
function sentence(why: string): string {
	return why.replace(/^line \d+: /, "").replace(/: DTrace requires additional privileges.*/s, ": this user may not trace it");
}

const TOO_MUCH = 0.01;			// of a CPU
const SECONDS = 6;			// in a row

/** Watches what the probes of a dashboard cost. */
export class Watch {
	private over = 0;
	readonly left = new Map<string, number>();	// parts that were left out, and what all cost then

	/** What is to be left out now; null: nothing. */
	cost(probes: number, running: Part[]): Part | null {
		this.over = probes > TOO_MUCH ? this.over + 1 : 0;
		if (this.over < SECONDS) return null;
		this.over = 0;
		const dearest = running.filter((p) => p.dear > 0).sort((a, b) => b.dear - a.dear)[0];
		if (!dearest) return null;
		this.left.set(dearest.agg, probes);
		return dearest;
	}
}
