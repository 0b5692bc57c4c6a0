// SPDX-License-Identifier: BSD-2-Clause
// A recording (doc/RECORDING.md) as it grows: bytes in, in pieces of any size, and messages out (message.ts). It is the same
// for a live trace, a file and a saved page. Snapshots of several aggregations that were taken together are one moment.
import { Blocks, Fields, StreamError } from "./blocks";
import type { Changed, Message, Part, Rec, Value } from "./message";

const TOGETHER = 100e6;			// ns between snapshots of one moment
const MAX_AGGS = 64;
const COMPLETE = 1;			// flag of a snapshot

interface Action { form: number; statement: number; name: string; source: string }
interface Agg {
	id: number;			// of messages; 0: there are too many aggregations, this one is not shown
	fn: string;
	nkeys: number;
	numbers: string[];
	buckets: [number | null, number | null][];
	keys: Map<number, number>;	// number of a key → that of messages, which has no gaps
	byText: Map<string, number>;	// the same by what the key is
	alive: Set<number>;		// keys of messages
}

export class Decoder {
	private blocks = new Blocks((letter, block) => this.block(letter, block));
	private first = true;
	private little = true;		// byte order of recorded words
	private start: bigint | null = null;
	private wall = 0;
	private source: string[] = [];
	private clauses = new Map<string, Action[]>();
	private probes = new Map<number, string>();
	private named = new Map<string, Map<bigint, number[]>>();	// "kind pid" → address → numbers of its names
	private names = new Map<string, number>();
	private lists = new Map<string, string[]>();	// names of values: those of like firings are one list
	private aggs = new Map<bigint, Agg>();
	private hidden = 0;
	private drops = new Map<number, number>();	// of each kind
	private errors = 0;
	private recs: Rec[] = [];
	private lost = 0;
	private last: Rec | null = null;	// the newest firing, whose text may follow
	private moment = new Map<number, Changed>();
	private taken = 0n;		// when the moment was taken

	constructor(private tell: (m: Message) => void) {}

	push(bytes: Uint8Array): void {
		this.blocks.push(bytes);
		this.flushRecords();
	}

	/** No more bytes come, or not soon: what waits for its companions is reported. */
	flush(): void {
		this.flushRecords();
		this.flushMoment();
	}

	/** True: the last block is not complete. */
	get cut(): boolean {
		return this.blocks.rest > 0;
	}

	private block(letter: string, block: Uint8Array): void {
		const f = Fields.of(block);
		if (this.first && letter !== "H") throw new StreamError("a recording begins with its host");
		this.first = false;
		switch (letter) {
		case "H": return this.host(f);
		case "Q": return this.program(f);
		case "C": return this.clause(f);
		case "S": return this.started(f);
		case "N": return this.probe(f);
		case "Y": return this.symbol(f);
		case "G": return this.aggregation(f);
		case "K": return this.key(f);
		case "V": return this.snapshot(f);
		case "E": return this.firing(f);
		case "T": return this.text(f);
		case "F": return this.fault(f);
		case "D": return this.drop(f);
		case "M": return this.leftOut(f);
		case "X":
			this.flush();
			return this.tell({ t: "end" });
		case "R": return this.shown(f);
		case "W": case "P": case "B": case "A": return;	// the last V has what A shows
		default:
			if (letter < "a" || letter > "z")
				throw new StreamError(`this page does not know blocks of the kind ${JSON.stringify(letter)}: the recording is newer`);
		}
	}

	// ---- what others refer to

	private host(f: Fields): void {
		const order = f.u32();
		if (order !== 1 && order !== 2) throw new StreamError("the byte order of the recording is unknown");
		this.little = order === 1;
		if (f.u32() !== 8) throw new StreamError("a pointer of the recording does not have 8 bytes");
		f.u32();
		f.u64();
		this.wall = Number(f.u64()) / 1e9;
	}

	private program(f: Fields): void {
		f.u32();
		f.text();
		this.source.push(f.text());
	}

	private clause(f: Fields): void {
		const name = `${f.u32()} ${f.u32()}`;
		this.clauses.set(name, f.list(16, () => {
			return { form: f.u32(), statement: f.u32(), name: f.text(), source: f.text() };
		}));
	}

	private started(f: Fields): void {
		if (this.start !== null) throw new StreamError("the recording starts twice");
		f.u32();
		this.start = f.u64();
		this.tell({ t: "start", wall: this.wall, program: this.source.join("\n") });
		this.tell({ t: "live" });
	}

	/** Since the start. */
	private ms(time: bigint): number {
		return Math.max(0, Number(time - (this.start ?? time)) / 1e6);
	}

	private probe(f: Fields): void {
		this.probes.set(f.u32(), [f.text(), f.text(), f.text(), f.text()].join(":"));
	}

	private name(text: string): number {
		let n = this.names.get(text);
		if (n === undefined) {
			this.names.set(text, n = this.names.size);
			this.tell({ t: "name", i: n, s: text });
		}
		return n;
	}

	private symbol(f: Fields): void {
		const space = `${f.u32()} ${f.u32()}`, address = f.u64(), text = f.text();
		let known = this.named.get(space);
		if (!known) this.named.set(space, known = new Map());
		if (text !== "") known.set(address, text.split("\n").map((line) => this.name(line)));
	}

	private known(kind: number, pid: number, address: bigint): number[] | undefined {
		return this.named.get(`${kind} ${pid}`)?.get(address);
	}

	private address(kind: number, pid: number, address: bigint): number {
		return this.known(kind, pid, address)?.[0] ?? this.name("0x" + address.toString(16));
	}

	// ---- values

	/** A frame may stand for several calls; with -x inlines and -x lines its kind says whether it is the first one. */
	private stack(kind: number, pid: number, data: Uint8Array): Part {
		const view = new DataView(data.buffer, data.byteOffset, data.byteLength), st: number[] = [];
		for (let at = 0; at + 8 <= data.length; at += 8) {
			const frame = view.getBigUint64(at, this.little);
			if (frame === 0n) break;
			const names = (kind === 4 ? this.known(at === 0 ? 5 : 6, pid, frame) : undefined) ?? this.known(kind, pid, frame);
			st.push(...names ?? [this.address(kind, pid, frame)]);
		}
		return { st, pid: kind === 0 ? 0 : pid || -1 };
	}

	/** A value of a key. */
	private value(f: Fields): Part {
		const kind = f.u32();
		if (kind === 1) return text(f.data());
		if (kind === 2) return { b: hex(f.data()) };
		if (kind > 9) throw new StreamError(`a key has a value of the unknown kind ${kind}`);
		const pid = f.u32();
		if (kind === 3 || kind === 4) return this.stack(kind === 3 ? 0 : 4, pid, f.data());
		const size = f.u32(), signed = f.u32(), v = f.u64();
		return kind === 0 ? integer(v, size, signed !== 0) : { y: this.address(kind - 5, pid, v) };
	}

	/** The record of an action; `count`: bytes of it that count. */
	private record(action: Action, data: Uint8Array, count: number): Part {
		const f = new DataView(data.buffer, data.byteOffset, data.byteLength), form = action.form;
		const word = (at: number) => at + 8 <= data.length ? f.getBigUint64(at, this.little) : 0n;
		if (form === 1 || form === 2) return integer(this.word(f, data.length), data.length, form === 2);
		if (form === 3) return text(data);
		if (form === 4) return { b: hex(data.subarray(0, count > 0 ? count : data.length)) };
		if (form === 5) return this.stack(0, 0, data);
		if (form === 6) return this.stack(4, Number(word(0)), data.subarray(8));
		if (form === 7 || form === 8) return { y: this.address(form - 7, 0, word(0)) };
		if (form >= 9 && form <= 11) return { y: this.address(form - 7, Number(word(0)), word(8)) };
		if (form === 13) return { b: hex(data.subarray(8, 8 + Number(word(0)))) };
		throw new StreamError(`a record has the unknown form ${form}`);
	}

	private word(f: DataView, n: number): bigint {
		if (n === 8) return f.getBigUint64(0, this.little);
		if (n === 4) return BigInt(f.getUint32(0, this.little));
		if (n === 2) return BigInt(f.getUint16(0, this.little));
		if (n === 1) return BigInt(f.getUint8(0));
		throw new StreamError(`an integer has ${n} bytes`);
	}

	// ---- aggregations

	private aggregation(f: Fields): void {
		const id = f.i64(), name = f.text(), fn = f.text();
		f.u64();
		f.u32();
		const nkeys = f.list(4, () => f.text()).length, numbers = f.list(4, () => f.text());
		const buckets = f.list(20, (): [number | null, number | null] => {
			const ends = f.u32(), low = f.number(), high = f.number();
			return [ends & 1 ? low : null, ends & 2 ? high : null];
		});
		if (this.aggs.has(id)) return;
		const shown = this.aggs.size < MAX_AGGS ? this.aggs.size + 1 : 0;
		this.aggs.set(id, { id: shown, fn, nkeys, numbers, buckets, keys: new Map(), byText: new Map(), alive: new Set() });
		if (shown) this.tell({ t: "agg", id: shown, name, fn });
		else this.hidden++;
	}

	private agg(id: bigint): Agg {
		const agg = this.aggs.get(id);
		if (!agg) throw new StreamError(`the recording does not define the aggregation ${id}`);
		return agg;
	}

	private key(f: Fields): void {
		const agg = this.agg(f.i64()), number = f.u32(), k = f.list(8, () => this.value(f));
		if (k.length !== agg.nkeys) throw new StreamError("a key has another number of values than its aggregation");
		if (agg.id && !agg.keys.has(number)) agg.keys.set(number, this.keyOf(agg, k));
	}

	/** A key that is gone and comes back with another number is the same key. */
	private keyOf(agg: Agg, k: Part[]): number {
		const text = JSON.stringify(k);
		let i = agg.byText.get(text);
		if (i !== undefined) return i;
		agg.byText.set(text, i = agg.byText.size);
		this.tell({ t: "key", a: agg.id, i, k });
		return i;
	}

	private snapshot(f: Fields): void {
		const time = f.u64(), agg = this.agg(f.i64()), complete = f.u32() & COMPLETE, more = Number(f.u64());
		const changed: Changed = { id: agg.id, more, v: [] }, here = new Set<number>();
		for (let n = f.count(20); n > 0; n--) {
			const i = agg.keys.get(f.u32()), value = this.element(f, agg);
			if (i === undefined) continue;	// its key came before the page did
			here.add(i);
			agg.alive.add(i);
			changed.v.push([i, value]);
		}
		const gone = f.list(4, () => agg.keys.get(f.u32()));
		if (complete) for (const i of agg.alive) if (!here.has(i)) gone.push(i);
		for (const i of gone) if (i !== undefined && agg.alive.delete(i)) changed.v.push([i, null]);
		if (agg.id) this.add(time, changed);
	}

	/** What a printa() shows is a moment: a clear() may follow before the next snapshot. */
	private shown(f: Fields): void {
		const time = f.u64(), aggs = f.list(8, () => this.agg(f.i64())), changed = aggs.map((a): Changed => ({ id: a.id, more: 0, v: [] }));
		for (let n = f.count(4); n > 0; n--) {
			const k = f.list(8, () => this.value(f));
			aggs.forEach((agg, j) => {
				const value = this.element(f, agg);
				if (!agg.id) return;
				const i = this.keyOf(agg, k);
				agg.alive.add(i);
				changed[j].v.push([i, value]);
			});
		}
		for (const c of changed) if (c.id) this.add(time, c);
	}

	private add(time: bigint, c: Changed): void {
		if (this.moment.has(c.id) || Number(time - this.taken) > TOGETHER) this.flushMoment();
		if (this.moment.size === 0) this.taken = time;
		this.moment.set(c.id, c);
	}

	private element(f: Fields, agg: Agg): Value {
		const divisor = f.number(), by = divisor === 0 ? 1 : divisor;
		const numbers = agg.numbers.map(() => f.number()), dist: (number | null)[] = [];
		this.words(f, (i, n) => {
			const bucket = agg.buckets[i];
			if (bucket && n !== 0) dist.push(bucket[0], bucket[1], Math.trunc(n / by));
		});
		if (agg.buckets.length) return dist;
		return numbers.length === 1 ? numbers[0] : Object.fromEntries(agg.numbers.map((name, i) => [name, numbers[i]]));
	}

	private words(f: Fields, take: (i: number, n: number) => void): void {
		const n = f.u32(), m = f.u32();
		if (m > n || m * (m === n ? 8 : 12) > f.left) throw new StreamError("an element has fewer words than it says");
		for (let i = 0; i < m; i++) take(m === n ? i : f.u32(), f.number());
	}

	private flushMoment(): void {
		if (this.moment.size === 0) return;
		this.flushRecords();
		this.tell({ t: "snap", ms: this.ms(this.taken), hidden: this.hidden, a: [...this.moment.values()] });
		this.moment = new Map();
	}

	// ---- firings, errors, drops

	private firing(f: Fields): void {
		const actions = this.clauses.get(`${f.u32()} ${f.u32()}`);
		f.u32();
		const probe = this.probes.get(f.u32()), cpu = f.u32(), ms = this.ms(f.u64());
		f.u32(), f.u32(), f.u32(), f.text();
		if (!actions || probe === undefined) throw new StreamError("a firing is of a clause or a probe that the recording does not define");
		const data = f.list(4, () => f.data());
		if (data.length !== actions.length) throw new StreamError("a firing has another number of records than its clause");
		const name = probe.slice(probe.lastIndexOf(":") + 1);
		this.last = { ms, cpu, probe, flow: name === "entry" ? 1 : name === "return" ? 2 : 0, text: "", ...this.values(actions, data) };
		if (this.last.values.length || this.last.flow) this.recs.push(this.last);
	}

	private values(actions: Action[], data: Uint8Array[]): { values: Part[]; names: string[] } {
		const values: Part[] = [], names: string[] = [];
		let count = 0;			// of form 12, for the last record of its statement
		actions.forEach((action, i) => {
			if (i > 0 && actions[i - 1].statement !== action.statement) count = 0;
			if (action.form === 12) {
				const f = new DataView(data[i].buffer, data[i].byteOffset, data[i].byteLength);
				count = data[i].length ? integer(this.word(f, data[i].length), data[i].length, true) : 0;
			} else if (action.form !== 0 && data[i].length > 0) {
				values.push(this.record(action, data[i], count));
				names.push(action.source || (/^[uj]?stack$/.test(action.name) ? action.name : ""));
			}
		});
		const text = names.join("\0"), same = this.lists.get(text) ?? names;
		this.lists.set(text, same);
		return { values, names: same };
	}

	/** Text of kind 0 is that of a terminal: the firings have the values of it. */
	private text(f: Fields): void {
		if (f.u32() !== 1 || !this.last) return;
		if (this.last.text === "" && !this.last.values.length && !this.last.flow) this.recs.push(this.last);
		this.last.text += text(f.rest());
	}

	private flushRecords(): void {
		if (this.recs.length || this.lost) this.tell({ t: "recs", lost: this.lost, r: this.recs });
		this.recs = [];
		this.lost = 0;
	}

	private fault(f: Fields): void {
		f.u64();
		for (let i = 0; i < 6; i++) f.u32();
		f.u64();
		f.u32();
		this.tell({ t: "err", n: ++this.errors, msg: f.text() });
	}

	private drop(f: Fields): void {
		f.u64();
		f.u32();
		const kind = f.u32();
		const came = Number(f.u64());
		this.drops.set(kind, Number(f.u64()));
		f.text();
		this.tell({ t: "drop", n: [...this.drops.values()].reduce((sum, n) => sum + n, 0), came, msg: f.text() });
	}

	private leftOut(f: Fields): void {
		f.u64();
		const kind = f.u32(), n = Number(f.u64());
		if (kind === 0) this.lost += n;
		else if (kind === 1) this.tell({ t: "missed", n });
		else this.errors += n;
	}
}

function integer(v: bigint, size: number, signed: boolean): number {
	if (![1, 2, 4, 8].includes(size)) throw new StreamError(`an integer has ${size} bytes`);
	return Number(signed ? BigInt.asIntN(size * 8, v) : BigInt.asUintN(size * 8, v));
}

const utf8 = new TextDecoder();

/** Up to the first NUL. */
function text(data: Uint8Array): string {
	const end = data.indexOf(0);
	return utf8.decode(end < 0 ? data : data.subarray(0, end));
}

function hex(data: Uint8Array): string {
	return Array.from(data, (b) => b.toString(16).padStart(2, "0")).join("");
}
