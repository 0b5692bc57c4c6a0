// SPDX-License-Identifier: BSD-2-Clause
// Boxes as pixels: one row of pixels for each level, which is then made as high as it should be, so that thirty thousand boxes
// cost what thirty cost; then the labels of those that have room for one, and outlines of what was found.
import { ink, type Surface } from "../dom";
import type { Boxes } from "./boxes";
import { LABEL_FONT, Measure } from "./label";
import { FILLS, mix, pixel, textOn } from "./palette";
import type { Node } from "./tree";

export const ROW = 20;
const FADED = 0.3, NARROW = 24, WIDE = 180, OUTLINES = 4000;

/** What a node looks like. */
export interface Look {
	count(n: Node): number;
	fill(n: Node): number;
	/** In a search or a choice of the key of colours: the others fade. */
	faded(n: Node): boolean;
	found(n: Node): boolean;
	sign(n: Node): string;
}

export class Painter {
	private strip = document.createElement("canvas");
	private image: ImageData | null = null;
	private measure = new Measure();

	constructor(private look: Look) {}

	/** A row of pixels for each level. `wide`: pixels of the row; `scale`: of them for one of the boxes. */
	private rows(b: Boxes, wide: number, scale: number): HTMLCanvasElement {
		if (this.image?.width !== wide || this.image.height < b.levels) {
			this.strip.width = wide;
			this.strip.height = Math.max(b.levels, 64);
			this.image = new ImageData(wide, this.strip.height);
		}
		const card = pixel(ink("--card")), full = FILLS.map((f) => pixel(ink(f))), faded = full.map((f) => mix(f, card, FADED));
		const fg = pixel(ink("--fg")), pixels = new Uint32Array(this.image.data.buffer);
		pixels.fill(0, 0, wide * b.levels);
		for (let d = 0; d < b.levels; d++)
			for (let i = b.from[d]; i < b.from[d + 1]; i++) {
				const n = b.nodes[i], from = Math.max(0, Math.round(b.x[i] * scale));
				const to = Math.min(wide, Math.max(from + 1, Math.round((b.x[i] + b.w[i]) * scale)));
				const narrow = to - from <= 3, fill = this.look.fill(n);
				const colour = this.look.faded(n) ? faded[fill] : narrow && this.look.found(n) ? fg : full[fill];
				pixels.fill(colour, d * wide + from, d * wide + (narrow || b.x[i] + b.w[i] > wide / scale ? to : to - 1));
			}
		this.strip.getContext("2d")!.putImageData(this.image, 0, 0, 0, 0, wide, b.levels);
		return this.strip;
	}

	/** All levels on the surface, each `row` pixels high; `turned`: the outermost at the bottom. */
	paint(s: Surface, b: Boxes, row: number, turned: boolean): void {
		const wide = s.c.canvas.width;
		s.c.imageSmoothingEnabled = false;
		s.c.save();
		if (turned) {
			s.c.translate(0, s.h);
			s.c.scale(1, -1);
		}
		s.c.drawImage(this.rows(b, wide, wide / s.w), 0, 0, wide, b.levels, 0, 0, s.w, b.levels * row);
		s.c.restore();
	}

	/** What is between the levels and in them. `top`: where a level is. */
	labels(s: Surface, b: Boxes, top: (depth: number) => number): void {
		const c = s.c, card = pixel(ink("--card")), full = FILLS.map((f) => textOn(pixel(ink(f))));
		const faded = FILLS.map((f) => textOn(mix(pixel(ink(f)), card, FADED)));
		let outlines = 0;
		c.font = LABEL_FONT;
		c.textBaseline = "middle";
		c.strokeStyle = ink("--fg");
		c.lineWidth = 2;
		for (let d = 0; d < b.levels; d++) {
			c.clearRect(0, top(d) + ROW - 1, s.w, 1);
			for (let i = b.from[d]; i < b.from[d + 1]; i++) {
				const n = b.nodes[i], x = Math.max(0, b.x[i]), w = Math.min(s.w, b.x[i] + b.w[i]) - x;
				if (w > 3 && this.look.found(n) && outlines++ < OUTLINES) c.strokeRect(x + 1, top(d) + 1, w - 3, ROW - 3);
				if (w < NARROW) continue;
				const fill = this.look.fill(n);
				c.fillStyle = this.look.faded(n) ? faded[fill] : full[fill];
				this.label(c, n, x + 4, w - 8, top(d) + ROW / 2);
			}
		}
	}

	private label(c: CanvasRenderingContext2D, n: Node, x: number, room: number, y: number): void {
		const sign = this.look.sign(n), f = n.frame, text = this.measure.fit(c, sign + (f ? f.name : "all"), room);
		if (text === "") return;
		if (f?.kind === "key") c.font = "bold " + LABEL_FONT;
		c.fillText(text, x, y, room);
		if (f?.kind === "key") c.font = LABEL_FONT;
		const used = this.measure.width(c, text), module = f && f.module !== "" ? ` \u00b7 ${f.module}` : "";
		if (module === "" || room - used < WIDE) return;
		c.fillText(this.measure.fit(c, module, room - used), x + used, y, room - used);
	}
}
