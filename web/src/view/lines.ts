// SPDX-License-Identifier: BSD-2-Clause
// The keys that count most as lines over time. Each line has its own dashes, so that it can be told from the others
// without colour; a table below has their names, and the values at the pointer. A moment has a column; where there are
// more moments than pixels, the largest of a pixel is drawn.
import { drawTimes, drawValues, linear } from "../axis";
import { el, ink, Layer, setText, soon, surface, type Surface } from "../dom";
import { isGauge, SLOTS, type Agg, type Key } from "../model";
import type { Timeline } from "../timeline";
import { amount, exact, rate, unitOf, type Unit } from "../units";
import { register, timeOf, type Stage, type View } from "../view";

const css = `
.chart { width: 100%; height: 240px; display: block; touch-action: pan-y; cursor: crosshair; }
.keytable { border-collapse: collapse; width: 100%; font-size: 12px; font-variant-numeric: tabular-nums; }
.keytable th, .keytable td { padding: 0 8px 0 0; text-align: right; white-space: nowrap; height: 24px; }
.keytable th { color: var(--dim); font-weight: 400; font-family: inherit; }
.keytable th:first-child, .keytable td:first-child { text-align: left; width: 60%; max-width: 0; overflow: hidden; text-overflow: ellipsis; }
.keytable button { border: 0; background: none; padding: 0 4px; min-height: 24px; max-width: 100%; overflow: hidden; text-overflow: ellipsis;
	text-align: left; vertical-align: middle; }
.keytable svg { width: 26px; height: 10px; margin-right: 6px; vertical-align: middle; }
.keytable tr.faint { opacity: .6; }
`;

const LINES = 8;
const DASHES = [[], [6, 3], [2, 2], [8, 2, 2, 2], [1, 3], [10, 4], [4, 1], [3, 3, 1, 3]];
const LEFT = 64, RIGHT = 14, BOTTOM = 22, TOP = 8;

interface Shown { key: Key; slot: number }
interface Row { root: HTMLElement; name: HTMLElement; line: SVGElement; cells: HTMLElement[]; of: Key | null }

export class Lines implements View {
	readonly root: HTMLElement;
	private canvas: HTMLCanvasElement;
	private note: HTMLElement;
	private head = ["", "mean", "max"].map((t) => el("th", {}, t));
	private table = el("tbody");
	private rows: Row[] = [];
	private shown: Shown[] = [];
	private slots = new Map<Key, number>();	// a key keeps its colour while it is shown
	private only: Key | null = null;
	private drag = -1;
	private layer = new Layer();
	private time: Timeline;

	constructor(private stage: Stage, private agg: Agg) {
		this.time = timeOf(stage);
		this.canvas = el("canvas", { class: "chart", tabIndex: 0, role: "img", "aria-label":
			"the largest keys over time; arrow keys read them, Shift and arrows mark an interval" });
		this.note = el("div", { class: "note", role: "status" });
		this.root = el("div", { class: "lines" }, this.canvas, this.note, el("div", { class: "scroll", tabIndex: -1 },
			el("table", { class: "keytable" }, el("thead", {}, el("tr", {}, el("th", {}, "key"), ...this.head)), this.table)));
		this.listen();
	}

	private listen(): void {
		const c = this.canvas, t = this.time;
		c.addEventListener("pointermove", (e) => {
			const ms = this.when(e.offsetX);
			t.point(ms);
			if (this.drag >= 0 && ms >= 0) t.mark(this.drag, ms);
		});
		c.addEventListener("pointerdown", (e) => {
			this.drag = this.when(e.offsetX);
			c.setPointerCapture(e.pointerId);
		});
		c.addEventListener("pointerup", () => this.drag = -1);
		c.addEventListener("pointerleave", () => t.point(-1));
		c.addEventListener("dblclick", () => t.clear());
		c.addEventListener("keydown", (e) => this.key(e));
		t.listen((data) => {
			if (data) this.layer.old();
			soon(this.draw);
		});
	}

	/** The time at a place; below 0: none. */
	private when(x: number): number {
		const [t0, t1] = this.time.shown, width = this.canvas.clientWidth - LEFT - RIGHT;
		return x < LEFT - 8 ? -1 : Math.max(0, t0 + Math.min(1, Math.max(0, (x - LEFT) / width)) * (t1 - t0));
	}

	private key(e: KeyboardEvent): void {
		const by = e.key === "ArrowLeft" ? -1 : e.key === "ArrowRight" ? 1 : 0, t = this.time, m = this.stage.model;
		if (by && m.moments) {
			const from = t.hover < 0 ? m.moments - 1 : t.at(t.hover);
			const to = Math.min(m.moments - 1, Math.max(m.firstMoment, t.hover < 0 ? from : from + by));
			if (e.shiftKey) t.mark(t.brush && t.hover >= 0 ? (t.hover > t.brush[0] + 1 ? t.brush[0] : t.brush[1]) : t.begins(from), t.ends(to));
			t.point(t.ends(to));
		} else if (e.key === "Enter") t.zoom();
		else if (e.key === "Escape") t.clear();
		else return;
		e.preventDefault();
	}

	private get gauge(): boolean {
		return isGauge(this.agg.over?.fn ?? this.agg.fn);
	}

	private get unit(): Unit {
		return unitOf(this.agg, this.stage.model.program);
	}

	private text(v: number): string {
		return this.gauge ? amount(v, this.unit) : rate(v, this.unit);
	}

	update(): void {
		this.canvas.style.height = this.root.closest(".full") ? `${Math.max(240, innerHeight - 400)}px` : "";
		const sum = (k: Key) => this.gauge ? Math.abs(k.value) : recent(k, this.stage.model.moments);
		const top = (this.agg.over ?? this.agg).keys.filter((k) => k && k.history).map((k) => ({ k, n: sum(k) }))
			.sort((a, b) => b.n - a.n).slice(0, LINES).map((x) => x.k);
		for (const k of this.slots.keys()) if (!top.includes(k)) this.slots.delete(k);
		for (const k of top) {
			const taken = new Set(this.slots.values());
			if (!this.slots.has(k)) this.slots.set(k, DASHES.findIndex((_, i) => !taken.has(i)));
		}
		if (this.only && !top.includes(this.only)) this.only = null;
		this.shown = top.map((key) => ({ key, slot: this.slots.get(key)! }));
		this.layer.old();
		this.legend();
		soon(this.draw);
	}

	private draw = (): void => {
		const s = surface(this.canvas), m = this.stage.model;
		if (!s) return;
		this.layer.copy(s, this.base);
		if (m.moments > 0) this.marks(s);
		this.values();
	};

	private base = (s: Surface): void => {
		const [t0, t1] = this.time.shown, [from, to] = this.time.within(t0, t1), c = s.c, bottom = s.h - BOTTOM;
		const lines = this.only ? this.shown.filter((l) => l.key === this.only) : this.shown;
		let most = 0;
		for (const l of lines) for (let i = from; i < to; i++) most = Math.max(most, l.key.history![i % SLOTS]);
		const ticks = linear(this.scaled(most), bottom - TOP, this.unit).map((v) => v / this.scaled(1));
		const top = ticks[ticks.length - 1], y = (v: number) => bottom - v / top * (bottom - TOP);
		drawTimes(c, { left: LEFT, right: s.w - RIGHT, top: TOP, bottom }, t0, t1, this.time.offset);
		drawValues(c, ticks.map((v) => ({ y: y(v), label: this.text(v) })), LEFT, s.w - RIGHT);
		const x = (ms: number) => LEFT + (ms - t0) / (t1 - t0) * (s.w - LEFT - RIGHT);
		c.save();
		c.beginPath();
		c.rect(LEFT, 0, s.w - LEFT - RIGHT + 2, bottom + 2);
		c.clip();
		for (const l of lines) this.line(c, l, from, to, x, y);
		c.restore();
		c.setLineDash([]);
	};

	/** Shares of a CPU have ticks at whole percents. */
	private scaled(v: number): number {
		return this.unit.kind === "cpu" && !this.gauge ? v * this.unit.scale : v;
	}

	private line(c: CanvasRenderingContext2D, l: Shown, from: number, to: number, x: (ms: number) => number, y: (v: number) => number): void {
		c.strokeStyle = ink(`--c${l.slot}`);
		c.setLineDash(DASHES[l.slot]);
		c.lineWidth = 1.75;
		c.lineJoin = "round";
		c.beginPath();
		let px = -1, peak = 0;
		for (let i = from; i < to; i++) {
			const at = Math.round(x(this.time.ends(i))), v = l.key.history![i % SLOTS];
			peak = at === px ? Math.max(peak, v) : v;
			if (i === from) c.moveTo(at, y(peak));
			else c.lineTo(at, y(peak));
			px = at;
		}
		c.stroke();
	}

	/** The interval that is marked, and the moment that is pointed at. */
	private marks(s: Surface): void {
		const [t0, t1] = this.time.shown, x = (ms: number) => LEFT + (ms - t0) / (t1 - t0) * (s.w - LEFT - RIGHT), b = this.time.brush;
		if (b) {
			s.c.fillStyle = ink("--brush");
			s.c.fillRect(x(b[0]), TOP, Math.max(1, x(b[1]) - x(b[0])), s.h - BOTTOM - TOP);
		}
		if (this.time.hover < 0) return;
		const at = Math.round(x(this.time.ends(this.time.at(this.time.hover)))) + 0.5;
		if (at < LEFT || at > s.w - RIGHT + 1) return;
		s.c.strokeStyle = ink("--dim");
		s.c.lineWidth = 1;
		s.c.beginPath();
		s.c.moveTo(at, 0);
		s.c.lineTo(at, s.h - BOTTOM);
		s.c.stroke();
	}

	// ---- the table: which line is which, and the values at the pointer

	private legend(): void {
		while (this.rows.length < this.shown.length) this.rows.push(this.row());
		this.rows.forEach((r, i) => {
			const l = this.shown[i];
			r.root.hidden = !l;
			r.of = l?.key ?? null;
			if (!l) return;
			setText(r.name, l.key.text || "all");
			r.name.setAttribute("aria-pressed", String(this.only === l.key));
			r.root.classList.toggle("faint", this.only !== null && this.only !== l.key);
			const style = `stroke: var(--c${l.slot}); stroke-dasharray: ${DASHES[l.slot].join(" ") || "none"}; stroke-width: 2.5`;
			if (r.line.dataset.style !== style) {
				r.line.style.cssText = style;
				r.line.dataset.style = style;
			}
		});
		this.values();
	}

	private row(): Row {
		const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
		const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
		for (const [n, v] of [["x1", "0"], ["x2", "26"], ["y1", "5"], ["y2", "5"]]) line.setAttribute(n, v);
		svg.setAttribute("aria-hidden", "true");
		svg.append(line);
		const row: Row = { root: el("tr"), name: el("button", { type: "button", class: "what", title: "show this line alone", onclick: () => {
			this.only = this.only === row.of ? null : row.of;
			this.update();
		} }), line, cells: [el("td"), el("td"), el("td")], of: null };
		row.root.append(el("td", {}, svg, row.name), ...row.cells);
		this.table.append(row.root);
		return row;
	}

	private values(): void {
		const m = this.stage.model, t = this.time, [a, b] = t.brush ?? t.shown, [from, to] = t.within(a, b);
		const at = t.hover >= 0 && m.moments ? t.at(t.hover) : m.moments - 1;
		setText(this.head[0], t.hover >= 0 && m.moments ? `at ${t.text(t.ends(at))}` : "now");
		this.rows.forEach((r) => {
			const h = r.of?.history;
			if (!h || !m.moments) return;
			let sum = 0, most = 0;
			for (let i = from; i < to; i++) {
				sum += h[i % SLOTS];
				most = Math.max(most, h[i % SLOTS]);
			}
			[h[at % SLOTS], to > from ? sum / (to - from) : 0, most].forEach((v, i) => {
				setText(r.cells[i], this.text(v));
				if (r.cells[i].title !== exact(v, this.unit)) r.cells[i].title = exact(v, this.unit);
			});
		});
		setText(this.note, t.brush ? `marked: ${t.interval()}` : m.moments < 2 ? "waiting for the second moment\u2026" : "");
		this.note.hidden = this.note.textContent === "";
	}
}

function recent(k: Key, moments: number): number {
	let sum = 0;
	for (let i = Math.max(0, moments - 60); i < moments; i++) sum += k.history![i % SLOTS];
	return sum;
}

register({ name: "lines", order: 40, css, fits: () => true, make: (stage, agg) => new Lines(stage, agg) });
