// SPDX-License-Identifier: BSD-2-Clause
// A recording: lines of -O json (doc/JSON.md) in, the messages of a trace out. A printa() is a moment.
import type { Message, Part } from "./model";

type Line = Record<string, any>;

export class Player {
	private began = 0;
	private ms = 0;
	private aggs = new Map<string, number>();
	private keys = new Map<string, number>();
	private counts = new Map<number, number>();	// keys of each aggregation
	private names = new Map<string, number>();

	constructor(private tell: (m: Message) => void) {}

	take(j: Line): void {
		if (j.time !== undefined && j.type === "probe") this.time(j.time);
		if (j.type === "probe") this.record(j);
		else if (j.type === "aggregation") this.aggregation(j);
		else if (j.type === "drop") this.tell({ t: "drop", n: j.total, msg: j.message });
		else if (j.type === "error") this.tell({ t: "err", n: 1, msg: j.message });
	}

	private time(ns: number): void {
		this.began ||= ns;
		this.ms = (ns - this.began) / 1e6;
	}

	private name(text: string): number {
		let n = this.names.get(text);
		if (n === undefined) {
			this.names.set(text, n = this.names.size);
			this.tell({ t: "name", i: n, s: text });
		}
		return n;
	}

	private part(v: any): Part {
		if (v === null || typeof v !== "object") return v;
		if (v.frames) return { pid: v.pid ?? 0, st: v.frames.map((f: Line) => this.name(f.symbol ?? f.address)) };
		if (v.symbol ?? v.module ?? v.address) return { y: this.name(v.symbol ?? v.module ?? v.address) };
		return v.string ?? { b: String(v.bytes ?? "") };
	}

	private record(j: Line): void {
		const out = (j.output as Line[]).filter((o) => o.action !== "printa" && o.action !== "exit");
		const flow = j.name === "entry" ? 1 : j.name === "return" ? 2 : 0;
		if (!out.length && !flow) return;
		const values = out.flatMap((o) => o.args ?? (o.value === undefined ? [] : [o.value])).map((v) => this.part(v));
		this.tell({ t: "recs", lost: 0, r: [[this.ms, j.cpu, [j.provider, j.module, j.function, j.name].join(":"), flow,
			out.map((o) => o.text ?? "").join(""), values]] });
	}

	private aggregation(j: Line): void {
		const a = (j.aggregations as string[]).map((name, i) => ({ id: this.agg(name, j.functions?.[i]), more: 0,
			v: [] as unknown[] }));
		for (const e of j.elements as Line[])
			a.forEach((agg, i) => agg.v.push(this.key(agg.id, e.keys), this.value(e.values[i])));
		this.tell({ t: "snap", ms: this.ms, hidden: 0, a });
	}

	private agg(name: string, fn: string): number {
		let id = this.aggs.get(name);
		if (id === undefined && fn) {
			this.aggs.set(name, id = this.aggs.size + 1);
			this.tell({ t: "agg", id, name, fn });
		}
		return id ?? 0;
	}

	private key(agg: number, keys: unknown[]): number {
		const text = `${agg} ${JSON.stringify(keys)}`;
		let id = this.keys.get(text);
		if (id !== undefined) return id;
		id = this.counts.get(agg) ?? 0;
		this.counts.set(agg, id + 1);
		this.keys.set(text, id);
		const k = keys.map((v) => this.part(v));
		this.tell({ t: "key", a: agg, i: id, k });
		return id;
	}

	private value(v: any): unknown {
		if (!Array.isArray(v)) return v ?? 0;
		return v.flatMap((b) => [b.min ?? null, b.max ?? null, b.count]);
	}
}
