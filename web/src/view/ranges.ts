// SPDX-License-Identifier: BSD-2-Clause
// percentiles(): a row for each key, with its numbers and a picture of where they lie: a thin line from the least to the
// greatest value, a box from the 50th to the 90th percentile, and a mark at the 99th; all rows have one scale. Of a part of
// the time it shows how many values came then, and the numbers as they stood at its end: they are of all values until then.
import { clear, el, setText, whole } from "../dom";
import { slot } from "../grid";
import type { Statistics } from "../message";
import type { Agg, Key } from "../model";
import { amount, exact, unitOf } from "../units";
import { register, timeOf, type Stage, type View } from "../view";

const css = `
.ranges table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: 13px; }
.ranges th, .ranges td { padding: 2px 8px 2px 0; text-align: right; font-family: inherit; white-space: nowrap; }
.ranges th:first-child { text-align: left; }
.ranges thead th { color: var(--dim); font-weight: 400; }
.ranges th button { border: 0; background: none; padding: 2px 4px; font-weight: 600; max-width: 220px; overflow: hidden; text-overflow: ellipsis; }
.ranges .range { width: 40%; min-width: 130px; padding: 0 4px; }
.range div { position: relative; height: 18px; }
.range i { position: absolute; box-sizing: content-box; }
.whisker { top: 8px; height: 2px; background: var(--dim); min-width: 2px; }
.box { top: 3px; height: 10px; background: var(--bar); border: 1px solid var(--accent); min-width: 1px; }
.tick { top: 1px; height: 16px; border-left: 3px solid var(--fg); }
`;

const SHOWN = 50;
const COLUMNS = ["count", "avg", "min", "p50", "p90", "p99", "p99.9", "max"];

export class Ranges implements View {
	readonly root: HTMLElement;
	private body = el("tbody");
	private note = el("div", { class: "note" });

	constructor(private stage: Stage, private agg: Agg) {
		timeOf(stage).listen((data) => data && this.update());
		this.root = el("div", { class: "ranges" }, el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {},
			el("th", {}, "key"), ...COLUMNS.map((c) => el("th", {}, c)), el("th", {}, "min \u2500 p50 \u25ac p90 \u2500 p99 \u2503 max"))),
			this.body)), this.note);
	}

	/** What is shown of a key; null: nothing came in the part of the time that is marked or shown. */
	private of(k: Key): Statistics | null {
		const time = timeOf(this.stage), part = time.brush ?? time.window;
		if (!part) return k.stats;
		const [from, to] = time.within(...part), end = this.before(k, to), start = this.before(k, from);
		if (!end) return null;
		// fewer than before: the program has cleared it in between
		const came = (end.count ?? 0) - (start && start.count <= end.count ? start.count : 0);
		return came > 0 ? { ...end, count: came } : null;
	}

	/** The numbers as they stood before a moment began. */
	private before(k: Key, moment: number): Statistics | undefined {
		for (let i = moment - 1; i >= this.stage.model.firstMoment; i--) {
			const s = slot(k.seen ?? [], i);
			if (s) return s;
		}
		return undefined;
	}

	update(): void {
		const time = timeOf(this.stage), part = time.brush ?? time.window;
		const rows = this.agg.keys.filter((k) => k && k.stats && (part || k.alive)).map((key) => ({ key, s: this.of(key)! }))
			.filter((r) => r.s).sort((a, b) => b.s.count - a.s.count);
		const unit = unitOf(this.agg, this.stage.model.program);
		let low = Infinity, high = -Infinity;
		for (const { s } of rows.slice(0, SHOWN)) {
			low = Math.min(low, s.min);
			high = Math.max(high, s.max);
		}
		// wide ranges have a scale of powers, if there is nothing below 1
		const wide = low >= 1 && high / low > 20, at = (v: number) => wide ? Math.log(v) : v;
		const place = (v: number) => high > low ? (at(v) - at(low)) / (at(high) - at(low)) * 100 : 50;
		clear(this.body);
		for (const r of rows.slice(0, SHOWN)) this.body.append(this.row(r.key, r.s, place));
		const past = part ? `; counts are of the ${time.brush ? "marked" : "shown"} part of the time, the other numbers of all values until its end` : "";
		setText(this.note, rows.length ? `from ${amount(low, unit)} to ${amount(high, unit)}${wide ? ", on a scale of powers" : ""}` +
			(rows.length > SHOWN ? `; ${whole(rows.length - SHOWN)} keys more are among the bars` : "") + past :
			part ? "Nothing was counted in this part of the time." : "");
	}

	private row(k: Key, s: Statistics, place: (v: number) => number): HTMLElement {
		const unit = unitOf(this.agg, this.stage.model.program);
		const part = (name: string, from: number, to: number) => {
			const e = el("i", { class: name });
			e.style.left = `${place(from)}%`;
			e.style.width = `${Math.max(0, place(to) - place(from))}%`;
			return e;
		};
		return el("tr", {}, el("th", {}, el("button", { type: "button", onclick: () =>
			this.stage.pick?.({ agg: this.agg, key: k }) }, k.text || "(all)")),
			...COLUMNS.map((c) => el("td", { title: c === "count" ? whole(s[c] ?? 0) : exact(s[c] ?? 0, unit), "data-value": s[c] ?? 0 },
				c === "count" ? whole(s[c] ?? 0) : amount(s[c] ?? 0, unit))),
			el("td", { class: "range" }, el("div", { "aria-hidden": "true" }, part("whisker", s.min, s.max),
				part("box", s.p50, s.p90), part("tick", s.p99, s.p99))));
	}
}

register({ name: "ranges", order: 10, css, fits: (agg) => agg.fn === "percentiles",
	make: (stage, agg) => new Ranges(stage, agg) });
