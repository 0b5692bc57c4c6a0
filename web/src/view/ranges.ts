// SPDX-License-Identifier: BSD-2-Clause
// percentiles(): a row for each key, with its numbers and a picture of where they lie: a thin line from the least to the
// greatest value, a box from the 50th to the 90th percentile, and a mark at the 99th; all rows have one scale.
import { clear, el, setText, whole } from "../dom";
import type { Agg, Key } from "../model";
import { amount, exact, unitOf } from "../units";
import { register, type Stage, type View } from "../view";

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
		this.root = el("div", { class: "ranges" }, el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {},
			el("th", {}, "key"), ...COLUMNS.map((c) => el("th", {}, c)), el("th", {}, "min \u2500 p50 \u25ac p90 \u2500 p99 \u2503 max"))),
			this.body)), this.note);
	}

	update(): void {
		const keys = this.agg.keys.filter((k) => k && k.alive && k.stats).sort((a, b) => b.value - a.value);
		const unit = unitOf(this.agg, this.stage.model.program);
		let low = Infinity, high = -Infinity;
		for (const k of keys.slice(0, SHOWN)) {
			low = Math.min(low, k.stats!.min);
			high = Math.max(high, k.stats!.max);
		}
		// wide ranges have a scale of powers, if there is nothing below 1
		const wide = low >= 1 && high / low > 20, at = (v: number) => wide ? Math.log(v) : v;
		const place = (v: number) => high > low ? (at(v) - at(low)) / (at(high) - at(low)) * 100 : 50;
		clear(this.body);
		for (const k of keys.slice(0, SHOWN)) this.body.append(this.row(k, place));
		setText(this.note, keys.length ? `from ${amount(low, unit)} to ${amount(high, unit)}${wide ? ", on a scale of powers" : ""}` +
			(keys.length > SHOWN ? `; ${whole(keys.length - SHOWN)} keys more are among the bars` : "") : "");
	}

	private row(k: Key, place: (v: number) => number): HTMLElement {
		const unit = unitOf(this.agg, this.stage.model.program);
		const s = k.stats!, part = (name: string, from: number, to: number) => {
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
