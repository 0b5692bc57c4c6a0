// SPDX-License-Identifier: BSD-2-Clause
// Time, as all panels of a trace share it: which part of it they show, the moment that is pointed at, and the interval
// that is marked. A panel that changes it tells the others.
import { moment } from "./axis";
import { soon } from "./dom";
import { SLOTS, type Model } from "./model";

const SHORTEST = 60000;			// ms that a live picture has room for

export class Timeline {
	hover = -1;			// ms since the start; below 0: nothing is pointed at
	brush: [number, number] | null = null;
	window: [number, number] | null = null;	// null: all that is kept, and what comes
	private listeners = new Set<(data: boolean) => void>();

	/** `offset`: ms since 1970 at the start of the trace; 0: unknown. */
	constructor(private model: Model, private live = false) {}

	get offset(): number {
		return this.model.wall > 0 ? this.model.wall * 1000 : 0;
	}

	/** f is called in the next frame; `data`: another interval is marked or shown. */
	listen(f: (data: boolean) => void): void {
		this.listeners.add(f);
	}

	private tell(data: boolean): void {
		for (const f of this.listeners) f(data);
	}

	point(ms: number): void {
		if (ms === this.hover) return;
		this.hover = ms;
		this.tell(false);
	}

	/** Null: nothing is marked any more. */
	mark(from: number, to: number): void {
		this.brush = [Math.min(from, to), Math.max(from, to)];
		soon(this.marked);
	}

	private marked = (): void => this.tell(true);

	clear(): void {
		if (!this.brush && !this.window) return;
		this.brush = this.window = null;
		this.tell(true);
	}

	/** Panels show only what is marked. */
	zoom(): void {
		if (!this.brush) return;
		this.window = this.brush;
		this.brush = null;
		this.tell(true);
	}

	/** When moment i began: when the one before it was taken. */
	begins(i: number): number {
		const m = this.model;
		if (i <= 0) return 0;
		if (i > m.firstMoment) return m.times[(i - 1) % SLOTS];
		// the one before the first that is kept is not known: as long as the next
		return i + 1 < m.moments ? Math.max(0, 2 * m.times[i % SLOTS] - m.times[(i + 1) % SLOTS]) : m.times[i % SLOTS] - 1000;
	}

	ends(i: number): number {
		return this.model.times[i % SLOTS];
	}

	/** What is shown. */
	get shown(): [number, number] {
		if (this.window) return this.window;
		const m = this.model, t1 = m.moments ? this.ends(m.moments - 1) : 0, t0 = this.begins(m.firstMoment);
		return this.live && !m.ended ? [Math.min(t0, t1 - SHORTEST), t1] : [t0, Math.max(t1, t0 + 1)];
	}

	/** The moments of an interval: [from, to). */
	within(t0: number, t1: number): [number, number] {
		const m = this.model;
		let from = this.bisect(t0);
		if (from < m.moments && this.ends(from) <= t0) from++;
		let to = this.bisect(t1);
		if (to < m.moments && this.begins(to) < t1) to++;
		return [from, Math.max(from, to)];
	}

	/** The moment that holds t, or the one beside it. */
	at(t: number): number {
		return Math.min(this.model.moments - 1, Math.max(this.model.firstMoment, this.bisect(t)));
	}

	/** The first moment that ends at t or later. */
	private bisect(t: number): number {
		let a = this.model.firstMoment, b = this.model.moments;
		while (a < b) {
			const mid = (a + b) >> 1;
			if (this.ends(mid) < t) a = mid + 1;
			else b = mid;
		}
		return a;
	}

	/** How exactly times of this trace are read. */
	get step(): number {
		const [t0, t1] = this.shown;
		return t1 - t0 < 20000 && !this.live ? 1 : 1000;
	}

	text(ms: number): string {
		return moment(ms, this.offset, this.step);
	}

	interval(): string {
		const b = this.brush ?? this.window;
		if (!b) return "";
		const step = b[1] - b[0] < 5000 ? 1 : 1000;
		return `${moment(b[0], this.offset, step)} \u2013 ${moment(b[1], this.offset, step)}`;
	}
}
