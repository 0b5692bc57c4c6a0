// SPDX-License-Identifier: BSD-2-Clause
// What the colours mean, with the share of the innermost functions that each has. A click fades all others; of a comparison it is
// the scale from less to more.
import { clear, el, ink, percent, setText } from "../dom";
import { difference, FILLS, type Colours } from "./palette";
import type { Stacks } from "./stacks";

export const legendStyle = `
.colourkey { display: flex; flex-wrap: wrap; gap: 4px 6px; padding: 0 0 6px; font-size: 12px; min-height: 30px; align-items: center; }
.colourkey button, .colourkey span { display: inline-flex; align-items: center; gap: 5px; padding: 1px 7px; font-size: 12px; min-height: 24px; }
.colourkey i { width: 12px; height: 12px; border-radius: 2px; border: 1px solid var(--dim); flex: none; }
.colourkey b { font-weight: 400; color: var(--dim); font-variant-numeric: tabular-nums; }
`;

const STEPS: [number, string][] = [[-0.1, "less by 5 points and more"], [-0.02, "by 1"], [-0.005, "by 0.1"], [0, "the same"], [0.005, "by 0.1"],
	[0.02, "by 1"], [0.1, "more by 5 points and more"]];

export class Legend {
	readonly root = el("div", { class: "colourkey", role: "group", "aria-label": "colours" });
	only = "";			// what is not faded; "": all
	private shown = "";

	constructor(private stacks: Stacks, private colours: Colours, private changed: () => void) {}

	private swatch(fill: number): HTMLElement {
		const i = el("i");
		i.style.background = ink(FILLS[fill]);
		return i;
	}

	private choose(name: string): void {
		this.only = this.only === name ? "" : name;
		this.changed();
	}

	/** `weight`: of a stack, by its number. */
	update(weight: (stack: number) => number, compared: boolean): void {
		const entries = new Map<string, { fill: number; n: number }>();
		let all = 0;
		this.stacks.paths.forEach((path, i) => {
			const f = path[path.length - 1], n = weight(i);
			if (!f || n <= 0) return;
			const name = this.colours.name(f), e = entries.get(name) ?? { fill: this.colours.of(f), n: 0 };
			e.n += n;
			all += n;
			entries.set(name, e);
		});
		const list = [...entries].sort((a, b) => b[1].n - a[1].n);
		const text = compared ? "compared" + ink("--d0") : list.map(([name, e]) => name + ink(FILLS[e.fill])).sort().join();
		if (text !== this.shown) this.build(list.map(([name, e]) => [name, e.fill]), compared);
		this.shown = text;
		if (!compared) for (const b of this.root.children) {
			const name = (b as HTMLElement).dataset.name!;
			setText(b.lastElementChild!, percent((entries.get(name)?.n ?? 0) / Math.max(1, all)));
			b.setAttribute("aria-pressed", String(this.only === name));
		}
	}

	private build(list: [string, number][], compared: boolean): void {
		clear(this.root);
		if (compared) for (const [d, text] of STEPS) this.root.append(el("span", {}, this.swatch(difference(d)), text));
		else for (const [name, fill] of list) this.root.append(el("button", { type: "button", "data-name": name, onclick: () => this.choose(name) },
			this.swatch(fill), name, el("b")));
	}
}
