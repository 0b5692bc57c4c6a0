// SPDX-License-Identifier: BSD-2-Clause
// One request across threads: spans whose records have the same value in a chosen column, in the order in which they began.
import type { Part, Rec } from "../message";
import type { Model, Span } from "../model";

const PLACES = new Set(["tid", "pid", "execname", "cpu", "timestamp", "walltimestamp", "vtimestamp"]);

/** Columns by which a request can be followed. What says where or when something was is none. */
export function flowColumns(spans: Span[]): string[] {
	const names = new Set<string>();
	for (const s of spans.slice(-2000)) for (const n of [...s.entry.names, ...s.exit.names]) if (n !== "" && !PLACES.has(n)) names.add(n);
	return [...names];
}

function valueIn(rec: Rec, column: string): Part | undefined {
	const at = rec.names.indexOf(column);
	return at < 0 ? undefined : rec.values[at];
}

/** As text: 7 and "7" are the same request. null: the span has none. */
export function flowValue(model: Model, s: Span, column: string): string | null {
	const v = valueIn(s.entry, column) ?? valueIn(s.exit, column);
	return v === undefined || v === null ? null : model.partText(v);
}

export function flowOf(model: Model, spans: Span[], chosen: Span, column: string): Span[] {
	const value = column === "" ? null : flowValue(model, chosen, column);
	return value === null ? [] : spans.filter((s) => flowValue(model, s, column) === value).sort((a, b) => a.from - b.from || b.to - a.to);
}

/** What the program recorded at both ends, for who wants to read it. */
export function valuesOf(model: Model, rec: Rec): string {
	const named = rec.values.map((v, i) => `${rec.names[i] || `value ${i + 1}`} ${model.partText(v).replace(/\n/g, " \u2190 ")}`);
	const text = rec.text.trim();
	return [...named, ...text ? [text] : []].join(", ");
}
