// SPDX-License-Identifier: BSD-2-Clause
// The page: the bar with its buttons and figures, the editor, and the panels of a trace, or of two that are compared.
// Messages change the model of a board (board.ts); a frame later the panels that are there draw themselves.
import { Board, type Host, type Layout } from "./board";
import { isRecording } from "./blocks";
import { Bar } from "./bar";
import { compose, parts as dashboard, partsOf, refusals, Watch, type Part, type Refusal } from "./dashboard";
import { clear, el, forgetInks, hash, setText, soon, whole } from "./dom";
import { proposals } from "./drill";
import { Editor } from "./editor";
import { Gallery } from "./gallery";
import { answering, Hosts, notAlone } from "./hosts";
import { Link, play, type Tool } from "./link";
import type { HostState, Message } from "./message";
import { gist, Runs, type Run } from "./runs";
import { pageOf, savedIn } from "./save";
import { range, unitOf } from "./units";
import { aggViews, traceViews, type Pick } from "./view";

const script = document.currentScript?.textContent ?? "";
const MAX_LOADED = 512 << 20;		// bytes of a file
const NARROW = 820;			// pixels: the editor and the panels are below each other
const first = "syscall:::entry\n{\n\t@calls[execname, probefunc] = count();\n}\n";

class Page implements Host {
	private link = new Link((m) => this.take(m));
	private editor: Editor;
	private board = new Board(this, "panels");
	private other: Board | null = null;	// another run, beside this one
	private single: { i: number; board: Board; restarts: number; stop: AbortController } | null = null;	// one host, in place of all
	private hosts = new Hosts((i) => this.alone(i));
	private over = "";		// the hosts that programs run on; "": this machine
	private trace = 0;
	private runs = new Runs();
	private watch = new Watch();
	private refused = new Map<string, Refusal>();
	private trail: string[] = [];	// programs before each look closer
	private ours = "";		// the program that looking closer made
	private tools: Tool[] = [];
	private connected = this.link.offline;
	private asked = 0;		// how often something was to be run: of two, the later one is
	private bar: Bar;
	private strip = el("section", { class: "strip", "aria-label": "program, folded" });
	private gistText = el("code", {});
	private back = el("div", { class: "trail" });
	private boards = el("div", { class: "boards" });
	private work: HTMLElement;
	private panel = el("dialog", { class: "panel" });

	constructor() {
		this.editor = new Editor(this.link, () => void this.run());
		this.bar = new Bar(this.link.offline, { run: () => void this.toggle(), pause: () => this.pause(), overview: () => void this.overview(),
			gallery: () => void this.gallery(), programs: () => this.programs(), save: () => this.save(), load: (f) => void this.load(f),
			theme: () => this.theme(), help: () => this.help() });
		this.strip.append(el("button", { type: "button", "aria-expanded": "false", title: "key e", onclick: () => this.fold(false, true) }, "\u25b8 Edit"), this.gistText);
		const tools = el("div", { class: "edit" }, el("button", { type: "button", onclick: () => this.fold(true) }, "\u25c2 Fold"),
			el("button", { type: "button", onclick: () => this.editor.format() }, "Format"),
			el("button", { type: "button", onclick: () => this.programs() }, "Programs"));
		this.work = el("div", { class: "work" }, this.strip, el("aside", { "aria-label": "program" }, tools, this.editor.root, this.back), this.boards);
		document.body.append(this.bar.root, this.hosts.root, this.work, this.panel);
		this.boards.append(this.board.root);
		this.panel.addEventListener("click", (e) => e.target === this.panel && this.panel.close());
		document.addEventListener("keydown", (e) => this.key(e));
		document.addEventListener("dragover", (e) => e.preventDefault());
		document.addEventListener("drop", (e) => {
			e.preventDefault();
			void this.load(e.dataTransfer?.files[0]);
		});
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
		const wish = stored("theme");
		if (wish) document.documentElement.dataset.theme = wish;
		this.editor.text = first;
		document.body.classList.toggle("offline", this.link.offline);
		this.fold(true);
		this.link.listen((connected) => {
			this.connected = connected;
			this.status();
		});
		this.status();
	}

	// ---- what the trace says

	private take(m: Message): void {
		const fresh = m.t === "start" && m.program !== "" && this.board.model.program === "";
		if (m.t === "reset") this.reset(m.trace, m.hosts);
		this.board.take(m);
		if (m.t === "host" && m.i === this.single?.i && m.own && m.restarts > this.single.restarts) this.begin(m);
		if (fresh) this.begins(m.program);
		if (m.t === "fail") this.failed();
		if (m.t === "cost") this.costs(m.probes);
		soon(this.status);
	}

	/** A server that has traced nothing yet has the number 0. */
	private reset(trace: number, hosts: string): void {
		document.body.dataset.trace = String(trace);
		this.together();
		if (trace >= 0) this.over = hosts;
		this.trace = trace;
		this.editor.show(null);
		if (trace === 0 && this.asked === 0 && !this.link.offline) void this.overview();
	}

	private begins(program: string): void {
		const board = this.board, found = partsOf(program);
		this.editor.text = program;
		this.runs.begin(program);
		const layout = stored(`layout ${hash(program)}`);
		if (layout && !board.arranged) board.arranged = layoutOf(layout);
		if (found.length) board.dashboard(found, this.reasons(), this.link.offline ? found : dashboard);
		setText(this.gistText, found.length ? `${this.over ? "These hosts" : "This machine"}, by five small programs` : gist(program));
	}

	private failed(): void {
		const f = this.board.model.fail!;
		this.editor.show(f);
		if (f.line) this.fold(false);
	}

	private costs(probes: number): void {
		const m = this.board.model;
		if (!this.board.parts.length || m.ended || this.link.offline || this.link.loaded) return;
		const out = this.watch.cost(probes, this.board.parts);
		if (out) void this.runParts(this.board.parts.filter((p) => p !== out));
	}

	private status = (): void => {
		const m = this.board.model;
		this.hosts.show(m, this.single?.i ?? null);
		this.board.hosts(m.hosts.size ? answering(m).text : "");
		this.bar.show(m, { connected: this.connected, offline: this.link.offline, paused: this.board.paused });
		this.said();
	};

	/** Why there is no picture, or not yet; and what the trace has said beside. */
	private said(): void {
		const m = this.board.model, running = m.live && !m.ended && !m.fail, empty = this.board.empty, f = m.fail;
		const text = f ? (f.line ? `The program has an error in line ${f.line}.` : `${f.what}: ${f.msg}`) : running ? "Nothing was counted yet." :
			m.ended ? "The trace has ended and counted nothing." : m.program ? "Starting\u2026" : "Start the program, or choose a tool from the gallery.";
		if (empty.dataset.text !== text) {
			empty.dataset.text = text;
			clear(empty);
			empty.append(el("p", {}, text));
			if (f?.line) empty.append(el("button", { type: "button", onclick: () => this.fold(false, true) }, `Go to line ${f.line}`));
			if (!running && !f) empty.append(el("button", { type: "button", onclick: () => void this.gallery() }, "Gallery"),
				el("button", { type: "button", onclick: () => void this.overview(), hidden: this.link.offline },
					`Overview of ${this.over ? "these hosts" : "this machine"}`));
			empty.classList.toggle("fault", f !== null);
		}
		let box = document.querySelector(".notices");
		const told = [...m.notices, ...(m.hidden ? [`${whole(m.hidden)} elements of further aggregations are not shown.`] : []),
			...m.problems.slice(-5)].join("\n");
		if (told && !box) this.boards.before(box = el("pre", { class: "notices", role: "status" }));
		if (box) setText(box, told);
		if (box && !told) box.remove();
	}

	redraw(): void {
		forgetInks();
		this.board.redraw();
		this.other?.redraw();
		this.single?.board.redraw();
	}

	// ---- one host of several

	/** The numbers of one host in place of those of all; a second click, or null, and they are those of all again. */
	private alone(i: number | null): void {
		const h = i === null || i === this.single?.i ? undefined : this.board.model.hosts.get(i), why = h ? notAlone(h, this.link.offline || this.link.loaded) : "";
		if (why) return this.hosts.say(why);
		this.hosts.say("");
		if (h) this.begin(h);
		else this.together();
		this.status();
	}

	private begin(h: HostState): void {
		this.together();
		this.close();
		const board = new Board(this, `${h.name} alone`), stop = new AbortController();
		this.single = { i: h.i, board, restarts: h.restarts, stop };
		board.hosts(`${h.name} alone`);
		board.empty.append(el("p", {}, `${h.name} has counted nothing yet.`));
		board.root.prepend(el("header", { class: "side" }, el("b", { class: "key" }, h.name), el("span", {}, "alone, by its own clock"),
			el("button", { type: "button", title: "key a", onclick: () => this.alone(null) }, "All hosts")));
		this.boards.append(board.root);
		this.board.root.hidden = true;
		void this.link.host(this.trace, h.i, stop.signal, (m) => {
			if (stop.signal.aborted) return;
			board.take(m);
			const found = m.t === "start" ? partsOf(m.program) : [];
			if (found.length) board.dashboard(found, new Map(), found);
			if (m.t === "notice") this.hosts.say(`${h.name}: ${m.msg}`);
		});
	}

	private together(): void {
		this.single?.stop.abort();
		this.single?.board.root.remove();
		this.single = null;
		this.board.root.hidden = false;
	}

	// ---- the first minute

	/** What the page shows of the machine before anything was asked. */
	private async overview(): Promise<void> {
		const asked = ++this.asked;
		this.board.dashboard([], new Map(), dashboard);
		this.watch.left.clear();
		this.refused = await refusals(this.link);
		if (asked === this.asked) await this.runParts(dashboard.filter((p) => !this.refused.has(p.agg)));
	}

	private async runParts(parts: Part[]): Promise<void> {
		if (!parts.length) return this.board.dashboard([], this.reasons(), dashboard);
		this.editor.text = this.ours = compose(parts);
		this.trail = [];
		this.fold(true);
		await this.run();
	}

	/** Why panels of the dashboard have no picture. */
	private reasons(): Map<string, { text: string; act?: HTMLElement }> {
		const out = new Map<string, { text: string; act?: HTMLElement }>();
		for (const [agg, r] of this.refused) out.set(agg, { text: `Not on this machine: ${r.why}.${r.change ? ` To change it: ${r.change}.` : ""}` });
		for (const [agg, cost] of this.watch.left) {
			const part = dashboard.find((p) => p.agg === agg)!;
			out.set(agg, { text: `Left out: there are so many events here that the probes took ${(cost * 100).toFixed(1)} % of a CPU. `,
				act: el("button", { type: "button", onclick: () => this.only(part) }, "Count them anyway") });
		}
		return out;
	}

	private only(part: Part): void {
		this.editor.text = this.ours = part.program;
		this.fold(false);
		void this.run();
	}

	links(part: Part): { text: string; title: string; act: () => void }[] {
		return [{ text: "program alone", title: "run this program alone, in the editor", act: () => this.only(part) },
			{ text: `tool ${part.tool}`, title: `start the tool ${part.tool}`, act: () => void this.byName(part.tool) }];
	}

	private async byName(name: string): Promise<void> {
		await this.fetchTools();
		const tool = this.tools.find((t) => t.name === name);
		if (tool) this.choose(tool, true);
	}

	// ---- what the user asked for

	private async toggle(): Promise<void> {
		const m = this.board.model;
		if (m.live && !m.ended && !this.link.loaded) await this.link.post("/stop", "", {}).catch(() => undefined);
		else await this.run();
	}

	private async run(): Promise<void> {
		this.asked++;
		if (this.editor.text !== this.ours) this.trail = [];
		this.steps();
		this.runs.end(this.link.kept);
		if (innerWidth < NARROW) this.fold(true);
		await this.link.post("/run", this.editor.text, {}).catch((e: Error) => {
			this.editor.show({ what: "", msg: e.message, excerpt: "" });
			this.fold(false);
		});
	}

	private pause(): void {
		const b = this.board;
		b.paused = !b.paused;
		if (this.single) {
			this.single.board.paused = b.paused;
			this.single.board.refresh();
		}
		if (b.paused) this.link.hold();
		else {
			this.link.resume();
			b.refresh();
		}
		this.status();
	}

	private save(): void {
		const { recording, control } = this.link.kept, layout = this.board.arranged;
		const said = layout ? `${control}\n${JSON.stringify({ t: "layout", ...layout })}` : control;
		const a = el("a", { download: `dtrace-${new Date().toISOString().replace(/[:.]/g, "-")}.html`,
			href: URL.createObjectURL(pageOf(script, recording, said)) });
		a.click();
		setTimeout(() => URL.revokeObjectURL(a.href), 10000);
	}

	/** The file is untrusted: what is in it is shown as text, and nothing of it is run. */
	private async load(file: File | undefined): Promise<void> {
		// not at the editor, whose own check of the program may end at any time and clear it
		const refuse = (msg: string) => this.take({ t: "notice", msg });
		if (!file) return;
		if (file.size > MAX_LOADED) return refuse("This file is too large for the page: dtrace --play shows it.");
		this.asked++;
		try {
			const bytes = new Uint8Array(await file.arrayBuffer());
			const saved = isRecording(bytes) ? { recording: bytes, control: "" } : savedIn(new TextDecoder().decode(bytes));
			if (!saved) return refuse("This file is neither a recording nor a page that was saved.");
			this.runs.end(this.link.kept);
			this.editor.text = "";
			this.link.load(saved);
		} catch (e) {
			refuse(`This file is damaged: ${(e as Error).message}.`);
		}
		this.board.refresh();
	}

	private theme(): void {
		const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" :
			matchMedia("(prefers-color-scheme: dark)").matches;
		document.documentElement.dataset.theme = dark ? "light" : "dark";
		store("theme", dark ? "light" : "dark");
		this.redraw();
	}

	/** The editor as one line, or beside the panels. */
	private fold(on: boolean, focus = false): void {
		this.work.classList.toggle("folded", on);
		if (!on && focus) {
			if (this.board.model.fail?.line) this.editor.reveal();
			else this.editor.focus();
		}
	}

	private open(title: string, wide: boolean, ...content: (Node | string)[]): void {
		clear(this.panel);
		this.panel.classList.toggle("wide", wide);
		this.panel.append(el("header", {}, el("h2", {}, title), el("button", { type: "button", "aria-label": "close",
			onclick: () => this.panel.close() }, "\u2715")), ...content);
		if (!this.panel.open) this.panel.showModal();
	}

	private async fetchTools(): Promise<void> {
		if (!this.tools.length) this.tools = await this.link.get<Tool[]>("/gallery", []).catch(() => []);
	}

	private async gallery(): Promise<void> {
		this.open("Gallery", true, el("p", { class: "empty", role: "status" }, `Asking which tools ${this.over ? "there are" : "run on this machine"}\u2026`));
		await this.fetchTools();
		const g = new Gallery(this.tools, (t, runs) => this.choose(t, runs));
		if (!this.panel.open) return;
		this.open("Gallery", true, this.tools.length ? g.root : el("p", { class: "empty" }, this.link.offline ?
			"A saved page has no tools: they are the server's." : "The server has no tools: they are in the package dtrace-tools."));
		g.focus();
	}

	private choose(t: Tool, runs: boolean): void {
		this.panel.close();
		this.editor.text = t.text.replace(/^#!.*\n/, "");
		this.fold(false);
		if (runs) void this.run();
	}

	/** Programs that were run, and those that are kept under a name. */
	private programs(): void {
		const show = (program: string) => {
			this.panel.close();
			this.editor.text = program;
			this.fold(false, true);
		};
		this.open("Programs and runs", true, this.runs.show(this.editor.text, show, (r) => this.compare(r), () => this.programs()));
	}

	/** Another run beside this one: A is now, B was before. */
	private compare(run: Run): void {
		this.panel.close();
		this.close();
		const b = this.other = new Board(this, "another run");
		b.root.prepend(el("header", { class: "side" }, el("b", {}, "B"), el("span", {}, new Date(run.at).toTimeString().slice(0, 8)), el("code", {}, gist(run.program)),
			el("button", { type: "button", onclick: () => this.close() }, "Close")));
		this.board.root.prepend(el("header", { class: "side" }, el("b", {}, "A"), el("span", {}, "now"), el("code", {}, gist(this.board.model.program))));
		this.boards.append(b.root);
		this.boards.classList.add("two");
		this.fold(true);
		try {
			play(run.kept!, (m) => b.take(m));
		} catch (e) {
			this.take({ t: "notice", msg: `The other run cannot be shown: ${(e as Error).message}.` });
		}
		b.model.ended = true;
		const found = partsOf(run.program);
		if (found.length) b.dashboard(found, new Map(), found);
		b.refresh();
	}

	private close(): void {
		this.other?.root.remove();
		this.other = null;
		this.board.root.querySelector(":scope > .side")?.remove();
		this.boards.classList.remove("two");
	}

	arranged(board: Board): void {
		if (board === this.board && board.model.program && board.arranged) store(`layout ${hash(board.model.program)}`, JSON.stringify(board.arranged));
	}

	/** Somebody pointed at something: what could be asked next, and the D that it makes. */
	pick(board: Board, p: Pick): void {
		const part = board.parts.find((x) => x.agg === p.agg.name), text = part?.program ?? (board === this.board ? this.editor.text : board.model.program);
		const found = proposals(text, p), code = el("pre", { class: "made", tabIndex: 0, "aria-label": "the program that would run" }, "");
		const what = p.key ? p.key.text || "all" : p.frame ?? "", unit = unitOf(p.agg, board.model.program);
		const values = p.low !== undefined ? range(p.low, p.high ?? null, unit) : "", when = board.time.interval();
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
					this.trail.push(this.editor.text);
					this.editor.text = this.ours = c.program;
					if (!this.link.offline) void this.run();
				} }, c.title));
		if (found.length) show(found[0].program);
		this.open([what, values].filter((x) => x).join(", "), false, ...when ? [el("p", { class: "dim" }, this.share(board, p, when))] : [], found.length ? list :
			el("p", {}, `The program in the editor does not count @${p.agg.name}.`), code);
	}

	/** How much of it was in the interval that is marked. */
	private share(board: Board, p: Pick, when: string): string {
		const part = board.time.brush ?? board.time.window, h = p.key?.history;
		if (!part || !h || p.agg.fn !== "count") return `marked: ${when}`;
		const [from, to] = board.time.within(...part);
		let n = 0;
		for (let i = from; i < to; i++) n += h[i % h.length] * (board.time.ends(i) - board.time.begins(i)) / 1000;
		return `${when}: ${whole(n)} of ${whole(p.key!.value)} in all`;
	}

	/** The way back, step by step. */
	private steps(): void {
		clear(this.back);
		if (!this.trail.length) return;
		this.back.append(el("button", { type: "button", onclick: () => {
			this.editor.text = this.ours = this.trail.pop()!;
			void this.run();
		} }, `\u2190 back (${this.trail.length})`));
	}

	private help(): void {
		const rows = [["Ctrl+Enter", "start the program"], [".", "stop"], ["p", "pause and resume"], ["o", `overview of ${this.over ? "these hosts" : "this machine"}`], ["g", "gallery"],
			["h", "programs and runs"], ["a", "all hosts again, after one alone; arrows go along the row of hosts"], ["s", "save as a page of its own"], ["e", "to the editor; Esc leaves it, Tab indents, F1 explains a word"],
			["f", "fold the editor"], ["t", "dark or light"], ["b", "a step back"],
			["arrows, Enter, Esc", "in a picture: read, choose, leave"], ["Shift and arrows", "mark values or a time; Enter shows only that"],
			["up, down", "in bars: from key to key"]];
		for (const v of [...aggViews, ...traceViews]) for (const [k, what] of v.keys ?? []) rows.push([k, `${v.name}: ${what}`]);
		this.open("Keys", false, el("table", {}, ...rows.map(([k, v]) => el("tr", {}, el("th", {}, k), el("td", {}, v)))));
	}

	private key(e: KeyboardEvent): void {
		const on = e.target as HTMLElement;
		if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
			e.preventDefault();
			void this.run();
			return;
		}
		if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented || on.matches("input, textarea, select") || this.panel.open) return;
		const act: Record<string, () => void> = { p: () => this.pause(), g: () => void this.gallery(), s: () => this.save(), o: () => void this.overview(),
			e: () => this.fold(false, true), f: () => this.fold(!this.work.classList.contains("folded")), h: () => this.programs(),
			t: () => this.theme(), "?": () => this.help(), b: () => this.back.querySelector("button")?.click(),
			a: () => this.alone(null),
			Escape: () => void (this.board.shrink() || this.other?.shrink() || this.single?.board.shrink() || this.alone(null)),
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

function store(name: string, value: string): void {
	try {
		localStorage.setItem(name, value);
	} catch { /* a saved page may have no storage */ }
}

/** What the browser has stored may be of another version. */
function layoutOf(text: string): Layout {
	const none = { order: [], span: {} };
	try {
		const v = JSON.parse(text) as Partial<Layout> | null;
		return { order: Array.isArray(v?.order) ? v.order.filter((n) => typeof n === "string") : [], span: typeof v?.span === "object" && v.span ? v.span : {} };
	} catch {
		return none;
	}
}

new Page();
