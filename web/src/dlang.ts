// SPDX-License-Identifier: BSD-2-Clause
// As much of D as the page needs: its words, for colours, and its clauses, so that drill.ts can change one. What it
// does not understand it leaves alone; the compiler has the last word.

export type Kind = "comment" | "string" | "number" | "pragma" | "agg" | "variable" | "word" | "space" | "other";
export interface Token { kind: Kind; text: string; at: number }

const rules: [Kind, RegExp][] = [
	["comment", /\/\*[\s\S]*?(?:\*\/|$)|\/\/[^\n]*/y],
	["pragma", /^[ \t]*#[^\n]*/my],
	["string", /"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?/y],
	["number", /\b(?:0x[0-9a-fA-F]+|\d+)\w*/y],
	["agg", /@\w*/y],
	["variable", /(?:\$\$?\w+|(?:self|this)->\w+)/y],
	["word", /[A-Za-z_]\w*/y],
	["space", /\s+/y],
	["other", /[\s\S]/y],
];

export function tokens(text: string): Token[] {
	const out: Token[] = [];
	for (let at = 0; at < text.length;) {
		for (const [kind, rule] of rules) {
			rule.lastIndex = at;
			const m = rule.exec(text);
			if (!m || m.index !== at || m[0] === "") continue;
			out.push({ kind, text: m[0], at });
			at += m[0].length;
			break;
		}
	}
	return out;
}

export interface Use {			// @name[keys] = fn(args)
	name: string;
	keys: string[];
	fn: string;
	args: string[];
	from: number;			// the statement, with its semicolon
	to: number;
	keysFrom: number;		// between the brackets; -1: there are none
	keysTo: number;
	nameTo: number;
}

export interface Clause {
	probes: string;
	from: number;
	predicate: string;
	predicateFrom: number;		// between the slashes; -1: there is none
	predicateTo: number;
	bodyFrom: number;		// after {
	bodyTo: number;			// before }
	uses: Use[];
	statements: number;
}

/** Where the bracket that opens at token i closes. */
function closing(t: Token[], i: number): number {
	const open = t[i].text, close = open === "{" ? "}" : open === "[" ? "]" : ")";
	let depth = 0;
	for (; i < t.length; i++) {
		if (t[i].kind === "other" && t[i].text === open) depth++;
		if (t[i].kind === "other" && t[i].text === close && --depth === 0) return i;
	}
	return t.length;
}

const blank = (k: Token | undefined) => !!k && (k.kind === "space" || k.kind === "comment");

/** Parts between commas of the outermost level. */
function parts(t: Token[], from: number, to: number): string[] {
	const out: string[] = [];
	let text = "", depth = 0;
	for (let i = from; i < to; i++) {
		if (t[i].kind === "comment") continue;
		if (/^[([{]$/.test(t[i].text)) depth++;
		if (/^[)\]}]$/.test(t[i].text)) depth--;
		if (t[i].text === "," && depth === 0) {
			out.push(text.trim());
			text = "";
		} else text += t[i].text;
	}
	if (text.trim() !== "" || out.length) out.push(text.trim());
	return out;
}

function use(t: Token[], i: number, text: string): Use | null {
	const name = t[i].text.slice(1) || "_";
	let j = i + 1, keys: string[] = [], keysFrom = -1, keysTo = -1;
	while (blank(t[j])) j++;
	if (t[j]?.text === "[") {
		const end = closing(t, j);
		keys = parts(t, j + 1, end);
		keysFrom = t[j].at + 1;
		keysTo = t[end]?.at ?? text.length;
		j = end + 1;
	}
	while (blank(t[j])) j++;
	if (t[j]?.text !== "=" || t[j + 1]?.text === "=") return null;
	j++;
	while (blank(t[j])) j++;
	const fn = t[j]?.text ?? "";
	let k = j + 1;
	while (blank(t[k])) k++;
	if (t[j]?.kind !== "word" || t[k]?.text !== "(") return null;
	const end = closing(t, k), args = parts(t, k + 1, end);
	let last = end + 1;
	while (blank(t[last])) last++;
	const to = t[last]?.text === ";" ? t[last].at + 1 : (t[end]?.at ?? text.length - 1) + 1;
	return { name, keys, fn, args, from: t[i].at, to, keysFrom, keysTo, nameTo: t[i].at + t[i].text.length };
}

function body(t: Token[], from: number, to: number, text: string): { uses: Use[]; statements: number } {
	const uses: Use[] = [];
	let statements = 0, depth = 0, open = false;
	for (let i = from; i < to; i++) {
		if (blank(t[i])) continue;
		if (/^[([]$/.test(t[i].text)) depth++;
		if (/^[)\]]$/.test(t[i].text)) depth--;
		if (t[i].text === ";" && depth === 0) open = false;
		else if (!open) {
			open = true;
			statements++;
		}
		if (t[i].kind !== "agg") continue;
		const u = use(t, i, text);
		if (u) uses.push(u);
	}
	return { uses, statements };
}

/** Clauses: descriptions, a predicate between slashes, a body. */
export function clauses(text: string): Clause[] {
	const t = tokens(text), out: Clause[] = [];
	let start = -1, slash = -1, slash2 = -1, paren = 0;
	const reset = () => start = slash = slash2 = -1;
	for (let i = 0; i < t.length; i++) {
		if (blank(t[i]) || t[i].kind === "pragma") continue;
		if (start < 0) start = i;
		const here = t[i].text;
		if (/^[([]$/.test(here)) paren++;
		if (/^[)\]]$/.test(here)) paren--;
		if (here === "/" && paren === 0) {
			if (slash < 0) slash = i;
			else slash2 = i;
		}
		if (here === ";") reset();
		if (here !== "{") continue;
		const end = closing(t, i), made = body(t, i + 1, end, text);
		const declaration = /^\s*(struct|union|enum|typedef|translator|provider|inline)\b/.test(text.slice(t[start].at));
		if (!declaration) out.push({ probes: text.slice(t[start].at, t[slash < 0 ? i : slash].at).trim(), from: t[start].at,
			predicate: slash2 < 0 ? "" : text.slice(t[slash].at + 1, t[slash2].at).trim(),
			predicateFrom: slash2 < 0 ? -1 : t[slash].at + 1, predicateTo: slash2 < 0 ? -1 : t[slash2].at,
			bodyFrom: t[i].at + 1, bodyTo: t[end]?.at ?? text.length, ...made });
		i = end;
		reset();
	}
	return out;
}
