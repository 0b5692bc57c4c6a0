// SPDX-License-Identifier: BSD-2-Clause
// The colours of flame graphs and spans, and what they mean. In each theme text on all of them has a contrast of 4.5 and
// more, and they differ for eyes that lack one kind of cones.
import { ink } from "../dom";
import { KINDS, LANGUAGES, type Frame } from "./names";

const LIGHT = `--k-program: #edb646; --k-library: #bdfcaf; --k-kernel: #6d9df5; --k-interpreted: #edc9fd; --k-unknown: #aeaeae; --k-key: #e4e6ea;
	--m0: #67dbbf; --m1: #b1a3ff; --m2: #e4b649; --m3: #b3fffd; --m4: #b97700; --m5: #9074ca; --m6: #ffe97b; --m7: #00ac8d;
	--d0: #1f5fa8; --d1: #6fa3d8; --d2: #b9d2ec; --d3: #e4e6ea; --d4: #f3c6a5; --d5: #e08a4a; --d6: #a94c07; --d-dark: #16191d; --d-light: #fff;`;
const DARK = `--k-program: #8e680e; --k-library: #104a0a; --k-kernel: #436cba; --k-interpreted: #562365; --k-unknown: #575a5f; --k-key: #333a44;
	--m0: #416abb; --m1: #b25012; --m2: #63405b; --m3: #866371; --m4: #313e9a; --m5: #5d0f05; --m6: #2f2460; --m7: #8a2d05;
	--d0: #7db8f5; --d1: #43739f; --d2: #2f4f73; --d3: #333a44; --d4: #6e4a2c; --d5: #9a5d22; --d6: #f5a04c; --d-dark: #0d1117; --d-light: #f2f4f7;`;
export const colours = `:root { ${LIGHT} }
@media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) { ${DARK} } }
:root[data-theme="dark"] { ${DARK} }
`;

const MODULES = 8;
/** By number: what boxes are painted with. */
export const FILLS = [...KINDS.map((k) => `--k-${k}`), ...Array.from({ length: MODULES }, (_, i) => `--m${i}`),
	...Array.from({ length: 7 }, (_, i) => `--d${i}`)];
const UNKNOWN = KINDS.indexOf("unknown"), KEY = KINDS.indexOf("key"), FIRST_MODULE = KINDS.length;
export const SAME = FIRST_MODULE + MODULES + 3;

/** From less to more, by the change of a share. */
export function difference(d: number): number {
	const size = Math.abs(d), step = size < 0.001 ? 0 : size < 0.01 ? 1 : size < 0.05 ? 2 : 3;
	return SAME + Math.sign(d) * step;
}

export type By = "kind" | "module" | "language";

/** What the colours of a graph stand for, by the name of the entry in its key. */
export interface Entry { name: string; fill: number }

/** Colours of frames. Modules get theirs in the order of how much was counted in them; the last are alike. */
export class Colours {
	by: By = "kind";
	private modules = new Map<string, number>();

	/** `weights`: of modules. Those that have a colour keep it. */
	learn(weights: Map<string, number>): void {
		for (const [name] of [...weights].sort((a, b) => b[1] - a[1]))
			if (this.modules.size < MODULES && name !== "" && !this.modules.has(name)) this.modules.set(name, this.modules.size);
	}

	of(f: Frame | null): number {
		if (!f || f.kind === "key") return KEY;
		if (this.by === "kind") return KINDS.indexOf(f.kind);
		if (this.by === "module") return this.fillOf(this.modules.get(f.module));
		return this.fillOf(f.language === "unknown" ? undefined : LANGUAGES.indexOf(f.language));
	}

	private fillOf(n: number | undefined): number {
		return n === undefined ? UNKNOWN : FIRST_MODULE + n;
	}

	/** What a frame is called in the key of colours. */
	name(f: Frame): string {
		if (f.kind === "key") return "key";
		if (this.by === "kind") return f.kind;
		if (this.by === "language") return f.language;
		return this.modules.has(f.module) ? f.module : f.module === "" ? "unknown" : "other";
	}
}

// ---- pixels

/** #rrggbb, or #rgb, as a pixel has it. */
export function pixel(colour: string): number {
	const long = colour.length === 4 ? colour.replace(/[0-9a-f]/gi, "$&$&") : colour, n = parseInt(long.slice(1), 16);
	return (0xff000000 | (n & 0xff) << 16 | n & 0xff00 | n >> 16) >>> 0;
}

/** `share` of a, the rest of b. */
export function mix(a: number, b: number, share: number): number {
	let out = 0xff000000;
	for (const shift of [0, 8, 16])
		out |= Math.round((a >> shift & 255) * share + (b >> shift & 255) * (1 - share)) << shift;
	return out >>> 0;
}

function light(p: number): number {
	const part = (shift: number) => {
		const v = (p >> shift & 255) / 255;
		return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
	};
	return 0.2126 * part(0) + 0.7152 * part(8) + 0.0722 * part(16);
}

/** Of the dark and the light text, the one that is easier to read on this colour. */
export function textOn(fill: number): string {
	const dark = light(pixel(ink("--d-dark"))), bright = light(pixel(ink("--d-light"))), at = light(fill);
	return (at + 0.05) / (dark + 0.05) >= (bright + 0.05) / (at + 0.05) ? ink("--d-dark") : ink("--d-light");
}
