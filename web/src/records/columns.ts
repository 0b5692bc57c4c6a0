// SPDX-License-Identifier: BSD-2-Clause
// Records as rows: a column for each value that the program records, under the name that the program has for it.
import type { Part, Rec } from "../message";
import type { Model } from "../model";
import { probeName } from "../probe";

/** A record that prints several lines is several rows; `text` is one of them. */
export interface Row { rec: Rec; text: string; first: boolean }

export interface Field { name: string; number: boolean }

const FIXED: Field[] = [{ name: "time", number: true }, { name: "CPU", number: true }, { name: "probe", number: false }];
const MOST = 40;				// columns of values; further values are in the last one

export class Columns {
	readonly fields: Field[] = [...FIXED];
	hasText = false;
	private at = new Map<string, number>();
	private layouts = new Map<string[], number[]>();	// of clauses, which share their lists of names
	private probes = new Map<string, string>();

	constructor(private model: Model) {}

	/** Makes columns for what is new in a record. */
	learn(rec: Rec): void {
		if (rec.text.trim() !== "") this.hasText = true;
		for (const [i, at] of this.layout(rec).entries())
			if (typeof rec.values[i] !== "number") this.fields[at].number = false;
	}

	/** The columns of the values of a record. */
	private layout(rec: Rec): number[] {
		const known = this.layouts.get(rec.names);
		if (known) return known;
		const used = new Set<number>(), list = rec.values.map((_, i) => {
			const base = rec.names[i] || `value ${i + 1}`;
			let name = base;
			for (let n = 2; used.has(this.at.get(name) ?? -1); n++) name = `${base} (${n})`;
			const at = this.column(name);
			used.add(at);
			return at;
		});
		this.layouts.set(rec.names, list);
		if (this.layouts.size > 5000) this.layouts.clear();
		return list;
	}

	private column(name: string): number {
		let at = this.at.get(name);
		if (at === undefined) {
			at = this.at.size < MOST ? this.fields.push({ name, number: true }) - 1 : this.fields.length - 1;
			this.at.set(name, at);
		}
		return at;
	}

	value(row: Row, column: number): Part | undefined {
		if (column === 0) return row.rec.ms;
		if (column === 1) return row.rec.cpu;
		if (column === 2) return this.probe(row.rec.probe);
		const i = this.layout(row.rec).indexOf(column);
		return row.first && i >= 0 ? row.rec.values[i] : undefined;
	}

	private probe(full: string): string {
		let name = this.probes.get(full);
		if (name === undefined) this.probes.set(full, name = probeName(full));
		return name;
	}

	text(row: Row, column: number): string {
		const v = this.value(row, column);
		if (v === undefined) return "";
		return column === 0 ? ((v as number) / 1000).toFixed(6) : this.brief(v);
	}

	/** On one line. */
	private brief(v: Part): string {
		if (typeof v !== "object" || v === null || !("st" in v)) return this.model.partText(v);
		const few = v.st.slice(0, 3).map((f) => this.model.name(f).replace(/^.*`/, "").replace(/\+0x[0-9a-f]+$/, "")).join(" \u2190 ");
		return v.st.length > 3 ? `${few} \u2190 \u2026 (${v.st.length})` : few;
	}

	/** All of a record, for who wants to read it. */
	whole(row: Row): [string, string][] {
		const { rec } = row, list: [string, string][] = [["time", `${(rec.ms / 1000).toFixed(9)} s`], ["CPU", String(rec.cpu)], ["probe", rec.probe]];
		this.layout(rec).forEach((at, i) => list.push([this.fields[at].name, this.model.partText(rec.values[i])]));
		if (rec.text.trim() !== "") list.push(["text", rec.text.replace(/^\n+|\n+$/g, "")]);
		return list;
	}

	/** What a pattern is looked for in. */
	hay(row: Row): string {
		return `${row.text}\n${row.rec.probe}\n${row.first ? row.rec.values.map((v) => this.model.partText(v)).join(" ") : ""}`;
	}

	compare(a: Row, b: Row, column: number): number {
		const x = this.value(a, column), y = this.value(b, column);
		if (x === undefined || y === undefined) return x === y ? 0 : x === undefined ? -1 : 1;
		if (typeof x === "number" && typeof y === "number") return x - y;
		const s = this.brief(x), t = this.brief(y);
		return s < t ? -1 : s > t ? 1 : 0;
	}
}
