// SPDX-License-Identifier: BSD-2-Clause
// What the kept pictures show: two traces made by hand, the same to the last bit on every machine. `views` has a panel of
// each kind; `overview` is what the page begins with.
import { block, mark } from "./recording.mjs";

const SECOND = 1000000000n, BEGAN = 2000000n, WALL = 1772445600n * SECOND;	// 2026-03-02 10:00:00 UTC
const HOST = ["H", 1, 8, 4, BEGAN, WALL, "db1", "x86_64", "6.12.0", "", "0.1"];

/** Numbers that look random: the same ones each time. */
let seed = 1;
const random = (n) => (seed = (seed * 1103515245 + 12345) & 0x7fffffff, (seed >> 8) % n);

const word = (n) => {
	const w = Buffer.alloc(8);
	w.writeBigUInt64LE(BigInt(n));
	return [...w];
};
const text = (s) => [...Buffer.from(`${s}\0`)];
const at = (ms) => BEGAN + BigInt(Math.round(ms * 1e6));
const POWERS = Array.from({ length: 34 }, (_, b) => [3, 1n << BigInt(b), (2n << BigInt(b)) - 1n]);

/** An aggregation: its definition and its snapshots. `rows` are [parts of the key, what each second adds]. */
class Agg {
	constructor(id, name, fn, keys, rows) {
		Object.assign(this, { id: BigInt(id), fn, rows, dist: fn === "quantize" });
		this.numbers = this.dist ? [] : fn === "percentiles" ? ["count", "avg", "min", "p50", "p90", "p99", "p99.9", "max"] : [fn];
		this.had = rows.map(() => this.dist ? POWERS.map(() => 0) : 0);
		this.head = [["G", this.id, name, fn, 0n, this.dist ? POWERS.length : 1, keys.length, ...keys, this.numbers.length, ...this.numbers,
			this.dist ? POWERS.length : 0, ...(this.dist ? POWERS.flat() : [])],
		...rows.map(([parts], i) => ["K", this.id, i, keys.length, ...parts])];
	}

	snapshot(s) {
		const elements = this.rows.flatMap(([, more], i) => {
			const v = more(s);
			if (this.dist) {
				v.forEach((n, b) => this.had[i][b] += n);
				return [i, 0n, POWERS.length, POWERS.length, ...this.had[i].map(BigInt)];
			}
			if (Array.isArray(v)) return [i, 0n, ...v.map(BigInt), 1, 1, 0n];
			this.had[i] += v;
			return [i, 0n, BigInt(this.had[i]), 1, 1, BigInt(this.had[i])];
		});
		return ["V", at((s + 1) * 1000), this.id, 0, 0n, this.rows.length, ...elements, 0];
	}
}

const named = (...names) => names.flatMap((n) => [1, n]);
/** Events of a second around 2^middle, and a few far above. */
const spread = (many, middle, wide) => (s) => POWERS.map((_, b) => Math.floor(many * Math.exp(-((b - middle - Math.sin(s / 9)) ** 2) / wide)) +
	(b === middle + 9 && s % 7 === 3 ? 2 : 0));
/**
 * About n a second. Keys are so far apart that their order is the same at each moment: panels keep an order that they had, and how
 * much of a recording they have seen then depends on how quick the machine is.
 */
const around = (n, wave) => (s) => Math.max(1, Math.round(n + n * 0.12 * Math.sin(s / wave) + random(Math.ceil(n / 30))));

const functions = ["main", "exec_query", "plan_query", "parse_query", "scan_heap", "scan_index", "read_page", "write_log", "sort_rows", "hash_rows",
	"send_rows", "lock_wait"].map((f) => `postgres\`${f}`).concat(["libc.so.6`pread64", "libc.so.6`memcpy", "vmlinux`vfs_read", "vmlinux`copy_page",
	"vmlinux`futex_wait", "vmlinux`tcp_sendmsg"]);
const stacks = [[0, 1, 2], [0, 1, 2, 13], [0, 3], [0, 1, 4, 6, 12, 14], [0, 1, 4, 6, 12, 14, 15], [0, 1, 5, 6, 12, 14], [0, 1, 5, 13], [0, 1, 8], [0, 1, 8, 13],
	[0, 1, 9], [0, 1, 10, 17], [0, 1, 11, 16], [0, 7, 12]];
const symbols = functions.map((f, i) => ["Y", 4, 7, BigInt(i + 1), f]);
const stack = (frames) => [4, 7, [...frames].reverse().flatMap((f) => word(f + 1))];

const requests = () => {
	const out = [["C", 0, 4, 4, 1, 0, "trace", "tid", 3, 1, "trace", "execname", 1, 2, "trace", "id", 1, 3, "trace", "timestamp - self->t"],
		...["parse", "plan", "fetch"].flatMap((f, i) => [["N", 10 + i, "pid7", "postgres", f, "entry"], ["N", 20 + i, "pid7", "postgres", f, "return"]])];
	const fire = (probe, ms, tid, id, took) => out.push(["E", 0, 4, 1, probe, tid % 4, at(ms), 0, 2, 0, "", 4, word(tid), text("postgres"), word(id), word(took)]);
	for (let i = 0; i < 120; i++) {
		const t = 58000 + i * 16, tid = 71 + i % 5, took = 3 + random(9);
		fire(10, t, tid, 500 + i, 0);
		fire(11, t + 1, tid, 500 + i, 0);
		fire(21, t + 1 + took / 3, tid, 500 + i, took * 333333);
		fire(12, t + 1.5 + took / 3, tid, 500 + i, 0);
		fire(22, t + took, tid, 500 + i, took * 600000);
		fire(20, t + took + 1, tid, 500 + i, (took + 1) * 1000000);
	}
	return out;
};

const VIEWS = `syscall::read:entry
{
	self->t = timestamp;
}

syscall::read:return
/self->t/
{
	@calls[execname] = count();
	@ns[execname] = quantize(timestamp - self->t);
	@took_ns[execname] = percentiles(timestamp - self->t);
	@on[ustack()] = count();
	self->t = 0;
}
`;

const programs = ["postgres", "nginx", "node", "sshd", "systemd-journald", "containerd", "python3", "rsyslogd"];
/** Percentiles of what has come so far. */
const percentiles = (scale) => (s) => [400 * (s + 1), 3 * scale, scale / 8, 2 * scale, 7 * scale, 30 * scale + s * scale / 9, 80 * scale, 200 * scale].map(Math.round);

const views = () => [
	new Agg(1, "calls", "count", ["execname"], programs.map((p, i) => [named(p), around(2600 / 1.6 ** i, 5 + i)])),
	new Agg(2, "ns", "quantize", ["execname"], programs.slice(0, 3).map((p, i) => [named(p), spread(300 / (i + 1), 12 + 3 * i, 5)])),
	new Agg(3, "took_ns", "percentiles", ["execname"], programs.slice(0, 5).map((p, i) => [named(p), percentiles(3000 * (i + 1) ** 2)])),
	new Agg(4, "on", "count", [""], stacks.map((s, i) => [stack(s), () => 90 - 6 * i])),
];

const overview = () => [
	new Agg(1, "cpu", "count", ["execname"], programs.map((p, i) => [named(p), around(180 / 1.6 ** i, 6 + i)])),
	new Agg(2, "runq_ns", "quantize", [], [[[], spread(180, 13, 9)]]),
	new Agg(3, "calls", "count", ["execname"], programs.map((p, i) => [named(p), around(9000 / 1.6 ** i, 7 + i)])),
	new Agg(4, "disk_ns", "quantize", ["dev"], [[named("nvme0n1"), spread(60, 17, 4)], [named("sda"), spread(9, 22, 3)]]),
	new Agg(5, "tcp_bytes", "sum", ["", "execname"], [["out", "nginx", 4200000], ["in", "nginx", 610000], ["out", "postgres", 350000], ["in", "postgres", 90000],
		["out", "sshd", 2500]].map(([way, p, n], i) => [named(way, p), around(n, 3 + i)])),
];

/** The bytes of a recording. `program` is the text that the page shows. */
export function recording(name, program = VIEWS) {
	seed = 1;
	const aggs = name === "views" ? views() : overview(), blocks = [HOST, ["Q", 0, "", program], ["S", 1, BEGAN, 1, 0]];
	if (name === "views") blocks.push(...symbols);
	for (const a of aggs) blocks.push(...a.head);
	for (let s = 0; s < 60; s++) for (const a of aggs) blocks.push(a.snapshot(s));
	if (name === "views") blocks.push(...requests());
	blocks.push(["X", at(60000), 0, 0]);
	return Buffer.concat([mark, ...blocks.map((b) => block(...b))]);
}
