// SPDX-License-Identifier: BSD-2-Clause
// What a heat map paints, as numbers: which column holds what, where a value lies among the rows, percentiles, and
// colours. No pixel is set here.
import { ink } from "./dom";
import { SLOTS, type Agg, type Bucket, type Cells } from "./model";
import type { Timeline } from "./timeline";

/** A column of the picture, [x0, x1) in pixels of it, and what its moments have counted. */
export interface Column { x0: number; x1: number; first: number; cells: Cells; total: number }

/** Columns are as wide as their moments were long; moments that share a pixel are one column. */
export function columns(time: Timeline, of: (i: number) => Cells | undefined, width: number): Column[] {
	const [t0, t1] = time.shown, [from, to] = time.within(t0, t1), out: Column[] = [];
	const x = (ms: number) => Math.min(width, Math.max(0, Math.round((ms - t0) / (t1 - t0) * width)));
	let last: Column | null = null;
	for (let i = from; i < to; i++) {
		const x0 = x(time.begins(i)), x1 = x(time.ends(i)), cells = of(i);
		if (!last || x1 > last.x1 || (last.x1 === last.x0 && x1 > x0)) {
			last = { x0: last ? Math.max(x0, last.x1) : x0, x1: Math.max(x1, x0 + 1), first: i, cells: new Map(), total: 0 };
			out.push(last);
		}
		for (const [b, n] of cells ?? []) {
			last.cells.set(b, (last.cells.get(b) ?? 0) + n);
			last.total += n;
		}
	}
	return out;
}

export function sum(of: (i: number) => Cells | undefined, from: number, to: number): Map<number, number> {
	const all = new Map<number, number>();
	for (let i = from; i < to; i++) for (const [b, n] of of(i) ?? []) all.set(b, (all.get(b) ?? 0) + n);
	return all;
}

/** Rows of an aggregation, the least at the bottom; those of powers are divided by ratio. */
export class Rows {
	readonly place: number[] = [];	// of a bucket, its row
	readonly ratio: boolean;

	constructor(private agg: Agg) {
		agg.order.forEach((b, i) => this.place[b] = i);
		const closed = agg.order.map((b) => agg.buckets[b]).filter((b) => b.low !== null && b.high !== null && b.low > 0);
		const widths = new Set(closed.map((b) => b.high! - b.low!));
		this.ratio = agg.fn === "quantize" || agg.fn === "llquantize" || (closed.length > 2 && widths.size > 1);
	}

	get n(): number {
		return this.agg.order.length;
	}

	get buckets(): Bucket[] {
		return this.agg.order.map((b) => this.agg.buckets[b]);
	}

	/** The least and the greatest value that a row has. */
	get ends(): [number, number] {
		let low = Infinity, high = -Infinity;
		for (const b of this.agg.order) {
			const { low: l, high: h } = this.agg.buckets[b];
			if (l !== null) [low, high] = [Math.min(low, l), Math.max(high, l)];
			if (h !== null) [low, high] = [Math.min(low, h + 1), Math.max(high, h + 1)];
		}
		return [low, high];
	}

	/** Where a value lies: a row and how far up in it; NaN: nowhere. */
	at(v: number): number {
		for (let r = 0; r < this.n; r++) {
			const { low, high } = this.agg.buckets[this.agg.order[r]];
			if ((low === null || v >= low) && (high === null || v < high + 1)) return r + (low === null || high === null ? 0.5 :
				this.ratio && low > 0 ? Math.log(v / low) / Math.log((high + 1) / low) : (v - low) / (high + 1 - low));
		}
		return v === this.ends[1] ? this.n : NaN;
	}

	/** Which part of what was counted lies below: a row and how far up in it. */
	percentile(cells: Cells, total: number, share: number): number {
		let below = 0;
		const wanted = total * share;
		for (let r = 0; r < this.n; r++) {
			const n = cells.get(this.agg.order[r]) ?? 0;
			if (n > 0 && below + n >= wanted) return r + (wanted - below) / n;
			below += n;
		}
		return NaN;
	}
}

const STEPS = 9;
let ramp: { of: string; table: Uint32Array } = { of: "", table: new Uint32Array(0) };

function rgb(colour: string): number[] {
	return [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
}

/** 256 colours as they lie in the memory of a picture, from few to many. */
export function colours(): Uint32Array {
	const steps = Array.from({ length: STEPS }, (_, i) => ink(`--h${i}`)), of = steps.join();
	if (ramp.of === of) return ramp.table;
	const table = new Uint32Array(256), bytes = new Uint8Array(table.buffer);
	for (let i = 0; i < 256; i++) {
		const at = i / 255 * (STEPS - 1), k = Math.min(STEPS - 2, Math.floor(at)), a = rgb(steps[k]), b = rgb(steps[k + 1]);
		for (let c = 0; c < 3; c++) bytes[i * 4 + c] = Math.round(a[c] + (b[c] - a[c]) * (at - k));
		bytes[i * 4 + 3] = 255;
	}
	ramp = { of, table };
	return table;
}

/** How dark a count is, from 0 to 255: by its logarithm, so that what is rare can be seen beside what is not. */
export function shade(n: number, most: number): number {
	return Math.round(Math.log1p(n) / Math.log1p(Math.max(1, most)) * 255);
}

export function slot<T>(cells: (T | undefined)[], i: number): T | undefined {
	return cells[i % SLOTS];
}
