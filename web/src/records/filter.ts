// SPDX-License-Identifier: BSD-2-Clause
// Which records are shown. "execname:sh fd>2 -errno:0" are terms about columns: ":" a part of the value, "=" all of it, "<"
// and ">" numbers, and "-" before it turns it round. The rest is a pattern for anything in the record.
import type { Columns, Row } from "./columns";

interface Term { column: number; op: string; text: string; not: boolean }

export class Filter {
	private terms: Term[] = [];
	private pattern: RegExp | null = null;

	/** False: the rest is no pattern; nothing changes. */
	set(text: string, columns: Columns): boolean {
		const terms: Term[] = [], rest: string[] = [];
		for (const word of text.split(" ")) {
			const [, not, name, op, value] = /^(-?)(.+?)(:|=|<|>)(.*)$/.exec(word) ?? [];
			const column = name === undefined ? -1 : columns.fields.findIndex((f) => f.name === name);
			if (column < 0) rest.push(word);
			else if (value !== "") terms.push({ column, op, text: value, not: not === "-" });
		}
		try {
			this.pattern = rest.join(" ").trim() ? new RegExp(rest.join(" "), "i") : null;
		} catch {
			return false;
		}
		this.terms = terms;
		return true;
	}

	get active(): boolean {
		return this.terms.length > 0 || this.pattern !== null;
	}

	has(row: Row, columns: Columns): boolean {
		return this.terms.every((t) => this.holds(row, t, columns) !== t.not) && (!this.pattern || this.pattern.test(columns.hay(row)));
	}

	private holds(row: Row, t: Term, columns: Columns): boolean {
		const text = columns.text(row, t.column), number = Number(columns.value(row, t.column));
		if (t.op === "=") return text === t.text;
		if (t.op === ":") return text.toLowerCase().includes(t.text.toLowerCase());
		return text !== "" && (t.op === "<" ? number < Number(t.text) : number > Number(t.text));
	}
}
