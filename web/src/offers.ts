// SPDX-License-Identifier: BSD-2-Clause
// What can follow in a D program, and what stands in it: asked of the workers that answer editors (dtrace --lsp), so
// that all editors know the same. Places and texts in, words and their documentation out.
import { tokens } from "./dlang";
import type { Link } from "./link";

export interface Offer { text: string; form: string; doc: string; from: number }
export interface Hover { code: string; doc: string }

interface Item { label?: unknown; detail?: unknown; documentation?: unknown; textEdit?: { range?: { start?: { character?: unknown } }; newText?: unknown } }

const text = (v: unknown) => typeof v === "string" ? v : "";

/** The body of a question about the place `at`. Columns are those of JavaScript. */
function question(program: string, at: number): string {
	const before = program.slice(0, at), line = before.split("\n").length - 1;
	return `utf16 ${line} ${at - before.lastIndexOf("\n") - 1}\n-\n${program}`;
}

/** Is it worth asking? Not in comments and strings, nor after a single letter. */
function begun(program: string, at: number): boolean {
	const t = tokens(program).find((k) => k.at < at && k.at + k.text.length >= at);
	if (!t || t.kind === "comment" || t.kind === "string" || t.kind === "number") return false;
	const before = program.slice(0, at);
	return /[\w$.*-]*:[\w$.*:-]*$/.test(before) || /(?:[A-Za-z_]\w+|@\w*|\$\w*|(?:self|this)->\w*)$/.test(before) ||
		/#pragma D option \w*$/.test(before);
}

export async function offersAt(link: Link, program: string, at: number): Promise<Offer[]> {
	if (link.offline || !begun(program, at)) return [];
	const line = program.lastIndexOf("\n", at - 1) + 1;
	const answer = await link.post<{ items?: Item[] }>("/complete", question(program, at), {}).catch(() => ({ items: [] }));
	const found = (answer.items ?? []).map((i): Offer => ({ text: text(i.textEdit?.newText) || text(i.label), form: text(i.detail), doc: text(i.documentation),
		from: line + (typeof i.textEdit?.range?.start?.character === "number" ? i.textEdit.range.start.character : at - line) }));
	return found.filter((o) => o.text !== program.slice(o.from, at));
}

export async function hoverAt(link: Link, program: string, at: number): Promise<Hover | null> {
	if (link.offline) return null;
	const answer = await link.post<{ contents?: { value?: unknown } } | null>("/hover", question(program, at), null).catch(() => null);
	const m = /^```d\n([\s\S]*?)\n```\n([\s\S]*)$/.exec(text(answer?.contents?.value));
	return m ? { code: m[1], doc: m[2].replace(/`/g, "").trim() } : null;
}
