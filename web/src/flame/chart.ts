// SPDX-License-Identifier: BSD-2-Clause
// One tree as a picture that is zoomed, moved and read by pointer and keys. What it shows lies between `left` and `right` of all
// (0 to 1). The picture is painted when data or place change; what is pointed at is an outline above it.
import { el, soon, surface } from "../dom";
import { Boxes, extent } from "./boxes";
import { Minimap } from "./minimap";
import { Painter, ROW, type Look } from "./painter";
import type { Node, Tree } from "./tree";

export const chartStyle = `
.flamebox { max-height: 480px; position: relative; }
.flame { width: 100%; display: block; cursor: pointer; touch-action: pan-y; }
.minimap { width: 100%; height: 48px; display: block; margin-bottom: 4px; border-radius: 4px; background: var(--code); cursor: ew-resize; touch-action: none; }
.pointed { position: absolute; left: 0; top: 0; pointer-events: none; border: 2px solid var(--fg); border-radius: 2px; height: 19px; }
`;

const CLOSEST = 1e-12, ZOOM_MS = 150, CLICK = 4, VISIBLE = 8;

export interface Wishes {
	label: string;			// for those who do not see it
	minimap: boolean;
	/** Something else is pointed at. */
	pointed(n: Node): void;
	/** A key that the chart has no use for; true: it was used. */
	key(e: KeyboardEvent, n: Node): boolean;
	/** Back to the beginning. */
	reset(): void;
}

export class Chart {
	readonly root: HTMLElement;
	readonly canvas: HTMLCanvasElement;
	private outline = el("div", { class: "pointed", hidden: true });
	private box: HTMLElement;
	private painter: Painter;
	private minimap: Minimap | null = null;
	private tree: Tree | null = null;
	private boxes = new Boxes();
	private all = new Boxes();
	private left = 0;
	private right = 1;
	private goal: { left: number; right: number; since: number; fromLeft: number; fromRight: number } | null = null;
	private focus: Node | null = null;
	private hover: Node | null = null;
	private turned = false;		// the outermost function at the bottom
	private width = 0;
	private height = 0;		// levels that there is room for: it never shrinks, so that zooming moves nothing
	private stale = true;		// the boxes are those of other data
	private drag: { x: number; left: number; right: number; far: boolean } | null = null;

	constructor(private look: Look, private wishes: Wishes) {
		this.painter = new Painter(look);
		this.canvas = el("canvas", { class: "flame", tabIndex: 0, role: "img", "aria-label": wishes.label });
		this.box = el("div", { class: "scroll flamebox" }, this.canvas, this.outline);
		if (wishes.minimap) this.minimap = new Minimap(this.painter, (l, r) => this.show(l, r));
		this.root = el("div", {}, this.minimap?.canvas ?? null, this.box);
		this.listen();
	}

	private listen(): void {
		const c = this.canvas;
		c.addEventListener("pointerdown", (e) => e.button === 0 &&
			(this.drag = { x: e.offsetX, left: this.left, right: this.right, far: false }));
		c.addEventListener("pointermove", (e) => this.moved(e));
		c.addEventListener("pointerup", () => setTimeout(() => this.drag = null));
		c.addEventListener("pointercancel", () => this.drag = null);
		c.addEventListener("click", (e) => {
			const n = this.drag?.far ? null : this.at(e.offsetX, e.offsetY);
			if (n) this.zoomTo(n);
		});
		c.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
		c.addEventListener("keydown", (e) => {
			if (e.ctrlKey || e.metaKey || e.altKey || !this.key(e)) return;
			e.preventDefault();
			e.stopPropagation();
		});
	}

	// ---- what is shown

	set(tree: Tree): void {
		if (tree === this.tree) return;
		this.tree = tree;
		this.focus = this.hover = null;
		this.goal = null;
		this.left = 0;
		this.right = 1;
		this.height = 0;
		this.update();
	}

	turn(turned: boolean): void {
		this.turned = turned;
		this.box.scrollTop = turned ? this.box.scrollHeight : 0;
		this.repaint();
	}

	get current(): Node | null {
		return this.hover ?? this.focus ?? this.tree?.root ?? null;
	}

	get isWhole(): boolean {
		return this.right - this.left > 0.999999;
	}

	/** Data or the size have changed. */
	update(): void {
		if (!this.tree) return;
		this.width = this.canvas.clientWidth;
		if (this.width === 0) return;
		this.all.layout(this.tree, this.look.count, 0, 1, this.width);
		this.repaint();
	}

	/** Colours have changed, or the place. */
	repaint(): void {
		this.minimap?.old();
		this.stale = true;
		soon(this.draw);
	}

	/** The part from left to right of all. */
	private show(left: number, right: number): void {
		const width = Math.min(1, Math.max(CLOSEST, right - left));
		this.left = Math.min(1 - width, Math.max(0, left));
		this.right = this.left + width;
		this.focus = null;
		this.goal = null;
		soon(this.draw);
	}

	zoomTo(n: Node): void {
		this.focus = n;
		this.hover = n;
		this.goal = { left: 0, right: 1, since: performance.now(), fromLeft: this.left, fromRight: this.right };
		this.wishes.pointed(n);
		soon(this.draw);
	}

	/** Points at a node, and moves or zooms if it could not be seen. */
	reveal(n: Node): void {
		if (!this.tree) return;
		const [left, right] = extent(this.tree, this.look.count, n), shown = this.right - this.left;
		const seen = (right - left) / shown * this.width >= VISIBLE, width = seen ? shown : (right - left) * this.width / VISIBLE / 4;
		if (!seen || left < this.left || right > this.right) this.show((left + right - width) / 2, (left + right + width) / 2);
		this.hover = n;
		this.wishes.pointed(n);
		soon(this.draw);
	}

	zoom(by: number, about = 0.5): void {
		const at = this.left + (this.right - this.left) * about;
		this.show(at - (at - this.left) * by, at + (this.right - at) * by);
	}

	private pan(by: number): void {
		const d = (this.right - this.left) * by;
		this.show(this.left + d, this.right + d);
	}

	/** A function stays where it is in the picture while numbers change, and the picture moves to it when it is chosen. */
	private place(): void {
		if (!this.focus || !this.tree) return;
		const [left, right] = extent(this.tree, this.look.count, this.focus), g = this.goal;
		const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
		const done = g && !still ? Math.min(1, (performance.now() - g.since) / ZOOM_MS) : 1, ease = 1 - (1 - done) ** 3;
		this.left = g ? g.fromLeft + (left - g.fromLeft) * ease : left;
		this.right = g ? g.fromRight + (right - g.fromRight) * ease : right;
		if (done < 1) soon(this.draw);
		else this.goal = null;
	}

	// ---- pointer and keys

	private at(x: number, y: number): Node | null {
		const row = Math.floor(y / ROW);
		return this.boxes.at(this.turned ? this.height - 1 - row : row, x);
	}

	private moved(e: PointerEvent): void {
		const d = this.drag, far = d && Math.abs(e.offsetX - d.x) > CLICK;
		if (d && (far || d.far) && !this.isWhole && e.pointerType === "mouse") {
			const by = (d.x - e.offsetX) / this.width * (d.right - d.left);
			if (!d.far) this.canvas.setPointerCapture(e.pointerId);
			d.far = true;
			this.show(d.left + by, d.right + by);
			return;
		}
		this.point(this.at(e.offsetX, e.offsetY));
	}

	/** The wheel scrolls the page; with Ctrl it zooms, with Shift it moves. */
	private wheel(e: WheelEvent): void {
		const across = e.shiftKey ? e.deltaY || e.deltaX : Math.abs(e.deltaX) > Math.abs(e.deltaY) ? e.deltaX : 0;
		if (e.ctrlKey || e.metaKey) this.zoom(Math.exp(Math.max(-1, Math.min(1, e.deltaY / 200))), e.offsetX / this.width);
		else if (across !== 0 && !this.isWhole) this.pan(across / this.width);
		else return;
		e.preventDefault();
	}

	point(n: Node | null): void {
		if (n === this.hover || !n) return;
		this.hover = n;
		this.outlined();
		this.wishes.pointed(n);
	}

	private key(e: KeyboardEvent): boolean {
		const at = this.current;
		if (!at || !this.tree) return false;
		if (this.goal || this.stale) {	// on its way: what is beside a node is known when it is there
			this.goal = null;
			this.draw();
		}
		const b = this.boxes, i = b.of(at), beside = (n: Node | undefined) => n?.depth === at.depth ? n : null;
		const up = this.turned ? "ArrowDown" : "ArrowUp", down = this.turned ? "ArrowUp" : "ArrowDown";
		const kids = () => this.tree!.children(at, this.look.count).find((k) => b.of(k) >= 0) ?? null;
		if (e.key === "ArrowLeft") this.point(i < 0 ? null : beside(b.nodes[i - 1]));
		else if (e.key === "ArrowRight") this.point(i >= 0 && i + 1 < b.n ? beside(b.nodes[i + 1]) : null);
		else if (e.key === up) this.point(at.parent);
		else if (e.key === down) this.point(kids());
		else if (e.key === "Enter") this.zoomTo(at);
		else if (e.key === "+" || e.key === "=") this.zoom(0.5);
		else if (e.key === "-") this.zoom(2);
		else if (e.key === "0") this.zoomTo(this.tree.root);
		else if (e.key === "[" || e.key === "]") this.pan(e.key === "[" ? -0.25 : 0.25);
		else if (e.key === "Escape") this.reset();
		else return this.wishes.key(e, at);
		return true;
	}

	reset(): void {
		if (!this.tree) return;
		this.zoomTo(this.tree.root);
		this.wishes.reset();
	}

	// ---- the picture

	private top(depth: number): number {
		return (this.turned ? this.height - 1 - depth : depth) * ROW;
	}

	/** The outermost function stays in sight. */
	private higher(levels: number): void {
		const below = this.height === 0 ? 0 : this.box.scrollHeight - this.box.scrollTop;
		this.height = levels;
		this.canvas.style.height = `${levels * ROW}px`;
		if (this.turned) this.box.scrollTop = this.box.scrollHeight - below;
	}

	private draw = (): void => {
		if (!this.tree || this.width === 0) return;
		this.place();
		this.stale = false;
		this.boxes.layout(this.tree, this.look.count, this.left, this.right, this.width);
		if (Math.max(3, this.all.levels, this.boxes.levels) > this.height) this.higher(Math.max(3, this.all.levels, this.boxes.levels));
		const s = surface(this.canvas, this.width, this.height * ROW);
		if (!s) return;
		this.painter.paint(s, this.boxes, ROW, this.turned);
		this.painter.labels(s, this.boxes, (d) => this.top(d));
		this.outlined();
		this.minimap?.draw(this.all, this.left, this.right);
	};

	private outlined(): void {
		const i = this.hover ? this.boxes.of(this.hover) : -1;
		this.outline.hidden = i < 0;
		if (i < 0) return;
		const x = Math.max(0, this.boxes.x[i]), w = Math.min(this.width, this.boxes.x[i] + this.boxes.w[i]) - x, y = this.top(this.hover!.depth);
		this.outline.style.transform = `translate(${x}px, ${y}px)`;
		this.outline.style.width = `${Math.max(4, w)}px`;
		if (document.activeElement !== this.canvas || !this.canvas.matches(":focus-visible")) return;
		if (y < this.box.scrollTop) this.box.scrollTop = y;
		else if (y + ROW > this.box.scrollTop + this.box.clientHeight) this.box.scrollTop = y + ROW - this.box.clientHeight;
	}
}
