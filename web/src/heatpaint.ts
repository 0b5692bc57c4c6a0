// SPDX-License-Identifier: BSD-2-Clause
// How a heat map is painted: cells, percentiles, what each moment has counted, and the axis of values. Columns and rows
// in (grid.ts), pixels out.
import { drawValues, linear, powers } from "./axis";
import { font, ink, short } from "./dom";
import { colours, shade, type Column, type Rows } from "./grid";
import { amount, type Unit } from "./units";

export const LEFT = 64, RIGHT = 14, SIDE = 96, AXIS = 22, STRIP = 28, TOP = 2;
const WIDE = 44;			// pixels: from then on a cell has its number in it

/** Of the cells: how large they are together, the picture beside them, and a row. */
export interface Place { width: number; height: number; side: number; row: number }

/** What was before the trace is not nothing. */
export function past(c: CanvasRenderingContext2D, p: Place, all: Column[]): void {
	const end = all.length ? Math.max(0, all[0].x0) : p.width;
	if (end < 2) return;
	c.save();
	c.beginPath();
	c.rect(LEFT, TOP, end, p.height);
	c.clip();
	c.strokeStyle = ink("--grid");
	c.lineWidth = 1;
	c.beginPath();
	for (let x = -p.height; x < end; x += 8) {
		c.moveTo(LEFT + x, TOP + p.height);
		c.lineTo(LEFT + x + p.height, TOP);
	}
	c.stroke();
	c.restore();
}

/** A pixel for each cell, stretched to its size. */
export function paint(c: CanvasRenderingContext2D, p: Place, all: Column[], rows: Rows, most: number, picture: HTMLCanvasElement): void {
	const w = Math.ceil(p.width), table = colours();
	if (!rows.n || !all.length) return;
	const image = new ImageData(w, rows.n), pixels = new Uint32Array(image.data.buffer);
	for (const col of all)
		for (const [b, n] of col.cells) {
			const at = (rows.n - 1 - rows.place[b]) * w;
			pixels.fill(table[shade(n, most)], at + col.x0, at + Math.min(w, col.x1));
		}
	picture.width = w;
	picture.height = rows.n;
	picture.getContext("2d")!.putImageData(image, 0, 0);
	c.imageSmoothingEnabled = false;
	c.drawImage(picture, LEFT, TOP, w, p.height);
	for (const col of all)
		if (col.x1 - col.x0 >= WIDE && p.row >= 12)
			for (const [b, n] of col.cells) cellNumber(c, n, shade(n, most), LEFT + (col.x0 + col.x1) / 2, TOP + (rows.n - rows.place[b] - 0.5) * p.row);
}

function cellNumber(c: CanvasRenderingContext2D, n: number, dark: number, x: number, y: number): void {
	c.font = font;
	c.textAlign = "center";
	c.textBaseline = "middle";
	c.fillStyle = ink(dark > 110 ? "--heat0" : "--fg");
	c.fillText(short(n), x, y);
	c.textBaseline = "alphabetic";
}

export function percentile(c: CanvasRenderingContext2D, p: Place, all: Column[], rows: Rows, share: number, dash: number[]): void {
	for (const [colour, width] of [["--card", 4], ["--fg", 1.5]] as const) {
		c.strokeStyle = ink(colour);
		c.lineWidth = width;
		c.setLineDash(width > 2 ? [] : dash);
		c.beginPath();
		let open = false;
		for (const col of all) {
			const at = col.total ? rows.percentile(col.cells, col.total, share) : NaN;
			const y = TOP + (rows.n - at) * p.row, x = LEFT + (col.x0 + col.x1) / 2;
			if (Number.isNaN(at)) open = false;
			else if (open) c.lineTo(x, y);
			else c.moveTo(x - (all.length > 1 ? 0 : p.width / 2), y);
			if (!Number.isNaN(at)) open = true;
		}
		c.stroke();
	}
	c.setLineDash([]);
}

export function axes(c: CanvasRenderingContext2D, p: Place, rows: Rows, unit: Unit): void {
	const [low, high] = rows.ends, used: number[] = [];
	const y = (v: number) => TOP + (rows.n - rows.at(v)) * p.row;
	const free = (at: number) => !Number.isNaN(at) && used.every((u) => Math.abs(u - at) >= 16) && used.push(at) > 0;
	const marks: { y: number; label: string }[] = [];
	const wanted = !rows.ratio ? linear(high, p.height, unit).map((value) => ({ value, label: amount(value, unit) })) :
		[...powers(Math.max(1, low), high, unit)].sort((a, b) => Number(a.minor) - Number(b.minor));
	if (low <= 0 && rows.ratio) wanted.unshift({ value: 0, label: "0" });
	for (const w of wanted) {
		const at = w.value === 0 && rows.ratio ? y(0) - p.row / 2 : y(w.value);
		if (free(at)) marks.push({ y: at, label: w.label });
	}
	rows.buckets.forEach(({ low: l, high: h }, r) => {	// ends that are open, and values below 0
		const at = TOP + (rows.n - r - 0.5) * p.row;
		const label = l === null ? `< ${amount((h ?? 0) + 1, unit)}` : h === null ? `\u2265 ${amount(l, unit)}` : l < 0 ? amount(l, unit) : "";
		if (label && free(at)) marks.push({ y: at, label });
	});
	drawValues(c, marks, LEFT, LEFT + p.width);
}

/** How much each moment has counted. */
export function strip(c: CanvasRenderingContext2D, p: Place, all: Column[]): void {
	const rate = (col: Column) => col.total / Math.max(1, col.x1 - col.x0);
	const most = all.reduce((m, col) => Math.max(m, rate(col)), 0), bottom = TOP + p.height + STRIP;
	c.fillStyle = ink("--card");
	c.fillRect(LEFT, TOP + p.height, p.width, STRIP);
	c.fillStyle = ink("--mark");
	for (const col of all) {
		const h = most ? rate(col) / most * (STRIP - 5) : 0;
		c.fillRect(LEFT + col.x0, bottom - h, Math.max(1, col.x1 - col.x0 - (col.x1 - col.x0 > 4 ? 1 : 0)), h);
	}
}
