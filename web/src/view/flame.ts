// SPDX-License-Identifier: BSD-2-Clause
// Stacks as a flame graph: the outermost function at the top, each as wide as what was counted in it. A node is made
// once for each new stack; a moment only adds its numbers along the paths, so ten thousand stacks stay quick. Boxes lie in
// arrays that are used again, and are painted as one row of pixels for each level, which is then made as high as it
// should be: thirty thousand boxes cost what thirty cost. A mark remembers all numbers: then each function shows how its
// share has changed since, and widths are those of before, of since, or of both. Functions of the kernel are orange, all
// others green.
import { el, font, hash, ink, Layer, percent, setText, short, soon, surface, whole, type Surface } from "../dom";
import type { Part } from "../message";
import { hasStack, type Agg, type Key } from "../model";
import { register, type Stage, type View } from "../view";

const css = `
.flamebox { max-height: 480px; }
.flame { width: 100%; display: block; cursor: pointer; }
`;

const ROW = 20;
const LEAST = 1;			// pixels; thinner ones are not drawn
const HUES = ["--f0", "--f1", "--f2", "--f3", "--u0", "--u1", "--u2", "--u3", "--grid", "--more", "--less", "--found"];
const USER = 4, SAME = 8, MORE = 9, LESS = 10, FOUND = 11;
const KERNEL = "_[k]";			// ends names of kernel functions in folded stacks

/** What widths show: everything, or what was counted before or after the mark. */
type Widths = "all" | "since" | "before";

interface Node { name: string; total: number; mark: number; parent: Node | null; kids: Map<string, Node>; depth: number;
	sorted: Node[] | null; hue: number; low: string }

function node(name: string, parent: Node | null, kernel = false): Node {
	return { name, total: 0, mark: 0, parent, kids: new Map(), depth: parent ? parent.depth + 1 : 0,
		sorted: null, hue: hash(name) % 4 + (kernel || name.endsWith(KERNEL) ? 0 : USER), low: name.toLowerCase() };
}

/** Boxes level by level: those of level d are from[d] to from[d + 1]. */
class Boxes {
	n = 0;
	levels = 0;
	nodes: Node[] = [];
	x = new Float64Array(1024);
	w = new Float64Array(1024);
	from = new Int32Array(512);

	clear(): void {
		this.n = this.levels = 0;
		this.from[0] = 0;
	}
	add(node: Node, x: number, w: number): void {
		if (this.n === this.x.length) {
			this.x = grown(this.x, Float64Array);
			this.w = grown(this.w, Float64Array);
		}
		this.nodes[this.n] = node;
		this.x[this.n] = x;
		this.w[this.n++] = w;
	}
	endLevel(): void {
		if (this.levels + 2 > this.from.length) this.from = grown(this.from, Int32Array);
		this.from[++this.levels] = this.n;
	}
	of(n: Node): number {
		for (let i = this.from[n.depth]; n.depth < this.levels && i < this.from[n.depth + 1]; i++)
			if (this.nodes[i] === n) return i;
		return -1;
	}
	at(level: number, x: number): Node | null {
		for (let i = this.from[level]; level < this.levels && i < this.from[level + 1]; i++)
			if (x >= this.x[i] && x < this.x[i] + this.w[i]) return this.nodes[i];
		return null;
	}
}

function grown<T extends Float64Array | Int32Array>(old: T, kind: new (n: number) => T): T {
	const more = new kind(old.length * 2);
	more.set(old);
	return more;
}

/** #rrggbb as a pixel has it. */
function pixel(colour: string): number {
	const n = parseInt(colour.slice(1), 16);
	return (0xff000000 | (n & 0xff) << 16 | n & 0xff00 | n >> 16) >>> 0;
}

export class Flame implements View {
	readonly root: HTMLElement;
	private canvas: HTMLCanvasElement;
	private note: HTMLElement;
	private search: HTMLInputElement;
	private since: HTMLButtonElement;
	private side: HTMLButtonElement;
	private turn: HTMLButtonElement;
	private all = node("all", null);
	private zoom = this.all;
	private paths: (Node[] | undefined)[] = [];
	private counted: number[] = [];
	private boxes = new Boxes();
	private hover: Node | null = null;
	private marked = false;
	private turned = false;		// the outermost function at the bottom
	private widths: Widths = "all";
	private words = { before: "before the mark", since: "since the mark" };
	private layer = new Layer();
	private strip = document.createElement("canvas");	// a pixel high for each level
	private image: ImageData | null = null;
	private width = 0;
	private height = 0;		// levels that there is room for: it never shrinks, so that zooming moves nothing
	private found = "";		// what of it was found, as text

	constructor(private stage: Stage, private agg: Agg) {
		this.canvas = el("canvas", { class: "flame", tabIndex: 0, role: "img",
			"aria-label": "flame graph; arrow keys walk through it, Enter zooms, Escape zooms out, i turns it over" +
				(stage.pick ? ", l looks into it" : "") });
		this.note = el("div", { class: "note", role: "status" });
		this.search = el("input", { type: "search", placeholder: "find function", "aria-label": "find function",
			oninput: () => this.repaint(), onkeydown: (e: KeyboardEvent) => e.key === "Escape" && this.reset() });
		this.since = el("button", { type: "button", "aria-pressed": "false", hidden: !stage.pick, onclick: () => this.mark() },
			"mark this moment");
		this.side = el("button", { type: "button", hidden: true, title: "key w", onclick: () => this.otherWidths() });
		this.turn = el("button", { type: "button", "aria-pressed": "false", title: "key i", onclick: () => this.turnOver() },
			"turn over");
		this.root = el("div", { class: "flames" }, el("div", { class: "tools" }, this.search, this.since, this.side, this.turn,
			stage.pick ? el("button", { type: "button", onclick: () => this.pick(this.hover ?? this.zoom) }, "look into it") : null),
			el("div", { class: "scroll flamebox" }, this.canvas), this.note);
		this.canvas.addEventListener("pointermove", (e) => this.over(this.at(e.offsetX, e.offsetY)));
		this.canvas.addEventListener("pointerleave", () => this.over(null));
		this.canvas.addEventListener("click", (e) => this.zoomTo(this.at(e.offsetX, e.offsetY)));
		this.canvas.addEventListener("keydown", (e) => this.key(e));
	}

	/** Compares what was counted so far with what comes: the widths are those of what comes. */
	compare(words: { before: string; since: string }): void {
		this.update();
		this.mark();
		this.words = words;
		this.since.hidden = true;
		this.widths = "since";
	}

	private otherWidths(): void {
		const next: Record<Widths, Widths> = { all: "since", since: "before", before: this.since.hidden ? "since" : "all" };
		this.widths = next[this.widths];
		this.update();
	}

	private turnOver(): void {
		this.turned = !this.turned;
		this.turn.setAttribute("aria-pressed", String(this.turned));
		this.repaint();
	}

	/** What a function is as wide as. */
	private count(n: Node): number {
		return this.widths === "all" ? n.total : this.widths === "before" ? n.mark : n.total - n.mark;
	}

	private top(depth: number): number {
		return (this.turned ? this.height - 1 - depth : depth) * ROW;
	}

	private mark(): void {
		this.marked = !this.marked;
		this.widths = "all";
		const walk = (n: Node) => {
			n.mark = n.total;
			for (const k of n.kids.values()) walk(k);
		};
		if (this.marked) walk(this.all);
		this.since.setAttribute("aria-pressed", String(this.marked));
		setText(this.since, this.marked ? "difference since the mark" : "mark this moment");
		this.update();
	}

	private pick(n: Node): void {
		this.stage.pick?.({ agg: this.agg, frame: n.name });
	}

	/** Names from the outermost on: other keys, functions of the process, functions of the kernel. */
	private frames(parts: Part[]): { name: string; kernel: boolean }[] {
		const m = this.stage.model, keys: string[] = [], user: string[] = [], kernel: string[] = [];
		for (const p of parts)
			if (typeof p === "object" && p !== null && "st" in p)
				for (let i = p.st.length - 1; i >= 0; i--)
					(p.pid ? user : kernel).push(m.name(p.st[i]).replace(/\+0x[0-9a-f]+$/, ""));
			else keys.push(m.partText(p));
		return [...[...keys, ...user].map((name) => ({ name, kernel: false })), ...kernel.map((name) => ({ name, kernel: true }))];
	}

	private path(key: Key): Node[] {
		let at = this.all;
		const nodes = [at];
		for (const { name, kernel } of this.frames(key.parts)) {
			let next = at.kids.get(name);
			if (!next) {
				at.kids.set(name, next = node(name, at, kernel));
				at.sorted = null;
			}
			nodes.push(at = next);
		}
		return nodes;
	}

	update(): void {
		for (const key of this.agg.keys) {
			if (!key) continue;
			const path = this.paths[key.id] ??= this.path(key), was = this.counted[key.id] ?? 0;
			const now = key.alive ? key.value : 0;
			if (now === was) continue;
			this.counted[key.id] = now;
			for (const n of path) n.total += now - was;
		}
		this.width = this.canvas.clientWidth;
		this.side.hidden = !this.marked;
		setText(this.side, `widths: ${this.widths === "all" ? "all" : this.words[this.widths]}`);
		this.layout();
		this.repaint();
	}

	private repaint(): void {
		this.layer.old();
		soon(this.draw);
	}

	/** Boxes under the function that is zoomed to; those around it are as wide as all. */
	private layout(): void {
		const b = this.boxes, around: Node[] = [];
		b.clear();
		for (let up: Node | null = this.zoom; up; up = up.parent) around.push(up);
		while (around.length) {
			b.add(around.pop()!, 0, this.width);
			b.endLevel();
		}
		for (let i = b.n - 1, end = b.n; i < end; end = b.n) {
			for (; i < end; i++) this.children(i);
			if (b.n > end) b.endLevel();
		}
		if (b.levels <= this.height) return;
		this.height = Math.max(4, b.levels);
		this.canvas.style.height = `${this.height * ROW}px`;
	}

	private children(i: number): void {
		const b = this.boxes, of = b.nodes[i], all = this.count(of), scale = all > 0 ? b.w[i] / all : 0;
		of.sorted ??= [...of.kids.values()].sort((p, q) => p.name < q.name ? -1 : 1);
		let x = b.x[i];
		for (const k of of.sorted) {
			const w = this.count(k) * scale;
			if (w >= LEAST) b.add(k, x, w);
			x += w;
		}
	}

	private at(x: number, y: number): Node | null {
		const row = Math.floor(y / ROW);
		return this.boxes.at(this.turned ? this.height - 1 - row : row, x);
	}

	private over(n: Node | null): void {
		if (n === this.hover) return;
		this.hover = n ?? this.hover;
		soon(this.draw);
	}

	private zoomTo(n: Node | null): void {
		if (!n) return;
		this.zoom = n;
		this.layout();
		this.repaint();
	}

	private key(e: KeyboardEvent): void {
		const at = this.hover ?? this.zoom, b = this.boxes, i = b.of(at), beside = (n: Node | undefined) =>
			n?.depth === at.depth ? n : null;
		const up = this.turned ? "ArrowDown" : "ArrowUp", down = this.turned ? "ArrowUp" : "ArrowDown";
		let to: Node | null | undefined;
		if (e.key === "ArrowLeft") to = beside(b.nodes[i - 1]);
		else if (e.key === "ArrowRight") to = i + 1 < b.n ? beside(b.nodes[i + 1]) : null;
		else if (e.key === up) to = at.parent;
		else if (e.key === down) to = i < 0 ? null : b.at(at.depth + 1, b.x[i]) ?? at.sorted?.find((k) => b.of(k) >= 0);
		else if (e.key === "l") this.pick(at);
		else if (e.key === "i") this.turnOver();
		else if (e.key === "w" && this.marked) this.otherWidths();
		else if (e.key === "/") this.search.focus();
		else if (e.key === "Enter") this.zoomTo(at);
		else if (e.key === "Escape") this.reset();
		else return;
		e.preventDefault();
		if (to) this.over(to);
	}

	private reset(): void {
		this.search.value = "";
		this.hover = null;
		this.zoomTo(this.all);
	}

	/** How the share of all has changed since the mark, in points. */
	private change(n: Node): number {
		const before = this.all.mark ? n.mark / this.all.mark : 0, came = this.all.total - this.all.mark;
		return came > 0 ? (n.total - n.mark) / came - before : 0;
	}

	private hue(n: Node, wanted: string): number {
		if (wanted !== "" && n.low.includes(wanted)) return FOUND;
		if (!this.marked) return n.hue;
		const d = this.change(n);
		return Math.abs(d) < 0.001 ? SAME : d > 0 ? MORE : LESS;
	}

	private draw = (): void => {
		const s = surface(this.canvas, this.width, this.height * ROW);
		if (!s) return;
		this.layer.copy(s, this.base);
		const b = this.boxes, i = this.hover ? b.of(this.hover) : -1;
		if (i >= 0) {
			s.c.strokeStyle = ink("--fg");
			s.c.lineWidth = 2;
			s.c.strokeRect(b.x[i] + 1, this.top(this.hover!.depth) + 1, Math.max(1, b.w[i] - 2), ROW - 3);
		}
		this.tell();
	};

	private base = (s: Surface): void => {
		const b = this.boxes, wanted = this.search.value.toLowerCase(), scale = s.c.canvas.width / s.w;
		const wide = s.c.canvas.width, colours = HUES.map((h) => pixel(ink(h)));
		if (this.image?.width !== wide || this.image.height < b.levels) {
			this.strip.width = wide;
			this.strip.height = Math.max(b.levels, 64);
			this.image = new ImageData(wide, this.strip.height);
		}
		const pixels = new Uint32Array(this.image.data.buffer);
		pixels.fill(0, 0, wide * b.levels);
		for (let d = 0; d < b.levels; d++)
			for (let i = b.from[d]; i < b.from[d + 1]; i++) {
				const from = Math.round(b.x[i] * scale), to = Math.min(wide, Math.round((b.x[i] + b.w[i]) * scale));
				pixels.fill(colours[this.hue(b.nodes[i], wanted)], d * wide + from, d * wide + (to - from > 3 ? to - 1 : to));
			}
		this.strip.getContext("2d")!.putImageData(this.image, 0, 0, 0, 0, wide, b.levels);
		s.c.imageSmoothingEnabled = false;
		s.c.save();
		if (this.turned) {
			s.c.translate(0, this.height * ROW);
			s.c.scale(1, -1);
		}
		s.c.drawImage(this.strip, 0, 0, wide, b.levels, 0, 0, s.w, b.levels * ROW);
		s.c.restore();
		for (let d = 0; d < b.levels; d++) s.c.clearRect(0, this.top(d) + ROW - 1, s.w, 1);
		this.labels(s.c, wanted);
		this.found = wanted ? `; found: ${percent(this.hits(this.all, wanted) / Math.max(1, this.count(this.all)))}` : "";
	};

	private labels(c: CanvasRenderingContext2D, wanted: string): void {
		const b = this.boxes, text = ink("--flametext"), plain = ink("--fg");
		c.font = font;
		c.textBaseline = "middle";
		for (let i = 0; i < b.n; i++) {
			if (b.w[i] <= 28) continue;
			c.fillStyle = this.hue(b.nodes[i], wanted) === SAME ? plain : text;
			this.label(c, b.nodes[i], b.x[i], b.w[i]);
		}
	}

	private label(c: CanvasRenderingContext2D, n: Node, x: number, w: number): void {
		const d = this.marked ? this.change(n) : 0;
		const sign = d > 0.001 ? "\u25b2 " : d < -0.001 ? "\u25bc " : "", room = Math.floor((w - 6) / 7.2);
		const full = sign + n.name.slice(n.name.lastIndexOf("`") + 1);
		c.fillText(full.length > room ? full.slice(0, Math.max(1, room - 1)) + "\u2026" : full, x + 4, this.top(n.depth) + ROW / 2);
	}

	private tell(): void {
		const n = this.hover ?? this.zoom, all = this.count(this.all), share = all > 0 ? this.count(n) / all : 0;
		const d = this.change(n) * 100;
		const diff = this.marked ? `; ${whole(n.mark)} ${this.words.before}, ${whole(n.total - n.mark)} ${this.words.since}: ` +
			`${d >= 0 ? "\u25b2 +" : "\u25bc "}${d.toFixed(1)} points` : "";
		setText(this.note, `${n.name}: ${whole(this.count(n))} (${percent(share)} of ${short(all)})${diff}${this.found}`);
	}

	private hits(n: Node, wanted: string): number {
		if (n.low.includes(wanted)) return this.count(n);
		let sum = 0;
		for (const k of n.kids.values()) sum += this.hits(k, wanted);
		return sum;
	}
}

register({ name: "flame", order: 20, css, fits: hasStack, make: (stage, agg) => new Flame(stage, agg) });
