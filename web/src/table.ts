// SPDX-License-Identifier: BSD-2-Clause
// A table of any number of rows, of which only those on the screen exist. Its head sorts; arrow keys go from row to row,
// Enter chooses one. What is in a cell is asked for when it is drawn.
import { clear, el, setText, soon } from "./dom";

export const gridStyle = `
.datagrid { font: 12px/24px ui-monospace, monospace; border: 1px solid var(--edge); border-radius: 6px; background: var(--code); outline-offset: -2px; }
.datagrid .line { display: grid; height: 24px; width: 100%; column-gap: 12px; padding: 0 8px; white-space: pre; }
.datagrid .top-row { position: sticky; top: 0; z-index: 1; }
.datagrid .head { height: 28px; background: var(--card); border-bottom: 1px solid var(--edge); }
.datagrid .head > * { min-width: 0; }
.datagrid .head button { all: unset; box-sizing: border-box; cursor: pointer; height: 28px; width: 100%; overflow: hidden; text-overflow: ellipsis;
	font: 600 12px/28px system-ui, sans-serif; color: var(--dim); white-space: nowrap; }
.datagrid .head button:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
.datagrid .head [aria-sort="ascending"] button::after { content: " \\25b4" / ""; }
.datagrid .head [aria-sort="descending"] button::after { content: " \\25be" / ""; }
.datagrid .rows .line { position: absolute; left: 0; top: 0; }
.datagrid .rows .line[aria-selected="true"] { background: var(--bar); }
.datagrid .rows .line > * { overflow: hidden; text-overflow: ellipsis; unicode-bidi: isolate; min-width: 0; }
.datagrid .number { text-align: right; font-variant-numeric: tabular-nums; }
.datagrid .share { background: linear-gradient(var(--bar), var(--bar)) no-repeat left / var(--share, 0) 16px; }
@media (max-width: 820px) {
	.datagrid .late { display: none; }
}
`;

const ROW = 24, HEAD = 29, AROUND = 6, GAP = 12, PADDING = 16, NARROW = 820;

/** `width`: pixels, at least; `grow`: it takes the rest. */
export interface Column { name: string; width: number; grow?: boolean; title?: string; number?: boolean; late?: boolean; share?: boolean }
export interface Cell { text: string; share?: number }
export interface Wishes {
	cell(row: number, column: number): Cell;
	sort(column: number): void;
	/** Enter, or a click. */
	choose?(row: number): void;
	scrolled?(): void;
}

let grids = 0;

export class Grid {
	readonly root: HTMLElement;
	selected = -1;
	private list = el("div", { class: "rows", role: "rowgroup" });
	private head = el("div", { class: "line head", role: "row" });
	private lines: HTMLElement[] = [];
	private columns: Column[] = [];
	private n = 0;
	private name = `grid${++grids}`;

	constructor(label: string, private wishes: Wishes, private most: number) {
		this.root = el("div", { class: "scroll datagrid", tabIndex: 0, role: "grid", "aria-label": label,
			onscroll: () => {
				this.wishes.scrolled?.();
				soon(this.fill);
			} }, el("div", { role: "rowgroup", class: "top-row" }, this.head), this.list);
		this.root.addEventListener("keydown", (e) => {
			if (e.target !== this.root || !this.key(e)) return;
			e.preventDefault();
			e.stopPropagation();
		});
	}

	/** What the head has; `sorted`: the column, and whether the greatest is first. */
	set(columns: Column[], sorted: { column: number; down: boolean } | null): void {
		if (JSON.stringify(columns) !== JSON.stringify(this.columns)) {
			this.columns = columns;
			clear(this.list);
			this.lines = [];
			clear(this.head);
			columns.forEach((c, i) => this.head.append(el("span", { role: "columnheader", class: this.classes(c) },
				el("button", { type: "button", title: c.title ?? c.name, onclick: () => this.wishes.sort(i) }, c.name))));
			this.root.setAttribute("aria-colcount", String(columns.length));
			this.shape(this.head);
		}
		[...this.head.children].forEach((h, i) => h.setAttribute("aria-sort", sorted?.column !== i ? "none" :
			sorted.down ? "descending" : "ascending"));
	}

	private classes(c: Column): string {
		return [c.number ? "number" : "", c.late ? "late" : "", c.share ? "share" : ""].filter((x) => x).join(" ");
	}

	private shape(line: HTMLElement): void {
		const shown = this.columns.filter((c) => !c.late || innerWidth > NARROW);
		line.style.gridTemplateColumns = shown.map((c) => c.grow ? `minmax(${c.width}px, 1fr)` : `${c.width}px`).join(" ");
		line.style.minWidth = `${shown.reduce((sum, c) => sum + c.width + GAP, PADDING)}px`;
	}

	/** So many rows; `gone` were removed before the first, so that what is on the screen stays there. */
	rows(n: number, gone = 0): void {
		this.n = n;
		if (gone > 0 && this.selected >= 0) this.selected = Math.max(-1, this.selected - gone);
		this.root.setAttribute("aria-rowcount", String(n + 1));
		this.list.style.height = `${n * ROW}px`;
		this.root.style.height = `${Math.min(Math.max(n, 3), this.most) * ROW + HEAD + 4}px`;
		if (gone > 0) this.root.scrollTop = Math.max(0, this.root.scrollTop - gone * ROW);
		soon(this.fill);
	}

	get isAtEnd(): boolean {
		return this.root.scrollHeight - this.root.scrollTop - this.root.clientHeight < ROW * 2;
	}

	toEnd(): void {
		this.root.scrollTop = this.root.scrollHeight;
	}

	select(row: number): void {
		if (row < 0 || row >= this.n) return;
		this.selected = row;
		const top = row * ROW, room = this.root.clientHeight - HEAD;
		if (top < this.root.scrollTop) this.root.scrollTop = top;
		else if (top + ROW > this.root.scrollTop + room) this.root.scrollTop = top + ROW - room;
		soon(this.fill);
	}

	private key(e: KeyboardEvent): boolean {
		const page = Math.max(1, Math.floor((this.root.clientHeight - HEAD) / ROW) - 1), at = this.selected;
		const steps: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0,
			End: this.n - 1 };
		if (e.ctrlKey || e.metaKey || e.altKey) return false;
		if (e.key === "Enter" && at >= 0) this.wishes.choose?.(at);
		else if (e.key in steps) this.select(Math.min(this.n - 1, Math.max(0, steps[e.key])));
		else return false;
		return true;
	}

	/** What is in rows has changed. */
	draw(): void {
		soon(this.fill);
	}

	private line(): HTMLElement {
		const line = el("div", { class: "line", role: "row" }, ...this.columns.map((c) =>
			el("span", { role: "gridcell", class: this.classes(c) })));
		this.shape(line);
		line.addEventListener("click", () => {
			const row = Number(line.dataset.row);
			this.select(row);
			this.wishes.choose?.(row);
		});
		this.lines.push(line);
		this.list.append(line);
		return line;
	}

	private fill = (): void => {
		const first = Math.max(0, Math.floor(this.root.scrollTop / ROW) - AROUND);
		const n = Math.max(0, Math.min(this.n - first, Math.ceil(this.root.clientHeight / ROW) + 2 * AROUND));
		while (this.lines.length < n) this.line();
		this.lines.forEach((line, i) => {
			line.hidden = i >= n;
			if (i < n) this.put(line, first + i);
		});
		if (this.selected >= first && this.selected < first + n) this.root.setAttribute("aria-activedescendant", `${this.name}-${this.selected}`);
		else this.root.removeAttribute("aria-activedescendant");
	};

	private put(line: HTMLElement, row: number): void {
		if (line.dataset.row !== String(row)) {
			line.style.transform = `translateY(${row * ROW}px)`;
			line.dataset.row = String(row);
			line.id = `${this.name}-${row}`;
			line.setAttribute("aria-rowindex", String(row + 2));
		}
		line.setAttribute("aria-selected", String(row === this.selected));
		this.columns.forEach((c, j) => {
			const cell = this.wishes.cell(row, j), e = line.children[j] as HTMLElement;
			setText(e, cell.text);
			if (c.share) e.style.setProperty("--share", `${(100 * (cell.share ?? 0)).toFixed(1)}%`);
			else if (e.title !== cell.text) e.title = cell.text;
		});
	}
}
