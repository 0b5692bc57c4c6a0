// SPDX-License-Identifier: BSD-2-Clause
// Keys as sorted bars, each with its line over time. Only the rows that are on the screen exist, so a thousand keys
// cost what twenty cost.
import { el, ink, setText, short, soon, surface, whole } from "./dom";
import { isDist, isGauge, SLOTS, type Agg, type Key } from "./model";
import type { Stage, View } from "./view";

const ROW = 30;
const SHOWN = 14;			// rows before it scrolls

interface Row { root: HTMLButtonElement; key: HTMLElement; bar: HTMLElement; value: HTMLElement; rate: HTMLElement;
	line: HTMLCanvasElement; of: Key | null; drawn: string }

export class Bars implements View {
	readonly root: HTMLElement;
	private rows: Row[] = [];
	private list: HTMLElement;
	private scroll: HTMLElement;
	private filter: HTMLInputElement;
	private count: HTMLElement;
	private sorted: Key[] = [];
	private byRate = false;
	private most = 0;
	private round = 0;

	constructor(private stage: Stage, private agg: Agg) {
		this.list = el("div", { class: "rows" });
		this.scroll = el("div", { class: "scroll", tabIndex: -1, onscroll: () => soon(this.fill) }, this.list);
		this.filter = el("input", { type: "search", placeholder: "filter keys", "aria-label": "filter keys",
			oninput: () => this.update() });
		this.count = el("span", { class: "dim" });
		const rate = el("input", { type: "checkbox", onchange: () => {
			this.byRate = rate.checked;
			this.update();
		} });
		this.root = el("div", { class: "bars" },
			el("div", { class: "tools" }, this.filter, isGauge(agg.fn) ? null :
				el("label", {}, rate, " order by what is new"), this.count), this.scroll);
	}

	update(): void {
		const wanted = this.filter.value.toLowerCase();
		this.sorted = this.agg.keys.filter((k) => k && k.alive && (!wanted || k.text.toLowerCase().includes(wanted)));
		const rank = this.byRate ? (k: Key) => k.rate : (k: Key) => k.value;
		this.sorted.sort(this.agg.fn === "min" ? (a, b) => rank(a) - rank(b) : (a, b) => rank(b) - rank(a));
		this.most = this.sorted.reduce((most, k) => Math.max(most, Math.abs(rank(k))), 0);
		this.round++;
		const n = this.sorted.length;
		setText(this.count, `${whole(n)} ${n === 1 ? "key" : "keys"}` +
			(this.agg.more ? `, ${whole(this.agg.more)} more are not shown` : ""));
		this.list.style.height = `${n * ROW}px`;
		this.scroll.style.height = `${Math.min(n, SHOWN) * ROW + 2}px`;
		soon(this.fill);
	}

	private make(): Row {
		const row: Row = { root: el("button", { class: "row", type: "button" }), key: el("span", { class: "key" }),
			bar: el("span", { class: "bar" }), value: el("span", { class: "value" }),
			rate: el("span", { class: "rate" }), line: el("canvas", { class: "spark", "aria-hidden": "true" }),
			of: null, drawn: "" };
		row.root.append(row.bar, row.key, row.line, row.rate, row.value);
		row.root.addEventListener("click", () => row.of && this.stage.pick({ agg: this.agg, key: row.of }));
		this.list.append(row.root);
		return row;
	}

	private fill = (): void => {
		const first = Math.max(0, Math.floor(this.scroll.scrollTop / ROW) - 2);
		const n = Math.min(this.sorted.length - first, Math.ceil(this.scroll.clientHeight / ROW) + 4);
		while (this.rows.length < n) this.rows.push(this.make());
		// a row stays where it is as long as it can be seen: scrolling draws only those that come
		const used = new Set<Row>(), width = this.rows[0]?.line.clientWidth ?? 0;
		for (let at = first; at < first + n; at++) {
			const row = this.rows[at % this.rows.length], key = this.sorted[at], what = `${this.round} ${at}`;
			used.add(row);
			if (row.drawn === what) continue;
			row.drawn = what;
			row.of = key;
			row.root.hidden = false;
			this.draw(row, key, at, this.most);
			spark(row.line, width, key, this.stage.model.moments);
		}
		for (const row of this.rows) if (!used.has(row)) {
			row.root.hidden = true;
			row.of = null;
			row.drawn = "";
		}
	};

	private draw(row: Row, key: Key, at: number, most: number): void {
		const v = this.byRate ? key.rate : key.value;
		row.root.style.transform = `translateY(${at * ROW}px)`;
		row.root.title = key.parts.map((p) => this.stage.model.partText(p)).join("\n");
		setText(row.key, key.text || "(all)");
		setText(row.value, whole(key.value));
		row.value.dataset.value = String(key.value);
		setText(row.rate, isGauge(this.agg.fn) ? "" : key.rate ? `${short(Math.round(key.rate))}/s` : "");
		row.bar.style.width = `${most ? Math.abs(v) / most * 100 : 0}%`;
	}
}

/** The newest moments of a key as a line, as many as the canvas has pixels. */
function spark(canvas: HTMLCanvasElement, width: number, key: Key, moments: number): void {
	const h = key.history, s = h && width > 0 ? surface(canvas, width, 24) : null;
	if (!s || !h || moments < 2) return;
	const n = Math.min(moments, SLOTS, 240), from = moments - n;
	let most = 0;
	for (let m = from; m < moments; m++) most = Math.max(most, Math.abs(h[m % SLOTS]));
	if (most === 0) return;
	s.c.strokeStyle = ink("--line");
	s.c.lineWidth = 1.25;
	s.c.beginPath();
	for (let m = from; m < moments; m++) {
		const x = (m - from) / Math.max(n - 1, 1) * s.w, y = s.h - 2 - Math.abs(h[m % SLOTS]) / most * (s.h - 4);
		if (m === from) s.c.moveTo(x, y);
		else s.c.lineTo(x, y);
	}
	s.c.stroke();
}

/** A number without keys: large, with its line. */
export function single(agg: Agg): boolean {
	return agg.keys.length === 1 && !!agg.keys[0] && agg.keys[0].parts.length === 0 && !isDist(agg.fn);
}
