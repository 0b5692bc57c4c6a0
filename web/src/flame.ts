// SPDX-License-Identifier: BSD-2-Clause
// Stacks as a flame graph: the outermost function at the top, each as wide as what was counted in it. A node is made
// once for each new stack; a moment only adds its numbers along the paths, so ten thousand stacks stay quick. Boxes lie in
// arrays that are used again, and are painted as one row of pixels for each level, which is then made as high as it
// should be: thirty thousand boxes cost what thirty cost. A mark remembers all numbers: then each function says how its
// share has changed since.
import { el, font, ink, Layer, percent, setText, short, soon, surface, whole, type Surface } from "./dom";
import type { Agg, Key, Part } from "./model";
import type { Stage, View } from "./view";

const ROW = 20;
const LEAST = 1;			// pixels; thinner ones are not drawn
const HUES = ["--f0", "--f1", "--f2", "--f3", "--grid", "--more", "--less", "--found"];
const SAME = 4, MORE = 5, LESS = 6, FOUND = 7;

interface Node { name: string; total: number; mark: number; parent: Node | null; kids: Map<string, Node>; depth: number;
	sorted: Node[] | null; hue: number; low: string }

function node(name: string, parent: Node | null): Node {
	return { name, total: 0, mark: 0, parent, kids: new Map(), depth: parent ? parent.depth + 1 : 0,
		sorted: null, hue: hash(name) % 4, low: name.toLowerCase() };
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
	private all = node("all", null);
	private zoom = this.all;
	private paths: (Node[] | undefined)[] = [];
	private counted: number[] = [];
	private boxes = new Boxes();
	private hover: Node | null = null;
	private marked = false;
	private layer = new Layer();
	private strip = document.createElement("canvas");	// a pixel high for each level
	private image: ImageData | null = null;
	private width = 0;
	private height = 0;		// levels that there is room for: it never shrinks, so that zooming moves nothing
	private found = "";		// what of it was found, as text

	constructor(private stage: Stage, private agg: Agg) {
		this.canvas = el("canvas", { class: "flame", tabIndex: 0, role: "img",
			"aria-label": "flame graph; arrow keys walk through it, Enter zooms, Escape zooms out, l looks into it" });
		this.note = el("div", { class: "note", role: "status" });
		this.search = el("input", { type: "search", placeholder: "find function", "aria-label": "find function",
			oninput: () => this.repaint() });
		this.since = el("button", { type: "button", "aria-pressed": "false", onclick: () => this.mark() },
			"mark this moment");
		this.root = el("div", { class: "flames" }, el("div", { class: "tools" }, this.search, this.since,
			el("button", { type: "button", onclick: () => this.pick(this.hover ?? this.zoom) }, "look into it")),
			el("div", { class: "scroll flamebox" }, this.canvas), this.note);
		this.canvas.addEventListener("pointermove", (e) => this.over(this.at(e.offsetX, e.offsetY)));
		this.canvas.addEventListener("pointerleave", () => this.over(null));
		this.canvas.addEventListener("click", (e) => this.zoomTo(this.at(e.offsetX, e.offsetY)));
		this.canvas.addEventListener("keydown", (e) => this.key(e));
	}

	private mark(): void {
		this.marked = !this.marked;
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
		this.stage.pick({ agg: this.agg, frame: n.name });
	}

	private frames(parts: Part[]): string[] {
		const m = this.stage.model, names: string[] = [];
		for (const p of parts)
			if (typeof p === "object" && p !== null && "st" in p)
				for (let i = p.st.length - 1; i >= 0; i--) names.push(m.name(p.st[i]).replace(/\+0x[0-9a-f]+$/, ""));
			else names.unshift(m.partText(p));
		return names;
	}

	private path(key: Key): Node[] {
		let at = this.all;
		const nodes = [at];
		for (const name of this.frames(key.parts)) {
			let next = at.kids.get(name);
			if (!next) {
				at.kids.set(name, next = node(name, at));
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
		const b = this.boxes, of = b.nodes[i], scale = of.total ? b.w[i] / of.total : 0;
		of.sorted ??= [...of.kids.values()].sort((p, q) => p.name < q.name ? -1 : 1);
		let x = b.x[i];
		for (const k of of.sorted) {
			const w = k.total * scale;
			if (w >= LEAST) b.add(k, x, w);
			x += w;
		}
	}

	private at(x: number, y: number): Node | null {
		return this.boxes.at(Math.floor(y / ROW), x);
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
		let to: Node | null | undefined;
		if (e.key === "ArrowLeft") to = beside(b.nodes[i - 1]);
		else if (e.key === "ArrowRight") to = i + 1 < b.n ? beside(b.nodes[i + 1]) : null;
		else if (e.key === "ArrowUp") to = at.parent;
		else if (e.key === "ArrowDown") to = i < 0 ? null : b.at(at.depth + 1, b.x[i]) ?? at.sorted?.find((k) => b.of(k) >= 0);
		else if (e.key === "l") this.pick(at);
		else if (e.key === "Enter") this.zoomTo(at);
		else if (e.key === "Escape") this.zoomTo(this.all);
		else return;
		e.preventDefault();
		if (to) this.over(to);
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
			s.c.strokeRect(b.x[i] + 1, this.hover!.depth * ROW + 1, Math.max(1, b.w[i] - 2), ROW - 3);
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
		s.c.drawImage(this.strip, 0, 0, wide, b.levels, 0, 0, s.w, b.levels * ROW);
		for (let d = 1; d <= b.levels; d++) s.c.clearRect(0, d * ROW - 1, s.w, 1);
		this.labels(s.c, wanted);
		this.found = wanted ? `; found: ${percent(this.hits(this.all, wanted) / Math.max(1, this.all.total))}` : "";
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
		c.fillText(full.length > room ? full.slice(0, Math.max(1, room - 1)) + "\u2026" : full, x + 4, n.depth * ROW + ROW / 2);
	}

	private tell(): void {
		const n = this.hover ?? this.zoom, share = this.all.total ? n.total / this.all.total : 0;
		const d = this.change(n) * 100;
		const diff = this.marked ? `, ${d >= 0 ? "\u25b2 +" : "\u25bc "}${d.toFixed(1)} points since the mark` : "";
		setText(this.note, `${n.name}: ${whole(n.total)} (${percent(share)} of ${short(this.all.total)})${diff}${this.found}`);
	}

	private hits(n: Node, wanted: string): number {
		if (n.low.includes(wanted)) return n.total;
		let sum = 0;
		for (const k of n.kids.values()) sum += this.hits(k, wanted);
		return sum;
	}
}

export function hash(text: string): number {
	let h = 0;
	for (let i = 0; i < text.length; i++) h = h * 31 + text.charCodeAt(i) | 0;
	return h >>> 0;
}
