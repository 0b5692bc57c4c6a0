// SPDX-License-Identifier: BSD-2-Clause
// Examples for a cell of a heat map: the records whose value and time fall into it, if the program records the value that it
// counts; else the keys that were counted there, and the line of D that would keep examples. A cell in, elements out.
import { clauses } from "./dlang";
import { clear, el, whole } from "./dom";
import { keepLine } from "./drill";
import { slot } from "./grid";
import type { Rec } from "./message";
import type { Agg, Key, Model } from "./model";
import { Columns } from "./records/columns";
import { amount, unitOf } from "./units";
import { timeOf, type Cell, type Examples, type Stage } from "./view";

const SHOWN = 50;			// records, or keys

/** What the program calls the value that it counts, and its keys. */
interface Named { values: Set<string>; keys: string[] }

const bare = (text: string) => text.replace(/\s+/g, "");

function namedIn(program: string, agg: Agg): Named {
	const uses = clauses(program).flatMap((c) => c.uses).filter((u) => u.name === agg.name);
	return { values: new Set(uses.map((u) => bare(u.args[0] ?? ""))), keys: (uses[0]?.keys ?? []).map(bare) };
}

/** Where a record has the value that is counted; -1: nowhere. */
function valueAt(rec: Rec, named: Named): number {
	return rec.names.findIndex((n, i) => typeof rec.values[i] === "number" && named.values.has(bare(n)));
}

/** False: the record has a value of that name, and it is another key's. */
function isOf(model: Model, rec: Rec, key: Key, named: Named): boolean {
	return key.parts.every((p, i) => {
		const at = rec.names.findIndex((n) => bare(n) === named.keys[i]);
		return at < 0 || model.partText(rec.values[at]) === model.partText(p);
	});
}

export class Exemplars implements Examples {
	readonly root = el("div", { class: "examples", role: "region", "aria-label": "examples", hidden: true });

	constructor(private stage: Stage) {}

	show(cell: Cell | null): void {
		clear(this.root);
		this.root.hidden = cell === null;
		if (!cell) return;
		const { model } = this.stage, named = namedIn(model.program, cell.agg), records = this.recordsOf(cell, named);
		if (records.length) this.table(cell, records, named);
		else this.without(cell, model.recs.some((r) => valueAt(r, named) >= 0));
	}

	private recordsOf(cell: Cell, named: Named): Rec[] {
		const { low, high } = cell.agg.buckets[cell.bucket], time = timeOf(this.stage), from = time.begins(cell.moment), to = time.ends(cell.moment);
		return this.stage.model.recs.filter((r) => {
			if (r.ms <= from || r.ms > to) return false;
			const v = r.values[valueAt(r, named)];
			return typeof v === "number" && (low === null || v >= low) && (high === null || v <= high) && (!cell.key || isOf(this.stage.model, r, cell.key, named));
		});
	}

	/** All that these records have, the value in its unit. */
	private table(cell: Cell, records: Rec[], named: Named): void {
		const columns = new Columns(this.stage.model), unit = unitOf(cell.agg, this.stage.model.program), time = timeOf(this.stage);
		const rows = records.slice(0, SHOWN).map((rec) => ({ rec, text: rec.text.trim(), first: true }));
		for (const r of rows) columns.learn(r.rec);
		const fields = columns.fields.map((f, i) => ({ ...f, i }));
		const text = (r: typeof rows[0], i: number) => {
			const v = columns.value(r, i), counted = i > 2 && v === r.rec.values[valueAt(r.rec, named)] && named.values.has(bare(fields[i].name));
			return counted ? amount(v as number, unit) : columns.text(r, i);
		};
		this.root.append(el("p", {}, `${whole(records.length)} ${records.length === 1 ? "record" : "records"} of this cell` +
			(records.length > SHOWN ? `, the first ${SHOWN} of them` : ""), " ",
		el("button", { type: "button", onclick: () => time.mark(time.begins(cell.moment), time.ends(cell.moment)) }, "mark its time")),
		el("div", { class: "scroll", tabIndex: 0, role: "region", "aria-label": "records of this cell" }, el("table", {},
			el("thead", {}, el("tr", {}, ...fields.map((f) => el("th", { scope: "col", class: f.number ? "number" : "" }, f.name)), ...columns.hasText ? [el("th", { scope: "col" }, "text")] : [])),
			el("tbody", {}, ...rows.map((r) => el("tr", {}, ...fields.map((f) => el("td", { class: f.number ? "number" : "" }, text(r, f.i))),
				...columns.hasText ? [el("td", {}, r.text)] : []))))));
	}

	/** The keys that were counted there, and what would keep examples. `kept`: records of other cells are there. */
	private without(cell: Cell, kept: boolean): void {
		const { model, pick } = this.stage, { low, high } = cell.agg.buckets[cell.bucket], chosen = { agg: cell.agg, low, high };
		const keys = cell.key || cell.agg.keys.length < 2 ? [] : cell.agg.keys.map((key) => ({ key, n: slot(key?.cells ?? [], cell.moment)?.get(cell.bucket) ?? 0 }))
			.filter((k) => k.n > 0).sort((a, b) => b.n - a.n);
		const some = (slot(cell.key?.cells ?? cell.agg.cells, cell.moment)?.get(cell.bucket) ?? 0) > 0;
		if (keys.length) this.root.append(el("p", {}, "Keys of this cell:"), el("div", { class: "keys-of" }, ...keys.slice(0, SHOWN).map(({ key, n }) =>
			el("button", { type: "button", onclick: () => pick?.call(this.stage, { ...chosen, key }) }, `${key.text || "(all)"} ${whole(n)}`))));
		const line = keepLine(model.program, chosen);
		if (!some) this.root.append(el("p", {}, "Nothing was counted in this cell."));
		else if (kept) this.root.append(el("p", {}, "No record of this cell is kept: the page has the newest records, and those that the program prints."));
		else if (line) this.root.append(el("p", {}, "The program keeps no examples. This line would, beside the one that counts:"), el("pre", { class: "line-of" }, line),
			el("button", { type: "button", onclick: () => pick?.call(this.stage, { ...chosen, key: cell.key ?? undefined, keep: true }) }, "Keep examples \u2026"));
		else if (!keys.length) this.root.append(el("p", {}, `The program does not count @${cell.agg.name} in a clause that the page can change.`));
	}
}
