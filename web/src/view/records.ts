// SPDX-License-Identifier: BSD-2-Clause
// Records as they come: what the program traced or printed, filtered. Only the rows on the screen exist.
import { el, setText, soon, whole } from "../dom";
import type { Rec } from "../message";
import { register, type Stage, type View } from "../view";

const css = `
.records { font: 12px/22px ui-monospace, monospace; border: 1px solid var(--edge); border-radius: 6px; background: var(--code); }
.rec { position: absolute; left: 0; top: 0; height: 22px; white-space: pre; display: flex; gap: 12px; padding: 0 8px; min-width: 100%; }
.rec .where { color: var(--c6); min-width: 110px; max-width: 220px; overflow: hidden; text-overflow: ellipsis; }
.rec .when { color: var(--dim); min-width: 62px; text-align: right; }
@media (max-width: 820px) {
	.rec .where { display: none; }
}
`;

const ROW = 22, SHOWN = 14;

export class Records implements View {
	readonly root: HTMLElement;
	private list: HTMLElement;
	private scroll: HTMLElement;
	private filter: HTMLInputElement;
	private count: HTMLElement;
	private rows: HTMLElement[] = [];
	private lines: { rec: Rec; text: string }[] = [];
	private done = 0;
	private wanted: RegExp | null = null;
	private follow = true;		// shows the newest

	constructor(private stage: Stage) {
		this.list = el("div", { class: "rows" });
		this.scroll = el("div", { class: "scroll records", tabIndex: 0, role: "log", "aria-label": "records",
			onscroll: () => this.scrolled() }, this.list);
		this.filter = el("input", { type: "search", placeholder: "filter records (a pattern)",
			"aria-label": "filter records", oninput: () => this.refilter() });
		this.count = el("span", { class: "dim" });
		this.root = el("div", {}, el("div", { class: "tools" }, this.filter, this.count), this.scroll);
	}

	private scrolled(): void {
		const s = this.scroll;
		this.follow = s.scrollHeight - s.scrollTop - s.clientHeight < ROW * 2;
		soon(this.fill);
	}

	private refilter(): void {
		try {
			this.wanted = this.filter.value ? new RegExp(this.filter.value, "i") : null;
			this.filter.setCustomValidity("");
		} catch {
			this.filter.setCustomValidity("This is no pattern.");
			return;
		}
		this.lines = [];
		this.done = 0;
		this.update();
	}

	/** A record that prints several lines is several rows. */
	private add(rec: Rec): void {
		const text = rec.text.trimEnd() !== "" ? rec.text.replace(/^\n+|\n+$/g, "") :
			rec.values.map((v) => this.stage.model.partText(v)).join(" ");
		for (const line of (text || rec.probe).split("\n"))
			if (!this.wanted || this.wanted.test(line) || this.wanted.test(rec.probe)) this.lines.push({ rec, text: line });
	}

	update(): void {
		const m = this.stage.model, fresh = Math.min(m.recs.length, m.recsTotal - this.done);
		for (let i = m.recs.length - fresh; i < m.recs.length; i++) this.add(m.recs[i]);
		this.done = m.recsTotal;
		if (this.lines.length > 40000) this.lines.splice(0, this.lines.length - 30000);
		setText(this.count, `${whole(this.lines.length)} lines of ${whole(m.recsTotal)} records` +
			(m.recsLost ? `; ${whole(m.recsLost)} came too fast to be shown` : ""));
		this.list.style.height = `${this.lines.length * ROW}px`;
		this.scroll.style.height = `${Math.min(Math.max(this.lines.length, 3), SHOWN) * ROW + 4}px`;
		if (this.follow) this.scroll.scrollTop = this.scroll.scrollHeight;
		soon(this.fill);
	}

	private fill = (): void => {
		const first = Math.max(0, Math.floor(this.scroll.scrollTop / ROW) - 2);
		const n = Math.min(this.lines.length - first, Math.ceil(this.scroll.clientHeight / ROW) + 4);
		while (this.rows.length < n) {
			const row = el("div", { class: "rec" }, el("span", { class: "when" }),
				el("span", { class: "where" }), el("span", { class: "what" }));
			this.rows.push(row);
			this.list.append(row);
		}
		this.rows.forEach((row, i) => {
			const line = i < n ? this.lines[first + i] : undefined;
			row.hidden = !line;
			if (!line) return;
			row.style.transform = `translateY(${(first + i) * ROW}px)`;
			setText(row.children[0], (line.rec.ms / 1000).toFixed(3));
			setText(row.children[1], line.rec.probe.split(":").slice(2).join(":").replace(/^:/, ""));
			setText(row.children[2], line.text);
			row.title = `${line.rec.probe} on CPU ${line.rec.cpu}`;
		});
	};
}

register({ name: "records", order: 10, css, fitsTrace: (model) => model.recs.length > 0,
	makeForTrace: (stage) => new Records(stage) });
