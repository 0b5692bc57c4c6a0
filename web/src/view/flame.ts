// SPDX-License-Identifier: BSD-2-Clause
// Stacks as pictures: heaviest first, by name, in the order of time, from the inside out, or function by function with callers and
// callees (a sandwich). All show the same numbers, which may be those of a part, or of two parts against each other.
import { el, percent, setText, short, whole as digits } from "../dom";
import { Chart, chartStyle, type Wishes } from "../flame/chart";
import { Compare, compareStyle } from "../flame/compare";
import { Legend, legendStyle } from "../flame/legend";
import type { Frame } from "../flame/names";
import { Colours, colours as palette, difference, type By } from "../flame/palette";
import type { Look } from "../flame/painter";
import { Sandwich, sandwichStyle } from "../flame/sandwich";
import { Search } from "../flame/search";
import { AggSource, everything, RecordSource, type Source } from "../flame/source";
import { isStack } from "../flame/stacks";
import { inverted, TimeTree, Tree, type Node } from "../flame/tree";
import { gridStyle } from "../table";
import { hasStack, type Agg } from "../model";
import { register, type Stage, type View } from "../view";

const css = palette + chartStyle + legendStyle + sandwichStyle + compareStyle + gridStyle + `
.modes { display: flex; gap: 4px; flex-wrap: wrap; }
.found { margin-left: 6px; }
.flames .note { padding-top: 4px; }
`;

/** What widths show: everything, or what belongs to either part of a comparison. */
type Widths = "all" | "since" | "before";
type Mode = "time" | "heavy" | "sandwich" | "inverted" | "name";
const MODES: [Mode, string, string][] = [["heavy", "left heavy", "2"], ["name", "A\u2013Z", "5"], ["time", "time order", "1"],
	["inverted", "bottom up", "4"], ["sandwich", "sandwich", "3"]];
const KEYS: Record<string, Mode> = Object.fromEntries(MODES.map(([mode, , key]) => [key, mode]));
const SETTLE = 2000;			// ms in which the order stays, so that boxes do not jump

export class Flame implements View {
	readonly root: HTMLElement;
	private note = el("div", { class: "note", role: "status" });
	private modes = el("div", { class: "modes", role: "group", "aria-label": "order" });
	private body = el("div");
	private lane = el("select", { "aria-label": "samples of which CPU", hidden: true, onchange: () => this.show("time") });
	private since: HTMLButtonElement;
	private side: HTMLButtonElement;
	private turn: HTMLButtonElement;
	private comparing: HTMLButtonElement;
	private search: Search;
	private legend: Legend;
	private compareRow: Compare;
	private chart: Chart;
	private sandwich: Sandwich;
	private colours = new Colours();
	private mode: Mode = "heavy";
	private trees = new Map<string, Tree>();
	private marked = false;
	private turned = false;
	private widths: Widths = "all";
	private words = { before: "before the mark", since: "since the mark" };
	private sum = 0;
	private sumBefore = 0;
	private settled = 0;

	constructor(private stage: Stage, private source: Source, private agg: Agg | null) {
		const look: Look = { count: this.count, fill: (n) => this.fill(n), faded: (n) => this.faded(n), found: (n) => this.search.has(n.frame),
			sign: (n) => this.sign(n) };
		const wishes: Omit<Wishes, "label" | "minimap"> = { pointed: (n) => this.tell(n), key: (e, n) => this.key(e, n), reset: () => this.reset() };
		const button = (text: string, title: string, onclick: () => void) => el("button", { type: "button", title, onclick }, text);
		this.search = new Search(source.stacks, () => this.sought(), (by) => this.step(by), () => this.chart.reset());
		this.legend = new Legend(source.stacks, this.colours, () => this.recolour());
		this.compareRow = new Compare(source, () => this.compared());
		this.chart = new Chart(look, { ...wishes, minimap: true, label: "flame graph; arrow keys walk through it, Enter zooms, Escape zooms out, " +
			"plus and minus zoom, brackets move, 1 to 5 choose the order, i turns it over" + (agg && stage.pick ? ", l looks into it" : "") });
		this.sandwich = new Sandwich(source.stacks, look, wishes, (i) => this.weight(i),
			(f) => !this.search.active || this.search.has(f), (f) => this.tellFrame(f));
		this.since = button("mark this moment", "what comes is compared with what was so far", () => this.mark());
		this.side = button("", "key w", () => this.otherWidths());
		this.turn = button("turn over", "key i", () => this.turnOver());
		this.comparing = button("compare \u2026", "a part of the time, or of the keys, with another", () => this.openCompare());
		this.root = this.build();
		stage.time?.listen((data) => data && this.root.isConnected && this.update());
		this.show("heavy");
	}

	private build(): HTMLElement {
		const live = !!this.stage.pick, select = el("select", { "aria-label": "colours show", title: "key c", onchange: () => {
			this.colours.by = select.value as By;
			this.legend.only = "";
			this.recolour();
		} }, ...["kind", "module", "language"].map((v) => el("option", { value: v }, `colour: ${v}`)));
		for (const [mode, text, key] of MODES) this.modes.append(el("button", { type: "button", title: `key ${key}`, "data-mode": mode,
			onclick: () => this.show(mode) }, text));
		this.colourSelect = select;
		this.since.hidden = this.comparing.hidden = !live;
		this.side.hidden = true;
		this.since.setAttribute("aria-pressed", "false");
		this.turn.setAttribute("aria-pressed", "false");
		return el("div", { class: "flames" }, el("div", { class: "tools" }, this.modes, this.lane, select, this.search.root, this.turn, this.since,
			this.comparing, this.side, live && this.agg ? el("button", { type: "button", title: "key l", onclick: () =>
				this.pick(this.chart.current) }, "look into it") : null), this.compareRow.root, this.legend.root, this.body, this.note);
	}
	private colourSelect!: HTMLSelectElement;

	// ---- numbers

	/** What a function is as wide as. */
	private count = (n: Node): number => this.mode === "time" || this.widths === "all" ? n.total : this.widths === "before" ? n.before :
		n.total - n.before;

	private weight(stack: number): number {
		const s = this.source.stacks;
		return this.widths === "all" ? s.total[stack] : this.widths === "before" ? s.before[stack] : s.total[stack] - s.before[stack];
	}

	/** How the share of all has changed, in points. */
	private change(n: Node): number {
		const before = this.sumBefore ? n.before / this.sumBefore : 0, came = this.sum - this.sumBefore;
		return came > 0 ? (n.total - n.before) / came - before : 0;
	}

	private get differs(): boolean {
		return this.marked && this.mode !== "time";
	}

	private fill(n: Node): number {
		return this.differs ? difference(this.change(n)) : this.colours.of(n.frame);
	}

	private faded(n: Node): boolean {
		if (!n.frame) return false;
		return (this.search.active && !this.search.has(n.frame)) || (this.legend.only !== "" && this.colours.name(n.frame) !== this.legend.only);
	}

	private sign(n: Node): string {
		const d = this.differs ? this.change(n) : 0;
		return d > 0.001 ? "\u25b2 " : d < -0.001 ? "\u25bc " : "";
	}

	// ---- what the user asked for

	private show(mode: Mode): void {
		if (mode === "time" && !this.source.stacks.samples.length) return;
		this.mode = mode;
		for (const b of this.modes.children) b.setAttribute("aria-pressed", String((b as HTMLElement).dataset.mode === mode));
		this.body.replaceChildren(mode === "sandwich" ? this.sandwich.root : this.chart.root);
		this.lane.hidden = mode !== "time" || this.lane.options.length < 3;
		this.turn.hidden = mode === "sandwich";
		this.update();
	}

	/** The tree of a mode, made when it is wanted first. */
	private tree(): Tree {
		const name = this.mode === "time" ? `time ${this.lane.value} ${this.source.stacks.epoch}` : this.mode === "inverted" ? "inverted" : "whole";
		let tree = this.trees.get(name);
		if (!tree) {
			tree = this.mode === "time" ? new TimeTree(this.source.stacks, Number(this.lane.value || -1)) :
				this.mode === "inverted" ? new Tree(this.source.stacks, inverted) : new Tree(this.source.stacks);
			if (this.mode === "time") for (const old of this.trees.keys()) if (old.startsWith("time")) this.trees.delete(old);
			this.trees.set(name, tree);
		}
		return tree;
	}

	/** Counts so far are those of something earlier; the widths are those of what comes. */
	compare(words: { before: string; since: string }): void {
		this.marked = true;
		this.words = words;
		this.since.hidden = true;
		this.widths = "since";
	}

	private mark(): void {
		this.marked = !this.marked;
		this.widths = "all";
		this.words = { before: "before the mark", since: "since the mark" };
		this.source.mark(this.marked);
		this.since.setAttribute("aria-pressed", String(this.marked));
		setText(this.since, this.marked ? "difference since the mark" : "mark this moment");
		this.update();
	}

	private openCompare(): void {
		const open = this.compareRow.root.hidden;
		if (open && this.since.getAttribute("aria-pressed") === "true") this.mark();
		this.compareRow.root.hidden = !open;
		this.comparing.setAttribute("aria-pressed", String(open));
		this.since.hidden = open;
		if (!open) this.compareRow.clear();
		this.update();
	}

	private compared(): void {
		const with_ = this.source.other !== null;
		if (with_ !== this.marked) this.widths = with_ ? "since" : "all";
		this.marked = with_;
		this.words = this.compareRow.words();
		this.settled = 0;
		this.update();
	}

	private otherWidths(): void {
		const both = !this.since.hidden || !this.compareRow.root.hidden;
		const next: Record<Widths, Widths> = { all: "since", since: "before", before: both ? "all" : "since" };
		this.widths = next[this.widths];
		this.settled = 0;
		this.update();
	}

	private turnOver(): void {
		this.turned = !this.turned;
		this.turn.setAttribute("aria-pressed", String(this.turned));
		this.chart.turn(this.turned);
	}

	private pick(n: Node | null): void {
		if (n?.frame && this.agg) this.stage.pick?.({ agg: this.agg, frame: n.frame.full });
	}

	private sought(): void {
		this.search.update((i) => this.weight(i));
		this.recolour();
	}

	/** To the next place where it is found. */
	private step(by: number): void {
		if (this.mode === "sandwich") return;
		const all = this.search.places(this.tree(), this.count), at = this.chart.current, i = at ? all.indexOf(at) : -1;
		if (!all.length) return;
		this.chart.reveal(all[i < 0 ? (by > 0 ? 0 : all.length - 1) : (i + by + all.length) % all.length]);
	}

	private recolour(): void {
		this.colours.learn(this.modules());
		this.legend.update((i) => this.weight(i), this.differs);
		if (this.mode === "sandwich") {
			this.sandwich.update();
			this.sandwich.repaint();
		} else this.chart.repaint();
		const at = this.chart.current;
		if (at && this.mode !== "sandwich") this.tell(at);
	}

	private reset(): void {
		this.search.clear();
		this.legend.only = "";
		this.sought();
	}

	private key(e: KeyboardEvent, n: Node): boolean {
		const by: By[] = ["kind", "module", "language"];
		if (KEYS[e.key]) {
			this.show(KEYS[e.key]);
			this.body.querySelector<HTMLElement>("canvas.flame, .datagrid")?.focus();
		} else if (e.key === "l") this.pick(n);
		else if (e.key === "i") this.turnOver();
		else if (e.key === "w" && this.marked) this.otherWidths();
		else if (e.key === "f" && n.frame) {
			this.show("sandwich");
			this.sandwich.choose(n.frame);
		} else if (e.key === "c") {
			this.colourSelect.value = by[(by.indexOf(this.colours.by) + 1) % by.length];
			this.colourSelect.dispatchEvent(new Event("change"));
		} else if (e.key === "/") this.search.input.focus();
		else if (e.key === "n" || e.key === "N") this.step(e.key === "n" ? 1 : -1);
		else return false;
		return true;
	}

	// ---- the picture

	update(): void {
		const s = this.source.stacks, now = performance.now();
		this.interval();
		this.source.update();
		this.sum = s.sum(s.total);
		this.sumBefore = s.sum(s.before);
		this.lanes();
		this.side.hidden = !this.marked;
		setText(this.side, `widths: ${this.widths === "all" ? "all" : this.words[this.widths]}`);
		this.colours.learn(this.modules());
		this.search.update((i) => this.weight(i));
		this.compareRow.update();
		this.legend.update((i) => this.weight(i), this.differs);
		if (this.mode === "sandwich") return this.sandwich.update();
		const tree = this.tree();
		tree.update();
		tree.heavy = this.mode !== "name";
		if (now - this.settled > SETTLE || tree !== this.shown || tree.heavy !== this.heavy) {
			tree.version++;
			this.settled = now;
		}
		this.shown = tree;
		this.heavy = tree.heavy;
		this.chart.set(tree);
		this.chart.update();
		this.tell(this.chart.current ?? tree.root);
	}
	private shown: Tree | null = null;
	private heavy = true;

	/** What is marked in any panel is what is counted, unless A and B are chosen here. */
	private interval(): void {
		const time = this.stage.time, part = time?.brush ?? time?.window;
		if (!time || !this.compareRow.root.hidden) return;
		this.source.part = part ? { ...everything, from: part[0], to: part[1] } : everything;
		this.when = part ? `; in the ${time.brush ? "marked" : "chosen"} part of the time` : "";
	}
	private when = "";

	private lanes(): void {
		const cpus = [...new Set(this.source.stacks.samples.map((s) => s.cpu))].sort((a, b) => a - b);
		const time = [...this.modes.children].find((b) => (b as HTMLElement).dataset.mode === "time") as HTMLElement;
		time.hidden = cpus.length === 0;
		if (this.lane.options.length === cpus.length + 1) return;
		const was = this.lane.value || "-1";
		this.lane.replaceChildren(el("option", { value: "-1" }, "all CPUs"), ...cpus.map((c) => el("option", { value: c }, `CPU ${c}`)));
		this.lane.value = was;
		this.lane.hidden = this.mode !== "time" || cpus.length < 2;
	}

	private modules(): Map<string, number> {
		const sums = new Map<string, number>();
		if (this.colours.by !== "module") return sums;
		this.source.stacks.paths.forEach((path, i) => {
			const f = path[path.length - 1];
			if (f) sums.set(f.module, (sums.get(f.module) ?? 0) + this.source.stacks.total[i]);
		});
		return sums;
	}

	private tell(n: Node): void {
		const root = this.mode === "sandwich" ? this.sum : this.count(this.tree().root), share = root > 0 ? this.count(n) / root : 0;
		const d = this.change(n) * 100, own = this.mode !== "inverted" && this.mode !== "sandwich" && !this.differs;
		const self = n.frame && n.self > 0 && own ? `; self ${digits(n.self)} (${percent(n.self / Math.max(1, root))})` : "";
		const diff = this.differs ? `; ${digits(n.before)} ${this.words.before}, ${digits(n.total - n.before)} ${this.words.since}: ` +
			`${d >= 0 ? "\u25b2 +" : "\u25bc "}${d.toFixed(1)} points` : "";
		const when = this.mode === "time" && n.frame ? `; from ${(n.from / 1000).toFixed(3)} s to ${(n.to / 1000).toFixed(3)} s` : "";
		const found = this.search.active ? `; found: ${percent(this.search.share)}` : "";
		setText(this.note, `${n.frame ? n.frame.full : "all"}: ${digits(this.count(n))} (${percent(share)} of ${short(root)})${self}${diff}${when}${found}${this.when}`);
	}

	private tellFrame(f: Frame): void {
		setText(this.note, f.full);
	}
}

const keys: [string, string][] = [["2 5 1 4 3", "left heavy, A\u2013Z, time order, bottom up, sandwich"], ["arrows", "from function to function"],
	["Enter, click", "zoom to the function"], ["+ \u2212 0, Ctrl and wheel", "zoom in, out, all"], ["[ ], Shift and wheel, drag", "move"],
	["/, then Enter or n N", "find functions, from one place to the next"], ["f", "callers and callees of the function"], ["c", "colours: kind, module, language"],
	["i", "turn over"], ["w", "widths of either part of a comparison"], ["l", "look into the function"], ["Esc", "back to all"]];
register({ name: "flame", order: 20, css, keys, fits: hasStack, make: (stage, agg) => new Flame(stage, new AggSource(stage.model, agg), agg) });
register({ name: "stacks", order: 15, css: "", fitsTrace: (m) => m.recs.length > 0 && m.recs.slice(-100).some((r) => r.values.some(isStack)),
	makeForTrace: (stage) => new Flame(stage, new RecordSource(stage.model), null) });
