// SPDX-License-Identifier: BSD-2-Clause
// Looking closer, as Cloud Analytics did: the user points at a key or at a range of values, and gets programs that
// count only that, or take it apart by one key more. Programs in, changed programs out; nothing is run here.
import { clauses, type Clause, type Use } from "./dlang";
import type { Part } from "./message";
import type { Pick } from "./view";

export interface Proposal { title: string; program: string; what: "only" | "by" | "keep" }

/** A value as D writes it; null: there is no way to write it. */
export function literal(p: Part): string | null {
	if (typeof p === "number") return Number.isSafeInteger(p) ? String(p) : null;
	if (typeof p !== "string" || /[^\x20-\x7e]/.test(p)) return null;
	return `"${p.replace(/[\\"]/g, "\\$&")}"`;
}

const further = ["execname", "pid", "probefunc", "tid", "cpu", "uid", "ustack()", "stack()"];

/** Where the aggregation of the pick is counted. */
function places(text: string, pick: Pick): { clause: Clause; use: Use }[] {
	return clauses(text).flatMap((clause) => clause.uses.filter((u) => u.name === pick.agg.name)
		.map((u) => ({ clause, use: u })));
}

/** A range in D; null ends are left out. */
function within(expr: string, low: number | null | undefined, high: number | null | undefined): string | null {
	const e = /^[\w>.\-$]+$/.test(expr) ? expr : `(${expr})`;
	const from = low === null || low === undefined ? null : `${e} >= ${low}`;
	const to = high === null || high === undefined ? null : `${e} <= ${high}`;
	return from && to ? (low === high ? `${e} == ${low}` : `${from} && ${to}`) : from ?? to;
}

/**
 * Only if the condition holds. A predicate keeps the whole clause from running; so it is used where the clause does
 * nothing but count, and where the condition does not need what the clause itself computes. Else an if does it.
 */
function limited(text: string, at: { clause: Clause; use: Use }, condition: string): string {
	const { clause, use } = at, alone = clause.statements === clause.uses.length;
	if (!alone || /\bthis->/.test(condition) || (clause.uses.length > 1))
		return `${text.slice(0, use.from)}if (${condition}) { ${text.slice(use.from, use.to)} }${text.slice(use.to)}`;
	if (clause.predicateFrom >= 0) {
		const old = text.slice(clause.predicateFrom, clause.predicateTo).trim();
		const both = old.includes("||") || old.includes("?") ? `(${old})` : old;
		return `${text.slice(0, clause.predicateFrom)}${both} && ${condition}${text.slice(clause.predicateTo)}`;
	}
	const brace = text.lastIndexOf("{", clause.bodyFrom), head = text.slice(0, brace);
	return `${head.trimEnd()}${/\n\s*$/.test(head) ? "\n" : " "}/${condition}/${/\n\s*$/.test(head) ? "\n" : " "}${text.slice(brace)}`;
}

function withKey(text: string, use: Use, key: string): string {
	if (use.keysFrom < 0) return `${text.slice(0, use.nameTo)}[${key}]${text.slice(use.nameTo)}`;
	return `${text.slice(0, use.keysTo).trimEnd()}, ${key}${text.slice(use.keysTo)}`;
}

/** From the last place to the first, so that places stay where they are. */
function everywhere(text: string, pick: Pick, change: (text: string, at: { clause: Clause; use: Use }) => string): string {
	const found = places(text, pick);
	return found.reverse().reduce((t, at) => change(t, at), text);
}

function conditions(text: string, pick: Pick): { title: string; of: (u: Use) => string | null }[] {
	const first = places(text, pick)[0]?.use, out: { title: string; of: (u: Use) => string | null }[] = [];
	if (!first) return out;
	const equal = (i: number) => (u: Use) => {
		const value = pick.key ? literal(pick.key.parts[i]) : null;
		return value === null || u.keys[i] === undefined ? null : `${u.keys[i]} == ${value}`;
	};
	if (pick.low !== undefined || pick.high !== undefined)
		out.push({ title: "", of: (u) => within(u.args[0] ?? "", pick.low, pick.high) });
	pick.key?.parts.forEach((_, i) => out.push({ title: "", of: equal(i) }));
	if (pick.key && pick.key.parts.length > 1)
		out.push({ title: "", of: (u) => {
			const all = pick.key!.parts.map((_, i) => equal(i)(u));
			return all.includes(null) ? null : all.join(" && ");
		} });
	return out;
}

/** Records the value, with its keys, where it is in the range. */
function keepOf(use: Use, pick: Pick): string {
	const value = use.args[0] ?? "", condition = within(value, pick.low, pick.high);
	const all = [...new Set([...use.keys.filter((k) => !/stack\s*\(/.test(k) && !/^["\d]/.test(k)), "execname", "pid"])].map((k) => `trace(${k}); `).join("");
	return condition ? `if (${condition}) { ${all}trace(${value}); }` : `${all}trace(${value});`;
}

/** The line that keeps examples; null: the program does not count this. */
export function keepLine(text: string, pick: Pick): string | null {
	const use = places(text, pick)[0]?.use;
	return use?.args[0] ? keepOf(use, pick) : null;
}

/** What could be asked next about what was picked. */
export function proposals(text: string, pick: Pick): Proposal[] {
	const out: Proposal[] = [], first = places(text, pick)[0]?.use;
	if (!first) return out;
	const wanted = conditions(text, pick);
	if (pick.keep) out.push({ what: "keep", title: "keep examples", program: everywhere(text, pick, (t, { use }) =>
		`${t.slice(0, use.from)}${keepOf(use, pick)}${/\n[ \t]*$/.exec(t.slice(0, use.from))?.[0] ?? " "}${t.slice(use.from)}`) });
	for (const c of wanted) {
		const shown = c.of(first);
		if (shown) out.push({ what: "only", title: `only where ${shown}`, program: everywhere(text, pick, (t, at) => {
			const one = c.of(at.use);
			return one ? limited(t, at, one) : t;
		}) });
	}
	const narrow = wanted.length ? out[out.length - 1]?.program ?? text : text;
	const isStack = (k: string) => /stack/.test(k);
	for (const key of further) {
		if (first.keys.includes(key) || (isStack(key) && first.keys.some(isStack))) continue;
		out.push({ what: "by", title: `by ${key} too`, program: everywhere(narrow, pick, (t, at) => withKey(t, at.use, key)) });
	}
	return out;
}
