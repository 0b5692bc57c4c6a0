// SPDX-License-Identifier: BSD-2-Clause
// A table of any number of rows, of which only those on the screen exist. Its head sorts; arrow keys go from row to row,
// Enter chooses one. What is in a cell is asked for when it is drawn.
import { clear, el, soon } from "./dom";

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
.datagrid .rows .line { position: absolute; left: 0; contain: strict; }
.datagrid .rows .line[aria-selected="true"] { background: var(--bar); }
.datagrid .rows .line > * { unicode-bidi: isolate; min-width: 0; }
.datagrid .rows .line > .long { overflow: hidden; text-overflow: ellipsis; }
.datagrid .number { text-align: right; font-variant-numeric: tabular-nums; }
.datagrid .share { background: linear-gradient(var(--bar), var(--bar)) no-repeat left / var(--share, 0) 16px; }
@media (max-width: 820px) {
	.datagrid .late { display: none; }
}
`;

const ROW = 24, HEAD = 29, AROUND = 6, GAP = 12, PADDING = 16, NARROW = 820, DIGIT = 7.3;

/** What a line on the screen has: setting anything in the page takes longer than knowing that it is there already. */
interface Line { root: HTMLElement; cells: { root: HTMLElement; text: Text; had: string; long: boolean }[]; row: number; selected: boolean }

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
	private lines: Line[] = [];
	private columns: Column[] = [];
	private n = 0;
	private end = false;		// the last row is to be in sight
	private scrolls = false;	// rows around those in sight may come into it
	private name = `grid${++grids}`;

	constructor(label: string, private wishes: Wishes, private most: number) {
		this.root = el("div", { class: "scroll datagrid", tabIndex: 0, role: "grid", "aria-label": label,
			onscroll: () => {
				this.wishes.scrolled?.();
				this.scrolls = true;
				soon(this.fill);
			},
			onpointerover: (e: PointerEvent) => this.title(e.target as HTMLElement) }, el("div", { role: "rowgroup", class: "top-row" }, this.head), this.list);
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

	/** So many rows, on the screen after draw(), now() or toEnd(); `gone` were removed before the first, so that what is on the screen stays there. */
	rows(n: number, gone = 0): void {
		this.n = n;
		if (gone > 0 && this.selected >= 0) this.selected = Math.max(-1, this.selected - gone);
		this.root.setAttribute("aria-rowcount", String(n + 1));
		this.list.style.height = `${n * ROW}px`;
		this.root.style.height = `${Math.min(Math.max(n, 3), this.most) * ROW + HEAD + 4}px`;
		if (gone > 0) this.root.scrollTop = Math.max(0, this.root.scrollTop - gone * ROW);
	}

	get isAtEnd(): boolean {
		return this.root.scrollHeight - this.root.scrollTop - this.root.clientHeight < ROW * 2;
	}

	/** At once: a scroll event in between would find rows that are out of sight. */
	toEnd(): void {
		this.end = true;
		this.fill();
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

	/** The same, at once: for a caller that draws a frame. */
	now(): void {
		this.fill();
	}

	private line(): Line {
		const cells = this.columns.map((c) => {
			const text = document.createTextNode("");
			return { root: el("span", { role: "gridcell", class: this.classes(c) }, text), text, had: "", long: false };
		});
		const root = el("div", { class: "line", role: "row", "aria-selected": "false" }, ...cells.map((c) => c.root)), line = { root, cells, row: -1, selected: false };
		this.shape(root);
		root.addEventListener("click", () => {
			this.select(line.row);
			this.wishes.choose?.(line.row);
		});
		this.lines.push(line);
		this.list.append(root);
		return line;
	}

	/** All of a text that may be cut. */
	private title(over: HTMLElement): void {
		if (over.role === "gridcell" && over.title !== over.textContent) over.title = over.textContent ?? "";
	}

	/** Rows are written before the table is scrolled to them, so that the page is laid out once. */
	private fill = (): void => {
		const room = this.root.clientHeight, top = this.end ? Math.max(0, this.n * ROW + HEAD - room) : this.root.scrollTop;
		const around = this.scrolls ? AROUND : 1, first = Math.max(0, Math.floor(top / ROW) - around);
		const n = Math.max(0, Math.min(this.n - first, Math.ceil(room / ROW) + 2 * around));
		while (this.lines.length < n) this.line();
		this.lines.forEach((line, i) => {
			if (line.root.hidden !== i >= n) line.root.hidden = i >= n;
			if (i < n) this.put(line, first + i);
		});
		if (this.end) this.root.scrollTop = this.n * ROW + HEAD;
		this.end = this.scrolls = false;
		if (this.selected >= first && this.selected < first + n) this.root.setAttribute("aria-activedescendant", `${this.name}-${this.selected}`);
		else if (this.root.hasAttribute("aria-activedescendant")) this.root.removeAttribute("aria-activedescendant");
	};

	private put(line: Line, row: number): void {
		if (line.row !== row) {
			line.row = row;
			line.root.style.top = `${row * ROW}px`;
			line.root.dataset.row = String(row);
			line.root.id = `${this.name}-${row}`;
			line.root.setAttribute("aria-rowindex", String(row + 2));
		}
		if (line.selected !== (row === this.selected)) line.root.setAttribute("aria-selected", String(line.selected = row === this.selected));
		this.columns.forEach((c, j) => {
			const cell = this.wishes.cell(row, j), at = line.cells[j];
			if (c.share) at.root.style.setProperty("--share", `${(100 * (cell.share ?? 0)).toFixed(1)}%`);
			if (at.had === cell.text) return;
			at.text.data = at.had = cell.text;
			// only what may be too long is clipped: each clip is painted on its own
			const long = cell.text.length * DIGIT > c.width || /[^ -~]/.test(cell.text);
			if (long !== at.long) at.root.classList.toggle("long", at.long = long);
		});
	}
}
