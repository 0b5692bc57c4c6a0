// SPDX-License-Identifier: BSD-2-Clause
// The panels of one trace in a grid: messages in, a panel for each aggregation and each view of the whole trace. Its
// time is shared by all of them. Where panels stand is kept for the program, and in a saved page.
import { Card, SPANS, type Head, type Holder } from "./card";
import type { Part } from "./dashboard";
import { clear, el, setText, soon } from "./dom";
import { Exemplars } from "./exemplars";
import type { Message } from "./message";
import { hasStack, Model, type Agg } from "./model";
import { Timeline } from "./timeline";
import { unitName, unitOf } from "./units";
import { aggViews, traceViews, type Examples, type Pick, type Stage } from "./view";

const DRAWN = new Set<Message["t"]>(["reset", "start", "snap", "recs", "fail", "layout"]);

export interface Layout { order: string[]; span: Record<string, number> }

export interface Host {
	pick(board: Board, p: Pick): void;
	/** What stands in the head of a panel of the dashboard beside its question. */
	links(part: Part): Head["links"];
	arranged(board: Board): void;
}

export class Board implements Stage, Holder {
	model = new Model();
	time = new Timeline(this.model, true);
	recent = false;
	paused = false;
	parts: Part[] = [];		// of the dashboard; none: another program
	readonly root: HTMLElement;
	readonly empty = el("div", { class: "empty", role: "status" });
	private grid = el("div", { class: "panels" });
	private cards = new Map<string, Card>();
	private layout: Layout = { order: [], span: {} };
	private range: HTMLElement;
	private rangeText = el("b");
	private whose = "";		// of how many hosts it is

	constructor(private host: Host, label: string) {
		this.range = el("div", { class: "range", hidden: true, role: "status" }, "marked ", this.rangeText,
			el("button", { type: "button", onclick: () => this.time.zoom() }, "show only this"),
			el("button", { type: "button", onclick: () => this.time.clear() }, "all again"));
		this.root = el("main", { "aria-label": label }, this.range, this.grid);
		this.begin();
		new ResizeObserver(() => this.redraw()).observe(this.root);
	}

	take(m: Message): void {
		if (m.t === "reset") this.begin();
		if (m.t === "layout") this.layout = { order: m.order, span: m.span };
		this.model.take(m);
		if (DRAWN.has(m.t)) soon(this.refresh);
	}

	private begin(): void {
		this.model = new Model();
		this.time = new Timeline(this.model, true);
		this.time.listen((data) => data && this.marked());
		this.paused = this.recent = false;
		this.parts = [];
		this.layout = { order: [], span: {} };
		for (const c of this.cards.values()) c.enlarge(false);
		this.cards.clear();
		this.grid.classList.remove("compact");
		clear(this.grid);
		this.grid.append(this.empty);
		this.marked();
	}

	/** The panels of a dashboard are there before they have data. */
	dashboard(parts: Part[], refused: Map<string, { text: string; act?: HTMLElement }>, all: Part[]): void {
		this.parts = parts;
		this.recent = true;
		this.grid.classList.add("compact");
		this.empty.remove();
		for (const p of all) {
			const card = this.cards.get(`@${p.agg}`) ?? this.part(p), no = refused.get(p.agg);
			if (no) card.say(no.text, true, ...(no.act ? [no.act] : []));
			else if (!card.root.querySelector(".body *")) card.say(!parts.length ? "Asking\u2026" :
				parts.includes(p) ? "Nothing was counted yet." : "Left out of this overview.");
		}
	}

	private part(p: Part): Card {
		const card = new Card(`@${p.agg}`, { title: p.title, sub: p.sub, links: this.host.links(p) }, this, p.span);
		this.place(card);
		return card;
	}

	refresh = (): void => {
		for (const agg of this.model.aggs.values()) if (agg.keys.some((k) => k)) this.card(agg);
		for (const v of traceViews)
			if (!this.cards.has(v.name) && v.fitsTrace(this.model))
				this.place(new Card(v.name, { title: v.name, sub: "" }, this, 12).add(v.name, v.makeForTrace(this)));
		if (!this.paused) for (const c of this.cards.values()) c.update();
	};

	/** Of how many hosts the panels are; "": of this machine. */
	hosts(text: string): void {
		if (text === this.whose) return;
		this.whose = text;
		for (const c of this.cards.values()) c.hosts(text);
	}

	redraw(): void {
		for (const c of this.cards.values()) c.update();
	}

	private card(agg: Agg): void {
		const part = this.parts.find((p) => p.agg === agg.name), name = part ? `@${agg.name}` : `agg ${agg.id}`, known = this.cards.get(name);
		if (known && known.of === agg) return;
		const unit = unitName(unitOf(agg, this.model.program));
		const card = known ?? new Card(name, { title: agg.name === "_" ? "@" : `@${agg.name}`, sub: unit ? `${agg.fn} \u00b7 ${unit}` : agg.fn }, this,
			hasStack(agg) || agg.fn === "percentiles" ? 12 : 6);
		card.of = agg;
		card.say("");
		for (const v of aggViews) if (v.fits(agg)) card.add(v.name, v.make(this, agg));
		if (!known) this.place(card);
		card.update();
	}

	examples(): Examples {
		return new Exemplars(this);
	}

	pick(p: Pick): void {
		this.host.pick(this, p);
	}

	// ---- where panels stand

	private place(card: Card): void {
		this.cards.set(card.name, card);
		card.hosts(this.whose);
		this.empty.remove();
		this.grid.append(card.root);
		this.arrange();
		card.update();
	}

	/** One panel alone has all the width; others have what they were given. */
	private arrange(): void {
		const own = [...this.cards.values()], { order, span } = this.layout;
		for (const c of own) {
			const given = span[c.name];
			if (given && SPANS.includes(given)) c.span = given;
			const at = order.indexOf(c.name);
			c.root.style.order = String(at < 0 ? order.length : at);
		}
		const single = own.length === 1 || own.filter((c) => c.span < 12).length === 1;
		this.grid.classList.toggle("single", single && !Object.keys(span).length);
	}

	private get names(): string[] {
		const known = this.layout.order.filter((n) => this.cards.has(n));
		return [...known, ...[...this.cards.keys()].filter((n) => !known.includes(n))];
	}

	move(card: Card, by: number): void {
		const names = this.names, at = names.indexOf(card.name), to = Math.min(names.length - 1, Math.max(0, at + by));
		names.splice(to, 0, ...names.splice(at, 1));
		this.layout.order = names;
	}

	drop(card: Card, before: Card): void {
		if (this.cards.get(card.name) !== card) return;	// of another trace
		const names = this.names.filter((n) => n !== card.name);
		names.splice(names.indexOf(before.name), 0, card.name);
		this.layout.order = names;
	}

	changed(): void {
		this.layout.span = Object.fromEntries([...this.cards.values()].map((c) => [c.name, c.span]));
		this.arrange();
		this.redraw();
		this.host.arranged(this);
	}

	/** As it was arranged before. */
	set arranged(l: Layout) {
		this.layout = l;
		this.arrange();
	}

	get arranged(): Layout | null {
		return this.layout.order.length || Object.keys(this.layout.span).length ? this.layout : null;
	}

	/** False: none was enlarged. */
	shrink(): boolean {
		const big = [...this.cards.values()].find((c) => c.root.classList.contains("full"));
		big?.enlarge(false);
		return big !== undefined;
	}

	// ---- time

	private marked(): void {
		const text = this.time.interval();
		this.range.hidden = text === "";
		setText(this.rangeText, text);
		this.range.firstChild!.nodeValue = this.time.brush ? "marked " : "shown ";
		this.range.querySelector("button")!.hidden = !this.time.brush;
	}
}
