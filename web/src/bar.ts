// SPDX-License-Identifier: BSD-2-Clause
// The bar at the top: what can be done, and the figures of the trace: drops, errors, what it costs.
import { clock, el, percent, setText, short, whole } from "./dom";
import type { Model } from "./model";

interface Acts { run(): void; pause(): void; overview(): void; gallery(): void; programs(): void; save(): void; load(f: File | undefined): void;
	theme(): void; help(): void }

export class Bar {
	readonly root: HTMLElement;
	private runButton: HTMLButtonElement;
	private pauseButton: HTMLButtonElement;
	private figures = el("div", { class: "figures", role: "status" });
	private chips: HTMLElement[] = [];

	constructor(offline: boolean, act: Acts) {
		const button = (text: string, key: string, f: () => void, label = "") =>
			el("button", { type: "button", title: key ? `key ${key}` : "", onclick: f, ...label ? { "aria-label": label } : {} }, text);
		this.runButton = button("\u25b6 Start", "Ctrl+Enter", () => act.run());
		this.runButton.classList.add("primary");
		this.pauseButton = button("Pause", "p", () => act.pause());
		const file = el("input", { type: "file", hidden: true, "aria-label": "saved page or recording", onchange: () => {
			act.load(file.files?.[0]);
			file.value = "";
		} });
		const live = [this.runButton, this.pauseButton, button("Overview", "o", () => act.overview()), button("Gallery", "g", () => act.gallery())];
		this.root = el("header", { class: "top" }, el("h1", {}, "DTrace"), el("div", { class: "buttons" }, ...offline ? [] : live,
			button("Programs", "h", () => act.programs()), button("Save", "s", () => act.save()), button("Load", "", () => file.click()),
			button("\u25d0", "t", () => act.theme(), "dark or light"), button("?", "?", () => act.help(), "keys")), this.figures, file);
	}

	/** Figures stay the elements they are: what has not changed is not touched. */
	private chip(at: number, label: string, text: string, bad = false, title = ""): void {
		const c = this.chips[at] ??= this.figures.appendChild(el("span", { class: "chip" }, "", el("b")));
		const name = bad ? "chip bad" : "chip", head = `${bad ? "\u26a0 " : ""}${label} `;
		if (c.className !== name) c.className = name;
		if (c.title !== title) c.title = title;
		if (c.firstChild!.nodeValue !== head) c.firstChild!.nodeValue = head;
		setText(c.lastElementChild!, text);
	}

	show(m: Model, is: { connected: boolean; offline: boolean; paused: boolean }): void {
		const c = m.cost, running = m.live && !m.ended && !m.fail, state = is.offline ? "saved" : !is.connected ?
			"no server" : m.fail ? "failed" : is.paused ? "paused" : m.ended ? "ended" : m.live ? "live" : m.program ? "starting" : "idle";
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
		setText(this.pauseButton, is.paused ? "Resume" : "Pause");
		this.pauseButton.disabled = !running && !is.paused;
	}
}
