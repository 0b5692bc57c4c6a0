// SPDX-License-Identifier: BSD-2-Clause
// Records as they come, as a table: a column for each value, sorted and filtered by it. Only the rows on the screen exist. While
// the newest are in sight the table follows them; else it stays where it is and says how many have come.
import { clear, el, setText, whole } from "../dom";
import { Grid, gridStyle, type Column } from "../table";
import { Columns, type Row } from "../records/columns";
import { Filter } from "../records/filter";
import type { Rec } from "../message";
import type { Timeline } from "../timeline";
import { register, timeOf, type Stage, type View } from "../view";

const css = gridStyle + `
.record { display: grid; grid-template-columns: max-content minmax(0, max-content) 1fr; gap: 2px 12px; margin: 8px 0 0; font: 12px/1.5 ui-monospace, monospace; }
.record dt { color: var(--dim); }
.record dd { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; }
.record button { font: 12px/1.4 system-ui, sans-serif; padding: 1px 8px; min-height: 24px; }
.records .tools input { width: 320px; }
`;

const SHOWN = 14, MOST = 40000, LEFT = 30000;
const RESORT = 500;			// ms
const DIGIT = 7.3, WIDEST = 280, NARROWEST = 48;

export class Records implements View {
	readonly root: HTMLElement;
	private grid: Grid;
	private filterText: HTMLInputElement;
	private count = el("span", { class: "dim" });
	private fresh = el("button", { type: "button", hidden: true, onclick: () => this.toEnd() });
	private detail = el("dl", { class: "record", hidden: true });
	private columns: Columns;
	private filter = new Filter();
	private rows: Row[] = [];
	private order: Row[] | null = null;	// sorted; null: as they came
	private sorted: { column: number; down: boolean } | null = null;
	private widths: number[] = [];
	private done = 0;
	private follow = true;
	private seen = 0;			// rows that had come when it stopped to follow
	private came = 0;
	private sortedAt = 0;
	private later = 0;
	private time: Timeline;

	constructor(private stage: Stage) {
		this.time = timeOf(stage);
		this.time.listen((data) => data && this.refilter());
		this.columns = new Columns(stage.model);
		this.grid = new Grid("records", { cell: (row, column) => ({ text: this.cell(row, column) }), sort: (c) => this.sort(c),
			choose: (row) => this.choose(row), scrolled: () => this.scrolled() }, SHOWN);
		this.filterText = el("input", { type: "search", placeholder: "filter: a pattern, or execname:sh arg2>100 -cpu:0",
			"aria-label": "filter records", oninput: () => this.refilter() });
		this.root = el("div", { class: "records" }, el("div", { class: "tools" }, this.filterText, this.count, this.fresh), this.grid.root, this.detail);
	}

	private get shown(): Row[] {
		return this.order ?? this.rows;
	}

	private cell(row: number, column: number): string {
		const r = this.shown[row];
		if (!r) return "";
		return column < this.columns.fields.length ? this.columns.text(r, column) : r.text;
	}

	// ---- what the user asked for

	private scrolled(): void {
		const end = !this.order && this.grid.isAtEnd;
		if (end !== this.follow) this.seen = this.came;
		this.follow = end;
		this.chip();
	}

	private chip(): void {
		const n = this.came - this.seen;
		this.fresh.hidden = this.follow || n === 0;
		if (!this.fresh.hidden) setText(this.fresh, `${whole(n)} new \u2193`);
	}

	private toEnd(): void {
		this.sorted = this.order = null;
		this.follow = true;
		this.update();
	}

	/** From the least, from the greatest, as they came. */
	private sort(column: number): void {
		if (column >= this.columns.fields.length) return;
		const s = this.sorted;
		this.sorted = s?.column !== column ? { column, down: this.columns.fields[column].number } :
			s.down === this.columns.fields[column].number ? { column, down: !s.down } : null;
		this.follow = false;
		this.seen = this.came;
		this.resort();
		this.grid.root.scrollTop = 0;
		this.show(0);
	}

	private resort(): void {
		const s = this.sorted;
		this.sortedAt = performance.now();
		this.order = s ? [...this.rows].sort((a, b) => this.columns.compare(a, b, s.column) * (s.down ? -1 : 1)) : null;
	}

	private refilter(): void {
		const good = this.filter.set(this.filterText.value, this.columns);
		this.filterText.setCustomValidity(good ? "" : "This is no pattern.");
		if (!good) return;
		this.rows = [];
		this.done = 0;
		this.grid.selected = -1;
		this.detail.hidden = true;
		this.sortedAt = 0;
		this.update();
	}

	private choose(row: number): void {
		const r = this.shown[row];
		if (!r) return;
		clear(this.detail);
		this.detail.hidden = false;
		for (const [name, value] of this.columns.whole(r)) {
			const term = !/[\s]/.test(value + name) && value !== "" && name !== "time" && name !== "text" && name !== "probe";
			const only = (not: string) => el("button", { type: "button", onclick: () => this.add(`${not}${name}=${value}`) }, not ? "without" : "only these");
			this.detail.append(el("dt", {}, name), el("dd", {}, value), term ? el("span", {}, only(""), " ", only("-")) : el("span"));
		}
	}

	private add(term: string): void {
		this.filterText.value = `${this.filterText.value} ${term}`.trim();
		this.refilter();
	}

	// ---- what comes

	private take(rec: Rec, part: [number, number] | null): void {
		this.columns.learn(rec);
		if (part && (rec.ms < part[0] || rec.ms > part[1])) return;
		const lines = rec.text.trim() === "" ? [rec.values.length ? "" : rec.probe] : rec.text.replace(/^\n+|\n+$/g, "").split("\n");
		lines.forEach((text, i) => {
			const row = { rec, text, first: i === 0 };
			if (this.filter.active && !this.filter.has(row, this.columns)) return;
			this.rows.push(row);
			this.came++;
		});
	}

	update(): void {
		const m = this.stage.model, fresh = Math.min(m.recs.length, m.recsTotal - this.done), part = this.time.brush ?? this.time.window;
		for (let i = m.recs.length - fresh; i < m.recs.length; i++) this.take(m.recs[i], part);
		this.done = m.recsTotal;
		let gone = 0;
		if (this.rows.length > MOST) this.rows.splice(0, gone = this.rows.length - LEFT);
		if (this.sorted && performance.now() - this.sortedAt > RESORT) this.resort();
		else if (this.sorted && !this.later) this.later = window.setTimeout(() => {
			this.later = 0;
			this.update();
		}, RESORT);
		setText(this.count, `${whole(this.rows.length)} lines of ${whole(m.recsTotal)} records` +
			(part ? `, in the ${this.time.brush ? "marked" : "shown"} part of the time` +
				(m.recsTotal > m.recs.length && part[0] < m.recs[0].ms ? ", of which the oldest are not kept" : "") : "") +
			(m.recsLost ? `; ${whole(m.recsLost)} came too fast to be shown` : ""));
		this.show(this.order ? 0 : gone);
	}

	private show(gone: number): void {
		this.layout();
		this.grid.rows(this.shown.length, gone);
		if (this.follow) this.grid.toEnd();
		else this.grid.now();
		this.chip();
	}

	/** Columns are as wide as what the newest rows have, and never become narrower. */
	private layout(): void {
		const sample = this.rows.slice(-SHOWN), fields = this.columns.fields;
		fields.forEach((f, i) => {
			const most = sample.reduce((n, r) => Math.max(n, this.columns.text(r, i).length), f.name.length + 2);
			this.widths[i] = Math.max(this.widths[i] ?? NARROWEST, Math.min(WIDEST, Math.ceil(most * DIGIT / 24) * 24));
		});
		const list: Column[] = fields.map((f, i) => ({ name: f.name, width: this.widths[i], number: f.number, late: i === 1,
			grow: i === fields.length - 1 && !f.number && !this.columns.hasText }));
		if (this.columns.hasText) list.push({ name: "text", width: 240, grow: true });
		this.grid.set(list, this.sorted);
	}
}

const keys: [string, string][] = [["up, down, Page, Home, End", "from row to row"], ["Enter, click", "the whole record"]];
register({ name: "records", order: 10, css, keys, fitsTrace: (model) => model.recs.length > 0,
	makeForTrace: (stage) => new Records(stage) });
