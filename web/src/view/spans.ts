// SPDX-License-Identifier: BSD-2-Clause
// Entry and return of functions as spans on tracks (threads if the program records tid, else CPUs), all on one axis
// of time. The wheel or + and - zoom, dragging or the arrow keys move.
import { el, font, hash, ink, Layer, setText, soon, surface, type Surface } from "../dom";
import type { Span } from "../model";
import { register, type Stage, type View } from "../view";

const css = `
.spans { width: 100%; display: block; touch-action: none; cursor: grab; }
`;

const ROW = 16, LEFT = 90, BOTTOM = 18, TRACKS = 24;

export class Spans implements View {
	readonly root: HTMLElement;
	private canvas: HTMLCanvasElement;
	private note: HTMLElement;
	private width = 2000;		// ms that are shown
	private end: number | null = null;	// null: follows
	private boxes: { s: Span; x: number; y: number; w: number }[] = [];
	private hover: Span | null = null;
	private shown: Span[] = [];
	private rows = new Map<string, { y: number; depth: number }>();
	private left = 0;		// tracks beyond TRACKS
	private high = 0;
	private layer = new Layer();
	private drag: { x: number; end: number } | null = null;

	constructor(private stage: Stage) {
		this.canvas = el("canvas", { class: "spans", tabIndex: 0, role: "img",
			"aria-label": "spans on tracks; plus and minus zoom, arrows move, brackets go from span to span, End follows" });
		this.note = el("div", { class: "note" });
		this.root = el("div", {}, el("div", { class: "tools" },
			el("button", { type: "button", "aria-label": "zoom in", onclick: () => this.zoom(0.5) }, "+"),
			el("button", { type: "button", "aria-label": "zoom out", onclick: () => this.zoom(2) }, "\u2212"),
			el("button", { type: "button", onclick: () => { this.end = null; this.again(); } }, "follow")),
			this.canvas, this.note);
		this.listen();
	}

	private listen(): void {
		const c = this.canvas;
		c.addEventListener("wheel", (e) => {
			e.preventDefault();
			this.zoom(e.deltaY > 0 ? 1.25 : 0.8);
		}, { passive: false });
		c.addEventListener("pointerdown", (e) => {
			this.drag = { x: e.offsetX, end: this.end ?? this.stage.model.now };
			c.setPointerCapture(e.pointerId);
		});
		c.addEventListener("pointerup", () => this.drag = null);
		c.addEventListener("pointermove", (e) => {
			if (this.drag) {
				this.end = this.drag.end - (e.offsetX - this.drag.x) / (c.clientWidth - LEFT) * this.width;
				this.layer.old();
			}
			const b = this.boxes.find((o) => e.offsetX >= o.x && e.offsetX <= o.x + Math.max(2, o.w) &&
				e.offsetY >= o.y && e.offsetY < o.y + ROW);
			this.hover = b?.s ?? null;
			soon(this.draw);
		});
		c.addEventListener("keydown", (e) => {
			const now = this.end ?? this.stage.model.now;
			if (e.key === "+") this.zoom(0.5);
			else if (e.key === "-") this.zoom(2);
			else if (e.key === "ArrowLeft") this.end = now - this.width / 10;
			else if (e.key === "ArrowRight") this.end = now + this.width / 10;
			else if (e.key === "End") this.end = null;
			else if (e.key === "[" || e.key === "]") this.step(e.key === "]" ? 1 : -1);
			else return;
			e.preventDefault();
			this.again();
		});
	}

	private zoom(by: number): void {
		this.width = Math.min(600000, Math.max(0.001, this.width * by));
		this.again();
	}

	/** From span to span by keys, in the order in which they began. */
	private step(by: number): void {
		const all = this.boxes.map((b) => b.s).sort((a, b) => a.from - b.from), at = this.hover ? all.indexOf(this.hover) : -1;
		this.hover = all[at < 0 ? all.length - 1 : Math.min(all.length - 1, Math.max(0, at + by))] ?? null;
	}

	update(): void {
		this.again();
	}

	/** Tracks from the first to the last, each as deep as it gets. */
	private tracks(shown: Span[]): Map<string, { y: number; depth: number }> {
		const found = new Map<string, { y: number; depth: number }>(), more = new Set<string>();
		for (const s of shown) {
			const t = found.get(s.track);
			if (t) t.depth = Math.max(t.depth, Math.min(s.depth, 7) + 1);
			else if (found.size < TRACKS) found.set(s.track, { y: 0, depth: Math.min(s.depth, 7) + 1 });
			else more.add(s.track);
		}
		this.left = more.size;
		let y = 0;
		for (const [name, t] of [...found].sort((a, b) => a[0].localeCompare(b[0], "en", { numeric: true }))) {
			t.y = y;
			y += t.depth * ROW + 6;
			found.delete(name);
			found.set(name, t);
		}
		return found;
	}

	/** Data, place or scale have changed: what was painted is painted anew. */
	private again(): void {
		this.layer.old();
		soon(this.draw);
	}

	private draw = (): void => {
		if (this.layer.isOld) this.arrange();
		const s = surface(this.canvas, this.canvas.clientWidth, this.high);
		if (!s) return;
		this.layer.copy(s, this.base);
		const b = this.hover ? this.boxes.find((o) => o.s === this.hover) : undefined;
		if (b) {
			s.c.strokeStyle = ink("--fg");
			s.c.lineWidth = 2;
			s.c.strokeRect(b.x, b.y, Math.max(2, b.w), ROW - 1);
		}
		setText(this.note, this.hover ? `${this.hover.name} on ${this.hover.track}: ` +
			`${((this.hover.to - this.hover.from) * 1000).toFixed(1)} \u00b5s` : `${this.shown.length} spans` +
			(this.left ? `; ${this.left} tracks more are not shown` : ""));
	};

	private arrange(): void {
		const end = this.end ?? this.stage.model.now, from = end - this.width;
		this.shown = this.stage.model.spans.filter((s) => s.to >= from && s.from <= end);
		this.rows = this.tracks(this.shown);
		let high = 60;
		for (const t of this.rows.values()) high = Math.max(high, t.y + t.depth * ROW + 6);
		if (high + BOTTOM === this.high) return;
		this.high = high + BOTTOM;
		this.canvas.style.height = `${this.high}px`;
	}

	private base = (s: Surface): void => {
		const end = this.end ?? this.stage.model.now, from = end - this.width, scale = (s.w - LEFT) / this.width;
		const hues = [0, 1, 2, 3].map((i) => ink(`--f${i}`)), text = ink("--flametext");
		s.c.font = font;
		s.c.textBaseline = "middle";
		s.c.textAlign = "left";
		this.boxes = [];
		for (const span of this.shown) {
			const t = this.rows.get(span.track);
			if (!t) continue;
			const x = Math.max(LEFT, LEFT + (span.from - from) * scale), w = LEFT + (span.to - from) * scale - x;
			const y = t.y + Math.min(span.depth, 7) * ROW;
			s.c.fillStyle = hues[hash(span.name) % 4];
			s.c.fillRect(x, y, Math.max(1, w), ROW - 1);
			if (w > 30) {
				s.c.fillStyle = text;
				s.c.fillText(span.name.slice(0, Math.floor(w / 7)), x + 3, y + ROW / 2);
			}
			this.boxes.push({ s: span, x, y, w });
		}
		this.axis(s, from, end);
	};

	private axis(s: Surface, from: number, end: number): void {
		s.c.fillStyle = ink("--card");
		s.c.fillRect(0, 0, LEFT - 2, s.h);
		s.c.fillStyle = ink("--dim");
		for (const [name, t] of this.rows) s.c.fillText(name, 2, t.y + ROW / 2, LEFT - 6);
		s.c.fillText(`${(from / 1000).toFixed(3)} s`, LEFT, s.h - 8);
		s.c.textAlign = "right";
		s.c.fillText(`${(end / 1000).toFixed(3)} s`, s.w, s.h - 8);
		s.c.textAlign = "left";
	}
}

register({ name: "spans", order: 20, css, fitsTrace: (model) => model.spans.length > 0,
	makeForTrace: (stage) => new Spans(stage) });
