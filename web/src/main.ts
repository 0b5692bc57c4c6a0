// SPDX-License-Identifier: BSD-2-Clause
// The page: the bar with its buttons and figures, the editor, and a card for each aggregation. Messages change the
// model; a frame later the cards that are there draw themselves.
import { clear, clock, el, forgetInks, percent, setText, short, soon, whole } from "./dom";
import { isRecording } from "./blocks";
import { proposals } from "./drill";
import { Editor } from "./editor";
import { Link, type Tool } from "./link";
import type { Message } from "./message";
import { Model, type Agg } from "./model";
import { pageOf, savedIn } from "./save";
import { aggViews, traceViews, type Pick, type Stage, type View } from "./view";

const script = document.currentScript?.textContent ?? "";
const DRAWN = new Set<Message["t"]>(["reset", "start", "snap", "recs", "fail"]);
const MAX_LOADED = 512 << 20;		// bytes of a file
/** What stands against a tool: the sentence up to the part that all of them have. */
const cause = (why: string) => why.split(": DTrace requires")[0];
const first = "syscall:::entry\n{\n\t@calls[execname, probefunc] = count();\n}\n";

class Card {
	readonly root: HTMLElement;
	private views: { name: string; view: View }[] = [];
	private body = el("div", { class: "body" });
	private tabs = el("div", { class: "tabs", role: "group" });
	private shown = 0;
	private seen = true;
	private late = false;

	constructor(title: string, sub: string) {
		this.root = el("section", { class: "card" }, el("header", {}, el("h2", {}, title),
			el("span", { class: "dim" }, sub), this.tabs), this.body);
		new IntersectionObserver((entries) => {
			this.seen = entries[entries.length - 1].isIntersecting;
			if (this.seen && this.late) this.update();
			if (this.seen) this.late = false;
		}, { rootMargin: "200px" }).observe(this.root);
	}

	add(name: string, view: View): this {
		const at = this.views.length;
		this.views.push({ name, view });
		this.tabs.append(el("button", { type: "button", onclick: () => this.show(at) }, name));
		if (at === 0) this.show(0);
		this.tabs.hidden = this.views.length < 2;
		return this;
	}

	show(at: number): void {
		this.shown = at;
		clear(this.body);
		this.body.append(this.views[at].view.root);
		[...this.tabs.children].forEach((b, i) => b.setAttribute("aria-pressed", String(i === at)));
		this.update();
	}

	/** A card that is not on the screen is drawn when it comes there. */
	update(): void {
		if (!this.seen) this.late = true;
		else this.views[this.shown]?.view.update();
	}
}

class Page implements Stage {
	model = new Model();
	private link = new Link((m) => this.take(m));
	private editor: Editor;
	private cards = new Map<string, Card>();
	private stack: string[] = [];	// programs before each look closer
	private paused = false;
	private ours = "";		// the program that looking closer made
	private tools: Tool[] = [];
	private connected = this.link.offline;
	private main = el("main");
	private figures = el("div", { class: "figures", role: "status" });
	private chips: HTMLElement[] = [];
	private trail = el("div", { class: "trail" });
	private panel = el("dialog", { class: "panel" });
	private runButton: HTMLButtonElement;
	private pauseButton: HTMLButtonElement;
	private empty = el("p", { class: "empty" });

	constructor() {
		this.editor = new Editor(this.link, () => void this.run());
		const button = (text: string, key: string, act: () => void) =>
			el("button", { type: "button", title: key ? `key ${key}` : "", onclick: act }, text);
		this.runButton = button("\u25b6 Start", "Ctrl+Enter", () => void this.toggle());
		this.runButton.classList.add("primary");
		this.pauseButton = button("Pause", "p", () => this.pause());
		const file = el("input", { type: "file", hidden: true, "aria-label": "saved page or recording",
			onchange: () => void this.load(file.files?.[0]).then(() => file.value = "") });
		const bar = el("header", { class: "top" }, el("h1", {}, "DTrace"), el("div", { class: "buttons" },
			this.runButton, this.pauseButton, button("Gallery", "g", () => void this.gallery()),
			button("Save", "s", () => this.save()), button("Load", "", () => file.click()),
			button("\u25d0", "t", () => this.theme()), button("?", "?", () => this.help())), this.figures, file);
		bar.querySelector(".buttons button:nth-child(6)")!.setAttribute("aria-label", "dark or light");
		document.body.append(bar, el("div", { class: "work" }, el("aside", {}, this.editor.root, this.trail),
			this.main), this.panel);
		this.panel.addEventListener("click", (e) => e.target === this.panel && this.panel.close());
		document.addEventListener("keydown", (e) => this.key(e));
		document.addEventListener("dragover", (e) => e.preventDefault());
		document.addEventListener("drop", (e) => {
			e.preventDefault();
			void this.load(e.dataTransfer?.files[0]);
		});
		new ResizeObserver(() => this.redraw()).observe(this.main);
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
		const wish = stored("theme");
		if (wish) document.documentElement.dataset.theme = wish;
		this.editor.text = first;
		this.main.append(this.empty);
		document.body.classList.toggle("offline", this.link.offline);
		this.listen();
		this.status();
	}

	private listen(): void {
		this.link.listen((connected) => {
			this.connected = connected;
			this.status();
		});
		this.refresh();
	}

	private take(m: Message): void {
		if (m.t === "reset") this.reset(String(m.trace));
		if (m.t === "start" && m.program !== "" && this.model.program === "") this.editor.text = m.program;
		this.model.take(m);
		if (m.t === "fail") this.editor.show(this.model.fail);
		soon(DRAWN.has(m.t) ? this.refresh : this.figure);
	}

	private reset(trace: string): void {
		document.body.dataset.trace = trace;
		this.model = new Model();
		this.paused = false;
		this.cards.clear();
		clear(this.main);
		this.main.append(this.empty);
		this.editor.show(null);
	}

	private figure = (): void => this.status();

	private refresh = (): void => {
		for (const agg of this.model.aggs.values()) if (agg.keys.some((k) => k)) this.card(agg);
		for (const v of traceViews)
			if (!this.cards.has(v.name) && v.fitsTrace(this.model))
				this.place(v.name, new Card(v.name, "").add(v.name, v.makeForTrace(this)));
		if (!this.paused) for (const c of this.cards.values()) c.update();
		this.status();
	};

	private redraw(): void {
		forgetInks();
		for (const c of this.cards.values()) c.update();
	}

	private card(agg: Agg): void {
		const name = `agg ${agg.id}`;
		if (this.cards.has(name)) return;
		const card = new Card(agg.name === "_" ? "@" : `@${agg.name}`, agg.fn);
		for (const v of aggViews) if (v.fits(agg)) card.add(v.name, v.make(this, agg));
		this.place(name, card);
	}

	private place(name: string, card: Card): void {
		this.cards.set(name, card);
		this.empty.remove();
		this.main.append(card.root);
		card.update();
	}

	// ---- figures

	/** Figures stay the elements they are: what has not changed is not touched. */
	private chip(at: number, label: string, text: string, bad = false, title = ""): void {
		const c = this.chips[at] ??= this.figures.appendChild(el("span", { class: "chip" }, "", el("b")));
		const name = bad ? "chip bad" : "chip", head = `${bad ? "\u26a0 " : ""}${label} `;
		if (c.className !== name) c.className = name;
		if (c.title !== title) c.title = title;
		if (c.firstChild!.nodeValue !== head) c.firstChild!.nodeValue = head;
		setText(c.lastElementChild!, text);
	}

	private status(): void {
		const m = this.model, c = m.cost;
		const running = m.live && !m.ended && !m.fail, state = this.link.offline ? "saved" : !this.connected ?
			"no server" : m.fail ? "failed" : this.paused ? "paused" : m.ended ? "ended" : m.live ? "live" : "idle";
		const problems = m.drops || m.errors ? m.problems.slice(-20).join("\n") : "";
		this.chip(0, "", state, state === "no server" || state === "failed", m.notices.join("\n"));
		this.chip(1, "time", clock(m.now));
		this.chip(2, "drops", whole(m.drops), m.drops > 0, problems);
		this.chip(3, "errors", whole(m.errors), m.errors > 0, problems);
		this.chip(4, "probes", c && c.probes >= 0 ? percent(c.probes) : "\u2013", !!c && c.probes > 0.5,
			c ? `of one CPU, in ${short(c.runs)} firings a second (measured by sampling)` : "");
		this.chip(5, "tracer", c ? `${percent(c.cpu)}, ${short(c.rss * 1024)}B` : "\u2013", false, "of one CPU; memory");
		this.chip(6, "missed", `${whole(m.missed)} moments`, true);
		this.chips[6].hidden = m.missed === 0;
		setText(this.runButton, running ? "\u25a0 Stop" : "\u25b6 Start");
		setText(this.pauseButton, this.paused ? "Resume" : "Pause");
		this.pauseButton.disabled = !running && !this.paused;
		this.said(running);
	}

	private said(running: boolean): void {
		const m = this.model, text = m.fail ? `${m.fail.what}: ${m.fail.msg}` : running ?
			"Nothing was counted yet." : m.ended ? "The trace has ended and counted nothing." :
			"Start the program, or choose a tool from the gallery.";
		setText(this.empty, text);
		this.empty.classList.toggle("fault", m.fail !== null);
		let box = document.querySelector(".notices");
		const told = [...m.notices, ...(m.hidden ? [`${whole(m.hidden)} elements of further aggregations are not shown.`] : []),
			...m.problems.slice(-5)].join("\n");
		if (told && !box) this.main.before(box = el("pre", { class: "notices", role: "status" }));
		if (box) setText(box, told);
		if (box && !told) box.remove();
	}

	// ---- what the user asked for

	private async toggle(): Promise<void> {
		if (this.model.live && !this.model.ended) await this.link.post("/stop", "", {}).catch(() => undefined);
		else await this.run();
	}

	private async run(): Promise<void> {
		if (this.editor.text !== this.ours) this.stack = [];
		this.steps();
		await this.link.post("/run", this.editor.text, {}).catch((e: Error) => {
			this.editor.show({ what: "", msg: e.message, excerpt: "" });
		});
	}

	private pause(): void {
		this.paused = !this.paused;
		if (this.paused) this.link.hold();
		else {
			this.link.resume();
			this.refresh();
		}
		this.status();
	}

	private save(): void {
		const { recording, control } = this.link.kept;
		const a = el("a", { download: `dtrace-${new Date().toISOString().replace(/[:.]/g, "-")}.html`,
			href: URL.createObjectURL(pageOf(script, recording, control)) });
		a.click();
		setTimeout(() => URL.revokeObjectURL(a.href), 10000);
	}

	/** The file is untrusted: what is in it is shown as text, and nothing of it is run. */
	private async load(file: File | undefined): Promise<void> {
		// not at the editor, whose own check of the program may end at any time and clear it
		const refuse = (msg: string) => this.take({ t: "notice", msg });
		if (!file) return;
		if (file.size > MAX_LOADED) return refuse("This file is too large for the page: dtrace --play shows it.");
		try {
			const bytes = new Uint8Array(await file.arrayBuffer());
			const saved = isRecording(bytes) ? { recording: bytes, control: "" } : savedIn(new TextDecoder().decode(bytes));
			if (!saved) return refuse("This file is neither a recording nor a page that was saved.");
			this.link.load(saved);
		} catch (e) {
			refuse(`This file is damaged: ${(e as Error).message}.`);
		}
		this.refresh();
	}

	private theme(): void {
		const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" :
			matchMedia("(prefers-color-scheme: dark)").matches;
		document.documentElement.dataset.theme = dark ? "light" : "dark";
		try {
			localStorage.setItem("theme", dark ? "light" : "dark");
		} catch { /* a saved page may have no storage */ }
		this.redraw();
	}

	private open(title: string, ...content: (Node | string)[]): void {
		clear(this.panel);
		this.panel.append(el("header", {}, el("h2", {}, title), el("button", { type: "button", "aria-label": "close",
			onclick: () => this.panel.close() }, "\u2715")), ...content);
		if (!this.panel.open) this.panel.showModal();
	}

	private async gallery(): Promise<void> {
		if (!this.tools.length) this.tools = await this.link.get<Tool[]>("/gallery", []).catch(() => []);
		const groups = new Map<string, HTMLElement>(), marked = this.tools.filter((t) => t.why);
		for (const t of this.tools) {
			const [group, question] = /^(\w+): (.*)$/.exec(t.question)?.slice(1) ?? ["other", t.question];
			let box = groups.get(group);
			if (!box) groups.set(group, box = el("div", { class: "group" }, el("h3", {}, group)));
			box.append(el("button", { class: t.why ? "tool cannot" : "tool", type: "button", title: t.why, onclick: () => {
				this.panel.close();
				this.editor.text = t.text.replace(/^#!.*\n/, "");
				void this.run();
			} }, el("b", {}, t.name), el("span", {}, question || t.what),
			...t.why ? [el("i", {}, `\u2298 ${cause(t.why)}`)] : []));
		}
		this.open("Gallery", marked.length ? el("p", { class: "lacking" }, `${marked.length} of ${this.tools.length} tools, marked \u2298, ` +
			`need more than this user may do: ${marked[0].why.slice(cause(marked[0].why).length + 2)}.`) : "", el("div", { class: "gallery" }, ...groups.values()));
	}

	/** Somebody pointed at something: what could be asked next, and the D that it makes. */
	pick(p: Pick): void {
		const text = this.editor.text, found = proposals(text, p), code = el("pre", { class: "made" }, "");
		const what = p.key ? p.key.text || "all" : p.frame ?? "";
		const range = p.low !== undefined ? `${p.low ?? "\u2026"} to ${p.high ?? "\u2026"}` : "";
		const list = el("div", { class: "proposals" });
		const show = (program: string) => {
			clear(code);
			const old = new Set(text.split("\n"));
			for (const line of program.split("\n"))
				code.append(old.has(line) ? `  ${line}\n` : el("ins", {}, `+ ${line}\n`));
		};
		for (const c of found)
			list.append(el("button", { type: "button", "data-what": c.what, onfocus: () => show(c.program),
				onpointerenter: () => show(c.program), onclick: () => {
					this.panel.close();
					this.stack.push(text);
					this.editor.text = this.ours = c.program;
					if (!this.link.offline) void this.run();
				} }, c.title));
		if (found.length) show(found[0].program);
		this.open([what, range].filter((x) => x).join(", "), found.length ? list :
			el("p", {}, `The program in the editor does not count @${p.agg.name}.`), code);
	}

	/** The way back, step by step. */
	private steps(): void {
		clear(this.trail);
		if (!this.stack.length) return;
		this.trail.append(el("button", { type: "button", onclick: () => {
			this.editor.text = this.ours = this.stack.pop()!;
			void this.run();
		} }, `\u2190 back (${this.stack.length})`));
	}

	private help(): void {
		const rows = [["Ctrl+Enter", "start the program"], [".", "stop"], ["p", "pause and resume"], ["g", "gallery"],
			["s", "save as a page of its own"], ["e", "to the editor; Esc leaves it, Tab indents"], ["t", "dark or light"], ["b", "a step back"],
			["arrows, Enter, Esc", "in a picture: read, choose, leave"], ["Shift and arrows", "in a heat map: mark a range"],
			["up, down", "in bars: from key to key"]];
		for (const v of [...aggViews, ...traceViews]) for (const [k, what] of v.keys ?? []) rows.push([k, `${v.name}: ${what}`]);
		this.open("Keys", el("table", {}, ...rows.map(([k, v]) => el("tr", {}, el("th", {}, k), el("td", {}, v)))));
	}

	private key(e: KeyboardEvent): void {
		const on = e.target as HTMLElement;
		if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
			e.preventDefault();
			void this.run();
			return;
		}
		if (e.ctrlKey || e.metaKey || e.altKey || on.matches("input, textarea, select") || this.panel.open) return;
		const act: Record<string, () => void> = { p: () => this.pause(), g: () => void this.gallery(), s: () => this.save(),
			e: () => this.editor.focus(), t: () => this.theme(), "?": () => this.help(),
			b: () => this.trail.querySelector("button")?.click(),
			".": () => void this.link.post("/stop", "", {}).catch(() => undefined) };
		if (!act[e.key]) return;
		e.preventDefault();
		act[e.key]();
	}
}

function stored(name: string): string | null {
	try {
		return localStorage.getItem(name);
	} catch {
		return null;
	}
}

new Page();
