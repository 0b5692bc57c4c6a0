// SPDX-License-Identifier: BSD-2-Clause
// Entry and return of functions as spans on tracks (threads if the program records tid, else CPUs), all on one axis of
// time, from minutes to nanoseconds. A part of the time that another panel marks is what is shown. A request is followed across threads by a value that its records share.
import { el, ink, Layer, setText, soon, surface, whole, type Surface } from "../dom";
import type { Span } from "../model";
import { flowColumns, flowOf, flowValue, valuesOf } from "../spans/flow";
import { place, SpanPainter, type Window } from "../spans/painter";
import { duration } from "../spans/scale";
import { rowOf, ROW, Tracks } from "../spans/tracks";
import type { Timeline } from "../timeline";
import { register, timeOf, type Stage, type View } from "../view";

const css = `
.spans { width: 100%; display: block; touch-action: pan-y; cursor: grab; }
.spanbox { max-height: 520px; }
.spaned .note { min-height: 40px; }
`;

const CLOSEST = 1e-5, LONGEST = 3600e3, GUTTER = 150, NARROW_GUTTER = 84, CLICK = 4, PAD = 0.15;

export class Spans implements View {
	readonly root: HTMLElement;
	private canvas: HTMLCanvasElement;
	private box: HTMLElement;
	private note = el("div", { class: "note", role: "status" });
	private search: HTMLInputElement;
	private count = el("span", { class: "dim" });
	private by: HTMLSelectElement;
	private tracks = new Tracks();
	private painter = new SpanPainter();
	private layer = new Layer();
	private length = 2000;		// ms that are shown
	private end: number | null = null;	// null: follows
	private hover: Span | null = null;
	private chosen: Span | null = null;
	private flow: Span[] = [];
	private flowing = new Set<Span>();
	private hits: Set<Span> | null = null;
	private columns = "";
	private gutter = 0;
	private drag: { x: number; end: number; far: boolean } | null = null;
	private time: Timeline;
	private before: { length: number; end: number | null } | null = null;	// what was shown before a part of the time was marked

	constructor(private stage: Stage) {
		this.time = timeOf(stage);
		this.canvas = el("canvas", { class: "spans", tabIndex: 0, role: "img", "aria-label": "spans on tracks; plus and minus zoom, arrows move, " +
			"brackets go from span to span, Enter shows one whole, f all, End follows" });
		this.search = el("input", { type: "search", placeholder: "find span", "aria-label": "find span", title: "key /", oninput: () => this.sought(),
			onkeydown: (e: KeyboardEvent) => e.key === "Enter" && this.step(e.shiftKey ? -1 : 1, true) });
		this.by = el("select", { "aria-label": "follow a request by", onchange: () => this.choose(this.chosen) }, el("option", { value: "" }, "follow by \u2026"));
		const button = (text: string, label: string, act: () => void) => el("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
		this.box = el("div", { class: "scroll spanbox" }, this.canvas);
		this.root = el("div", { class: "spaned" }, el("div", { class: "tools" }, button("+", "zoom in", () => this.zoom(0.5)),
			button("\u2212", "zoom out", () => this.zoom(2)), button("all", "show all", () => this.fit(null)),
			button("follow", "follow what comes", () => { this.end = null; this.again(); }), this.search, this.count, this.by), this.box, this.note);
		this.listen();
	}

	private listen(): void {
		const c = this.canvas;
		c.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
		c.addEventListener("pointerdown", (e) => this.drag = { x: e.offsetX, end: this.window().to, far: false });
		c.addEventListener("pointermove", (e) => this.moved(e));
		c.addEventListener("pointerup", (e) => {
			if (this.drag && !this.drag.far) this.choose(this.at(e.offsetX, e.offsetY));
			this.drag = null;
		});
		c.addEventListener("pointercancel", () => this.drag = null);
		c.addEventListener("pointerleave", () => this.time.point(-1));
		this.time.listen((data) => data ? this.marked() : soon(this.draw));
		c.addEventListener("dblclick", () => this.chosen && this.fit(this.chosen));
		c.addEventListener("keydown", (e) => {
			if (e.ctrlKey || e.metaKey || e.altKey || !this.key(e.key)) return;
			e.preventDefault();
			e.stopPropagation();
			this.again();
		});
	}

	/** Shows the part of the time that is marked; when none is any more, what was shown before. */
	private marked(): void {
		const part = this.time.brush ?? this.time.window;
		if (!part && !this.before) return;
		this.before ??= { length: this.length, end: this.end };
		if (part) [this.length, this.end] = [Math.max(CLOSEST, part[1] - part[0]), part[1]];
		else {
			({ length: this.length, end: this.end } = this.before!);
			this.before = null;
		}
		this.again();
	}

	private window(): Window {
		const to = this.end ?? this.stage.model.now, width = this.canvas.clientWidth;
		return { from: to - this.length, to, left: Math.min(width < 600 ? NARROW_GUTTER : GUTTER, this.gutter), width };
	}

	// ---- pointer and keys

	private at(x: number, y: number): Span | null {
		const row = this.tracks.at(y), v = this.window();
		if (!row || x < v.left) return null;
		let best: Span | null = null, least = 3;
		for (const s of row.track.spans) {
			if (rowOf(s) !== row.depth || s.to < v.from || s.from > v.to) continue;
			const p = place(s, v), off = x < p.x ? p.x - x : x > p.x + p.w ? x - p.x - p.w : 0;
			if (off < least) [best, least] = [s, off];
		}
		return best;
	}

	private moved(e: PointerEvent): void {
		const d = this.drag, v = this.window();
		if (d && (d.far || Math.abs(e.offsetX - d.x) > CLICK)) {
			if (!d.far) this.canvas.setPointerCapture(e.pointerId);
			d.far = true;
			this.end = d.end - (e.offsetX - d.x) / (v.width - v.left) * this.length;
			return this.again();
		}
		this.hover = this.at(e.offsetX, e.offsetY);
		this.time.point(e.offsetX < v.left ? -1 : Math.max(0, v.from + (e.offsetX - v.left) / (v.width - v.left) * this.length));
		soon(this.draw);
	}

	/** The wheel scrolls the page; with Ctrl it zooms about the pointer, with Shift it moves. */
	private wheel(e: WheelEvent): void {
		const v = this.window(), across = e.shiftKey ? e.deltaY || e.deltaX : Math.abs(e.deltaX) > Math.abs(e.deltaY) ? e.deltaX : 0;
		if (e.ctrlKey || e.metaKey) this.zoom(Math.exp(Math.max(-1, Math.min(1, e.deltaY / 200))), (e.offsetX - v.left) / (v.width - v.left));
		else if (across !== 0) {
			this.end = v.to + across / (v.width - v.left) * this.length;
			this.again();
		} else return;
		e.preventDefault();
	}

	private key(key: string): boolean {
		const now = this.end ?? this.stage.model.now;
		if (key === "+" || key === "=") this.zoom(0.5);
		else if (key === "-") this.zoom(2);
		else if (key === "ArrowLeft") this.end = now - this.length / 10;
		else if (key === "ArrowRight") this.end = now + this.length / 10;
		else if (key === "End") this.end = null;
		else if (key === "[" || key === "]") this.step(key === "]" ? 1 : -1, false);
		else if (key === "n" || key === "N") this.step(key === "n" ? 1 : -1, true);
		else if (key === "Enter" && this.chosen) this.fit(this.chosen);
		else if (key === "f") this.fit(null);
		else if (key === "/") this.search.focus();
		else if (key === "Escape") this.clear();
		else return false;
		return true;
	}

	/** `about`: which part of the picture stays where it is; of one that follows, its end. */
	private zoom(by: number, about = this.end === null ? 1 : 0.5): void {
		const v = this.window(), fixed = v.from + (v.to - v.from) * about;
		this.length = Math.min(LONGEST, Math.max(CLOSEST, this.length * by));
		if (this.end !== null || about !== 1) this.end = fixed + this.length * (1 - about);
		this.again();
	}

	private fit(s: Span | null): void {
		const all = this.stage.model.spans, first = s ?? all[0];
		if (!first) return;
		const from = s ? s.from : all.reduce((least, o) => Math.min(least, o.from), first.from), to = s ? s.to : all[all.length - 1].to;
		const pad = Math.max(CLOSEST, (to - from) * (s ? PAD : 0.01));
		this.length = Math.min(LONGEST, to - from + 2 * pad);
		this.end = to + pad;
		this.again();
	}

	/** From span to span in the order in which they began: those on the screen, of one function, or all that were found. */
	private step(by: number, found: boolean): void {
		const v = this.window(), name = this.chosen?.name, all = this.stage.model.spans.filter((s) => found && this.hits ? this.hits.has(s) :
			(name === undefined ? s.to >= v.from && s.from <= v.to : s.name === name)).sort((a, b) => a.from - b.from);
		if (!all.length) return;
		const i = this.chosen ? all.indexOf(this.chosen) : -1;
		this.choose(all[i < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, i + by))]);
		this.show(this.chosen!);
	}

	private show(s: Span): void {
		const v = this.window(), t = this.tracks.of(s);
		if (s.from < v.from || s.to > v.to) this.end = (s.from + s.to + this.length) / 2;
		if (t && (t.y < this.box.scrollTop || t.y + ROW > this.box.scrollTop + this.box.clientHeight)) this.box.scrollTop = t.y - 40;
		this.again();
	}

	private clear(): void {
		this.search.value = "";
		this.choose(null);
		this.sought();
	}

	private choose(s: Span | null): void {
		this.chosen = s;
		this.hover = null;
		this.flow = s ? flowOf(this.stage.model, this.stage.model.spans, s, this.by.value) : [];
		this.flowing = new Set(this.flow);
		this.again();
	}

	private sought(): void {
		const wanted = this.search.value.trim().toLowerCase(), m = this.stage.model;
		const text = (s: Span) => `${s.name} ${s.track} ${valuesOf(m, s.entry)} ${valuesOf(m, s.exit)}`.toLowerCase();
		this.hits = wanted === "" ? null : new Set(m.spans.filter((s) => text(s).includes(wanted)));
		setText(this.count, this.hits ? `${whole(this.hits.size)} of ${whole(m.spans.length)}` : "");
		this.again();
	}

	// ---- the picture

	update(): void {
		const m = this.stage.model, columns = flowColumns(m.spans), known = columns.join("\n");
		this.tracks.update(m.spans, m.spansTotal);
		this.gutter = this.tracks.list.reduce((most, t) => Math.max(most, t.name.length * 7.5 + 12), 60);
		if (known !== this.columns) {
			const was = this.by.value;
			this.by.replaceChildren(el("option", { value: "" }, "follow by \u2026"), ...columns.map((c) => el("option", { value: c }, `follow by ${c}`)));
			this.by.value = columns.includes(was) ? was : "";
			this.columns = known;
		}
		this.by.hidden = columns.length === 0;
		if (this.flow.length && this.chosen) this.choose(this.chosen);
		if (this.hits) this.sought();
		this.again();
	}

	/** Data, place or scale have changed: what was painted is painted anew. */
	private again(): void {
		this.layer.old();
		soon(this.draw);
	}

	private faded = (s: Span): boolean => (this.hits !== null && !this.hits.has(s)) || (this.flow.length > 1 && !this.flowing.has(s));

	private draw = (): void => {
		const high = `${this.tracks.high}px`;
		if (this.canvas.style.height !== high) this.canvas.style.height = high;
		const v = this.window(), s = surface(this.canvas, v.width, this.tracks.high);
		if (!s) return;
		this.layer.copy(s, (to) => this.painter.paint(to, this.tracks, v, this.faded));
		if (this.flow.length > 1) this.painter.flow(s, this.tracks, v, this.flow);
		this.painter.outline(s, this.tracks, v, this.chosen, 3);
		this.painter.outline(s, this.tracks, v, this.hover, 1.5);
		this.crosshair(s, v);
		this.tell(v);
	};

	/** The moment that is pointed at, in whichever panel. */
	private crosshair(s: Surface, v: Window): void {
		const x = v.left + (this.time.hover - v.from) / (v.to - v.from) * (v.width - v.left);
		if (this.time.hover < 0 || x < v.left || x > s.w) return;
		s.c.fillStyle = ink("--dim");
		s.c.fillRect(Math.round(x), 0, 1, s.h);
	}

	private tell(v: Window): void {
		const s = this.hover ?? this.chosen, m = this.stage.model, part = this.time.brush ?? this.time.window;
		if (!s) return setText(this.note, `${whole(m.spans.length)} spans on ${whole(this.tracks.list.length + this.tracks.left)} tracks` +
			(part ? `, ${whole(m.spans.filter((o) => o.to >= v.from && o.from <= v.to).length)} of them here` : "") +
			(this.tracks.left ? `; those on ${whole(this.tracks.left)} are not drawn` : ""));
		const took = m.spans.filter((o) => o.name === s.name).map((o) => o.to - o.from).sort((a, b) => a - b);
		const like = took.length > 1 ? `; ${whole(took.length)} of them took ${duration(took[0])} to ${duration(took[took.length - 1])}, half of them at most ` +
			duration(took[took.length >> 1]) : "";
		const way = this.flowing.has(s) && this.flow.length > 1 ? `; request ${this.by.value} ${flowValue(m, s, this.by.value) ?? ""} ${flowText(this.flow)}` : "";
		setText(this.note, `${s.name} on ${s.track}: ${duration(s.to - s.from)} from ${(s.from / 1000).toFixed(9)} s on; ` +
			`entry: ${valuesOf(m, s.entry) || "nothing"}; return: ${valuesOf(m, s.exit) || "nothing"}${like}${way}`);
	}
}

/** From the first to the last span of a request. */
function flowText(flow: Span[]): string {
	const to = flow.reduce((most, s) => Math.max(most, s.to), 0), tracks = new Set(flow.map((s) => s.track)).size;
	return `has ${whole(flow.length)} spans on ${whole(tracks)} tracks in ${duration(to - flow[0].from)}`;
}

const keys: [string, string][] = [["+ \u2212, Ctrl and wheel", "zoom, to nanoseconds"], ["\u2190 \u2192, drag, Shift and wheel", "move"],
	["[ ]", "from one to the next of the same function"], ["Enter, double click", "show one whole"], ["f", "show all"], ["End", "follow what comes"],
	["/, then Enter or n N", "find spans, from one to the next"], ["Esc", "choose none"]];
register({ name: "spans", order: 20, css, keys, fitsTrace: (model) => model.spans.length > 0,
	makeForTrace: (stage) => new Spans(stage) });
