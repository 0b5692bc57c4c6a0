// SPDX-License-Identifier: BSD-2-Clause
// A D program laid out as those of dtools/ are: a probe, the predicate and the braces on lines of their own, statements
// indented by tabs. Only blanks change; comments and what stands outside of clauses stay as they are.
import { clauses, tokens, type Clause, type Token } from "./dlang";

class Body {
	readonly lines: string[] = [];
	private line = "";
	private depth = 1;
	private paren = 0;
	private gap = "";		// blanks before the token in hand
	private continued = false;

	/** What a clause holds. */
	constructor(private t: Token[]) {
		t.forEach((k, i) => this.token(k, i));
		this.flush();
		while (this.lines[this.lines.length - 1] === "") this.lines.pop();
	}

	private flush(): void {
		if (this.line.trim() !== "") this.lines.push("\t".repeat(Math.max(1, this.depth)) + (this.continued ? "    " : "") + this.line.trim());
		this.line = "";
		this.continued = false;
	}

	private put(text: string): void {
		if (this.gap.includes("\n") && this.line.trim() !== "" && !this.line.startsWith("}")) {
			this.flush();
			this.continued = true;
		} else if (this.line === "}" || (this.gap && this.line)) this.line += " ";
		this.line += text;
	}

	private token(k: Token, i: number): void {
		if (k.kind === "space") {
			if (/\n\s*\n/.test(k.text) && !this.line && this.lines.length && this.lines[this.lines.length - 1] !== "") this.lines.push("");
			this.gap = k.text;
			return;
		}
		if (k.kind === "comment") this.comment(k);
		else if (k.kind !== "other") this.put(k.text);
		else this.sign(k.text, i);
		this.gap = "";
	}

	/** One behind a statement stays there. */
	private comment(k: Token): void {
		const last = this.lines.length - 1;
		if (this.line.trim() !== "") this.put(k.text);
		else if (!this.gap.includes("\n") && last >= 0 && this.lines[last] !== "") this.lines[last] += ` ${k.text}`;
		else this.lines.push("\t".repeat(this.depth) + k.text);
		if (k.text.startsWith("//") && this.line.trim() !== "") this.flush();
	}

	private sign(text: string, i: number): void {
		if (/[([]/.test(text)) this.paren++;
		if (/[)\]]/.test(text)) this.paren--;
		if (text === ";" && this.paren <= 0) {
			if (this.line.trim() === "") return;
			this.line += ";";
			this.flush();
		} else if (text === "{") {
			this.line = `${this.line.trimEnd()} {`;
			this.flush();
			this.depth++;
		} else if (text === "}") {
			this.flush();
			while (this.lines[this.lines.length - 1] === "") this.lines.pop();
			this.depth--;
			this.line = "}";
			const next = this.t.slice(i + 1).find((k) => k.kind !== "space");
			if (next?.text !== "else") this.flush();
		} else this.put(text);
	}
}

function clause(text: string, c: Clause): string {
	const brace = text.lastIndexOf("{", c.bodyFrom), head = text.slice(c.from, brace), noted = tokens(head).some((k) => k.kind === "comment");
	const probes = noted ? head.trim() : c.probes.split(",").map((p) => p.trim()).join(",\n");
	const predicate = noted || c.predicateFrom < 0 ? "" : `\n/${c.predicate}/`;
	const body = new Body(tokens(text.slice(c.bodyFrom, c.bodyTo))).lines;
	return `${probes}${predicate}\n{\n${body.map((l) => `${l}\n`).join("")}}`;
}

/** The same program, laid out. */
export function format(text: string): string {
	let out = "", at = 0;
	for (const c of clauses(text)) {
		const between = text.slice(at, c.from).trim();
		out += (at > 0 ? "\n" : "") + (between ? `${at > 0 ? "\n" : ""}${between}\n${/\n\s*\n\s*$/.test(text.slice(at, c.from)) || !between.endsWith("*/") ? "\n" : ""}` : at > 0 ? "\n" : "");
		out += clause(text, c);
		at = Math.min(text.length, c.bodyTo + 1);
	}
	const rest = text.slice(at).trim();
	return at === 0 ? text : `${out}\n${rest ? `\n${rest}\n` : ""}`;
}
