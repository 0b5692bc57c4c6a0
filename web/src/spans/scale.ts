// SPDX-License-Identifier: BSD-2-Clause
// Times of spans, in ms, as text: from nanoseconds to seconds.

const UNITS: [number, string][] = [[1e3, "s"], [1, "ms"], [1e-3, "\u00b5s"], [1e-6, "ns"]];
const SPACE = "\u202f";

/** How long something took, with three digits. */
export function duration(ms: number): string {
	const [size, name] = UNITS.find(([u]) => Math.abs(ms) >= u * 0.9995) ?? UNITS[3], v = ms / size;
	return `${Number(v.toPrecision(3)).toLocaleString("en", { useGrouping: false, maximumFractionDigits: 2 })}${SPACE}${name}`;
}

/** A step of 1, 2 or 5 times a power of ten that is not smaller. */
export function step(least: number): number {
	const power = 10 ** Math.floor(Math.log10(least));
	return [1, 2, 5, 10].map((n) => n * power).find((n) => n >= least * 0.9999)!;
}

/** Ticks of an axis: their times, and texts that all have one unit and the decimals that tell them apart. */
export function ticks(from: number, to: number, width: number): { ms: number; text: string }[] {
	const by = Math.max(1e-6, step((to - from) / Math.max(1, Math.floor(width / 110)))), out: { ms: number; text: string }[] = [];
	const [size, name] = by >= 1 ? UNITS[0] : by >= 1e-3 ? UNITS[1] : UNITS[2];
	const decimals = Math.max(0, Math.min(6, -Math.floor(Math.log10(by / size) + 1e-9)));
	for (let i = Math.ceil(from / by); i * by <= to; i++) out.push({ ms: i * by, text: `${(i * by / size).toFixed(decimals)}${SPACE}${name}` });
	return out;
}
