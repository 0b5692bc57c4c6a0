// SPDX-License-Identifier: BSD-2-Clause
// A distribution over time: a column for each moment, a row for each bucket, darker where more was counted. The
// pointer or the arrow keys read a cell, dragging (or Shift and arrows) marks a range of values, a click (or Enter)
// pins a moment, whose distribution is then shown as bars with their numbers.
import { clear, clock, el, font, ink, Layer, setText, short, soon, surface, whole, type Surface } from "../dom";
import { isDist, SLOTS, type Agg, type Cells, type Key } from "../model";
import { register, type Stage, type View } from "../view";

const css = `
.heat { width: 100%; display: block; touch-action: pan-y; cursor: crosshair; }
.scale { display: inline-flex; align-items: center; gap: 2px; color: var(--dim); font-size: 12px; }
.scale i { width: 14px; height: 10px; border: 1px solid var(--edge); }
.pinned { padding-top: 6px; }
.pinned .row { height: 22px; font-size: 13px; }
`;

const LEFT = 64, BOTTOM = 20, ROW = 18, SCALE = 10;
const WIDE = 40;			// pixels: from then on a cell has its number in it

export class Heat implements View {
	readonly root: HTMLElement;
	private canvas: HTMLCanvasElement;
	private note: HTMLElement;
	private pinned: HTMLElement;
	private choice: HTMLSelectElement;
	private col = -1;		// moment under the pointer
	private row = -1;		// place in agg.order
	private drag = -1;		// row where a brush began
	private brush: [number, number] | null = null;
	private pin = -1;
	private known = 0;
	private layer = new Layer();
	private most = 1;

	constructor(private stage: Stage, private agg: Agg) {
		this.canvas = el("canvas", { class: "heat", tabIndex: 0, role: "img",
			"aria-label": "distribution over time; arrow keys read it, Shift and arrows mark a range, Enter pins" });
		this.note = el("div", { class: "note", role: "status" });
		this.pinned = el("div", { class: "pinned" });
		this.choice = el("select", { "aria-label": "which key", onchange: () => this.update() });
		this.root = el("div", { class: "heatmap" }, el("div", { class: "tools" }, this.choice, this.scale()),
			this.canvas, this.note, this.pinned);
		this.listen();
	}

	/** What the shades mean. */
	private scale(): HTMLElement {
		const box = el("span", { class: "scale", "aria-hidden": "true" }, "few ");
		for (let i = 1; i <= SCALE; i += 2) {
			const cell = el("i");
			cell.style.background = `color-mix(in oklab, var(--heat) ${i * 10}%, var(--heat0))`;
			box.append(cell);
		}
		box.append(" many");
		return box;
	}

	private listen(): void {
		const c = this.canvas;
		c.addEventListener("pointermove", (e) => {
			this.place(e.offsetX, e.offsetY);
			if (this.drag >= 0 && this.row >= 0) this.brush = [Math.min(this.drag, this.row), Math.max(this.drag, this.row)];
			soon(this.draw);
		});
		c.addEventListener("pointerdown", (e) => {
			this.place(e.offsetX, e.offsetY);
			this.drag = this.row;
			c.setPointerCapture(e.pointerId);
		});
		c.addEventListener("pointerup", () => this.release());
		c.addEventListener("pointerleave", () => {
			this.col = this.row = -1;
			soon(this.draw);
		});
		c.addEventListener("keydown", (e) => this.key(e));
	}

	private release(): void {
		const moved = this.brush !== null && this.brush[0] !== this.brush[1];
		this.drag = -1;
		if (moved) this.chosen();
		else {
			this.brush = null;
			this.pin = this.pin === this.col ? -1 : this.col;
		}
		this.update();
	}

	private key(e: KeyboardEvent): void {
		const dx = e.key === "ArrowLeft" ? -1 : e.key === "ArrowRight" ? 1 : 0;
		const dy = e.key === "ArrowUp" ? 1 : e.key === "ArrowDown" ? -1 : 0;
		const m = this.stage.model, rows = this.agg.order.length;
		if (e.key === "Enter" && this.brush) this.chosen();
		else if (e.key === "Enter") this.pin = this.pin === this.col ? -1 : this.col;
		else if (e.key === "Escape") this.brush = null;
		else if (dx || dy) {
			if (this.col < 0) [this.col, this.row] = [m.moments - 1, Math.floor(rows / 2)];
			const from = this.row;
			this.col = Math.min(m.moments - 1, Math.max(m.firstMoment, this.col + dx));
			this.row = Math.min(rows - 1, Math.max(0, this.row + dy));
			if (e.shiftKey && dy) {
				const [a, b] = this.brush ?? [from, from];
				this.brush = [Math.min(a, this.row), Math.max(b, this.row)];
			}
		} else return;
		e.preventDefault();
		this.update();
	}

	/** The range that was marked is offered to drill into. */
	private chosen(): void {
		const [a, b] = this.brush!, order = this.agg.order, which = this.which();
		this.stage.pick?.({ agg: this.agg, key: which ?? undefined, low: this.agg.buckets[order[a]]?.low,
			high: this.agg.buckets[order[b]]?.high });
	}

	private which(): Key | null {
		return this.choice.value === "" ? null : this.agg.keys[Number(this.choice.value)] ?? null;
	}

	private cells(moment: number): Cells | undefined {
		const key = this.which();
		return (key?.cells ?? this.agg.cells)[moment % SLOTS];
	}

	private step(): { x0: number; width: number; each: number; n: number; from: number } {
		const m = this.stage.model, width = this.canvas.clientWidth - LEFT;
		// a live picture has room for what comes
		const n = Math.max(m.moments - m.firstMoment, this.stage.pick ? 60 : 1);
		return { x0: LEFT, width, each: width / n, n, from: m.firstMoment };
	}

	private place(x: number, y: number): void {
		const s = this.step(), rows = this.agg.order.length;
		const col = s.from + Math.floor((x - s.x0) / s.each), row = rows - 1 - Math.floor(y / this.rowHeight());
		this.col = x >= s.x0 && col < this.stage.model.moments ? col : -1;
		this.row = row >= 0 && row < rows ? row : -1;
	}

	/** When the moment was; a short trace is read in milliseconds. */
	private time(moment: number): string {
		const m = this.stage.model, ms = m.times[moment % SLOTS];
		return m.now < 10000 && m.moments > 12 ? `${(ms / 1000).toFixed(3)} s` : clock(ms);
	}

	private rowHeight(): number {
		return (this.canvas.clientHeight - BOTTOM) / Math.max(1, this.agg.order.length);
	}

	update(): void {
		this.canvas.style.height = `${Math.min(420, Math.max(4, this.agg.order.length) * ROW) + BOTTOM}px`;
		const own = this.agg.keys.filter((k) => k?.cells);	// those with a history of their own
		if (this.known !== own.length) {
			const value = this.choice.value;
			clear(this.choice);
			this.choice.append(el("option", { value: "" }, `all ${this.agg.keys.length} keys together`));
			for (const k of own) this.choice.append(el("option", { value: String(k.id) }, k.text || "(all)"));
			this.choice.value = value;
			this.choice.hidden = this.agg.keys.length < 2;
			this.known = own.length;
		}
		this.layer.old();
		soon(this.draw);
		this.showPinned();
	}

	private draw = (): void => {
		const s = surface(this.canvas), st = this.step();
		if (!s) return;
		this.layer.copy(s, this.base);
		this.marks(s.c, st, this.rowHeight(), this.agg.order.length);
		this.tell(this.most);
	};

	private base = (s: Surface): void => {
		const m = this.stage.model, st = this.step(), h = this.rowHeight(), rows = this.agg.order.length;
		const place = new Array<number>(rows);
		this.agg.order.forEach((b, i) => place[b] = i);
		// more moments than pixels: those of one pixel are one column
		const per = Math.max(1, Math.floor(1 / Math.max(st.each, 1e-6)));
		const columns: { at: number; cells: Cells }[] = [];
		let most = 1;
		for (let i = st.from; i < m.moments; i += per) {
			const sum: Cells = per === 1 ? this.cells(i) ?? new Map() : this.merged(i, Math.min(i + per, m.moments));
			for (const n of sum.values()) most = Math.max(most, n);
			columns.push({ at: i, cells: sum });
		}
		this.paint(s.c, columns, st, h, rows, place, most, per);
		this.axis(s.c, s.w, s.h, h, rows, st);
		this.most = most;
	};

	private merged(from: number, to: number): Cells {
		const sum: Cells = new Map();
		for (let i = from; i < to; i++)
			for (const [b, n] of this.cells(i) ?? []) sum.set(b, (sum.get(b) ?? 0) + n);
		return sum;
	}

	private paint(c: CanvasRenderingContext2D, columns: { at: number; cells: Cells }[],
		st: { x0: number; each: number; from: number }, h: number, rows: number, place: number[], most: number,
		per: number): void {
		const w = Math.max(1, st.each * per), level = Math.sqrt(most);
		for (const col of columns)
			for (const [b, n] of col.cells) {
				const x = st.x0 + (col.at - st.from) * st.each, y = (rows - 1 - place[b]) * h, shade = Math.sqrt(n) / level;
				c.fillStyle = ink("--heat");
				c.globalAlpha = 0.12 + 0.88 * shade;
				c.fillRect(x, y, Math.ceil(w), Math.ceil(h) - 0.5);
				if (w >= WIDE && h >= 12) this.cellNumber(c, n, shade, x + w / 2, y + h / 2);
			}
		c.globalAlpha = 1;
	}

	private cellNumber(c: CanvasRenderingContext2D, n: number, shade: number, x: number, y: number): void {
		c.globalAlpha = 1;
		c.font = font;
		c.textAlign = "center";
		c.textBaseline = "middle";
		c.fillStyle = ink(shade > 0.4 ? "--heat0" : "--fg");
		c.fillText(short(n), x, y);
		c.textBaseline = "alphabetic";
	}

	private axis(c: CanvasRenderingContext2D, w: number, height: number, h: number, rows: number,
		st: { x0: number; each: number; from: number; n: number }): void {
		const m = this.stage.model, every = Math.max(1, Math.ceil(14 / h));
		c.font = font;
		c.fillStyle = ink("--dim");
		c.textAlign = "right";
		for (let r = 0; r < rows; r += every) {
			const low = this.agg.buckets[this.agg.order[r]].low;
			c.fillText(low === null ? "less" : short(low), LEFT - 6, (rows - 1 - r) * h + h / 2 + 4);
		}
		c.textAlign = "left";
		if (m.moments) c.fillText(this.time(st.from), LEFT, height - 5);
		const last = st.x0 + (m.moments - st.from) * st.each;
		c.textAlign = last > w - 30 ? "right" : "center";
		if (m.moments > 8) c.fillText(this.time(m.moments - 1), Math.min(last, w), height - 5);
	}

	private marks(c: CanvasRenderingContext2D, st: { x0: number; each: number; from: number; width: number },
		h: number, rows: number): void {
		c.strokeStyle = ink("--accent");
		c.lineWidth = 2;
		if (this.brush) {
			const [a, b] = this.brush;
			c.strokeRect(st.x0 + 1, (rows - 1 - b) * h, st.width - 2, (b - a + 1) * h);
		}
		const wide = Math.max(3, st.each);
		if (this.pin >= 0) c.strokeRect(st.x0 + (this.pin - st.from) * st.each, 1, wide, rows * h - 2);
		c.strokeStyle = ink("--fg");
		c.lineWidth = 1;
		if (this.col >= 0 && this.row >= 0)
			c.strokeRect(st.x0 + (this.col - st.from) * st.each, (rows - 1 - this.row) * h, wide, h);
	}

	private range(row: number): string {
		const b = this.agg.buckets[this.agg.order[row]];
		return b.low === null ? `up to ${whole(b.high!)}` : b.high === null ? `from ${whole(b.low)} on` :
			b.low === b.high ? whole(b.low) : `${whole(b.low)} to ${whole(b.high)}`;
	}

	private tell(most: number): void {
		if (this.brush) {
			const [a, b] = this.brush;
			setText(this.note, `marked: ${a === b ? this.range(a) : `${this.range(a)} … ${this.range(b)}`}`);
		} else if (this.col >= 0 && this.row >= 0) {
			const n = this.cells(this.col)?.get(this.agg.order[this.row]) ?? 0;
			setText(this.note, `${this.time(this.col)}: ${whole(n)} of ${this.range(this.row)}`);
		} else setText(this.note, `darkest: ${whole(most)} in a moment. ${this.stage.pick ? "Drag over values to look into them, click" : "Click"} to pin a moment.`);
	}

	/** The pinned moment, or all of it, as bars with numbers. */
	private showPinned(): void {
		const sum = new Map<number, number>();
		if (this.pin >= 0) for (const [b, n] of this.cells(this.pin) ?? []) sum.set(b, n);
		else for (const k of this.which() ? [this.which()!] : this.agg.keys)
			for (const [b, n] of k?.dist ?? []) sum.set(b, (sum.get(b) ?? 0) + n);
		const rows = this.agg.order.map((b, i) => ({ i, n: sum.get(b) ?? 0 }));
		let most = 1, total = 0;
		for (const r of rows) {
			most = Math.max(most, r.n);
			total += r.n;
		}
		clear(this.pinned);
		this.pinned.append(el("h3", {}, this.pin >= 0 ? `at ${this.time(this.pin)}` :
			"since the start", el("span", { class: "dim" }, ` ${whole(total)} in all`)));
		for (const r of rows) {
			const bar = el("span", { class: "bar" });
			bar.style.width = `${r.n / most * 100}%`;
			this.pinned.append(el("button", { class: "row", type: "button", onclick: () => {
				this.brush = [r.i, r.i];
				this.chosen();
				soon(this.draw);
			} }, bar, el("span", { class: "key" }, this.range(r.i)), el("span", { class: "value" }, whole(r.n))));
		}
	}
}

register({ name: "heat map", order: 10, css, fits: (agg) => isDist(agg.fn), make: (stage, agg) => new Heat(stage, agg) });
