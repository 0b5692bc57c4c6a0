// SPDX-License-Identifier: BSD-2-Clause
// Keys as sorted bars, each with its line over time. Only the rows that are on the screen exist, so a thousand keys
// cost what twenty cost.
import { el, ink, setText, soon, surface, whole } from "../dom";
import { isDist, isGauge, SLOTS, type Agg, type Key } from "../model";
import type { Timeline } from "../timeline";
import { amount, exact, rate, unitOf, type Unit } from "../units";
import { compactRows, register, timeOf, type Stage, type View } from "../view";

const css = `
.bars .row { position: absolute; left: 0; right: 0; top: 0; height: 28px; contain: strict; }
.row .rate { min-width: 54px; text-align: right; color: var(--dim); font-size: 12px; font-variant-numeric: tabular-nums; }
.spark { width: 130px; height: 24px; flex: none; }
@media (max-width: 820px) {
	.spark { display: none; }
	.row .rate { min-width: 40px; }
}
`;

const ROW = 30;
const SHOWN = 14;			// rows before it scrolls

interface Row { root: HTMLButtonElement; key: HTMLElement; bar: HTMLElement; value: HTMLElement; rate: HTMLElement;
	line: HTMLCanvasElement; of: Key | null; round: number; at: number }

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
	private tall = -1;		// rows that there are
	private room = SHOWN;
	private values = new Map<Key, number>();	// in the interval that is marked; else empty
	private ranks = new Map<Key, number>();
	private time: Timeline;
	private unit: Unit;
	private wide = 0;		// of a line, and how high the list is, as measured
	private high = SHOWN * ROW;

	constructor(private stage: Stage, private agg: Agg) {
		this.time = timeOf(stage);
		this.unit = unitOf(agg, stage.model.program);
		this.time.listen((data) => data && this.update());
		this.byRate = !!stage.recent && this.rates;
		this.list = el("div", { class: "rows" });
		this.scroll = el("div", { class: "scroll", tabIndex: -1, onscroll: () => soon(this.fill) }, this.list);
		this.list.addEventListener("keydown", (e) => this.key(e));
		// asked for in each frame, its size would have to be computed in each frame
		new ResizeObserver(() => this.measure()).observe(this.scroll);
		this.filter = el("input", { type: "search", placeholder: "filter keys", "aria-label": "filter keys",
			oninput: () => this.update() });
		this.count = el("span", { class: "dim" });
		const recent = el("input", { type: "checkbox", checked: this.byRate, onchange: () => {
			this.byRate = recent.checked;
			this.update();
		} });
		this.root = el("div", { class: "bars" },
			el("div", { class: "tools" }, this.filter, !this.rates ? null :
				el("label", {}, recent, " sort by recent change"), this.count), this.scroll);
	}

	private get rates(): boolean {
		return !isGauge(this.agg.fn);
	}

	/** What a row is sorted by: what came of late, in the interval that is marked, or at all. */
	private rank = (k: Key): number => this.values.size ? this.values.get(k) ?? 0 : this.byRate ? lately(k, this.stage.model.moments) : k.value;

	/** What each key has counted in the interval that is marked. */
	private mark(): void {
		this.values.clear();
		const part = this.time.brush ?? this.time.window;
		if (!part || !this.rates) return;
		const [from, to] = this.time.within(...part);
		for (const k of this.agg.keys) {
			if (!k?.history) continue;
			let sum = 0;
			for (let i = from; i < to; i++) sum += k.history[i % SLOTS] * Math.max(1, this.time.ends(i) - this.time.begins(i)) / 1000;
			this.values.set(k, Math.round(sum));
		}
	}

	update(): void {
		const wanted = this.filter.value.toLowerCase();
		this.sorted = this.agg.keys.filter((k) => k && k.alive && (!wanted || k.text.toLowerCase().includes(wanted)));
		this.mark();
		this.unit = unitOf(this.agg, this.stage.model.program);
		if (this.values.size) this.sorted = this.sorted.filter((k) => this.values.get(k));
		this.ranks = new Map(this.sorted.map((k) => [k, this.rank(k)]));
		const rank = (k: Key) => this.ranks.get(k)!;
		this.sorted.sort(this.agg.fn === "min" ? (a, b) => rank(a) - rank(b) : (a, b) => rank(b) - rank(a));
		this.most = this.sorted.reduce((most, k) => Math.max(most, Math.abs(rank(k))), 0);
		this.round++;
		const n = this.sorted.length;
		setText(this.count, `${whole(n)} ${n === 1 ? "key" : "keys"}` +
			(this.agg.more ? `, ${whole(this.agg.more)} more are not shown` : "") + (this.values.size ? `, ${this.time.interval()}` :
			n === 0 && wanted ? ` of ${whole(this.agg.keys.length)} match` : ""));
		const room = this.root.closest(".full") ? Math.floor((innerHeight - 160) / ROW) : this.stage.recent ? compactRows() : SHOWN;
		if (n !== this.tall || room !== this.room) {
			this.list.style.height = `${n * ROW}px`;
			this.scroll.style.height = `${Math.min(n, room) * ROW + 2}px`;
			this.tall = n;
			this.room = room;
		}
		soon(this.fill);
	}

	private make(): Row {
		const row: Row = { root: el("button", { class: "row", type: "button" }), key: el("span", { class: "key" }),
			bar: el("span", { class: "bar" }), value: el("span", { class: "value" }),
			rate: el("span", { class: "rate" }), line: el("canvas", { class: "spark", "aria-hidden": "true" }),
			of: null, round: -1, at: -1 };
		row.root.append(row.bar, row.key, row.line, row.rate, row.value);
		row.root.addEventListener("click", () => row.of && this.stage.pick?.({ agg: this.agg, key: row.of }));
		this.list.append(row.root);
		return row;
	}

	/** Rows are used again and have no order of their own: arrows go from key to key. */
	private key(e: KeyboardEvent): void {
		const row = this.rows.find((r) => r.root === e.target), by = e.key === "ArrowDown" ? 1 : e.key === "ArrowUp" ? -1 : 0;
		const to = row ? row.at + by : -1;
		if (!by || to < 0 || to >= this.sorted.length) return;
		e.preventDefault();
		if (to * ROW < this.scroll.scrollTop) this.scroll.scrollTop = to * ROW;
		if ((to + 1) * ROW > this.scroll.scrollTop + this.high) this.scroll.scrollTop = (to + 1) * ROW - this.high;
		this.fill();
		this.rows.find((r) => r.at === to)?.root.focus({ preventScroll: true });
	}

	private measure(): void {
		const wide = this.rows[0]?.line.clientWidth ?? 0;
		this.high = this.scroll.clientHeight;
		if (wide !== this.wide) this.round++;
		this.wide = wide;
		soon(this.fill);
	}

	/** A row stays where it is as long as it can be seen: scrolling draws only those that come. */
	private fill = (): void => {
		const first = Math.max(0, Math.floor(this.scroll.scrollTop / ROW) - 2);
		const n = Math.max(0, Math.min(this.sorted.length - first, Math.ceil(this.high / ROW) + 4));
		if (this.rows.length < n) {
			while (this.rows.length < n) this.rows.push(this.make());
			for (const row of this.rows) row.round = -1;
			soon(this.sized);
		}
		for (let at = first; at < first + n; at++) {
			const row = this.rows[at % this.rows.length];
			if (row.round === this.round && row.at === at) continue;
			if (row.at < 0) row.root.hidden = false;
			this.draw(row, this.sorted[at], at, this.most);
			spark(row.line, this.wide, row.of!, this.stage.model.moments);
			row.round = this.round;
			row.at = at;
		}
		for (const row of this.rows) if (row.at >= 0 && (row.at < first || row.at >= first + n)) {
			row.root.hidden = true;
			row.of = null;
			row.at = -1;
		}
	};

	private sized = (): void => this.measure();

	private draw(row: Row, key: Key, at: number, most: number): void {
		const v = this.ranks.get(key) ?? 0, value = this.values.size ? v : key.value;
		if (row.at !== at) row.root.style.transform = `translateY(${at * ROW}px)`;
		if (row.of !== key) {
			row.of = key;
			row.root.title = key.parts.map((p) => this.stage.model.partText(p)).join("\n");
			setText(row.key, key.text || "(all)");
		}
		if (row.value.dataset.value !== String(value)) {
			const unit = isDist(this.agg.fn) || this.unit.kind === "cpu" ? null : this.unit;
			setText(row.value, unit?.kind ? amount(value, unit) : whole(value));
			row.value.title = unit?.kind ? exact(value, unit) : "";
			row.value.dataset.value = String(value);
		}
		const late = this.byRate ? v : key.rate;
		setText(row.rate, !this.rates || !late || this.values.size ? "" : rate(late, isDist(this.agg.fn) ? { kind: "", scale: 1 } : this.unit));
		// its place is not a matter of layout: neither is its width
		row.bar.style.transform = `scaleX(${most ? Math.abs(v) / most : 0})`;
	}
}

/** A second's worth of the last ten moments. */
function lately(k: Key, moments: number): number {
	if (!k.history) return k.rate;
	const n = Math.min(10, moments);
	let sum = 0;
	for (let i = moments - n; i < moments; i++) sum += k.history[i % SLOTS];
	return n ? sum / n : 0;
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

register({ name: "bars", order: 30, css, fits: () => true, make: (stage, agg) => new Bars(stage, agg) });
