// SPDX-License-Identifier: BSD-2-Clause
// A panel: a head with its name and tabs, and the view of the chosen tab. It can be moved, made wider and enlarged to
// the whole window; where there is room, a second view stands beside the first.
import { clear, el, setText } from "./dom";
import type { View } from "./view";

const BESIDE = 980;			// pixels that two views need
export const SPANS = [4, 6, 8, 12];	// of 12 columns

export interface Head { title: string; sub: string; links?: { text: string; title: string; act: () => void }[] }

/** What a panel asks of the board that holds it. */
export interface Holder {
	move(card: Card, by: number): void;
	drop(card: Card, before: Card): void;
	changed(): void;
}

export class Card {
	readonly root: HTMLElement;
	private views: { name: string; view: View }[] = [];
	private body = el("div", { class: "body" });
	private tabs = el("div", { class: "tabs", role: "group", "aria-label": "views" });
	private sub = el("span", { class: "dim sub" });
	private from = el("span", { class: "dim from" });
	private big: HTMLButtonElement;
	private waits = el("p", { class: "state", hidden: true });
	of: unknown = null;		// the aggregation that it shows
	private shown = 0;
	private beside = false;
	private seen = true;
	private late = false;

	constructor(readonly name: string, head: Head, private holder: Holder, span: number) {
		this.big = el("button", { type: "button", class: "icon", title: "enlarge", "aria-label": "enlarge", "aria-pressed": "false",
			onclick: () => this.enlarge() }, "\u2922");
		const links = (head.links ?? []).map((l) => el("button", { type: "button", class: "link", title: l.title, onclick: l.act }, l.text));
		const title = el("header", { draggable: true }, el("h2", {}, head.title), this.sub, this.from,
			el("div", { class: "right" }, this.tabs, this.big, this.menu()));
		setText(this.sub, head.sub);
		this.root = el("section", { class: "card", "aria-label": head.title }, title, this.waits, this.body,
			links.length ? el("footer", {}, "Click a row to look closer, or run its ", ...links) : "");
		this.span = span;
		this.drags(title);
		new IntersectionObserver((entries) => {
			this.seen = entries[entries.length - 1].isIntersecting;
			if (this.seen && this.late) this.update();
			if (this.seen) this.late = false;
		}, { rootMargin: "200px" }).observe(this.root);
		new ResizeObserver(() => this.arrange()).observe(this.root);
	}

	get span(): number {
		return Number(this.root.dataset.span);
	}

	set span(n: number) {
		this.root.dataset.span = String(n);
	}

	// ---- where it stands

	private menu(): HTMLElement {
		const act = (text: string, f: () => void) => el("button", { type: "button", onclick: () => {
			box.open = false;
			f();
			this.holder.changed();
		} }, text);
		const size = (by: number) => this.span = SPANS[Math.min(SPANS.length - 1, Math.max(0, SPANS.indexOf(this.span) + by))];
		const box = el("details", { class: "menu" }, el("summary", { title: "arrange", "aria-label": "arrange this panel" }, "\u22ef"), el("div", {},
			act("Wider", () => size(1)), act("Narrower", () => size(-1)),
			act("Move forward", () => this.holder.move(this, -1)), act("Move back", () => this.holder.move(this, 1))));
		box.addEventListener("focusout", (e) => !box.contains(e.relatedTarget as Node) && (box.open = false));
		return box;
	}

	/** By the mouse, from its head to another panel. */
	private drags(head: HTMLElement): void {
		head.addEventListener("dragstart", (e) => {
			e.dataTransfer?.setData("text/x-panel", this.name);
			Card.dragged = this;
		});
		head.addEventListener("dragend", () => Card.dragged = null);
		this.root.addEventListener("dragover", (e) => Card.dragged && Card.dragged !== this && e.preventDefault());
		this.root.addEventListener("drop", (e) => {
			if (!Card.dragged || Card.dragged === this) return;
			e.preventDefault();
			e.stopPropagation();
			this.holder.drop(Card.dragged, this);
			this.holder.changed();
		});
	}

	private static dragged: Card | null = null;

	enlarge(on = !this.root.classList.contains("full")): void {
		this.root.classList.toggle("full", on);
		document.body.classList.toggle("enlarged", on);
		this.big.setAttribute("aria-pressed", String(on));
		this.update();
	}

	// ---- what it shows

	add(name: string, view: View): this {
		const at = this.views.length;
		this.views.push({ name, view });
		this.tabs.append(el("button", { type: "button", onclick: () => this.show(at) }, name));
		if (at === 0) this.show(0);
		this.tabs.hidden = this.views.length < 2;
		return this;
	}

	/** Why there is no picture, or not yet; "": there is one. */
	say(text: string, bad = false, ...more: HTMLElement[]): void {
		clear(this.waits);
		this.waits.append(text, ...more);
		this.waits.hidden = text === "";
		this.waits.classList.toggle("bad", bad);
	}

	/** Of how many hosts it is; "": of this machine. */
	hosts(text: string): void {
		setText(this.from, text);
	}

	show(at: number): void {
		this.shown = at;
		this.beside = false;
		this.place();
		this.arrange();
	}

	private get companion(): View | null {
		return this.views[this.shown]?.name === "bars" ? this.views.find((v) => v.name === "lines")?.view ?? null : null;
	}

	private place(): void {
		clear(this.body);
		const own = this.views[this.shown]?.view, other = this.beside ? this.companion : null;
		if (own) this.body.append(own.root);
		if (other) this.body.append(other.root);
		this.body.classList.toggle("beside", other !== null);
		[...this.tabs.children].forEach((b, i) => b.setAttribute("aria-pressed", String(i === this.shown)));
		this.update();
	}

	private arrange(): void {
		const room = this.root.clientWidth >= BESIDE && this.companion !== null;
		if (room === this.beside) return;
		this.beside = room;
		this.place();
	}

	/** A panel that is not on the screen is drawn when it comes there. */
	update(): void {
		if (!this.seen) this.late = true;
		else {
			this.views[this.shown]?.view.update();
			if (this.beside) this.companion?.update();
		}
	}
}
