// SPDX-License-Identifier: BSD-2-Clause
// What the name of a frame says: text such as "libc.so.6`read+0x14" in, the function, its module, its kind and its language
// out. Each frame exists once.

/** Kinds of frames, as the key of colours names them; "key" is no function but a value that stacks are counted by. */
export const KINDS = ["program", "library", "kernel", "interpreted", "unknown", "key"] as const;
export type Kind = typeof KINDS[number];

export const LANGUAGES = ["C", "C++", "Rust", "Go", "Python", "Java", "JavaScript", "unknown"] as const;
export type Language = typeof LANGUAGES[number];

export interface Frame {
	id: number;
	full: string;			// with its module
	name: string;			// the function
	module: string;			// "": none
	kind: Kind;
	language: Language;
	low: string;			// what a search looks at
}

// A frame of a language: its function, its file, and the line, which is left out.
const FILE = /^(.+) \(([^()]*[/.<][^()]*?)(:\d+)?\)$/;
const PLACE = /( \[inlined\])?( \([^()]*:\d+\))?$/;	// what -x inlines and -x lines put behind a function of a file
const KERNEL_MARK = "_[k]";		// ends functions of the kernel in folded stacks

function kindOf(name: string, module: string, kernel: boolean): Kind {
	if (kernel) return "kernel";
	if (module === "" || /^0x[0-9a-f]+$/.test(name)) return "unknown";
	if (/^perf-\d+\.map$/.test(module)) return "interpreted";
	return /\.so\b|^\[|^ld-/.test(module) ? "library" : "program";
}

/** From how names of the language look; code of assembler counts as C. */
function languageOf(name: string, module: string, kind: Kind): Language {
	if (kind === "unknown" || kind === "key") return "unknown";
	if (kind === "kernel") return /^_R|::/.test(name) ? "Rust" : "C";
	if (kind === "interpreted") return /^py::|\.py\b/.test(name) || FILE.test(`x (${module})`) ? "Python" : /^L[\w/$]+;|^[a-z]\w*(\.\w+)+(::|\.)\w/.test(name) ?
		"Java" : /^(Lazy|Function|JS|Script|Eval)|\.js\b|^\*|^~/.test(name) ? "JavaScript" : "unknown";
	if (/::h[0-9a-f]{16}$|^_R|\b(core|alloc|std)::\w+::|<impl |\{\{closure\}\}|\{closure#/.test(name)) return "Rust";
	if (/::|\boperator\b|^_Z|^(non-)?virtual thunk|\(.*\)$/.test(name) && !/\(\*\w+\)/.test(name)) return "C++";
	return /^(\w+\/)*[\w.\-/]+\.\(?\*?\w/.test(name) && /^[a-z]/.test(name) && !/\.(constprop|part|isra|cold|lto_priv)\b/.test(name) ?
		"Go" : "C";
}

export class Frames {
	readonly all: Frame[] = [];
	private known = new Map<string, Frame>();

	private make(id: string, full: string, name: string, module: string, kind: Kind): Frame {
		const frame = { id: this.all.length, full, name, module, kind, language: languageOf(name, module, kind), low: full.toLowerCase() };
		this.all.push(frame);
		this.known.set(id, frame);
		return frame;
	}

	/** A frame of a stack; without its offset, so that all places of a function are one. */
	of(text: string, kernel: boolean): Frame {
		const id = (kernel ? "k" : "u") + text, known = this.known.get(id);
		if (known) return known;
		const tick = text.indexOf("`"), own = tick < 0 && !kernel ? FILE.exec(text) : null;
		if (own) return this.language(id, own[1], own[2]);
		const full = tick >= 0 ? text.replace(PLACE, "").replace(/\+0x[0-9a-f]+$/, "") : text;
		const base = (kernel ? "k" : "u") + full, same = this.known.get(base);
		const module = tick >= 0 ? full.slice(0, tick) : /^(.+)\+0x[0-9a-f]+$/.exec(full)?.[1] ?? "";
		const name = tick >= 0 ? full.slice(tick + 1) : full;
		const frame = same ?? this.make(base, full, name, module, tick < 0 && !kernel ? "unknown" : kindOf(name, module, kernel));
		this.known.set(id, frame);
		return frame;
	}

	private language(id: string, name: string, file: string): Frame {
		const full = `${name} (${file})`, frame = this.known.get("u" + full) ?? this.make("u" + full, full, name, file, "interpreted");
		this.known.set(id, frame);
		return frame;
	}

	/** A value that stacks are counted by. */
	key(text: string): Frame {
		return this.known.get("=" + text) ?? this.make("=" + text, text, text, "", "key");
	}

	/** A frame of folded stacks, where functions of the kernel are marked and all others have an object or an address. */
	folded(text: string): Frame {
		const kernel = text.endsWith(KERNEL_MARK);
		if (kernel) return this.of(text.slice(0, -KERNEL_MARK.length), true);
		return text.includes("`") || /(^0x|\+0x)[0-9a-f]+$/.test(text) || FILE.test(text) ? this.of(text, false) : this.key(text);
	}
}

/** Without what makes names of C++ and Rust long: arguments of templates, parameters, hashes. */
export function terse(name: string): string {
	let out = "", depth = 0;
	const plain = name.replace(/::h[0-9a-f]{16}$/, "");
	if (!/[<(]/.test(plain) || /operator/.test(plain)) return plain;
	for (const c of plain) {
		if (c === "<" || c === "(") depth++;
		if (depth === 0) out += c;
		if ((c === ">" || c === ")") && depth > 0) depth--;
	}
	return out.trim() || plain;
}
