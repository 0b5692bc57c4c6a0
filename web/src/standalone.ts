// SPDX-License-Identifier: BSD-2-Clause
// A file of -O flame or -O heatmap: its data, which are in it as text, and the views of the live page that draw them. The
// data are untrusted: they become names and numbers, never markup.
import { el, forgetInks } from "./dom";
import { heatmap } from "./heatfile";
import type { Part } from "./message";
import { Model } from "./model";
import type { View } from "./view";
import { Flame } from "./view/flame";

const shown: View[] = [];
const main = el("main", { class: "alone" });

/** The text of a block; in it % and < are escaped. null: there is none. */
function block(id: string): string | null {
	return document.getElementById(id)?.textContent?.replace(/%3C/g, "<").replace(/%25/g, "%") ?? null;
}

function show(title: string, view: View | null): void {
	main.append(el("section", { class: "card" }, el("header", {}, el("h2", {}, title)), el("div", { class: "body" }, view?.root ?? "")));
	if (view) shown.push(view);
}

// ---- stacks: lines of "frame;frame;frame count", the outermost first

class Stacks {
	readonly model = new Model();
	private names = new Map<string, number>();
	private keys = new Map<string, number>();
	private counts: number[] = [];

	constructor() {
		this.model.take({ t: "agg", id: 1, name: "", fn: "sum" });
	}

	private name(text: string): number {
		let n = this.names.get(text);
		if (n === undefined) {
			this.names.set(text, n = this.names.size);
			this.model.take({ t: "name", i: n, s: text });
		}
		return n;
	}

	private key(path: string): number {
		let i = this.keys.get(path);
		if (i !== undefined) return i;
		this.keys.set(path, i = this.keys.size);
		this.counts[i] = 0;
		const k: Part[] = [{ pid: 1, st: path.split(";").reverse().map((f) => this.name(f)) }];
		this.model.take({ t: "key", a: 1, i, k });
		return i;
	}

	/** Lines that are not stacks are skipped: an earlier file may hold anything. */
	add(text: string): void {
		for (const line of text.split("\n")) {
			const end = line.lastIndexOf(" "), n = end > 0 ? Number(line.slice(end + 1)) : 0;
			if (n > 0 && Number.isFinite(n)) this.counts[this.key(line.slice(0, end))] += n;
		}
		this.model.take({ t: "snap", ms: 0, hidden: 0, a: [{ id: 1, more: 0, v: this.counts.map((n, i) => [i, n]) }] });
	}

	get total(): number {
		return this.counts.reduce((sum, n) => sum + n, 0);
	}
}

function flame(now: string, before: string | null): void {
	const stacks = new Stacks(), view = new Flame(stacks, stacks.model.aggs.get(1)!);
	let title = "Flame graph";
	if (before !== null) stacks.add(before);
	if (stacks.total > 0) {
		view.compare({ before: "in the earlier file", since: "in this one" });
		title = "Differential flame graph";
	}
	stacks.add(now);
	document.title = title;
	show(stacks.total > 0 ? title : "No stacks: record stack() or ustack(), or use them as keys of an aggregation.",
		stacks.total > 0 ? view : null);
}

const now = block("now"), data = block("data");
document.body.append(main);
if (now !== null) flame(now, block("before"));
if (data !== null) heatmap(data, block("about") ?? "", show, main);
const draw = () => {
	forgetInks();
	for (const view of shown) view.update();
};
/** Keys work before anything has the focus. */
document.addEventListener("keydown", (e) => {
	const canvas = main.querySelector("canvas");
	if (e.target !== document.body || !canvas || e.ctrlKey || e.metaKey || e.altKey) return;
	if (!canvas.dispatchEvent(new KeyboardEvent("keydown", { key: e.key, shiftKey: e.shiftKey, cancelable: true }))) e.preventDefault();
});
new ResizeObserver(draw).observe(main);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
