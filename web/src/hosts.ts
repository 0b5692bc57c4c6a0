// SPDX-License-Identifier: BSD-2-Clause
// The row of hosts of a trace over several machines: what became of each, and a button for the numbers of one host alone.
// Names and reasons come from the hosts: they are set as text.
import { clear, el, setText, short } from "./dom";
import type { HostState } from "./message";
import type { Model } from "./model";
import { amount } from "./units";

/** Each state has a sign of its own shape, so that colour is not needed. */
const SIGNS: Record<string, string> = { live: "\u25cf", ended: "\u25a0", waiting: "\u25cb", late: "\u25d0", lost: "\u2715",
	refused: "\u2298", failed: "\u25b2", missing: "?" };
const OUT = ["lost", "refused", "failed", "missing"];

export const isOut = (h: HostState) => OUT.includes(h.state);

/** How many hosts answer, of how many: a name without an answer is a host that is missing. */
export function answering(m: Model): { n: number; of: number; text: string } {
	const all = [...m.hosts.values()], n = all.filter((h) => h.state === "live" || h.state === "ended").length;
	return { n, of: all.length, text: `${n} of ${all.length} host${all.length === 1 ? "" : "s"}` };
}

/** One line for all hosts that are out, came back or are late for the same reason. */
export function reasons(m: Model): string[] {
	const lines = new Map<string, string[]>();
	const say = (name: string, text: string) => lines.set(text, [...lines.get(text) ?? [], name]);
	for (const h of sorted(m)) {
		if (isOut(h) || h.state === "late") say(h.name, `${h.state}${h.why ? `: ${h.why}` : ""}`);
		if (h.restarts > 0) say(h.name, `came back ${h.restarts === 1 ? "once" : `${h.restarts} times`}: its own numbers are those since then`);
	}
	return [...lines].map(([text, names]) => `${names.join(", ")}: ${text}`);
}

/** Why a host has no numbers of its own; "": it has. */
export function notAlone(h: HostState, offline: boolean): string {
	return offline ? "A saved page has the numbers of all hosts together." : h.own ? "" :
		h.via ? `${h.name} is behind the relay ${h.via}, which sends the sum of its hosts: make hostname a key to tell them apart.` :
		isOut(h) ? `${h.name} has sent nothing: ${h.why || h.state}.` : h.state === "waiting" ? `${h.name} has not begun yet.` :
		"Numbers of single hosts are kept for the first 256: ask for fewer hosts, or make hostname a key.";
}

function sorted(m: Model): HostState[] {
	return [...m.hosts.values()].sort((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : a.i - b.i);
}

const clock = (h: HostState) => h.i < 0 || h.state === "waiting" || (h.offset === 0 && h.bound === 0) ? "" :
	`${h.offset < 0 ? "\u2212" : "+"}${amount(Math.abs(h.offset), { kind: "time", scale: 1 })}`;

function details(h: HostState, drops: number): string {
	return [`${h.name}: ${h.state}`, h.why, clock(h) && `its clock is ${clock(h)} from that of this server (\u00b1 ${amount(h.bound, { kind: "time", scale: 1 })})`,
		h.via && `behind the relay ${h.via}`, h.restarts && `came back ${h.restarts} times`, h.again && `${h.again} times asked for lost messages, which came`,
		h.doubled && `${h.doubled} messages came twice`, drops && `${drops} drops`].filter((x) => x).join("\n");
}

export class Hosts {
	readonly root = el("section", { class: "hosts", "aria-label": "hosts", hidden: true });
	private row = el("div", { class: "hostrow", role: "toolbar", "aria-label": "all hosts, or one alone" });
	private out = el("ul", { class: "out", role: "status" });
	private said = el("p", { class: "note-host", role: "status", hidden: true });
	private all: HTMLButtonElement;
	private buttons = new Map<number, HTMLButtonElement>();
	private order = "";

	/** `choose` is called with the number of a host, or null for all. */
	constructor(private choose: (i: number | null) => void) {
		this.all = this.button(null);
		this.row.addEventListener("keydown", (e) => this.key(e));
		this.root.append(this.row, this.said, this.out);
	}

	/** Why a click has done nothing; "": nothing more. */
	say(text: string): void {
		setText(this.said, text);
		this.said.hidden = text === "";
	}

	private button(i: number | null): HTMLButtonElement {
		return el("button", { type: "button", class: "host", tabIndex: -1, onclick: () => this.choose(i) },
			el("span", { class: "mark", "aria-hidden": "true" }), el("b", { class: "key" }), el("span", { class: "state-word" }), el("span", { class: "dim" }));
	}

	private fill(b: HTMLButtonElement, mark: string, name: string, word: string, more: string): void {
		[mark, name, word, more].forEach((text, i) => setText(b.children[i], text));
	}

	show(m: Model, chosen: number | null): void {
		this.root.hidden = m.hosts.size === 0;
		const list = sorted(m), order = list.map((h) => h.i).join(" "), of = answering(m);
		this.fill(this.all, of.n < of.of ? "\u26a0" : "\u25cf", "All hosts", of.text, "");
		this.all.classList.toggle("some", of.n < of.of);
		this.all.setAttribute("aria-pressed", String(chosen === null));
		for (const h of list) this.one(m, h, chosen);
		if (order !== this.order) {
			this.order = order;
			const focus = document.activeElement;
			this.row.replaceChildren(this.all, ...list.map((h) => this.buttons.get(h.i)!));
			if (focus instanceof HTMLElement && this.row.contains(focus)) focus.focus();
		}
		if (![...this.row.children].some((b) => (b as HTMLElement).tabIndex === 0)) this.all.tabIndex = 0;
		this.why(reasons(m));
	}

	private one(m: Model, h: HostState, chosen: number | null): void {
		let b = this.buttons.get(h.i);
		if (!b) this.buttons.set(h.i, b = this.button(h.i));
		const drops = m.hostDrops.get(h.name) ?? 0, lost = [drops && `${short(drops)} drops`, h.again && `${short(h.again)} sent again`].filter((x) => x);
		this.fill(b, SIGNS[h.state] ?? "?", h.name, h.state, [clock(h), ...lost].filter((x) => x).join(" \u00b7 "));
		b.dataset.host = h.name;
		b.dataset.state = h.state;
		b.setAttribute("aria-pressed", String(chosen === h.i));
		const title = details(h, drops);
		if (b.title !== title) b.title = title;
	}

	private why(lines: string[]): void {
		if (this.out.dataset.text === lines.join("\n")) return;
		this.out.dataset.text = lines.join("\n");
		clear(this.out);
		this.out.append(...lines.map((l) => el("li", { class: "what" }, l)));
	}

	/** One of the buttons is reached by Tab, the others from there by the arrows. */
	private key(e: KeyboardEvent): void {
		const all = [...this.row.children] as HTMLElement[], at = all.indexOf(document.activeElement as HTMLElement);
		const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[e.key];
		if (at < 0 || to === undefined || !all[to]) return;
		e.preventDefault();
		for (const b of all) b.tabIndex = -1;
		all[to].tabIndex = 0;
		all[to].focus();
	}
}
