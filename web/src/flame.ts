// SPDX-License-Identifier: BSD-2-Clause
// Stacks as a flame graph: the outermost function at the top, each as wide as what was counted in it. A node is made
// once for each new stack; a moment only adds its numbers along the paths, so ten thousand stacks stay quick. A mark
// remembers all numbers: then each function says how its share has changed since.
import { el, font, ink, Layer, percent, setText, short, soon, surface, whole, type Surface } from "./dom";
import type { Agg, Key, Part } from "./model";
import type { Stage, View } from "./view";

const ROW = 20;
const LEAST = 1;			// pixels; thinner ones are not drawn

interface Node { name: string; total: number; mark: number; parent: Node | null; kids: Map<string, Node>; depth: number;
	sorted: Node[] | null }
interface Box { node: Node; x: number; w: number }

function node(name: string, parent: Node | null): Node {
	return { name, total: 0, mark: 0, parent, kids: new Map(), depth: parent ? parent.depth + 1 : 0,
		sorted: null };
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
	private levels: Box[][] = [];
	private hover: Node | null = null;
	private marked = false;
	private layer = new Layer();

	constructor(private stage: Stage, private agg: Agg) {
		this.canvas = el("canvas", { class: "flame", tabIndex: 0, role: "img",
			"aria-label": "flame graph; arrow keys walk through it, Enter zooms, Escape zooms out" });
		this.note = el("div", { class: "note", role: "status" });
		this.search = el("input", { type: "search", placeholder: "find function", "aria-label": "find function",
			oninput: () => this.repaint() });
		this.since = el("button", { type: "button", "aria-pressed": "false", onclick: () => this.mark() },
			"mark this moment");
		this.root = el("div", { class: "flames" }, el("div", { class: "tools" }, this.search, this.since,
			el("button", { type: "button", onclick: () => this.hover && this.pick(this.hover) }, "look into it")),
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
		this.layout();
		this.repaint();
	}

	private repaint(): void {
		this.layer.old();
		soon(this.draw);
	}

	/** Boxes level by level, under the function that is zoomed to; those around it are as wide as all. */
	private layout(): void {
		const width = this.canvas.clientWidth;
		this.levels = [];
		for (let up: Node | null = this.zoom; up; up = up.parent) this.levels[up.depth] = [{ node: up, x: 0, w: width }];
		let level = this.levels[this.zoom.depth];
		for (let d = this.zoom.depth + 1; level.length; d++) {
			const next: Box[] = [];
			for (const b of level) {
				let x = b.x;
				b.node.sorted ??= [...b.node.kids.values()].sort((p, q) => p.name < q.name ? -1 : 1);
				for (const k of b.node.sorted) {
					const w = b.node.total ? k.total / b.node.total * b.w : 0;
					if (w >= LEAST) next.push({ node: k, x, w });
					x += w;
				}
			}
			if (next.length) this.levels[d] = next;
			level = next;
		}
		this.canvas.style.height = `${Math.max(4, this.levels.length) * ROW}px`;
	}

	private at(x: number, y: number): Node | null {
		const level = this.levels[Math.floor(y / ROW)];
		return level?.find((b) => x >= b.x && x < b.x + b.w)?.node ?? null;
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
		const at = this.hover ?? this.zoom, level = this.levels[at.depth] ?? [];
		const i = level.findIndex((b) => b.node === at);
		let to: Node | null | undefined;
		if (e.key === "ArrowLeft") to = level[i - 1]?.node;
		else if (e.key === "ArrowRight") to = level[i + 1]?.node;
		else if (e.key === "ArrowUp") to = at.parent;
		else if (e.key === "ArrowDown") to = this.levels[at.depth + 1]?.find((b) => b.node.parent === at)?.node;
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

	private colour(n: Node, hues: string[]): string {
		if (!this.marked) return hues[hash(n.name) % 4];
		const d = this.change(n);
		return Math.abs(d) < 0.001 ? hues[4] : d > 0 ? hues[5] : hues[6];
	}

	private draw = (): void => {
		const s = surface(this.canvas);
		if (!s) return;
		this.layer.copy(s, this.base);
		const h = this.hover && this.levels[this.hover.depth]?.find((b) => b.node === this.hover);
		if (h) {
			s.c.strokeStyle = ink("--fg");
			s.c.lineWidth = 2;
			s.c.strokeRect(h.x + 1, h.node.depth * ROW + 1, Math.max(1, h.w - 2), ROW - 3);
		}
		this.tell(this.search.value.toLowerCase());
	};

	private base = (s: Surface): void => {
		const wanted = this.search.value.toLowerCase();
		const hues = [0, 1, 2, 3].map((i) => ink(`--f${i}`)).concat(ink("--grid"), ink("--more"), ink("--less"));
		const text = ink("--flametext"), found = ink("--found"), byColour = new Map<string, Box[]>();
		for (const level of this.levels)
			for (const b of level ?? []) {
				const hit = wanted !== "" && b.node.name.toLowerCase().includes(wanted);
				const colour = hit ? found : this.colour(b.node, hues), list = byColour.get(colour);
				if (list) list.push(b);
				else byColour.set(colour, [b]);
			}
		// colour by colour: changing it takes longer than filling a box
		for (const [colour, boxes] of byColour) {
			s.c.fillStyle = colour;
			for (const b of boxes) s.c.fillRect(b.x, b.node.depth * ROW, b.w > 3 ? b.w - 0.5 : b.w, ROW - 1);
		}
		s.c.font = font;
		s.c.textBaseline = "middle";
		for (const [colour, boxes] of byColour)
			for (const b of boxes) if (b.w > 28) this.label(s.c, b, b.node.depth * ROW, colour === found ? "#000" : text);
	};

	private label(c: CanvasRenderingContext2D, b: Box, y: number, colour: string): void {
		const d = this.marked ? this.change(b.node) : 0;
		const sign = d > 0.001 ? "\u25b2 " : d < -0.001 ? "\u25bc " : "", room = Math.floor((b.w - 6) / 7.2);
		const full = sign + b.node.name.replace(/^.*`/, "");
		c.fillStyle = colour;
		c.fillText(full.length > room ? full.slice(0, Math.max(1, room - 1)) + "\u2026" : full, b.x + 4, y + ROW / 2);
	}

	private tell(wanted: string): void {
		const n = this.hover ?? this.zoom, share = this.all.total ? n.total / this.all.total : 0;
		const d = this.change(n) * 100;
		const diff = this.marked ? `, ${d >= 0 ? "\u25b2 +" : "\u25bc "}${d.toFixed(1)} points since the mark` : "";
		const hits = wanted ? `; found: ${percent(this.hits(this.all, wanted) / Math.max(1, this.all.total))}` : "";
		setText(this.note, `${n.name}: ${whole(n.total)} (${percent(share)} of ${short(this.all.total)})${diff}${hits}`);
	}

	private hits(n: Node, wanted: string): number {
		if (n.name.toLowerCase().includes(wanted)) return n.total;
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
