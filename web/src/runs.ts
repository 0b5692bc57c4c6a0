// SPDX-License-Identifier: BSD-2-Clause
// Programs that were run, and those that the user keeps under a name. The data of the newest runs stay in memory, so
// that two runs can be compared.
import { clauses } from "./dlang";
import { el } from "./dom";
import { moment } from "./axis";

const RUNS = 40;
const BYTES = 96 << 20;			// of recordings of runs that are over
const STORE = "programs";

export interface Run {
	at: number;			// ms since 1970
	program: string;
	kept: { recording: Uint8Array[]; control: string } | null;
}
interface Kept { name: string; program: string }

/** The first probe of a program, which says more than a comment about its licence. */
export function gist(program: string): string {
	const all = clauses(program), c = all.find((x) => x.uses.length) ?? all[0];
	return c ? `${c.probes.replace(/\s+/g, " ")}${c.uses[0] ? ` \u2026 @${c.uses[0].name} = ${c.uses[0].fn}()` : ""}` : program.trim().split("\n")[0] ?? "";
}

export class Runs {
	private list: Run[] = [];

	/** A run begins. */
	begin(program: string): void {
		if (program.trim() === "") return;
		this.list.unshift({ at: Date.now(), program, kept: null });
		this.list.length = Math.min(this.list.length, RUNS);
	}

	/** What the newest run has recorded so far: it is kept for as long as there is room. */
	end(kept: { recording: Uint8Array[]; control: string }): void {
		const run = this.list[0];
		if (!run || !kept.recording.length) return;
		run.kept = kept;
		let bytes = 0;
		for (const r of this.list) {
			bytes += r.kept?.recording.reduce((n, p) => n + p.length, 0) ?? 0;
			if (bytes > BYTES) r.kept = null;
		}
	}

	get kept(): Kept[] {
		try {
			const v: unknown = JSON.parse(localStorage.getItem(STORE) ?? "[]");
			return Array.isArray(v) ? v.filter((k): k is Kept => typeof k?.name === "string" && typeof k?.program === "string") : [];
		} catch {
			return [];
		}
	}

	private store(all: Kept[]): void {
		try {
			localStorage.setItem(STORE, JSON.stringify(all));
		} catch { /* a saved page may have no storage */ }
	}

	/** What the dialog shows. `open` takes a program, `compare` a run, `again` draws the dialog anew. */
	show(program: string, open: (program: string) => void, compare: (run: Run) => void, again: () => void): HTMLElement {
		const name = el("input", { placeholder: "a name", "aria-label": "name of this program" });
		const keep = () => {
			if (name.value.trim() === "") return name.focus();
			this.store([...this.kept.filter((k) => k.name !== name.value.trim()), { name: name.value.trim(), program }]);
			again();
		};
		name.addEventListener("keydown", (e) => e.key === "Enter" && keep());
		const row = (head: string, text: string, ...buttons: HTMLElement[]) =>
			el("tr", {}, el("th", {}, head), el("td", { class: "what" }, text), el("td", { class: "acts" }, ...buttons));
		const button = (text: string, act: () => void) => el("button", { type: "button", onclick: act }, text);
		const kept = this.kept, table = (rows: HTMLElement[], none: string) => rows.length ? el("table", {}, el("tbody", {}, ...rows)) : el("p", { class: "dim" }, none);
		return el("div", { class: "runs" }, el("div", { class: "tools" }, el("span", {}, "Keep the program of the editor as"), name, button("Keep", keep)),
			el("h3", {}, "Kept"), table(kept.map((k) => row(k.name, gist(k.program), button("Open", () => open(k.program)), button("Forget", () => {
				this.store(this.kept.filter((x) => x.name !== k.name));
				again();
			}))), "Nothing yet. A program that is kept stays in this browser; Save makes a file of its data."),
			el("h3", {}, "Runs of this page"), table(this.list.map((r, i) => row(moment(r.at, 1), gist(r.program), button("Open", () => open(r.program)),
				...i > 0 && r.kept ? [button("Compare", () => compare(r))] : [])), "Nothing was run yet."));
	}
}
