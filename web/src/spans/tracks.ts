// SPDX-License-Identifier: BSD-2-Clause
// Where spans are drawn: tracks below each other, in each a row for each depth of nesting. Tracks and their depth do not
// change while the time that is shown does.
import type { Span } from "../model";

export const ROW = 18, GAP = 6, TOP = 22, DEEPEST = 16, MOST_TRACKS = 200;

export interface Track { name: string; y: number; depth: number; spans: Span[] }

export class Tracks {
	list: Track[] = [];
	left = 0;				// tracks beyond the last that is drawn
	high = 0;
	readonly order = new Map<string, number>();	// of functions, as they came: each has its colour
	private known = new Map<string, Track>();
	private done = 0;

	/** Spans that have come; `total`: so far, of which `spans` are the newest. */
	update(spans: Span[], total: number): void {
		const fresh = Math.min(spans.length, total - this.done);
		if (total < this.done || fresh < total - this.done) this.clear();
		const from = this.done === 0 ? 0 : spans.length - fresh;
		this.done = total;
		for (let i = from; i < spans.length; i++) this.add(spans[i]);
		const oldest = spans[0]?.to ?? 0;
		for (const t of this.known.values()) {
			let gone = 0;
			while (gone < t.spans.length && t.spans[gone].to < oldest) gone++;
			if (gone) t.spans.splice(0, gone);
		}
		this.place();
	}

	private clear(): void {
		this.known.clear();
		this.done = 0;
	}

	private add(s: Span): void {
		if (!this.order.has(s.name)) this.order.set(s.name, this.order.size);
		let t = this.known.get(s.track);
		if (!t) this.known.set(s.track, t = { name: s.track, y: 0, depth: 0, spans: [] });
		t.depth = Math.max(t.depth, Math.min(s.depth, DEEPEST - 1) + 1);
		t.spans.push(s);
	}

	private place(): void {
		const all = [...this.known.values()].filter((t) => t.spans.length > 0);
		this.left = Math.max(0, all.length - MOST_TRACKS);
		if (this.left > 0) all.sort((a, b) => b.spans.length - a.spans.length);
		this.list = all.slice(0, MOST_TRACKS).sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
		let y = TOP;
		for (const t of this.list) {
			t.y = y;
			y += t.depth * ROW + GAP;
		}
		this.high = Math.max(y, TOP + ROW);
	}

	/** The track at a height, and the row in it. */
	at(y: number): { track: Track; depth: number } | null {
		const track = this.list.find((t) => y >= t.y && y < t.y + t.depth * ROW);
		return track ? { track, depth: Math.floor((y - track.y) / ROW) } : null;
	}

	of(s: Span): Track | null {
		return this.list.find((t) => t.name === s.track) ?? null;
	}
}

/** The row of a span in its track. */
export function rowOf(s: Span): number {
	return Math.min(s.depth, DEEPEST - 1);
}
