// SPDX-License-Identifier: BSD-2-Clause
// Axes: where ticks are and what is written at them. Steps are 1, 2 and 5, of bytes powers of two; times of day are
// whole ones. What draws is here once for all views.
import { font, ink } from "./dom";
import { amount, type Unit } from "./units";

/** Of a step of 1, 2, 5, 10 ..., the least that is not smaller. */
function step125(least: number): number {
	const power = 10 ** Math.floor(Math.log10(least));
	return [1, 2, 5, 10].map((n) => n * power).find((n) => n >= least * 0.9999)!;
}

function step2(least: number): number {
	return 2 ** Math.ceil(Math.log2(least) - 1e-9);
}

/** From 0 to the tick at or above the greatest value. */
export function linear(most: number, height: number, unit: Unit): number[] {
	const n = Math.max(1, Math.floor(height / 48)), scale = unit.kind === "time" || unit.kind === "bytes" ? unit.scale : 1;
	const least = (most > 0 ? most * scale : 1) / n;
	const step = (unit.kind === "bytes" && least > 1 ? step2(least) : step125(least)) / scale, out = [0];
	while (out[out.length - 1] < most * 0.9999 && out.length < 50) out.push(step * out.length);
	return out.length > 1 ? out : [0, step];
}

const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 10e3, 15e3, 30e3, 60e3, 120e3, 300e3, 600e3, 900e3, 1800e3,
	3600e3, 7200e3, 10800e3, 21600e3, 43200e3, 86400e3];

/** Where ticks between two times are: whole times of day, if the day is known. `offset`: ms since 1970 at 0. */
export function times(t0: number, t1: number, width: number, offset: number): { ticks: number[]; step: number } {
	const least = (t1 - t0) / Math.max(1, Math.floor(width / 96)), step = STEPS.find((s) => s >= least) ?? 86400e3;
	const zone = offset ? new Date(offset + t0).getTimezoneOffset() * 60e3 : 0, ticks: number[] = [];
	const base = offset - zone;
	for (let t = Math.ceil((t0 + base) / step) * step - base; t <= t1 && ticks.length < 200; t += step) ticks.push(t);
	return { ticks, step };
}

const two = (n: number, width = 2) => String(Math.floor(n)).padStart(width, "0");

/** A time: of day if the day is known, else since the start. Milliseconds are shown where `step` needs them. */
export function moment(ms: number, offset: number, step = 1000): string {
	const part = (n: number) => step < 1000 ? `.${two(Math.round(n), 3)}` : "";
	if (offset) {
		const d = new Date(offset + ms + (step < 1000 ? 0 : 1));
		return `${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}${part(d.getMilliseconds())}`;
	}
	const all = step < 1000 ? Math.round(ms) : Math.floor(ms / 1000 + 1e-6) * 1000, s = Math.floor(all / 1000);
	return `${s >= 3600 ? `${Math.floor(s / 3600)}:${two(s / 60 % 60)}` : Math.floor(s / 60)}:${two(s % 60)}${part(all % 1000)}`;
}

/** The times below a picture. */
export function drawTimes(c: CanvasRenderingContext2D, at: { left: number; right: number; top: number; bottom: number },
	t0: number, t1: number, offset: number): void {
	const { ticks, step } = times(t0, t1, at.right - at.left, offset);
	c.font = font;
	c.textAlign = "center";
	c.lineWidth = 1;
	c.strokeStyle = ink("--grid");
	c.fillStyle = ink("--dim");
	for (const t of ticks) {
		const x = at.left + (t - t0) / (t1 - t0) * (at.right - at.left), label = moment(t, offset, step);
		const half = c.measureText(label).width / 2;
		c.beginPath();
		c.moveTo(Math.round(x) + 0.5, at.top);
		c.lineTo(Math.round(x) + 0.5, at.bottom + 4);
		c.stroke();
		if (x - half >= 0 && x + half <= at.right + 12) c.fillText(label, x, at.bottom + 16);
	}
}

/** Values to the left of a picture, with lines across it. */
export function drawValues(c: CanvasRenderingContext2D, ticks: { y: number; label: string }[], left: number, right: number): void {
	c.font = font;
	c.textAlign = "right";
	c.lineWidth = 1;
	c.strokeStyle = ink("--grid");
	c.fillStyle = ink("--dim");
	for (const t of ticks) {
		c.fillText(t.label, left - 6, t.y + 4);
		c.beginPath();
		c.moveTo(left, Math.round(t.y) + 0.5);
		c.lineTo(right, Math.round(t.y) + 0.5);
		c.stroke();
	}
}

/** Values for an axis of powers: decades, or powers of 16 of bytes; 2 and 5 between them are less important. */
export function powers(low: number, high: number, unit: Unit): { value: number; label: string; minor: boolean }[] {
	const out: { value: number; label: string; minor: boolean }[] = [], scale = unit.kind ? unit.scale : 1;
	const put = (v: number, minor: boolean) => v >= low * scale * 0.999 && v <= high * scale * 1.001 &&
		out.push({ value: v / scale, label: amount(v / scale, unit), minor });
	if (unit.kind === "bytes") for (let v = 1, i = 0; v <= high * scale; v *= 4, i++) put(v, i % 2 === 1);
	else for (let v = 1; v <= high * scale; v *= 10) {
		put(v, false);
		put(v * 2, true);
		put(v * 5, true);
	}
	return out;
}
