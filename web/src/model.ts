// SPDX-License-Identifier: BSD-2-Clause
// What the trace has reported so far, bounded: messages in (message.ts), aggregations with their history out. The newest
// SLOTS moments are kept; an hour at one a second.
import { ChangeLog } from "./log";
import type { Changed, Cost, Distribution, Fail, HostState, Message, Part, Rec, Statistics } from "./message";

export const SLOTS = 3600;
export const HISTORIES = 4000;		// keys of an aggregation that have a history
const DIST_HISTORIES = 32;		// the same of distributions, which need more memory
const OVER = ["p50", "p90", "p99", "max"];	// of percentiles(): drawn over time
const RECORDS = 20000;
const SPAN_LIMIT = 20000;

export interface Bucket { low: number | null; high: number | null }
/** Counts of one moment by the number of their bucket. */
export type Cells = Map<number, number>;

export interface Key {
	id: number;
	parts: Part[];
	text: string;
	value: number;			// as the program has it now; of a distribution, how many were counted
	rate: number;			// a second, in the last moment
	alive: boolean;
	history: Float32Array | null;	// by slot: what came, a second; of max() and its like, the value
	dist: Map<number, number> | null;
	cells: (Cells | undefined)[] | null;
	stats: Statistics | null;	// of percentiles()
	seen: (Statistics | undefined)[] | null;	// the same by slot, where it has changed
	found: boolean;			// by the filter of its view; for views
}

export interface Agg {
	id: number;
	name: string;
	fn: string;
	keys: Key[];
	buckets: Bucket[];
	order: number[];		// buckets from the least to the greatest
	cells: (Cells | undefined)[];	// all keys, by slot
	more: number;			// keys that the page does not show
	log: ChangeLog | null;		// of stacks: what each moment has counted
	over: Agg | null;		// of percentiles(): some of its numbers as keys of their own, for lines over time
	version: number;
}

export interface Span { track: string; name: string; from: number; to: number; depth: number; entry: Rec; exit: Rec }

export class Model {
	program = "";
	wall = 0;
	live = false;
	ended = false;
	fail: Fail | null = null;
	notices: string[] = [];
	problems: string[] = [];	// drops and errors, the newest last
	drops = 0;
	errors = 0;
	cost: Cost | null = null;
	costs: { ms: number; cpu: number; probes: number }[] = [];
	names: string[] = [];
	hosts = new Map<number, HostState>();	// of a trace over several machines
	hostDrops = new Map<string, number>();	// by name: those that were reported for one host
	aggs = new Map<number, Agg>();
	times: number[] = new Array(SLOTS).fill(0);
	moments = 0;			// so far; moment m is in slot m % SLOTS
	recs: Rec[] = [];
	recsTotal = 0;
	recsLost = 0;
	spans: Span[] = [];
	spansTotal = 0;			// so far; the newest are kept
	missed = 0;
	hidden = 0;			// elements of aggregations beyond the number that is shown
	now = 0;			// ms of the newest moment
	private open = new Map<string, { name: string; entry: Rec }[]>();
	private comms = new Map<number, string>();	// names of threads
	private index = new Map<string, number>();

	/** `histories`: distributions whose history is kept for each key; of further keys only the sum has one. */
	constructor(private histories = DIST_HISTORIES) {}

	take(m: Message): void {
		switch (m.t) {
		case "reset": case "layout": break;	// the board makes another model
		case "start":
			if (m.program) this.program = m.program;	// a merged recording has no source
			this.wall = m.wall;
			break;
		case "live": this.live = true; break;
		case "host": this.host(m); break;
		case "end": this.ended = true; break;
		case "fail": this.fail = m; break;
		case "notice": this.notices.push(m.msg.trim()); break;
		case "missed": this.missed += m.n; break;
		case "name": this.names[m.i] = m.s; break;
		case "drop":
			this.drops = m.n;
			this.dropped(m.came, m.msg);
			this.problem(m.msg);
			break;
		case "err":
			this.errors = m.n;
			this.problem(m.msg);
			break;
		case "cost": this.measured(m); break;
		case "agg": this.aggs.set(m.id, this.agg(m.id, m.name, m.fn)); break;
		case "key": {
			const agg = this.aggs.get(m.a);
			if (agg) agg.keys[m.i] = this.key(m.i, m.k, this.keyText(m.k));
			if (agg && m.k.some((p) => typeof p === "object" && p && "st" in p)) agg.log ??= new ChangeLog();
			break;
		}
		case "snap": this.snapshot(m.ms, m.hidden, m.a); break;
		case "recs": this.records(m.r, m.lost); break;
		default: unknown(m);
		}
	}

	private measured(c: Cost): void {
		this.cost = c;
		this.errors = c.errors;
		this.drops = c.drops;
		this.costs.push({ ms: this.now, cpu: c.cpu, probes: c.probes });
		if (this.costs.length > SLOTS) this.costs.shift();
	}

	private snapshot(ms: number, hidden: number, changed: Changed[]): void {
		const slot = this.moments % SLOTS;
		this.now = ms;
		this.hidden = hidden;
		this.times[slot] = ms;
		for (const agg of this.aggs.values()) this.forget(agg, slot);
		for (const a of changed) {
			const agg = this.aggs.get(a.id);
			if (agg) this.change(agg, slot, a);
		}
		this.moments++;
	}

	private records(recs: Rec[], lost: number): void {
		this.recsLost += lost;
		for (const rec of recs) {
			this.recsTotal++;
			this.recs.push(rec);
			this.now = Math.max(this.now, rec.ms);
			if (rec.flow) this.span(rec);
		}
		if (this.recs.length > RECORDS * 1.2) this.recs.splice(0, this.recs.length - RECORDS);
		if (this.spans.length > SPAN_LIMIT * 1.2) this.spans.splice(0, this.spans.length - SPAN_LIMIT);
	}

	/** A name that was missing is found when a host has answered to it. */
	private host(h: HostState): void {
		if (h.state === "found") this.hosts.delete(h.i);
		else this.hosts.set(h.i, h);
	}

	/** The merge of several hosts puts the name of the host before the text. */
	private dropped(came: number, text: string): void {
		const name = /^([\w.-]+): /.exec(text)?.[1];
		if (name && [...this.hosts.values()].some((h) => h.name === name)) this.hostDrops.set(name, (this.hostDrops.get(name) ?? 0) + came);
	}

	private problem(text: string): void {
		this.problems.push(text.trim());
		if (this.problems.length > 200) this.problems.shift();
	}

	private key(id: number, parts: Part[], text: string): Key {
		return { id, parts, text, value: 0, rate: 0, alive: false, history: null, dist: null, cells: null, stats: null, seen: null,
			found: true };
	}

	private agg(id: number, name: string, fn: string): Agg {
		return { id, name, fn, keys: [], buckets: [], order: [], cells: new Array(SLOTS), more: 0, log: null, over: null, version: 0 };
	}

	/** What the slot held an hour ago. */
	private forget(agg: Agg, slot: number): void {
		const gauge = isGauge(agg.fn);
		agg.cells[slot] = undefined;
		if (agg.over) this.forget(agg.over, slot);
		for (const key of agg.keys) {
			if (!key) continue;
			key.rate = 0;
			if (key.history) key.history[slot] = gauge && key.alive ? key.value : 0;
			if (key.cells) key.cells[slot] = undefined;
			if (key.seen) key.seen[slot] = undefined;
		}
		agg.version++;
	}

	private change(agg: Agg, slot: number, a: Changed): void {
		agg.more = a.more;
		for (const [id, v] of a.v) {
			const key = agg.keys[id];
			if (!key) continue;
			if (v === null) key.alive = false;
			else if (Array.isArray(v)) this.distribution(agg, key, slot, v);
			else if (typeof v === "object") this.statistics(agg, key, slot, v);
			else this.number(agg, key, slot, v);
		}
	}

	/** A second's worth of what came since the moment before. */
	private perSecond(came: number): number {
		const before = this.moments > 0 ? this.times[(this.moments - 1) % SLOTS] : 0;
		return came * 1000 / Math.max(1, this.now - before);
	}

	private number(agg: Agg, key: Key, slot: number, v: number): void {
		const gauge = isGauge(agg.fn);
		// a value that fell was cleared in between
		const came = gauge ? v : !key.alive || Math.abs(v) < Math.abs(key.value) ? v : v - key.value;
		if (came > 0) agg.log?.add(this.moments, key.id, came);
		key.alive = true;
		key.value = v;
		key.rate = gauge ? v : this.perSecond(came);
		if (!key.history && key.id < HISTORIES) key.history = new Float32Array(SLOTS);
		if (key.history) key.history[slot] = key.rate;
	}

	private distribution(agg: Agg, key: Key, slot: number, v: Distribution): void {
		const old = key.dist ?? new Map<number, number>(), fresh = new Map<number, number>();
		let total = 0, came = 0;
		if (!key.cells && key.id < this.histories) key.cells = new Array(SLOTS);
		for (let i = 0; i < v.length; i += 3) {
			const b = this.bucket(agg, v[i], v[i + 1]), n = v[i + 2] as number, was = old.get(b) ?? 0;
			const more = n >= was ? n - was : n;
			fresh.set(b, n);
			total += n;
			came += more;
			if (more === 0) continue;
			add(agg.cells[slot] ??= new Map(), b, more);
			if (key.cells) add(key.cells[slot] ??= new Map(), b, more);
		}
		if (came > 0) agg.log?.add(this.moments, key.id, came);
		key.dist = fresh;
		key.alive = true;
		key.value = total;
		key.rate = this.perSecond(came);
		if (!key.history && key.id < HISTORIES) key.history = new Float32Array(SLOTS);
		if (key.history) key.history[slot] = key.rate;
	}

	/** Of percentiles(): how many values there were is its value, the rest is kept beside it. */
	private statistics(agg: Agg, key: Key, slot: number, v: Statistics): void {
		this.number(agg, key, slot, v.count ?? 0);
		key.stats = v;
		if (key.id >= DIST_HISTORIES) return;
		(key.seen ??= new Array(SLOTS))[slot] = v;
		agg.over ??= this.agg(agg.id, agg.name, "max");
		OVER.forEach((name, i) => {
			const id = key.id * OVER.length + i;
			agg.over!.keys[id] ??= this.key(id, key.parts, [key.text, name].filter((x) => x).join(" \u00b7 "));
			this.number(agg.over!, agg.over!.keys[id], slot, v[name] ?? 0);
		});
	}

	private bucket(agg: Agg, low: number | null, high: number | null): number {
		const name = `${agg.id} ${low} ${high}`;
		let n = this.index.get(name);
		if (n !== undefined) return n;
		n = agg.buckets.length;
		this.index.set(name, n);
		agg.buckets.push({ low, high });
		if (agg.fn === "quantize") this.fillGaps(agg);
		agg.order = agg.buckets.map((_, i) => i).sort((x, y) =>
			(agg.buckets[x].low ?? -Infinity) - (agg.buckets[y].low ?? -Infinity));
		return n;
	}

	/** Powers of two between the least and the greatest have a row even if nothing was counted there. */
	private fillGaps(agg: Agg): void {
		const lows = agg.buckets.map((b) => b.low ?? 0).filter((l) => l > 0);
		for (let l = Math.min(...lows); l < Math.max(...lows); l *= 2) {
			const name = `${agg.id} ${l} ${2 * l - 1}`;
			if (this.index.has(name)) continue;
			this.index.set(name, agg.buckets.length);
			agg.buckets.push({ low: l, high: 2 * l - 1 });
		}
	}

	/** Where a record belongs: to a thread if the program records `tid`, else to a CPU. */
	private trackOf(rec: Rec): string {
		const value = (name: string) => rec.values[rec.names.indexOf(name)];
		const tid = value("tid"), comm = value("execname");
		if (typeof tid !== "number") return `CPU ${rec.cpu}`;
		if (typeof comm === "string" && comm !== "") this.comms.set(tid, comm);
		return `${this.comms.get(tid) ?? "thread"} ${tid}`;
	}

	/** An entry and the return of the same function, on one track, are a span. */
	private span(rec: Rec): void {
		const track = this.trackOf(rec), func = rec.probe.split(":")[2];
		let stack = this.open.get(track);
		if (!stack) this.open.set(track, stack = []);
		if (rec.flow === 1) {
			if (stack.length < 200) stack.push({ name: func, entry: rec });
			return;
		}
		for (let i = stack.length - 1; i >= 0; i--)
			if (stack[i].name === func) {
				const { entry } = stack[i];
				this.spans.push({ track, name: func, from: entry.ms, to: rec.ms, depth: i, entry, exit: rec });
				this.spansTotal++;
				stack.length = i;
				return;
			}
	}

	name(id: number): string {
		return this.names[id] ?? "?";
	}

	partText(p: Part): string {
		if (p === null) return "";
		if (typeof p !== "object") return String(p);
		if ("st" in p) return p.st.map((f) => this.name(f)).join("\n");
		return "y" in p ? this.name(p.y) : "0x" + p.b;
	}

	keyText(parts: Part[]): string {
		return parts.map((p) => typeof p === "object" && p && "st" in p ?
			p.st.slice(0, 3).map((f) => this.name(f)).join(" \u2190 ") : this.partText(p)).join(" \u00b7 ");
	}

	/** The moments that are kept, oldest first. */
	get firstMoment(): number {
		return Math.max(0, this.moments - SLOTS);
	}
}

function add(cells: Cells, b: number, n: number): void {
	cells.set(b, (cells.get(b) ?? 0) + n);
}

/** A kind that this page does not know comes from another version of the server: an error, never silence. */
function unknown(m: never): never {
	throw new Error(`a message of an unknown kind: ${JSON.stringify(m).slice(0, 80)}`);
}

export function isGauge(fn: string): boolean {
	return fn === "min" || fn === "max" || fn === "avg" || fn === "stddev";
}

export function isDist(fn: string): boolean {
	return fn.endsWith("quantize");
}

export function hasStack(agg: Agg): boolean {
	const key = agg.keys.find((k) => k);
	return !!key && key.parts.some((p) => typeof p === "object" && p !== null && "st" in p);
}
