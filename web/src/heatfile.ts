// SPDX-License-Identifier: BSD-2-Clause
// The data of a file of -O heatmap: histograms over time, as lines of words that tabs separate, and what the file is of.
//	series  number  aggregation  key
//	bucket  series  number  low  high		an end that is open is empty
//	at      ns since the start  series  bucket:count  bucket:count ...
import type { Changed } from "./message";
import { Model, SLOTS } from "./model";
import { Timeline } from "./timeline";
import { Heat } from "./view/heat";
import type { View } from "./view";

interface Series { agg: string; key: string; buckets: Map<number, [number | null, number | null]>; seen: Map<number, [number, number][]> }
/** Which trace it is of: seconds since 1970, host and time as text, the program. */
export interface About { wall: number; where: string; program: string }

function read(text: string): Series[] {
	const series: Series[] = [];
	for (const line of text.split("\n")) {
		const [kind, ...word] = line.split("\t"), of = series[Number(word[kind === "at" ? 1 : 0])];
		if (kind === "series") series[Number(word[0])] = { agg: word[1], key: word[2] ?? "", buckets: new Map(), seen: new Map() };
		else if (kind === "bucket" && of) of.buckets.set(Number(word[1]), [end(word[2]), end(word[3])]);
		else if (kind === "at" && of) {
			const pairs = word.slice(2).map((p) => p.split(":").map(Number) as [number, number]);
			of.seen.set(Number(word[0]), [...(of.seen.get(Number(word[0])) ?? []), ...pairs]);
		}
	}
	return series.filter((s) => s);
}

function end(word: string | undefined): number | null {
	return word === undefined || word === "" ? null : Number(word);
}

/**
 * Columns are the intervals of the data: each ends when a snapshot was taken. Where nothing was counted for longer
 * than usual, the column is as long as usual. There are no more columns than the model keeps moments.
 */
function ends(times: number[]): number[] {
	const gaps = times.map((t, i) => i > 0 ? t - times[i - 1] : t).filter((g) => g > 0).sort((a, b) => a - b);
	const usual = gaps[gaps.length >> 1] ?? 1e9, out: number[] = [];
	times.forEach((t, i) => {
		const before = i > 0 ? times[i - 1] : 0;
		if (t - before > 1.7 * usual) out.push(t - usual);
		out.push(t);
	});
	const per = Math.ceil(out.length / SLOTS);
	return per > 1 ? out.filter((_, i) => i % per === per - 1 || i === out.length - 1) : out;
}

/** One aggregation: what each column has counted, added up, is what the model is given. */
function heat(name: string, series: Series[], about: About, show: (title: string, view: View | null) => void): void {
	const model = new Model(Infinity), columns = ends([...new Set(series.flatMap((s) => [...s.seen.keys()]))].sort((a, b) => a - b));
	const at: [number, number][][][] = series.map(() => []);
	// buckets between others have a row even if nothing was counted there
	const sums = series.map((s) => new Map([...s.buckets.keys()].map((b) => [b, 0])));
	model.take({ t: "start", wall: about.wall, program: about.program });
	model.take({ t: "agg", id: 1, name: name.replace(/^@/, ""), fn: "lquantize" });
	series.forEach((s, i) => {
		model.take({ t: "key", a: 1, i, k: [s.key] });
		for (const [t, counts] of s.seen) (at[i][columns.findIndex((c) => c >= t)] ??= []).push(...counts);
	});
	columns.forEach((t, c) => {
		const a: Changed = { id: 1, more: 0, v: [] };
		series.forEach((s, i) => {
			for (const [b, n] of at[i][c] ?? []) sums[i].set(b, (sums[i].get(b) ?? 0) + n);
			if (at[i][c]) a.v.push([i, [...sums[i]].flatMap(([b, n]) => [...s.buckets.get(b) ?? [null, null], n])]);
		});
		model.take({ t: "snap", ms: t / 1e6, hidden: 0, a: [a] });
	});
	show(name, new Heat({ model, time: new Timeline(model) }, model.aggs.get(1)!));
}

export function heatmap(text: string, about: About, show: (title: string, view: View | null) => void): void {
	const aggs = new Map<string, Series[]>();
	for (const s of read(text)) aggs.set(s.agg, [...aggs.get(s.agg) ?? [], s]);
	for (const [name, of] of aggs) heat(name, of, about, show);
	if (aggs.size === 0) show("No histograms: use quantize(), lquantize() or llquantize().", null);
	document.title = "Heat map";
}
