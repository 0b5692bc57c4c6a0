// SPDX-License-Identifier: BSD-2-Clause
// All functions with what was counted in them (self) and below them too (total), and of the chosen one who calls it, above, and
// what it calls, below. What a function calls of itself counts once.
import { el, percent, setText, whole as digits } from "../dom";
import { Grid } from "../table";
import { Chart, type Wishes } from "./chart";
import type { Frame } from "./names";
import type { Look } from "./painter";
import type { Stacks } from "./stacks";
import { callees, callers, Tree } from "./tree";

export const sandwichStyle = `
.sandwich { display: grid; grid-template-columns: minmax(280px, 2fr) minmax(0, 3fr); gap: 12px; }
.sandwich > * { min-width: 0; }
.sandwich h3 { margin: 6px 0 2px; text-transform: none; letter-spacing: 0; overflow-wrap: anywhere; }
.sandwich .flamebox { max-height: 260px; }
@media (max-width: 900px) {
	.sandwich { grid-template-columns: minmax(0, 1fr); }
}
`;

interface Row { frame: Frame; total: number; self: number }
const COLUMNS = [{ name: "self", width: 70, number: true, share: true }, { name: "total", width: 70, number: true, share: true },
	{ name: "function", width: 120, grow: true }, { name: "module", width: 120, late: true }];
const SHOWN = 18;

export class Sandwich {
	readonly root: HTMLElement;
	readonly callers: Chart;
	readonly callees: Chart;
	frame: Frame | null = null;
	private grid: Grid;
	private title = el("h3");
	private below = el("h3", {}, "callees");
	private list: Row[] = [];
	private sum = 0;
	private sorted = { column: 0, down: true };
	private trees: [Tree, Tree] | null = null;

	/** `weight`: of a stack, by its number; `changed`: another function was chosen. */
	constructor(private stacks: Stacks, look: Look, wishes: Omit<Wishes, "label" | "minimap">, private weight: (stack: number) => number,
		private matches: (f: Frame) => boolean, private changed: (f: Frame) => void) {
		const label = (what: string) => `${what} of the chosen function; arrow keys walk through it, Enter zooms, Escape zooms out`;
		this.callers = new Chart(look, { ...wishes, label: label("callers"), minimap: false });
		this.callees = new Chart(look, { ...wishes, label: label("callees"), minimap: false });
		this.callers.turn(true);
		this.grid = new Grid("functions", { cell: (row, column) => this.cell(row, column), sort: (c) => this.sort(c),
			choose: (row) => this.choose(this.list[row].frame) }, SHOWN);
		this.grid.set(COLUMNS, this.sorted);
		this.root = el("div", { class: "sandwich" }, this.grid.root, el("div", {}, this.title, this.callers.root, this.below, this.callees.root));
	}

	private cell(row: number, column: number): { text: string; share?: number } {
		const r = this.list[row], n = column === 0 ? r.self : r.total;
		return column > 1 ? { text: column === 2 ? r.frame.name : r.frame.module } : { text: digits(n), share: this.sum > 0 ? n / this.sum : 0 };
	}

	private sort(column: number): void {
		this.sorted = { column, down: this.sorted.column === column ? !this.sorted.down : column < 2 };
		this.update();
	}

	choose(f: Frame): void {
		if (f !== this.frame || !this.trees) {
			this.frame = f;
			this.trees = [new Tree(this.stacks, callers(f)), new Tree(this.stacks, callees(f))];
			this.changed(f);
		}
		this.update();
	}

	private count(): Row[] {
		const { frames, paths } = this.stacks, rows = frames.all.map((frame): Row => ({ frame, total: 0, self: 0 }));
		const seen = new Int32Array(rows.length).fill(-1);
		this.sum = 0;
		paths.forEach((path, i) => {
			const w = this.weight(i);
			if (w === 0 || path.length === 0) return;
			this.sum += w;
			rows[path[path.length - 1].id].self += w;
			for (const f of path) if (seen[f.id] !== i) {
				seen[f.id] = i;
				rows[f.id].total += w;
			}
		});
		return rows.filter((r) => r.total > 0 && r.frame.kind !== "key" && this.matches(r.frame));
	}

	update(): void {
		const was = this.grid.selected >= 0 ? this.list[this.grid.selected]?.frame : this.frame;
		const { column, down } = this.sorted, by = [(a: Row, b: Row) => a.self - b.self || a.total - b.total,
			(a: Row, b: Row) => a.total - b.total || a.self - b.self, (a: Row, b: Row) => (a.frame.name < b.frame.name ? -1 : 1),
			(a: Row, b: Row) => (a.frame.module < b.frame.module ? -1 : a.frame.module > b.frame.module ? 1 : 0)][column];
		this.list = this.count().sort((a, b) => down ? by(b, a) : by(a, b));
		this.grid.set(COLUMNS, this.sorted);
		this.grid.selected = this.list.findIndex((r) => r.frame === was);
		this.grid.rows(this.list.length);
		this.grid.draw();
		if (!this.frame && this.list.length) return this.choose(this.list[0].frame);
		const r = this.list.find((x) => x.frame === this.frame), share = r && this.sum > 0 ? r.total / this.sum : 0;
		setText(this.title, this.frame ? `callers of ${this.frame.name}${r ? ` (${percent(share)} in all)` : ""}` : "no functions");
		if (!this.trees) return;
		for (const [i, chart] of [this.callers, this.callees].entries()) {
			this.trees[i].update();
			this.trees[i].version++;
			chart.set(this.trees[i]);
			chart.update();
		}
	}

	repaint(): void {
		this.callers.repaint();
		this.callees.repaint();
	}
}
