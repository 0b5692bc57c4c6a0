// SPDX-License-Identifier: BSD-2-Clause
// All of a flame graph in a strip above it, and which part of it is shown. Dragging in that part moves it, dragging elsewhere
// chooses another; a click puts the part there.
import { el, ink, Layer, surface } from "../dom";
import type { Boxes } from "./boxes";
import type { Painter } from "./painter";

const HEIGHT = 48, LEAST = 3;		// pixels

export class Minimap {
	readonly canvas = el("canvas", { class: "minimap", "aria-hidden": "true" });
	private layer = new Layer();
	private drag: { x: number; left: number; right: number; moves: boolean } | null = null;
	private left = 0;
	private right = 1;

	constructor(private painter: Painter, private window: (left: number, right: number) => void) {
		const c = this.canvas, at = (e: PointerEvent) => e.offsetX / c.clientWidth;
		c.addEventListener("pointerdown", (e) => {
			const moves = this.right - this.left < 0.999 && at(e) >= this.left && at(e) <= this.right;
			this.drag = { x: at(e), left: this.left, right: this.right, moves };
			c.setPointerCapture(e.pointerId);
		});
		c.addEventListener("pointermove", (e) => this.drag && this.moved(at(e), c.clientWidth));
		c.addEventListener("pointerup", (e) => {
			if (this.drag && Math.abs(at(e) - this.drag.x) * c.clientWidth < LEAST) this.centre(at(e));
			this.drag = null;
		});
	}

	private moved(x: number, width: number): void {
		const d = this.drag!;
		if (Math.abs(x - d.x) * width < LEAST) return;
		if (d.moves) this.window(d.left + x - d.x, d.right + x - d.x);
		else this.window(Math.min(x, d.x), Math.max(x, d.x));
	}

	private centre(x: number): void {
		const half = (this.right - this.left) / 2;
		if (half < 0.499) this.window(x - half, x + half);
	}

	/** The boxes of all have changed. */
	old(): void {
		this.layer.old();
	}

	draw(all: Boxes, left: number, right: number): void {
		this.left = left;
		this.right = right;
		const s = surface(this.canvas, this.canvas.clientWidth, HEIGHT);
		if (!s) return;
		this.layer.copy(s, (to) => this.painter.paint(to, all, HEIGHT / Math.max(1, all.levels), false));
		if (right - left > 0.999) return;
		s.c.fillStyle = ink("--card");
		s.c.globalAlpha = 0.65;
		s.c.fillRect(0, 0, left * s.w, HEIGHT);
		s.c.fillRect(right * s.w, 0, s.w, HEIGHT);
		s.c.globalAlpha = 1;
		s.c.strokeStyle = ink("--fg");
		s.c.lineWidth = 2;
		s.c.strokeRect(left * s.w, 1, Math.max(2, (right - left) * s.w), HEIGHT - 2);
	}
}
