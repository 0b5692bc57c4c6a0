// SPDX-License-Identifier: BSD-2-Clause
// The editor: a text area, with its text once more in colours behind it, words that can follow, and the compiler's
// error at its place.
import { clear, el, setText, soon } from "./dom";
import { tokens } from "./dlang";
import type { Link, Probe, Word } from "./link";
import type { Fail } from "./message";

const PAUSE = 500;			// ms without a key before the compiler is asked
const OFFERS = 12;

interface Offer { text: string; form: string; doc: string }

export class Editor {
	readonly root: HTMLElement;
	private area: HTMLTextAreaElement;
	private back: HTMLElement;
	private lines: HTMLElement;
	private message: HTMLElement;
	private list: HTMLElement;
	private target: HTMLElement;	// which process $target is; shown if the program names it
	private words: Word[] = [];
	private offers: Offer[] = [];
	private chosen = 0;
	private from = 0;		// where the word that is completed begins
	private fail: Fail | null = null;
	private timer = 0;
	private asked = 0;

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
		this.back = el("pre", { class: "back", "aria-hidden": "true" });
		this.lines = el("pre", { class: "gutter", "aria-hidden": "true" });
		this.message = el("div", { class: "fault", role: "alert" });
		this.list = el("div", { class: "offers", role: "listbox", hidden: true });
		const number = el("input", { inputmode: "numeric", placeholder: "none", size: 9, oninput: () => {
			const text = number.value.trim(), good = /^\d{0,9}$/.test(text);
			link.process = good ? text : "";
			if (good) this.changed();
			else this.show({ what: "", msg: "$target: a process is given by its number.", excerpt: "" });
		} });
		this.target = el("label", { class: "target", hidden: true }, el("code", {}, "$target"), " is process ", number);
		this.root = el("div", { class: "editor" }, el("div", { class: "code" }, this.lines,
			el("div", { class: "text" }, this.back, this.area, this.list)), this.target, this.message);
		void link.get<Word[]>("/words", []).then((w) => this.words = w).catch(() => undefined);
	}

	get text(): string {
		return this.area.value;
	}

	set text(text: string) {
		if (text === this.area.value) return;
		this.area.value = text;
		this.show(null);
	}

	focus(): void {
		this.area.focus();
	}

	/** The error of the compiler, or none. */
	show(fail: Fail | null): void {
		this.fail = fail;
		setText(this.message, fail ? `${fail.line ? `line ${fail.line}: ` : ""}${fail.msg}${hint(fail.excerpt)}` : "");
		this.area.setAttribute("aria-invalid", String(fail !== null));
		soon(this.paint);
	}

	private paint = (): void => {
		const text = this.area.value, place = this.place();
		this.target.hidden = this.link.offline || !text.includes("$target");
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
		const n = text.split("\n").length;
		clear(this.lines);
		for (let i = 1; i <= n; i++)
			this.lines.append(this.fail?.line === i ? el("b", {}, `\u2717${i}\n`) : `${i}\n`);
		this.area.style.height = this.back.style.minHeight = `${Math.max(n + 1, 6) * 20 + 12}px`;
		this.scrolled();
	};

	private place(): [number, number] | null {
		const f = this.fail;
		if (!f?.line) return null;
		const lines = this.area.value.split("\n");
		let at = 0;
		for (let i = 0; i < f.line - 1 && i < lines.length; i++) at += lines[i].length + 1;
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
		void this.complete();
		clearTimeout(this.timer);
		if (!this.link.offline) this.timer = window.setTimeout(() => void this.check(), PAUSE);
	}

	private async check(): Promise<void> {
		const text = this.area.value;
		if (text.trim() === "") return;
		const found = await this.link.post<Fail | object>("/check", text, {}).catch(() => ({}));
		if (text === this.area.value) this.show("msg" in found ? found : null);
	}

	// ---- words that can follow

	private async complete(): Promise<void> {
		const at = this.area.selectionStart, before = this.area.value.slice(0, at), turn = ++this.asked;
		const probe = /(?:^|[;}\s,])([\w$.*-]*:[\w$.*:-]*)$/.exec(before), word = /([A-Za-z_]\w+)$/.exec(before);
		let offers: Offer[] = [];
		if (probe) {
			this.from = at - probe[1].length;
			const pattern = probe[1].split(":").map((p, i, all) => i === all.length - 1 || p === "" ? `${p}*` : p);
			while (pattern.length < 4) pattern.push("*");
			const found = await this.link.post<Probe[]>("/probes", pattern.slice(0, 4).join(":"), []).catch(() => []);
			offers = found.map((p) => ({ text: p.probe, form: p.args.join(", "), doc: "" }));
		} else if (word && !/["@$]\w*$/.test(before)) {
			this.from = at - word[1].length;
			offers = this.words.filter((w) => w.name.startsWith(word[1]) && w.name !== word[1])
				.map((w) => ({ text: w.kind === "providers" ? `${w.name}:::` : w.name, form: w.form, doc: w.doc }));
		}
		if (turn !== this.asked) return;
		this.offers = offers.slice(0, OFFERS);
		this.chosen = 0;
		this.offer(before);
	}

	private offer(before: string): void {
		clear(this.list);
		this.list.hidden = this.offers.length === 0;
		const line = before.split("\n").length, column = before.length - before.lastIndexOf("\n") - 1;
		this.list.style.top = `${line * 20 + 10}px`;
		this.list.style.left = `${Math.min(column * 7.8, this.area.clientWidth * 0.4)}px`;
		this.offers.forEach((o, i) => this.list.append(el("div", { class: "offer", role: "option",
			"aria-selected": String(i === this.chosen), onpointerdown: (e: Event) => {
				e.preventDefault();
				this.chosen = i;
				this.accept();
			} }, el("b", {}, o.text), el("span", {}, o.form === o.text ? "" : o.form), el("i", {}, o.doc))));
	}

	private hide(): void {
		this.asked++;
		this.list.hidden = true;
	}

	private accept(): void {
		const o = this.offers[this.chosen], at = this.area.selectionStart;
		this.hide();
		this.area.setRangeText(o.text, this.from, at, "end");
		this.changed();
		this.hide();
	}

	private key(e: KeyboardEvent): void {
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
