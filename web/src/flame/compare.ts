// SPDX-License-Identifier: BSD-2-Clause
// Chooses what is drawn and what it is compared with: a strip of the time on which A and B are dragged, and a value of the first
// key for each.
import { clear, el, ink, soon, surface } from "../dom";
import { everything, type Choice, type Source } from "./source";

export const compareStyle = `
.compare { display: flex; flex-wrap: wrap; gap: 6px 12px; align-items: center; padding: 0 0 8px; font-size: 13px; }
.compare canvas { flex: 1 1 260px; min-width: 0; height: 40px; background: var(--code); border-radius: 4px; cursor: crosshair; touch-action: none; }
.compare select { max-width: 180px; }
`;

const HEIGHT = 40, COLUMNS = 240, NONE = "\u2013";
type Which = "A" | "B";

export class Compare {
	readonly root: HTMLElement;
	private canvas: HTMLCanvasElement;
	private selects: Record<Which, HTMLSelectElement>;
	private targets: Record<Which, HTMLButtonElement>;
	private target: Which = "A";
	private anchor: number | null = null;
	private known = "";
	private shown: { from: number; to: number } | null = null;
	private ranges: Record<Which, [number, number] | null> = { A: null, B: null };

	constructor(private source: Source, private changed: () => void) {
		const select = (w: Which) => el("select", { "aria-label": `what ${w} is`, onchange: () => this.apply() });
		const target = (w: Which) => el("button", { type: "button", "aria-pressed": String(w === "A"), title: w === "A" ?
			"drag on the strip of time to choose A" : "drag on the strip of time to choose B; or drag with Alt", onclick: () => this.aim(w) }, w);
		this.selects = { A: select("A"), B: select("B") };
		this.targets = { A: target("A"), B: target("B") };
		this.canvas = el("canvas", { tabIndex: 0, role: "img", "aria-label": "time; drag to choose a part of it, or use the arrow keys: " +
			"left and right move the part, with Shift they change its end; a and b choose which part" });
		this.root = el("div", { class: "compare", hidden: true }, this.targets.A, this.selects.A, this.targets.B, this.selects.B, this.canvas,
			el("button", { type: "button", onclick: () => this.clear() }, "clear"));
		this.listen();
	}

	private listen(): void {
		const c = this.canvas, at = (e: PointerEvent) => Math.max(0, Math.min(1, e.offsetX / c.clientWidth));
		c.addEventListener("pointerdown", (e) => {
			this.aim(e.altKey ? "B" : this.target);
			this.anchor = at(e);
			c.setPointerCapture(e.pointerId);
		});
		c.addEventListener("pointermove", (e) => this.anchor !== null && this.range(this.anchor, at(e)));
		c.addEventListener("pointerup", () => this.anchor = null);
		c.addEventListener("keydown", (e) => {
			if (e.ctrlKey || e.metaKey || !this.key(e)) return;
			e.preventDefault();
			e.stopPropagation();
		});
	}

	private key(e: KeyboardEvent): boolean {
		const s = this.shown, by = e.key === "ArrowLeft" ? -0.02 : e.key === "ArrowRight" ? 0.02 : 0;
		if (e.key === "a" || e.key === "b") this.aim(e.key === "a" ? "A" : "B");
		else if (e.key === "Escape") this.clear();
		else if (by !== 0 && s) {
			const now = this.ranges[this.target], part = (ms: number) => (ms - s.from) / Math.max(1e-6, s.to - s.from);
			const [from, to] = now ? [part(now[0]), part(now[1])] : [0.4, 0.5];
			this.range(e.shiftKey ? from : Math.max(0, from + by), Math.min(1, to + by));
		} else return false;
		return true;
	}

	private aim(w: Which): void {
		this.target = w;
		for (const [name, b] of Object.entries(this.targets)) b.setAttribute("aria-pressed", String(name === w));
	}

	private range(a: number, b: number): void {
		const s = this.shown;
		if (!s || Math.abs(a - b) < 0.004) return;
		const at = (part: number) => s.from + part * (s.to - s.from);
		this.ranges[this.target] = [at(Math.min(a, b)), at(Math.max(a, b))];
		this.apply();
	}

	clear(): void {
		this.ranges = { A: null, B: null };
		this.selects.A.value = "";
		this.selects.B.value = NONE;
		this.apply();
	}

	private apply(): void {
		const choice = (w: Which): Choice => ({ ...everything, group: this.selects[w].value,
			...this.ranges[w] ? { from: this.ranges[w]![0], to: this.ranges[w]![1] } : {} });
		if (this.ranges.B && this.selects.B.value === NONE) this.selects.B.value = "";
		this.source.part = choice("A");
		this.source.other = this.selects.B.value === NONE ? null : choice("B");
		this.changed();
	}

	/** In words, for what is told about a function. */
	words(): { before: string; since: string } {
		const one = (w: Which) => `in ${w}`;
		return { before: one("A"), since: one("B") };
	}

	update(): void {
		if (this.root.hidden) return;
		const groups = this.source.groups(), text = groups.join("\n");
		if (text !== this.known || !this.selects.A.options.length) this.options(groups);
		this.known = text;
		soon(this.draw);
	}

	private options(groups: string[]): void {
		for (const w of ["A", "B"] as const) {
			const s = this.selects[w], was = s.options.length ? s.value : w === "A" ? "" : NONE;
			clear(s);
			const names = groups.includes(was) || was === "" || was === NONE ? groups : [...groups, was];
			if (w === "B") s.append(el("option", { value: NONE }, "compare with \u2026"));
			s.append(el("option", { value: "" }, "all keys"), ...names.map((g) => el("option", { value: g }, g)));
			s.value = was;
		}
	}

	private draw = (): void => {
		const t = this.source.times(COLUMNS), s = t ? surface(this.canvas, this.canvas.clientWidth, HEIGHT) : null;
		this.canvas.hidden = !t;
		this.shown = t;
		if (!t || !s) return;
		const most = t.counts.reduce((a, b) => Math.max(a, b), 1), x = (ms: number) => (ms - t.from) / Math.max(1e-6, t.to - t.from) * s.w;
		s.c.fillStyle = ink("--dim");
		t.counts.forEach((n, i) => {
			const h = n / most * (HEIGHT - 14);
			s.c.fillRect(i / COLUMNS * s.w, HEIGHT - h, Math.max(1, s.w / COLUMNS - 0.5), h);
		});
		for (const [w, r] of Object.entries(this.ranges)) if (r) this.band(s.c, w as Which, x(r[0]), x(r[1]));
		s.c.fillStyle = ink("--dim");
		s.c.font = "11px system-ui, sans-serif";
		s.c.textBaseline = "top";
		s.c.textAlign = "right";
		s.c.fillText(`${(t.from / 1000).toFixed(1)} s to ${(t.to / 1000).toFixed(1)} s`, s.w - 4, 4);
		s.c.textAlign = "left";
	};

	private band(c: CanvasRenderingContext2D, w: Which, from: number, to: number): void {
		const colour = ink(w === "A" ? "--d0" : "--d6");
		c.fillStyle = colour;
		c.globalAlpha = 0.25;
		c.fillRect(from, 0, Math.max(2, to - from), HEIGHT);
		c.globalAlpha = 1;
		c.fillRect(from, 0, Math.max(2, to - from), 3);
		c.fillStyle = ink("--fg");
		c.font = "bold 11px system-ui, sans-serif";
		c.textBaseline = "top";
		c.fillText(w, from + 3, 4);
	}
}
