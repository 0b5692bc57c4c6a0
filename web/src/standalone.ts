// SPDX-License-Identifier: BSD-2-Clause
// A file of -O flame or -O heatmap: its data, which are in it as text, and the views of the live page that draw them. The
// data are untrusted: they become names and numbers, never markup.
import { el, forgetInks } from "./dom";
import { FileSource } from "./flame/source";
import type { Changed } from "./message";
import { Model, SLOTS } from "./model";
import { aggViews, type View } from "./view";
import { Flame } from "./view/flame";
import { Heat } from "./view/heat";

const shown: View[] = [];
const help = el("button", { type: "button", class: "help", "aria-expanded": "false", onclick: () => {
	const table = main.querySelector<HTMLElement>("table.keys")!;
	table.hidden = !table.hidden;
	help.setAttribute("aria-expanded", String(!table.hidden));
	table.scrollIntoView({ block: "nearest" });
} }, "? Keys");
const main = el("main", { class: "alone" });

/** The text of a block; in it % and < are escaped. null: there is none. */
function block(id: string): string | null {
	return document.getElementById(id)?.textContent?.replace(/%3C/g, "<").replace(/%25/g, "%") ?? null;
}

/** What the file is of: the machine, when, for how long, and the program. */
function about(): { where: string; program: string } {
	const [head, ...rest] = (block("about") ?? "").replace(/^\n/, "").split("\n\n"), said = new Map(head.split("\n").map((l) => l.split("\t") as [string, string]));
	const wall = Number(said.get("wall") ?? 0) / 1e6, took = Number(said.get("took") ?? 0) / 1e9;
	const time = wall > 0 ? new Date(wall).toLocaleString("sv") : "";
	return { where: [said.get("host"), time, took > 0 ? `${took.toFixed(1)} s` : ""].filter((x) => x).join(" \u00b7 "), program: rest.join("\n\n").trim() };
}

/** A title, where and when, and the program, of which the first line that is no comment is enough until it is opened. */
function headline(): void {
	const { where, program } = about(), lines = program.replace(/\/\*[^]*?\*\//g, "").split("\n");
	const first = lines.find((l) => /\S/.test(l) && !/^\s*(#|\/\/)/.test(l)) ?? "";
	document.title = [document.title, where].filter((x) => x).join(": ");
	if (where === "" && program === "") return;
	main.prepend(el("div", { class: "about" }, el("span", { class: "dim" }, where), program === "" ? null :
		el("details", {}, el("summary", {}, el("code", {}, first.trim())), el("pre", {}, program))));
}

/** What keys do, of the views that are here. */
function keys(): void {
	const rows = aggViews.filter((v) => now !== null ? v.name === "flame" : v.name !== "flame").flatMap((v) => v.keys ?? []);
	if (rows.length) main.append(help, el("table", { class: "keys", hidden: true }, ...rows.map(([k, what]) => el("tr", {}, el("th", {}, k), el("td", {}, what)))));
}

function show(title: string, view: View | null): void {
	main.append(el("section", { class: "card" }, el("header", {}, el("h2", {}, title)), el("div", { class: "body" }, view?.root ?? "")));
	if (view) shown.push(view);
}

// ---- stacks

function flame(now: string, before: string | null): void {
	const source = new FileSource(), s = source.stacks;
	source.add(now, false);
	const own = s.sum(s.total);
	if (before !== null) source.add(before, true);
	const all = s.sum(s.total), view = new Flame({ model: new Model() }, source, null), differs = all > own;
	if (differs) view.compare({ before: "in the earlier file", since: "in this one" });
	const title = differs ? "Differential flame graph" : "Flame graph";
	document.title = title;
	show(all > 0 ? title : "No stacks: record stack() or ustack(), or use them as keys of an aggregation.", all > 0 ? view : null);
}

// ---- histograms over time: lines of words, separated by tabs
//	series  number  aggregation  key
//	bucket  series  number  low  high		an end that is open is empty
//	at      ns since the start  series  bucket:count  bucket:count ...

interface Series { agg: string; key: string; buckets: Map<number, [number | null, number | null]>; seen: Map<number, [number, number][]> }

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
 * Columns of one length in ns, 1, 2 or 5 times a power of ten: most snapshots have a column of their own, late ones too,
 * and there are no more columns than the model keeps moments.
 */
function column(times: number[]): number {
	const gaps = times.map((t, i) => i > 0 ? t - times[i - 1] : t).filter((g) => g > 0).sort((a, b) => a - b);
	const last = times[times.length - 1] ?? 0;
	const usual = gaps[gaps.length >> 1] ?? 1e9, late = gaps[Math.floor(gaps.length * 0.97)] ?? 1e9;
	const least = Math.max(Math.min(late, Math.max(usual, last / 10)), last / SLOTS, 1e6), power = 10 ** Math.floor(Math.log10(least));
	return [1, 2, 5, 10].map((n) => n * power).find((n) => n >= least * 0.999)!;
}

/** One aggregation: what each column has counted, added up, is what the model is given. */
function heat(name: string, series: Series[]): void {
	const model = new Model(Infinity);
	const times = [...new Set(series.flatMap((s) => [...s.seen.keys()]))].sort((a, b) => a - b);
	const length = column(times), columns = Math.max(1, Math.ceil((times[times.length - 1] ?? 0) / length - 1e-6));
	const at: [number, number][][][] = series.map(() => []);
	// buckets between others have a row even if nothing was counted there
	const sums = series.map((s) => new Map([...s.buckets.keys()].map((b) => [b, 0])));
	model.take({ t: "agg", id: 1, name, fn: "lquantize" });
	series.forEach((s, i) => {
		model.take({ t: "key", a: 1, i, k: [s.key] });
		for (const [t, counts] of s.seen)
			(at[i][Math.min(columns - 1, Math.max(0, Math.ceil(t / length - 1e-6) - 1))] ??= []).push(...counts);
	});
	for (let c = 0; c < columns; c++) {
		const a: Changed = { id: 1, more: 0, v: [] };
		series.forEach((s, i) => {
			for (const [b, n] of at[i][c] ?? []) sums[i].set(b, (sums[i].get(b) ?? 0) + n);
			if (at[i][c]) a.v.push([i, [...sums[i]].flatMap(([b, n]) => [...s.buckets.get(b) ?? [null, null], n])]);
		});
		model.take({ t: "snap", ms: (c + 1) * length / 1e6, hidden: 0, a: [a] });
	}
	show(name, new Heat({ model }, model.aggs.get(1)!));
}

function heatmap(text: string): void {
	const aggs = new Map<string, Series[]>();
	for (const s of read(text)) aggs.set(s.agg, [...aggs.get(s.agg) ?? [], s]);
	for (const [name, series] of aggs) heat(name, series);
	if (aggs.size === 0) show("No histograms: use quantize(), lquantize() or llquantize().", null);
	document.title = "Heat map";
}

const now = block("now"), data = block("data");
document.body.append(main);
if (now !== null) flame(now, block("before"));
if (data !== null) heatmap(data);
headline();
keys();
const draw = () => {
	forgetInks();
	for (const view of shown) view.update();
};
/** Keys work before anything has the focus. */
document.addEventListener("keydown", (e) => {
	if (e.key === "?" && !(e.target as HTMLElement).matches("input")) return help.click();
	const canvas = main.querySelector("canvas.flame, canvas.heat");
	if (e.target !== document.body || !canvas || e.ctrlKey || e.metaKey || e.altKey) return;
	if (!canvas.dispatchEvent(new KeyboardEvent("keydown", { key: e.key, shiftKey: e.shiftKey, cancelable: true }))) e.preventDefault();
});
new ResizeObserver(draw).observe(main);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
