// SPDX-License-Identifier: BSD-2-Clause
// Where the stacks of a graph come from, and what of them is counted: all, a part of the time, one value of a key, or two such
// parts against each other.
import type { Key } from "../model";
import { SLOTS, type Agg, type Model } from "../model";
import { isStack, pathOf, Stacks } from "./stacks";

/** A part of what was counted: of one value of the first key ("": all), from one time to another (ms). */
export interface Choice { group: string; from: number; to: number }

export const everything: Choice = { group: "", from: -Infinity, to: Infinity };

export interface Source {
	readonly stacks: Stacks;
	/** What is drawn; with `other` it is compared with that: `part` is what was before. */
	part: Choice;
	other: Choice | null;
	/** Takes over what is new. */
	update(): void;
	/** Counts so far are those before, what comes is compared with them; false: no more. */
	mark(on: boolean): void;
	/** Values of the first key, those with most first. */
	groups(): string[];
	/** How much was counted when, at most so many columns; null: times are not known. */
	times(columns: number): { from: number; to: number; counts: Float64Array } | null;
}

const MOST_GROUPS = 50;

function isOpen(c: Choice): boolean {
	return c.from === -Infinity && c.to === Infinity;
}

/** An aggregation whose keys have stacks. */
export class AggSource implements Source {
	readonly stacks = new Stacks();
	part = everything;
	other: Choice | null = null;
	private marked: number[] | null = null;
	private stackOf: number[] = [];		// by key

	constructor(private model: Model, private agg: Agg) {}

	mark(on: boolean): void {
		this.marked = on ? this.agg.keys.map((k) => k?.alive ? k.value : 0) : null;
	}

	private group(key: Key): string {
		const p = key.parts.find((x) => !isStack(x));
		return p === undefined ? "" : this.model.partText(p);
	}

	update(): void {
		const s = this.stacks;
		for (const key of this.agg.keys)
			if (key && this.stackOf[key.id] === undefined) this.stackOf[key.id] = s.add(pathOf(this.model, s.frames, key.parts));
		s.total.fill(0);
		s.before.fill(0);
		this.count(this.part, (i, n, id) => {
			s.total[i] += n;
			if (this.other) s.before[i] += n;
			else if (this.marked && isOpen(this.part)) s.before[i] += Math.min(n, this.marked[id] ?? 0);
		});
		if (this.other) this.count(this.other, (i, n) => s.total[i] += n);
	}

	private count(c: Choice, take: (stack: number, n: number, key: number) => void): void {
		const wanted = (key: Key | undefined) => key && (c.group === "" || this.group(key) === c.group);
		if (isOpen(c)) {
			for (const key of this.agg.keys) if (wanted(key) && key.alive) take(this.stackOf[key.id], key.value, key.id);
			return;
		}
		const [from, to] = this.moments(c);
		this.agg.log?.each(from, to, (id, n) => wanted(this.agg.keys[id]) && take(this.stackOf[id], n, id));
	}

	private get oldest(): number {
		return Math.max(this.model.firstMoment, this.agg.log?.first ?? 0);
	}

	/** The moments whose middle is in that time: what a moment has counted came since the one before. */
	private moments(c: Choice): [number, number] {
		const time = (m: number) => m < 0 ? 0 : this.model.times[m % SLOTS], middle = (m: number) => (time(m - 1) + time(m)) / 2;
		let from = this.oldest, to = this.model.moments - 1;
		while (from <= to && middle(from) < c.from) from++;
		while (to >= from && middle(to) > c.to) to--;
		return [from, to];
	}

	groups(): string[] {
		const sums = new Map<string, number>();
		for (const key of this.agg.keys)
			if (key?.alive && key.parts.some((p) => !isStack(p))) sums.set(this.group(key), (sums.get(this.group(key)) ?? 0) + key.value);
		return [...sums].sort((a, b) => b[1] - a[1]).slice(0, MOST_GROUPS).map(([name]) => name);
	}

	times(columns: number): { from: number; to: number; counts: Float64Array } | null {
		const m = this.model, first = this.oldest, counts = new Float64Array(columns);
		if (m.moments - first < 2 || !this.agg.log) return null;
		const from = first > 0 ? m.times[(first - 1) % SLOTS] : 0, to = m.times[(m.moments - 1) % SLOTS];
		this.agg.log.each(first, m.moments - 1, (_, n, moment) => {
			const at = Math.ceil((m.times[moment % SLOTS] - from) / Math.max(1, to - from) * columns) - 1;
			counts[Math.max(0, Math.min(columns - 1, at))] += n;
		});
		return { from, to, counts };
	}
}

/** Stacks that firings have recorded, each with its time. `keep`: the newest samples that are there. */
export class RecordSource implements Source {
	readonly stacks = new Stacks();
	part = everything;
	other: Choice | null = null;
	private markedAt = Infinity;
	private done = 0;

	constructor(private model: Model, private keep = 20000) {}

	mark(on: boolean): void {
		this.markedAt = on ? this.model.now : Infinity;
	}

	update(): void {
		const m = this.model, s = this.stacks, fresh = Math.min(m.recs.length, m.recsTotal - this.done);
		for (const rec of m.recs.slice(m.recs.length - fresh))
			if (rec.values.some(isStack)) s.samples.push({ ms: rec.ms, cpu: rec.cpu, stack: s.number(pathOf(m, s.frames, rec.values)) });
		this.done = m.recsTotal;
		if (s.samples.length > this.keep * 1.2) {
			s.samples = s.samples.slice(-this.keep);
			s.epoch++;
		}
		s.total.fill(0);
		s.before.fill(0);
		for (const sample of s.samples) this.count(sample.stack, sample.ms);
	}

	private count(stack: number, ms: number): void {
		const s = this.stacks, first = s.paths[stack][0], group = first?.kind === "key" ? first.name : "";
		const within = (c: Choice) => ms > c.from && ms <= c.to && (c.group === "" || c.group === group);
		if (within(this.part)) {
			s.total[stack]++;
			if (this.other || ms <= this.markedAt && this.markedAt !== Infinity) s.before[stack]++;
		}
		if (this.other && within(this.other)) s.total[stack]++;
	}

	groups(): string[] {
		const sums = new Map<string, number>();
		for (const { stack } of this.stacks.samples) {
			const f = this.stacks.paths[stack][0];
			if (f?.kind === "key") sums.set(f.name, (sums.get(f.name) ?? 0) + 1);
		}
		return [...sums].sort((a, b) => b[1] - a[1]).slice(0, MOST_GROUPS).map(([name]) => name);
	}

	times(columns: number): { from: number; to: number; counts: Float64Array } | null {
		const all = this.stacks.samples, counts = new Float64Array(columns);
		if (all.length < 2) return null;
		const from = all[0].ms, to = all[all.length - 1].ms;
		for (const s of all) counts[Math.min(columns - 1, Math.floor((s.ms - from) / Math.max(1e-6, to - from) * columns))]++;
		return { from, to, counts };
	}
}

/** Stacks that are all there from the beginning: those of a file, and of an earlier one. */
export class FileSource implements Source {
	readonly stacks = new Stacks();
	part = everything;
	other: Choice | null = null;
	private lines: (number | undefined)[] = [];	// of the folded text: which stack

	mark(): void {}
	update(): void {}
	groups(): string[] {
		return [];
	}
	times(): null {
		return null;
	}

	/** Lines of ns, CPU and the line of the stack, from 0: firings in the order in which they came. */
	order(text: string): void {
		for (const line of text.split("\n")) {
			const [ns, cpu, at] = line.split(" ").map(Number), stack = this.lines[at];
			if (line !== "" && stack !== undefined && Number.isFinite(ns)) this.stacks.samples.push({ ms: ns / 1e6, cpu, stack });
		}
	}

	/** Lines of "frame;frame;frame count". Those that are no stacks are skipped: an earlier file may hold anything. */
	add(text: string, earlier: boolean): void {
		const s = this.stacks, lines: (number | undefined)[] = [];
		if (!earlier) this.lines = lines;
		for (const line of text.split("\n")) {
			const end = line.lastIndexOf(" "), n = end > 0 ? Number(line.slice(end + 1)) : 0;
			lines.push(undefined);
			if (!(n > 0) || !Number.isFinite(n)) continue;
			const at = s.number(line.slice(0, end).split(";").map((f) => s.frames.folded(f)));
			lines[lines.length - 1] = at;
			s.total[at] += n;
			if (earlier) s.before[at] += n;
		}
	}
}
