// SPDX-License-Identifier: BSD-2-Clause
// Names that fit their boxes. Widths come from a table of characters, since a graph has thousands of labels and asking the
// browser for each takes long.
import { terse } from "./names";

export const LABEL_FONT = "12px system-ui, sans-serif";
const ELLIPSIS = "\u2026", LEAST = 3;

export class Measure {
	private widths = new Map<string, number>();
	private brief = new Map<string, string>();

	private char(c: CanvasRenderingContext2D, char: string): number {
		let w = this.widths.get(char);
		if (w === undefined) this.widths.set(char, w = c.measureText(char).width);
		return w;
	}

	width(c: CanvasRenderingContext2D, text: string): number {
		let sum = 0;
		for (const char of text) sum += this.char(c, char);
		return sum;
	}

	/** The name in so many pixels: whole, without its arguments, or with its middle left out; "": there is no room. */
	fit(c: CanvasRenderingContext2D, name: string, room: number): string {
		if (this.width(c, name) <= room) return name;
		let brief = this.brief.get(name);
		if (brief === undefined) this.brief.set(name, brief = terse(name));
		if (this.brief.size > 20000) this.brief.clear();
		return this.width(c, brief) <= room ? brief : this.middleOut(c, [...brief], room);
	}

	private middleOut(c: CanvasRenderingContext2D, chars: string[], room: number): string {
		let left = 0, right = chars.length, used = this.char(c, ELLIPSIS);
		for (;;) {
			const head = left <= chars.length - right, w = this.char(c, head ? chars[left] : chars[right - 1]);
			if (used + w > room || left >= right) break;
			used += w;
			if (head) left++;
			else right--;
		}
		if (left + chars.length - right < LEAST) return "";
		return chars.slice(0, left).join("") + ELLIPSIS + chars.slice(right).join("");
	}
}
