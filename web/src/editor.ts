// SPDX-License-Identifier: BSD-2-Clause
// The editor: a text area, with its text once more in colours behind it, words that can follow, what the word under the
// pointer is, and the compiler's error at its place. A comment that a program begins with is folded.
import { clear, el, setText, soon } from "./dom";
import { tokens } from "./dlang";
import { format } from "./format";
import type { Link, Word } from "./link";
import type { Fail } from "./message";
import { hoverAt, offersAt, type Offer } from "./offers";

const PAUSE = 500;			// ms without a key before the compiler is asked
const OFFERED = 80;			// ms before words are
const RESTS = 350;			// ms that the pointer rests on a word
const OFFERS = 40;
const LINE = 20, PAD = 8;		// pixels
const FOLDED = 3;			// lines that a comment has at least

export class Editor {
	readonly root: HTMLElement;
	private area: HTMLTextAreaElement;
	private back = el("pre", { class: "back", "aria-hidden": "true" });
	private lines = el("pre", { class: "gutter", "aria-hidden": "true" });
	private message = el("div", { class: "fault", role: "alert" });
	private list = el("div", { class: "offers", role: "listbox", "aria-label": "what can follow", hidden: true });
	private tip = el("div", { class: "tip", role: "tooltip", hidden: true });
	private fold: HTMLButtonElement;
	private target: HTMLElement;	// which process $target is; shown if the program names it
	private head = "";		// the comment that is folded, to the end of its last line
	private words: Word[] = [];
	private offers: Offer[] = [];
	private chosen = 0;
	private fail: Fail | null = null;
	private timer = 0;
	private asking = 0;
	private resting = 0;
	private asked = 0;
	private wide = 0;		// of a letter

	constructor(private link: Link, run: () => void) {
		this.area = el("textarea", { spellcheck: false, "aria-label": "D program", autocapitalize: "off",
			autocomplete: "off", wrap: "off", oninput: () => this.changed(), onscroll: () => this.scrolled(),
			onblur: () => this.hide(), placeholder: "A D program, such as  syscall:::entry { @[execname] = count(); }" });
		this.area.addEventListener("keydown", (e) => {
			if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
				e.preventDefault();
				e.stopPropagation();
				run();
			} else this.key(e);
		});
		this.area.addEventListener("beforeinput", () => {	// another program has another comment
			if (this.area.value && this.area.selectionStart === 0 && this.area.selectionEnd === this.area.value.length) this.head = "";
		});
		this.area.addEventListener("pointermove", (e) => this.rests(e));
		this.area.addEventListener("pointerleave", () => this.rests(null));
		this.fold = el("button", { class: "fold", type: "button", hidden: true, "aria-expanded": "false", title: "show the comment",
			onclick: () => this.unfold() });
		const number = el("input", { inputmode: "numeric", placeholder: "none", size: 9, oninput: () => {
			const text = number.value.trim(), good = /^\d{0,9}$/.test(text);
			link.process = good ? text : "";
			if (good) this.changed();
			else this.show({ what: "", msg: "$target: a process is given by its number.", excerpt: "" });
		} });
		this.target = el("label", { class: "target", hidden: true }, el("code", {}, "$target"), " is process ", number);
		this.root = el("div", { class: "editor" }, this.fold, el("div", { class: "code" }, this.lines,
			el("div", { class: "text" }, this.back, this.area, this.list, this.tip)), this.target, this.message);
		void link.get<Word[]>("/words", []).then((w) => {
			this.words = w;
			soon(this.paint);	// what is there has its colours now
		}).catch(() => undefined);
	}

	get text(): string {
		return this.head + this.area.value;
	}

	set text(text: string) {
		if (text === this.text) return;
		const m = /^(?:#![^\n]*\n)?(?:\s*(?:\/\*[\s\S]*?\*\/|\/\/[^\n]*)[ \t]*(?:\n|$))+\s*/.exec(text);
		this.head = m && m[0].split("\n").length > FOLDED && m[0].length < text.length && m[0].endsWith("\n") ? m[0] : "";
		this.area.value = text.slice(this.head.length);
		this.area.scrollTop = 0;
		this.show(null);
	}

	private unfold(): void {
		this.area.value = this.text;
		this.head = "";
		this.show(this.fail);
	}

	focus(): void {
		this.area.focus();
	}

	/** Lays the program out; the browser can undo it. */
	format(): void {
		const made = format(this.area.value), head = this.head;
		if (made === this.area.value) return;
		this.area.focus();
		this.area.select();
		if (!document.execCommand("insertText", false, made)) this.area.setRangeText(made, 0, this.area.value.length, "start");
		this.head = head;
		this.changed();
		this.hide();
	}

	/** The error of the compiler, or none. */
	show(fail: Fail | null): void {
		this.fail = fail;
		if (fail?.line && fail.line <= this.skipped) return this.unfold();
		setText(this.message, fail ? `${fail.line ? `line ${fail.line}: ` : ""}${ours(fail.msg.replace(/^line \d+: /, ""))}${hint(fail.excerpt)}` : "");
		this.area.setAttribute("aria-invalid", String(fail !== null));
		soon(this.paint);
	}

	/** Shows the line of the error. */
	reveal(): void {
		const at = this.place();
		this.area.focus();
		if (at) this.area.setSelectionRange(at[0], at[1]);
		this.root.querySelector(".code")!.scrollTop = Math.max(0, ((this.fail?.line ?? 1) - this.skipped - 3) * LINE);
	}

	private get skipped(): number {
		return this.head.split("\n").length - 1;
	}

	private paint = (): void => {
		const text = this.area.value, place = this.place();
		this.target.hidden = this.link.offline || !text.includes("$target");
		this.fold.hidden = this.head === "";
		setText(this.fold, this.head ? `\u25b8 ${about(this.head)} (${this.skipped} lines)` : "");
		clear(this.back);
		for (const t of tokens(text)) {
			const known = t.kind === "word" && this.kindOf(t.text), end = t.at + t.text.length;
			if (place && t.at < place[1] && end > place[0]) {
				const a = Math.max(0, place[0] - t.at), b = Math.min(t.text.length, place[1] - t.at);
				this.back.append(t.text.slice(0, a), el("mark", {}, t.text.slice(a, b)), t.text.slice(b));
			} else if (t.kind === "space" || t.kind === "other" || (t.kind === "word" && !known)) this.back.append(t.text);
			else this.back.append(el("span", { class: known ? `k-${known}` : `k-${t.kind}` }, t.text));
		}
		this.back.append("\n");
		const n = text.split("\n").length, first = this.skipped;
		clear(this.lines);
		for (let i = 1; i <= n; i++)
			this.lines.append(this.fail?.line === i + first ? el("b", {}, `\u2717${i + first}\n`) : `${i + first}\n`);
		this.area.style.height = this.back.style.minHeight = `${Math.max(n + 1, 6) * LINE + 12}px`;
		this.scrolled();
	};

	private place(): [number, number] | null {
		const f = this.fail;
		if (!f?.line) return null;
		const lines = this.area.value.split("\n");
		let at = 0;
		for (let i = 0; i < f.line - this.skipped - 1 && i < lines.length; i++) at += lines[i].length + 1;
		return [at + (f.column ?? 1) - 1, at + (f.column ?? 1) - 1 + (f.length ?? 1)];
	}

	private kindOf(word: string): string {
		if (/^(if|else|inline|struct|union|enum|translator|provider|typedef|self|this|sizeof)$/.test(word)) return "keyword";
		return this.words.find((w) => w.name === word && w.kind !== "options")?.kind ?? "";
	}

	private scrolled(): void {
		this.back.style.transform = `translateX(${-this.area.scrollLeft}px)`;
	}

	private changed(): void {
		this.show(null);
		this.rests(null);
		const turn = ++this.asked;
		clearTimeout(this.asking);
		this.asking = window.setTimeout(() => void this.complete(turn), OFFERED);
		clearTimeout(this.timer);
		if (!this.link.offline) this.timer = window.setTimeout(() => void this.check(), PAUSE);
	}

	private async check(): Promise<void> {
		const text = this.text;
		if (text.trim() === "") return;
		const found = await this.link.post<Fail | object>("/check", text, {}).catch(() => ({}));
		if (text === this.text) this.show("msg" in found ? found : null);
	}

	// ---- what is under the pointer

	private rests(e: PointerEvent | null): void {
		this.tip.hidden = true;
		clearTimeout(this.resting);
		if (!e || e.pointerType !== "mouse" || !this.list.hidden) return;
		this.wide ||= measure(this.area);
		const row = Math.floor((e.offsetY - PAD) / LINE), lines = this.area.value.split("\n");
		const line = lines[row] ?? "", column = columnAt(line, (e.offsetX - PAD + this.area.scrollLeft) / this.wide);
		if (column < 0) return;
		const at = lines.slice(0, row).reduce((n, l) => n + l.length + 1, 0) + column;
		this.resting = window.setTimeout(() => void this.explain(at, row), RESTS);
	}

	/** What stands at a place, in a box below its line. */
	private async explain(at: number, row: number): Promise<void> {
		const text = this.text, found = await hoverAt(this.link, text, this.head.length + at);
		if (!found || text !== this.text) return;
		clear(this.tip);
		this.tip.append(el("code", {}, found.code), el("div", {}, found.doc));
		this.tip.style.top = `${(row + 1) * LINE + PAD + 2}px`;
		this.tip.hidden = false;
	}

	// ---- words that can follow

	private async complete(turn: number): Promise<void> {
		const at = this.area.selectionStart, found = await offersAt(this.link, this.text, this.head.length + at);
		if (turn !== this.asked) return;
		this.offers = found.slice(0, OFFERS);
		this.chosen = 0;
		this.offer(this.area.value.slice(0, at));
	}

	private offer(before: string): void {
		clear(this.list);
		this.list.hidden = this.offers.length === 0;
		const line = before.split("\n").length, column = before.length - before.lastIndexOf("\n") - 1;
		this.list.style.top = `${line * LINE + 10}px`;
		this.list.style.left = `${Math.min(column * 7.8, this.area.clientWidth * 0.4)}px`;
		this.offers.forEach((o, i) => this.list.append(el("div", { class: "offer", role: "option",
			"aria-selected": String(i === this.chosen), onpointerdown: (e: Event) => {
				e.preventDefault();
				this.chosen = i;
				this.accept();
			} }, el("b", {}, o.text), el("span", {}, o.form === o.text ? "" : o.form), el("i", {}, o.doc))));
		this.list.children[this.chosen]?.scrollIntoView({ block: "nearest" });
	}

	private hide(): void {
		this.asked++;
		this.list.hidden = true;
	}

	private accept(): void {
		const o = this.offers[this.chosen], at = this.area.selectionStart;
		this.hide();
		this.area.setRangeText(o.text, Math.max(0, o.from - this.head.length), at, "end");
		this.changed();
		clearTimeout(this.asking);
		this.hide();
	}

	private key(e: KeyboardEvent): void {
		if (e.key === "F1") {
			e.preventDefault();
			const at = this.area.selectionStart;
			void this.explain(at, this.area.value.slice(0, at).split("\n").length - 1);
			return;
		}
		if (this.list.hidden) {
			if (e.key === "Tab" && !e.shiftKey) {
				e.preventDefault();
				this.area.setRangeText("\t", this.area.selectionStart, this.area.selectionEnd, "end");
				this.changed();
			} else if (e.key === "Escape") this.area.blur();
			return;
		}
		const step = e.key === "ArrowDown" ? 1 : e.key === "ArrowUp" ? -1 : 0;
		if (step) {
			this.chosen = (this.chosen + step + this.offers.length) % this.offers.length;
			this.offer(this.area.value.slice(0, this.area.selectionStart));
		} else if (e.key === "Enter" || e.key === "Tab") this.accept();
		else if (e.key === "Escape") this.hide();
		else return;
		e.preventDefault();
		e.stopPropagation();
	}
}

/** What the excerpt says behind its caret: "did you mean". */
function hint(excerpt: string): string {
	const m = /\^~*[ \t]+(\S.*)/.exec(excerpt);
	return m ? ` (${m[1]})` : "";
}

/** The page has a field where dtrace has -p. */
function ours(msg: string): string {
	return /\$target/.test(msg) && /(^|\s)-[pc]\b/.test(msg) ? `${msg} \u2013 here: in the field below` : msg;
}

/** What a comment is about: of a tool its line with its name. */
function about(head: string): string {
	return /^ \* (\S+ - .*)$/m.exec(head)?.[1] ?? head.replace(/SPDX-License-Identifier:.*/, "").match(/[A-Za-z][^\n*]{8,}/)?.[0].trim() ?? "comment";
}

function measure(area: HTMLTextAreaElement): number {
	const c = document.createElement("canvas").getContext("2d")!;
	c.font = getComputedStyle(area).font;
	return c.measureText("0".repeat(50)).width / 50;
}

/** The letter at a place of a line, whose tabs are four wide; -1: none. */
function columnAt(line: string, x: number): number {
	for (let i = 0, at = 0; i < line.length; i++) {
		at = line[i] === "\t" ? at + 4 - at % 4 : at + 1;
		if (x < at) return /\s/.test(line[i]) ? -1 : i;
	}
	return -1;
}
