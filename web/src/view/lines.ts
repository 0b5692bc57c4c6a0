// SPDX-License-Identifier: BSD-2-Clause
// The keys that count most as lines over time. Each line has its own dashes and its name at its end, so that it can
// be told from the others without colour. A moment has a column; where there are more moments than pixels, the
// largest of a pixel is drawn.
import { clock, el, font, ink, Layer, setText, short, soon, surface, whole, type Surface } from "../dom";
import { isGauge, SLOTS, type Agg, type Key } from "../model";
import { register, type Stage, type View } from "../view";

const css = `
.chart { width: 100%; height: 260px; display: block; }
`;

const LINES = 8;
const DASHES = [[], [6, 3], [2, 2], [8, 2, 2, 2], [1, 3], [10, 4], [4, 1], [3, 3, 1, 3]];
const LEFT = 52, RIGHT = 120, BOTTOM = 20, TOP = 8;

export class Lines implements View {
	readonly root: HTMLElement;
	private canvas: HTMLCanvasElement;
	private note: HTMLElement;
	private top: Key[] = [];
	private hover = -1;		// x of the pointer
	private layer = new Layer();

	constructor(private stage: Stage, private agg: Agg) {
		this.canvas = el("canvas", { class: "chart", tabIndex: 0, role: "img", "aria-label":
			"the largest keys over time" });
		this.note = el("div", { class: "note", "aria-live": "off" });
		this.canvas.addEventListener("pointermove", (e) => this.point(e.offsetX));
		this.canvas.addEventListener("pointerleave", () => this.point(-1));
		this.canvas.addEventListener("keydown", (e) => {
			const step = e.key === "ArrowLeft" ? -4 : e.key === "ArrowRight" ? 4 : 0;
			if (!step) return;
			e.preventDefault();
			this.point(Math.max(LEFT, (this.hover < 0 ? this.canvas.clientWidth - this.right() : this.hover) + step));
		});
		this.root = el("div", { class: "lines" }, this.canvas, this.note);
	}

	private get gauge(): boolean {
		return isGauge(this.agg.over?.fn ?? this.agg.fn);
	}

	private right(): number {
		return this.canvas.clientWidth < 500 ? 64 : RIGHT;
	}

	private point(x: number): void {
		this.hover = x;
		soon(this.draw);
	}

	update(): void {
		const sum = (k: Key) => this.gauge ? Math.abs(k.value) : recent(k, this.stage.model.moments);
		this.top = (this.agg.over ?? this.agg).keys.filter((k) => k && k.history).map((k) => ({ k, n: sum(k) }))
			.sort((a, b) => b.n - a.n).slice(0, LINES).map((x) => x.k);
		this.layer.old();
		soon(this.draw);
	}

	/** Where things are across. */
	private across(w: number): { from: number; t0: number; t1: number; width: number; x: (i: number) => number } {
		const m = this.stage.model, from = m.firstMoment, width = w - LEFT - this.right();
		const t0 = m.times[from % SLOTS], t1 = Math.max(m.times[(m.moments - 1) % SLOTS], t0 + 10000);
		return { from, t0, t1, width, x: (i) => LEFT + (m.times[i % SLOTS] - t0) / (t1 - t0) * width };
	}

	private draw = (): void => {
		const s = surface(this.canvas), m = this.stage.model;
		if (!s || m.moments < 1) return;
		this.layer.copy(s, this.base);
		const { from, x } = this.across(s.w);
		this.tell(s.c, s.h, m.moments - from, from, x);
	};

	private base = (s: Surface): void => {
		const m = this.stage.model, { from, t0, t1, width, x } = this.across(s.w);
		let most = 1;
		for (const k of this.top) for (let i = from; i < m.moments; i++) most = Math.max(most, k.history![i % SLOTS]);
		const y = (v: number) => s.h - BOTTOM - v / most * (s.h - BOTTOM - TOP);
		this.axes(s.c, s.h, most, y, t0, t1, width);
		const ends: { y: number; text: string; colour: string }[] = [];
		this.top.forEach((k, j) => {
			s.c.strokeStyle = ink(`--c${j}`);
			s.c.setLineDash(DASHES[j]);
			s.c.lineWidth = 1.6;
			s.c.beginPath();
			let px = -1, peak = 0;
			for (let i = from; i < m.moments; i++) {
				const at = Math.round(x(i)), v = k.history![i % SLOTS];
				peak = at === px ? Math.max(peak, v) : v;
				if (i === from) s.c.moveTo(at, y(peak));
				else s.c.lineTo(at, y(peak));
				px = at;
			}
			s.c.stroke();
			ends.push({ y: y(k.history![(m.moments - 1) % SLOTS]), text: k.text || "all", colour: ink(`--c${j}`) });
		});
		s.c.setLineDash([]);
		this.labels(s.c, ends, x(m.moments - 1), s.w, s.h);
	};

	private axes(c: CanvasRenderingContext2D, h: number, most: number, y: (v: number) => number,
		t0: number, t1: number, width: number): void {
		c.font = font;
		c.fillStyle = ink("--dim");
		c.strokeStyle = ink("--grid");
		c.lineWidth = 1;
		for (let i = 0; i <= 2; i++) {
			const v = most / 2 * i;
			c.textAlign = "right";
			c.fillText(short(v), LEFT - 6, y(v) + 4);
			c.beginPath();
			c.moveTo(LEFT, Math.round(y(v)) + 0.5);
			c.lineTo(LEFT + width, Math.round(y(v)) + 0.5);
			c.stroke();
		}
		c.textAlign = "left";
		c.fillText(clock(t0), LEFT, h - 4);
		c.textAlign = "right";
		c.fillText(clock(t1), LEFT + width, h - 4);
	}

	/** Names beside the ends of their lines, moved apart. */
	private labels(c: CanvasRenderingContext2D, ends: { y: number; text: string; colour: string }[], x: number,
		w: number, h: number): void {
		ends.sort((a, b) => a.y - b.y);
		let last = -Infinity, next = h - BOTTOM + 13;
		for (const e of ends) last = e.y = Math.max(e.y, last + 13);
		for (const e of [...ends].reverse()) next = e.y = Math.min(e.y, next - 13);
		c.textAlign = "left";
		for (const e of ends) {
			c.fillStyle = e.colour;
			c.fillText(e.text, x + 5, e.y + 4, Math.max(20, w - x - 6));
		}
	}

	private tell(c: CanvasRenderingContext2D, h: number, n: number, from: number, x: (i: number) => number): void {
		const m = this.stage.model;
		if (this.hover < LEFT) {
			setText(this.note, this.gauge ? "the value at each moment" : "a second, at each moment");
			return;
		}
		let best = from;
		for (let i = from; i < from + n; i++) if (Math.abs(x(i) - this.hover) < Math.abs(x(best) - this.hover)) best = i;
		c.strokeStyle = ink("--dim");
		c.beginPath();
		c.moveTo(x(best), 0);
		c.lineTo(x(best), h - BOTTOM);
		c.stroke();
		setText(this.note, `${clock(m.times[best % SLOTS])}  ` + this.top.map((k) =>
			`${k.text || "all"} ${whole(k.history![best % SLOTS])}`).join(",  "));
	}
}

function recent(k: Key, moments: number): number {
	let sum = 0;
	for (let i = Math.max(0, moments - 60); i < moments; i++) sum += k.history![i % SLOTS];
	return sum;
}

register({ name: "lines", order: 40, css, fits: () => true, make: (stage, agg) => new Lines(stage, agg) });
