// SPDX-License-Identifier: BSD-2-Clause
// Elements, numbers as text, and one drawing a frame. Text is always set as text: nothing that a trace tells can
// become markup.

type Props = Record<string, unknown>;

export function el<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {},
	...children: (Node | string | null)[]): HTMLElementTagNameMap[K] {
	const e = document.createElement(tag);
	for (const [name, value] of Object.entries(props)) {
		if (name.startsWith("on")) e.addEventListener(name.slice(2), value as EventListener);
		else if (name === "class") e.className = String(value);
		else if (name in e && name !== "list") (e as unknown as Props)[name] = value;
		else e.setAttribute(name, String(value));
	}
	for (const child of children) if (child !== null) e.append(child);
	return e;
}

export function setText(e: Element, text: string): void {
	if (e.textContent !== text) e.textContent = text;
}

export function clear(e: Element): void {
	e.replaceChildren();
}

const units = ["", "k", "M", "G", "T", "P", "E"];

/** 1234567 as 1.23M; small whole numbers as they are. */
export function short(n: number): string {
	const sign = n < 0 ? "-" : "";
	let v = Math.abs(n), u = 0;
	while (v >= 999.5 && u < units.length - 1) {
		v /= 1000;
		u++;
	}
	if (u === 0 && Number.isInteger(v)) return sign + v;
	return sign + (v >= 100 ? v.toFixed(0) : v >= 10 ? v.toFixed(1) : v.toFixed(2)) + units[u];
}

/** 1234567 as 1 234 567, with spaces that do not break. */
export function whole(n: number): string {
	return Math.round(n).toString().replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

export function clock(ms: number): string {
	const s = Math.floor(ms / 1000);
	const two = (n: number) => String(n).padStart(2, "0");
	return s >= 3600 ? `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`
		: `${Math.floor(s / 60)}:${two(s % 60)}`;
}

export function percent(share: number): string {
	const p = share * 100;
	return (p >= 10 ? p.toFixed(0) : p >= 0.1 ? p.toFixed(1) : p > 0 ? "<0.1" : "0") + " %";
}

const waiting = new Set<() => void>();
let asked = false;

/** Calls each function once in the next frame, however often it was asked for. */
export function soon(draw: () => void): void {
	waiting.add(draw);
	if (asked) return;
	asked = true;
	requestAnimationFrame(() => {
		asked = false;
		const now = [...waiting];
		waiting.clear();
		for (const f of now) f();
	});
}

const MAX_PIXELS = 32000;		// a browser draws nothing on a larger canvas

export interface Surface { c: CanvasRenderingContext2D; w: number; h: number }

/** The canvas at its size on the screen, cleared; sizes are in CSS pixels. */
export function surface(canvas: HTMLCanvasElement, w = canvas.clientWidth, h = canvas.clientHeight): Surface | null {
	const c = canvas.getContext("2d");
	if (!c || w === 0 || h === 0) return null;
	const scale = Math.min(window.devicePixelRatio || 1, MAX_PIXELS / w, MAX_PIXELS / h);
	if (canvas.width !== Math.round(w * scale) || canvas.height !== Math.round(h * scale)) {
		canvas.width = Math.round(w * scale);
		canvas.height = Math.round(h * scale);
	}
	c.setTransform(scale, 0, 0, scale, 0, 0);
	c.clearRect(0, 0, w, h);
	return { c, w, h };
}

const inks = new Map<string, string>();

/** A colour of the theme; asked once for each theme, since the answer takes long. */
export function ink(name: string): string {
	let colour = inks.get(name);
	if (colour === undefined)
		inks.set(name, colour = getComputedStyle(document.documentElement).getPropertyValue(name).trim());
	return colour;
}

export function forgetInks(): void {
	inks.clear();
}

/**
 * What of a picture changes with the data only: painted once, and copied while the user points at it.
 */
export class Layer {
	private canvas = document.createElement("canvas");
	private fresh = false;

	get isOld(): boolean {
		return !this.fresh;
	}

	/** The data have changed. */
	old(): void {
		this.fresh = false;
	}

	copy(to: Surface, paint: (s: Surface) => void): void {
		const from = to.c.canvas;
		const sized = this.canvas.width === from.width && this.canvas.height === from.height;
		if (!this.fresh || !sized) {
			if (!sized) {
				this.canvas.width = from.width;
				this.canvas.height = from.height;
			}
			const c = this.canvas.getContext("2d")!, scale = from.width / to.w;
			c.setTransform(scale, 0, 0, scale, 0, 0);
			c.clearRect(0, 0, to.w, to.h);
			paint({ c, w: to.w, h: to.h });
			this.fresh = true;
		}
		to.c.drawImage(this.canvas, 0, 0, to.w, to.h);
	}
}

export const font = "12px system-ui, sans-serif";

export function hash(text: string): number {
	let h = 0;
	for (let i = 0; i < text.length; i++) h = h * 31 + text.charCodeAt(i) | 0;
	return h >>> 0;
}
