// SPDX-License-Identifier: BSD-2-Clause
// A distribution over time: a column for each moment, a row for each bucket, darker where more was counted (by the
// logarithm), with the 50th and 99th percentile as lines. To the right the distribution of what is marked, below what
// each moment counted. The pointer or the arrow keys read a cell; dragging up marks values to look into, dragging along
// marks an interval for all panels; a click (or Enter) pins a moment.
import { drawTimes } from "../axis";
import { clear, el, font, ink, Layer, setText, short, soon, surface, whole, type Surface } from "../dom";
import { columns, Rows, slot, sum } from "../grid";
import { axes, AXIS, LEFT, paint, past, percentile, RIGHT, SIDE, strip, STRIP, TOP, type Place } from "../heatpaint";
import { isDist, type Agg, type Cells, type Key } from "../model";
import type { Timeline } from "../timeline";
import { range, amount, unitOf, type Unit } from "../units";
import { compactRows, register, timeOf, type Examples, type Stage, type View } from "../view";

const css = `
.heat { width: 100%; display: block; touch-action: pan-y; cursor: crosshair; }
.scale { display: inline-flex; align-items: center; gap: 0 6px; color: var(--dim); font-size: 12px; flex-wrap: wrap; }
.scale span { display: inline-flex; }
.scale i { width: 14px; height: 10px; }
.scale svg { width: 22px; height: 8px; margin-left: 6px; stroke: var(--fg); stroke-width: 2; }
.pinned h3 { padding: 2px 0; }
.pinned .row { height: 26px; font-size: 13px; }
`;

const ROW = 18;
const PARTS: [name: string, share: number, dash: number[]][] = [["p50", 0.5, []], ["p99", 0.99, [2, 2]]];

export class Heat implements View {
	readonly root: HTMLElement;
	private canvas: HTMLCanvasElement;
	private note = el("div", { class: "note", role: "status" });
	private head = el("h3");
	private list = el("div", { hidden: true });
	private choice: HTMLSelectElement;
	private legend: HTMLElement;
	private row = -1;		// under the pointer
	private drag: { x: number; y: number; row: number; ms: number; what: "" | "time" | "values" } | null = null;
	private brush: [number, number] | null = null;	// rows
	private pin = -1;		// a moment
	private pinned = -1;		// the bucket of the cell of it
	private examples: Examples | undefined;
	private known = 0;
	private layer = new Layer();
	private picture = document.createElement("canvas");
	private most = 1;
	private lines = true;
	private time: Timeline;

	constructor(private stage: Stage, private agg: Agg) {
		this.time = timeOf(stage);
		this.canvas = el("canvas", { class: "heat", tabIndex: 0, role: "img",
			"aria-label": "distribution over time; arrow keys read it, Shift and arrows mark a range, Enter pins a cell" });
		this.examples = stage.examples?.();
		this.choice = el("select", { "aria-label": "which key", onchange: () => {
			this.example();
			this.update();
		} });
		this.legend = el("span", { class: "scale" });
		const parts = el("input", { type: "checkbox", checked: true, onchange: () => {
			this.lines = parts.checked;
			this.update();
		} });
		const numbers = el("button", { type: "button", "aria-pressed": "false", onclick: () => {
			this.list.hidden = !this.list.hidden;
			numbers.setAttribute("aria-pressed", String(!this.list.hidden));
			this.update();
		} }, "numbers");
		this.root = el("div", { class: "heatmap" }, el("div", { class: "tools" }, this.choice, this.legend,
			el("label", {}, parts, " percentiles"), numbers), this.canvas, this.note, this.examples?.root ?? null, el("div", { class: "pinned" }, this.head, this.list));
		this.listen();
	}

	// ---- the pointer and the keys

	private listen(): void {
		const c = this.canvas;
		c.addEventListener("pointermove", (e) => this.moved(e.offsetX, e.offsetY));
		c.addEventListener("pointerdown", (e) => {
			this.moved(e.offsetX, e.offsetY);
			this.drag = { x: e.offsetX, y: e.offsetY, row: this.row, ms: this.time.hover, what: "" };
			c.setPointerCapture(e.pointerId);
		});
		c.addEventListener("pointerup", () => this.release());
		c.addEventListener("pointerleave", () => {
			this.row = -1;
			this.time.point(-1);
			soon(this.draw);
		});
		c.addEventListener("dblclick", () => this.time.clear());
		c.addEventListener("keydown", (e) => this.key(e));
		this.time.listen((data) => {
			if (data) this.update();
			else soon(this.draw);
		});
	}

	private moved(x: number, y: number): void {
		const p = this.place(), row = this.rows().n - 1 - Math.floor((y - TOP) / p.row), [t0, t1] = this.time.shown;
		this.row = row >= 0 && row < this.rows().n ? row : -1;
		const ms = x < LEFT || x > LEFT + p.width ? -1 : Math.max(0, t0 + (x - LEFT) / p.width * (t1 - t0));
		const d = this.drag;
		if (d && !d.what && Math.hypot(x - d.x, y - d.y) > 5) d.what = Math.abs(x - d.x) > Math.abs(y - d.y) ? "time" : "values";
		if (d?.what === "time" && d.ms >= 0 && ms >= 0) this.time.mark(d.ms, ms);
		if (d?.what === "values" && d.row >= 0 && this.row >= 0) this.brush = [Math.min(d.row, this.row), Math.max(d.row, this.row)];
		this.time.point(ms);
		soon(this.draw);
	}

	private release(): void {
		const d = this.drag;
		this.drag = null;
		if (d?.what === "values" && this.brush) this.chosen();
		else if (d && !d.what) {
			this.brush = null;
			this.toggle(this.moment());
		}
		this.update();
	}

	/** Pins the cell that is pointed at, and shows examples of it; or lets go the one that is pinned. */
	private toggle(at: number): void {
		const bucket = at < 0 ? -1 : this.agg.order[this.row] ?? -1, same = this.pin === at && this.pinned === bucket;
		this.pin = same ? -1 : at;
		this.pinned = same ? -1 : bucket;
		this.example();
	}

	private example(): void {
		this.examples?.show(this.pinned < 0 ? null : { agg: this.agg, key: this.which(), moment: this.pin, bucket: this.pinned });
	}

	/** The moment that is pointed at; -1: none. */
	private moment(): number {
		return this.time.hover >= 0 && this.stage.model.moments > 0 ? this.time.at(this.time.hover) : -1;
	}

	private key(e: KeyboardEvent): void {
		const dx = e.key === "ArrowLeft" ? -1 : e.key === "ArrowRight" ? 1 : 0;
		const dy = e.key === "ArrowUp" ? 1 : e.key === "ArrowDown" ? -1 : 0;
		if (e.key === "Enter" && this.brush) this.chosen();
		else if (e.key === "Enter" && this.time.brush) this.time.zoom();
		else if (e.key === "Enter") this.toggle(this.moment());
		else if (e.key === "Escape") {
			this.brush = null;
			this.time.clear();
			this.toggle(-1);
		} else if (dx || dy) this.step(dx, dy, e.shiftKey);
		else return;
		e.preventDefault();
		this.update();
	}

	private step(dx: number, dy: number, marks: boolean): void {
		const m = this.stage.model, n = this.rows().n, t = this.time, was = this.moment();
		const from = was < 0 ? m.moments - 1 : was, at = Math.min(m.moments - 1, Math.max(m.firstMoment, from + dx));
		if (this.row < 0) this.row = Math.floor(n / 2);
		const row = this.row;
		this.row = Math.min(n - 1, Math.max(0, row + dy));
		if (m.moments) t.point((t.begins(at) + t.ends(at)) / 2);
		if (marks && dy) {
			const [a, b] = this.brush ?? [row, row];
			this.brush = [Math.min(a, this.row), Math.max(b, this.row)];
		} else if (marks && dx && m.moments) {
			const [a, b] = t.brush ?? [t.begins(from), t.ends(from)];
			t.mark(Math.min(a, t.begins(at)), Math.max(b, t.ends(at)));
		}
	}

	/** The range that was marked is offered to look into. */
	private chosen(): void {
		const [a, b] = this.brush!, order = this.agg.order, which = this.which();
		this.stage.pick?.({ agg: this.agg, key: which ?? undefined, low: this.agg.buckets[order[a]]?.low,
			high: this.agg.buckets[order[b]]?.high });
	}

	private which(): Key | null {
		return this.choice.value === "" ? null : this.agg.keys[Number(this.choice.value)] ?? null;
	}

	private cells = (moment: number): Cells | undefined => slot(this.which()?.cells ?? this.agg.cells, moment);

	private get unit(): Unit {
		return unitOf(this.agg, this.stage.model.program);
	}

	// ---- the picture

	private rowsOf: { version: number; rows: Rows } | null = null;

	private rows(): Rows {
		const n = this.agg.order.length;
		if (this.rowsOf?.version !== n) this.rowsOf = { version: n, rows: new Rows(this.agg) };
		return this.rowsOf!.rows;
	}

	private place(): Place {
		const w = this.canvas.clientWidth, side = w > 560 ? SIDE : 0, height = this.canvas.clientHeight - AXIS - STRIP - TOP;
		return { width: Math.max(1, w - LEFT - RIGHT - side), height, side, row: height / Math.max(1, this.rows().n) };
	}

	update(): void {
		const high = this.root.closest(".full") ? innerHeight - 300 : this.stage.recent ? compactRows() * 30 - 44 : 400;
		this.canvas.style.height = `${Math.min(high, Math.max(this.stage.recent ? 30 : 6, this.agg.order.length) * ROW) + AXIS + STRIP + TOP}px`;
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
		const s = surface(this.canvas);
		if (!s) return;
		this.layer.copy(s, this.base);
		this.marks(s.c, this.place());
		this.tell();
	};

	private base = (s: Surface): void => {
		const p = this.place(), all = columns(this.time, this.cells, Math.ceil(p.width));
		let most = 1;
		for (const c of all) for (const n of c.cells.values()) most = Math.max(most, n);
		if (most !== this.most || !this.legend.childElementCount) this.scale(most);
		this.most = most;
		const [t0, t1] = this.time.shown;
		axes(s.c, p, this.rows(), this.unit);
		drawTimes(s.c, { left: LEFT, right: LEFT + p.width, top: TOP, bottom: TOP + p.height + STRIP }, t0, t1, this.time.offset);
		past(s.c, p, all);
		paint(s.c, p, all, this.rows(), most, this.picture);
		if (this.lines) for (const [, share, dash] of PARTS) percentile(s.c, p, all, this.rows(), share, dash);
		strip(s.c, p, all);
		if (p.side) this.sideways(s.c, p);
	};

	/** The distribution of what is shown, marked or pinned. */
	private sideways(c: CanvasRenderingContext2D, p: Place): void {
		const all = this.sums(), rows = this.rows(), x = LEFT + p.width + 8;
		let most = 1;
		for (const n of all.values()) most = Math.max(most, n);
		c.fillStyle = ink("--mark");
		for (const [b, n] of all)
			c.fillRect(x, TOP + (rows.n - 1 - rows.place[b]) * p.row + 0.5, Math.max(n ? 1 : 0, n / most * (p.side - 8)), Math.max(1, p.row - 1));
		c.font = font;
		c.fillStyle = ink("--dim");
		c.textAlign = "left";
		c.fillText(this.pin >= 0 ? "pinned" : this.time.brush ? "marked" : "in all", x, TOP + p.height + 16);
	}

	private marks(c: CanvasRenderingContext2D, p: Place): void {
		const [t0, t1] = this.time.shown, x = (ms: number) => LEFT + Math.min(1, Math.max(0, (ms - t0) / (t1 - t0))) * p.width;
		const n = this.rows().n, box = (i: number) => [x(this.time.begins(i)), Math.max(3, x(this.time.ends(i)) - x(this.time.begins(i)))] as const;
		const b = this.time.brush;
		if (b) {
			c.fillStyle = ink("--brush");
			c.fillRect(x(b[0]), TOP, Math.max(1, x(b[1]) - x(b[0])), p.height + STRIP);
		}
		c.strokeStyle = ink("--accent");
		c.lineWidth = 2;
		if (this.brush) c.strokeRect(LEFT + 1, TOP + (n - 1 - this.brush[1]) * p.row, p.width - 2, (this.brush[1] - this.brush[0] + 1) * p.row);
		if (this.pin >= 0) c.strokeRect(box(this.pin)[0], TOP, box(this.pin)[1], p.height + STRIP);
		if (this.pinned >= 0) c.strokeRect(box(this.pin)[0] - 2, TOP + (n - 1 - this.rows().place[this.pinned]) * p.row - 1, box(this.pin)[1] + 4, p.row + 2);
		const at = this.moment();
		if (at < 0) return;
		c.strokeStyle = ink("--fg");
		c.lineWidth = 1;
		if (this.row >= 0) c.strokeRect(box(at)[0], TOP + (n - 1 - this.row) * p.row, box(at)[1], p.row);
		else {
			c.beginPath();
			c.moveTo(Math.round(box(at)[0] + box(at)[1] / 2) + 0.5, 0);
			c.lineTo(Math.round(box(at)[0] + box(at)[1] / 2) + 0.5, TOP + p.height + STRIP);
			c.stroke();
		}
	}

	// ---- in words and numbers

	/** What the shades and the lines mean. */
	private scale(most: number): void {
		const cells = Array.from({ length: 9 }, (_, i) => {
			const cell = el("i");
			cell.style.background = `var(--h${i})`;
			return cell;
		});
		const middle = most > 20 ? short(Math.round(Math.expm1(Math.log1p(most) / 2))) : "";
		clear(this.legend);
		this.legend.append("1", el("span", { title: `counts, by their logarithm${middle ? `; the middle is ${middle}` : ""}` }, ...cells), short(most));
		for (const [name, , dash] of PARTS) {
			const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), line = document.createElementNS("http://www.w3.org/2000/svg", "line");
			for (const [k, v] of [["x1", "0"], ["x2", "22"], ["y1", "4"], ["y2", "4"], ["stroke-dasharray", dash.join(" ") || "none"]]) line.setAttribute(k, v);
			svg.setAttribute("aria-hidden", "true");
			svg.append(line);
			this.legend.append(svg, name);
		}
	}

	private range(row: number): string {
		const b = this.agg.buckets[this.agg.order[row]];
		return range(b.low, b.high, this.unit);
	}

	private tell(): void {
		const at = this.moment();
		if (this.brush) {
			const [a, b] = this.brush, { low } = this.agg.buckets[this.agg.order[a]], { high } = this.agg.buckets[this.agg.order[b]];
			setText(this.note, `marked: ${range(low, high, this.unit)}`);
		} else if (at >= 0 && this.row >= 0) {
			const cells = this.cells(at), n = cells?.get(this.agg.order[this.row]) ?? 0;
			let total = 0;
			for (const v of cells?.values() ?? []) total += v;
			setText(this.note, `${this.time.text(this.time.ends(at))}: ${whole(n)} of ${this.range(this.row)}` +
				(total ? `; ${whole(total)} in this moment, ${PARTS.map(([name, share]) => `${name} ${this.value(cells!, total, share)}`).join(", ")}` : ""));
		} else if (this.stage.recent && !this.time.brush) setText(this.note, "");
		else setText(this.note, this.time.brush ? `marked: ${this.time.interval()}` : `darkest: ${whole(this.most)} in a moment. ` +
			(this.stage.pick ? "Drag up to look into values, along to mark a time; click a cell for examples." : "Click to pin a moment."));
	}

	/** A percentile as a value. */
	private value(cells: Cells, total: number, share: number): string {
		const at = this.rows().percentile(cells, total, share), b = this.agg.buckets[this.agg.order[Math.min(Math.floor(at), this.rows().n - 1)]];
		if (!b) return "";
		if (b.low === null || b.high === null) return range(b.low, b.high, this.unit);
		const part = at - Math.floor(at), top = b.high + 1;
		return `\u2248\u202f${amount(this.rows().ratio && b.low > 0 ? b.low * (top / b.low) ** part : b.low + (top - b.low) * part, this.unit)}`;
	}

	/** Of the pinned moment, of what is marked or shown, or of all. */
	private sums(): Map<number, number> {
		const t = this.time, part = t.brush ?? t.window;
		if (this.pin >= 0) return new Map(this.cells(this.pin) ?? []);
		if (part) return sum(this.cells, ...t.within(...part));
		const all = new Map<number, number>();
		for (const k of this.which() ? [this.which()!] : this.agg.keys)
			for (const [b, n] of k?.dist ?? []) all.set(b, (all.get(b) ?? 0) + n);
		return all;
	}

	private showPinned(): void {
		const sums = this.sums(), rows = this.agg.order.map((b, i) => ({ i, n: sums.get(b) ?? 0 }));
		let most = 1, total = 0;
		for (const r of rows) {
			most = Math.max(most, r.n);
			total += r.n;
		}
		clear(this.head);
		this.head.append(this.pin >= 0 ? `at ${this.time.text(this.time.ends(this.pin))}` : this.time.interval() || "since the start",
			el("span", { class: "dim" }, ` ${whole(total)} in all`));
		if (this.list.hidden) return;
		clear(this.list);
		for (const r of rows) {
			const bar = el("span", { class: "bar" });
			bar.style.transform = `scaleX(${r.n / most})`;
			this.list.append(el("button", { class: "row", type: "button", onclick: () => {
				this.brush = [r.i, r.i];
				this.chosen();
				soon(this.draw);
			} }, bar, el("span", { class: "key" }, this.range(r.i)),
			el("span", { class: "dim" }, total ? `${(r.n / total * 100).toFixed(r.n / total < 0.1 ? 1 : 0)}\u202f%` : ""), el("span", { class: "value" }, whole(r.n))));
		}
	}
}

register({ name: "heat map", order: 10, css, fits: (agg) => isDist(agg.fn), make: (stage, agg) => new Heat(stage, agg) });
