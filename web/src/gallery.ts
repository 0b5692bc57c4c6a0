// SPDX-License-Identifier: BSD-2-Clause
// The tools, by question: a small picture of what each shows, what it needs, and why it does not run here if it does
// not. A search finds them by any word of their text.
import { el, setText } from "./dom";
import type { Tool } from "./link";

type Kind = "bars" | "heat" | "flame" | "ranges" | "table";

/** What a tool's answer looks like. */
function kindOf(text: string): Kind {
	const code = text.replace(/\/\*[\s\S]*?\*\//g, "");
	return /=\s*l*quantize\(/.test(code) ? "heat" : /\b[uj]?stack\(/.test(code) ? "flame" : /=\s*percentiles\(/.test(code) ? "ranges" :
		/@\w*(\[|\s*=)/.test(code) ? "bars" : "table";
}

const meaning: Record<Kind, string> = { bars: "bars", heat: "a histogram", flame: "stacks", ranges: "percentiles", table: "a line for each event" };

/** Rectangles of a picture of 60 by 36: x, y, width, height, and how strong. */
const sketches: Record<Kind, [number, number, number, number, number][]> = {
	bars: [[0, 3, 56, 6, 3], [0, 12, 38, 6, 3], [0, 21, 22, 6, 3], [0, 30, 9, 6, 3]],
	heat: [0, 1, 2, 3, 4, 5, 6, 7].flatMap((x) => [0, 1, 2, 3].map((y): [number, number, number, number, number] =>
		[x * 7.5, y * 9, 7, 8.4, [1, 3, 2, 0][(y + (x === 5 ? 3 : 0)) % 4] ?? 1])).filter((r) => r[4] > 0),
	flame: [[0, 27, 60, 8, 2], [0, 18, 40, 8, 3], [42, 18, 18, 8, 1], [0, 9, 24, 8, 2], [26, 9, 13, 8, 3], [4, 0, 12, 8, 3]],
	ranges: [0, 1, 2, 3].flatMap((y): [number, number, number, number, number][] => [[2 + y * 3, y * 9 + 3, 50 - y * 7, 1.5, 3], [8 + y * 4, y * 9, 18 - y * 2, 7.5, 2]]),
	table: [0, 1, 2, 3].flatMap((y): [number, number, number, number, number][] => [[0, y * 9 + 1, 10, 4, 1], [14, y * 9 + 1, 14, 4, 2], [32, y * 9 + 1, 26 - (y * 7) % 12, 4, 3]]),
};

function sketch(kind: Kind): SVGElement {
	const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
	svg.setAttribute("viewBox", "0 0 60 36");
	svg.setAttribute("aria-hidden", "true");
	svg.classList.add("sketch");
	for (const [x, y, width, height, strong] of sketches[kind]) {
		const r = document.createElementNS("http://www.w3.org/2000/svg", "rect");
		for (const [n, v] of Object.entries({ x, y, width, height, rx: 1 })) r.setAttribute(n, String(v));
		r.setAttribute("class", `s${strong}`);
		svg.append(r);
	}
	return svg;
}

/** What stands against a tool: the sentence up to the part that all of them have. */
const cause = (why: string) => why.split(": DTrace requires")[0];

/** Why it cannot be used here and now; "": it can. */
function obstacle(t: Tool): string {
	if (t.why) return cause(t.why);
	if (/no running process has static probes/.test(t.lacks)) return `nothing runs that it could look at: ${t.needs}`;
	return t.lacks.replace(/^line \d+: (probe description \S+ does not match any probes: )?/, "");
}

const names: Record<string, string> = { cpu: "CPU and scheduling", files: "Files and disks", network: "Network", memory: "Memory",
	processes: "Processes", languages: "Languages and servers", locks: "Locks", other: "More" };

export class Gallery {
	readonly root: HTMLElement;
	private search: HTMLInputElement;
	private found = el("span", { class: "dim", role: "status" });
	private cards: { root: HTMLElement; text: string; group: HTMLElement }[] = [];

	constructor(tools: Tool[], private choose: (t: Tool, runs: boolean) => void) {
		this.search = el("input", { type: "search", placeholder: "Search: a question, a name, a probe\u2026", "aria-label": "search tools", oninput: () => this.filter() });
		const groups = new Map<string, HTMLElement>(), marked = tools.filter((t) => t.why);
		const order = [...tools].sort((a, b) => Number(obstacle(a) !== "") - Number(obstacle(b) !== ""));
		for (const t of order) {
			const [group, question] = /^(\w+): (.*)$/.exec(t.question)?.slice(1) ?? ["other", t.question];
			let box = groups.get(group);
			if (!box) groups.set(group, box = el("section", { class: "group" }, el("h3", {}, names[group] ?? group), el("div", { class: "tiles" })));
			box.lastElementChild!.append(this.card(t, question, box));
		}
		this.root = el("div", { class: "gallery" }, el("div", { class: "tools find" }, this.search, this.found), marked.length ? el("p", { class: "lacking" },
			`${marked.length} of ${tools.length} tools, marked \u2298, need more than this user may do: ${marked[0].why.slice(cause(marked[0].why).length + 2)}.`) : "",
		...[...groups.entries()].sort(([a], [b]) => a < b ? -1 : 1).map(([, box]) => box));
		this.root.addEventListener("keydown", (e) => this.key(e));
		this.filter();
	}

	focus(): void {
		this.search.focus();
	}

	private card(t: Tool, question: string, group: HTMLElement): HTMLElement {
		const why = obstacle(t), kind = kindOf(t.text), needs = why || /^no more than/.test(t.needs) ? "" : t.needs;
		const root = el("button", { class: why ? "tool cannot" : "tool", type: "button", title: why || t.what, onclick: (e: Event) =>
			this.choose(t, !(e as MouseEvent).shiftKey) }, sketch(kind), el("b", {}, t.name), el("span", {}, question || t.what),
		why ? el("i", {}, `\u2298 ${why}`) : needs ? el("i", {}, `needs ${needs}`) : "");
		root.setAttribute("aria-description", `shows ${meaning[kind]}`);
		this.cards.push({ root, text: `${t.name} ${t.question} ${t.what} ${t.text}`.toLowerCase(), group });
		return root;
	}

	private filter(): void {
		const words = this.search.value.toLowerCase().split(/\s+/).filter((w) => w);
		let n = 0;
		const seen = new Set<HTMLElement>();
		for (const c of this.cards) {
			c.root.hidden = !words.every((w) => c.text.includes(w));
			if (!c.root.hidden) {
				n++;
				seen.add(c.group);
			}
		}
		for (const c of this.cards) c.group.hidden = !seen.has(c.group);
		setText(this.found, n === this.cards.length ? `${n} tools` : n ? `${n} of ${this.cards.length} tools` : "No tool has these words; the editor takes any D program.");
	}

	/** Arrows go from tool to tool; Enter in the search starts the first. */
	private key(e: KeyboardEvent): void {
		const shown = this.cards.filter((c) => !c.root.hidden).map((c) => c.root), at = shown.indexOf(document.activeElement as HTMLElement);
		if (e.key === "Enter" && e.target === this.search) shown[0]?.click();
		else if (e.key === "ArrowDown" && at < 0) shown[0]?.focus();
		else if (at >= 0 && (e.key === "ArrowRight" || e.key === "ArrowLeft")) shown[at + (e.key === "ArrowRight" ? 1 : -1)]?.focus();
		else if (at >= 0 && (e.key === "ArrowDown" || e.key === "ArrowUp")) this.vertical(shown, at, e.key === "ArrowDown" ? 1 : -1);
		else return;
		e.preventDefault();
	}

	private vertical(shown: HTMLElement[], at: number, by: number): void {
		const here = shown[at].getBoundingClientRect();
		for (let i = at + by; i >= 0 && i < shown.length; i += by) {
			const there = shown[i].getBoundingClientRect();
			if (Math.abs(there.left - here.left) < 20 && there.top !== here.top) return shown[i].focus();
		}
		if (by < 0) this.search.focus();
	}
}
