// SPDX-License-Identifier: BSD-2-Clause
// Spans as boxes with their names and how long they took, on an axis of time; and above them what was chosen and the way of a
// request.
import { ink, type Surface } from "../dom";
import { Measure, LABEL_FONT } from "../flame/label";
import { FILLS, mix, pixel, textOn } from "../flame/palette";
import type { Span } from "../model";
import { duration, ticks } from "./scale";
import { GAP, ROW, rowOf, TOP, type Tracks } from "./tracks";

export interface Window { from: number; to: number; left: number; width: number }	// ms; pixels of the gutter and in all
const NAMED = 40, MODULES = 8, FADED = 0.3;
const fills = FILLS.filter((f) => f.startsWith("--m"));

export function place(s: Span, v: Window): { x: number; w: number } {
	const scale = (v.width - v.left) / (v.to - v.from), x = v.left + (s.from - v.from) * scale;
	return { x, w: Math.max(1, (s.to - s.from) * scale) };
}

function css(p: number): string {
	return `rgb(${p & 255}, ${p >> 8 & 255}, ${p >> 16 & 255})`;
}

export class SpanPainter {
	private measure = new Measure();

	/** All spans of the tracks in the window; `faded`: those that are not looked for. */
	paint(s: Surface, tracks: Tracks, v: Window, faded: (s: Span) => boolean): void {
		const c = s.c, card = pixel(ink("--card")), full = fills.map((f) => pixel(ink(f))), pale = full.map((f) => mix(f, card, FADED));
		const ends = new Float64Array(64);
		c.font = LABEL_FONT;
		c.textBaseline = "middle";
		this.axis(s, v);
		c.save();
		c.beginPath();
		c.rect(v.left, 0, s.w - v.left, s.h);
		c.clip();
		for (const t of tracks.list) {
			ends.fill(-1);
			for (const span of t.spans) {
				if (span.to < v.from || span.from > v.to) continue;
				const { x, w } = place(span, v), row = rowOf(span), end = Math.floor(x + w), pales = faded(span);
				if (w <= 2 && end === ends[row] && pales) continue;	// there is one in this pixel
				ends[row] = end;
				const fill = (pales ? pale : full)[tracks.order.get(span.name)! % MODULES];
				c.fillStyle = css(fill);
				c.fillRect(x, t.y + row * ROW, w > 3 ? w - 1 : w, ROW - 1);
				if (w >= NAMED) this.label(c, span, fill, Math.max(v.left, x) + 3, Math.min(s.w, x + w) - 3, t.y + row * ROW + ROW / 2);
			}
		}
		c.restore();
		this.names(s, tracks, v);
	}

	private label(c: CanvasRenderingContext2D, span: Span, fill: number, from: number, to: number, y: number): void {
		const took = duration(span.to - span.from), both = `${span.name} ${took}`, room = to - from;
		if (room < NAMED - 6) return;
		c.fillStyle = textOn(fill);
		c.fillText(this.measure.width(c, both) <= room ? both : this.measure.fit(c, span.name, room), from, y, room);
	}

	private axis(s: Surface, v: Window): void {
		const scale = (v.width - v.left) / (v.to - v.from);
		for (const t of ticks(v.from, v.to, v.width - v.left)) {
			const x = Math.round(v.left + (t.ms - v.from) * scale);
			s.c.fillStyle = ink("--grid");
			s.c.fillRect(x, TOP - 4, 1, s.h);
			s.c.fillStyle = ink("--dim");
			s.c.textAlign = x > s.w - 40 ? "right" : x < v.left + 30 ? "left" : "center";
			s.c.fillText(t.text, x, 9);
		}
		s.c.textAlign = "left";
	}

	private names(s: Surface, tracks: Tracks, v: Window): void {
		for (const t of tracks.list) {
			s.c.fillStyle = ink("--grid");
			s.c.fillRect(0, t.y + t.depth * ROW + GAP / 2 - 1, s.w, 1);
			s.c.fillStyle = ink("--dim");
			s.c.fillText(this.measure.fit(s.c, t.name, v.left - 8), 2, t.y + ROW / 2, v.left - 8);
		}
	}

	outline(s: Surface, tracks: Tracks, v: Window, span: Span | null, wide: number): void {
		const t = span ? tracks.of(span) : null;
		if (!span || !t) return;
		const { x, w } = place(span, v), from = Math.max(v.left, x), to = Math.min(s.w, x + w);
		if (to < from) return;
		s.c.strokeStyle = ink("--fg");
		s.c.lineWidth = wide;
		s.c.strokeRect(from, t.y + rowOf(span) * ROW, Math.max(2, to - from), ROW - 1);
	}

	/** From the end of each span of a request to where the next one begins. */
	flow(s: Surface, tracks: Tracks, v: Window, spans: Span[]): void {
		s.c.save();
		s.c.beginPath();
		s.c.rect(v.left, 0, s.w - v.left, s.h);
		s.c.clip();
		s.c.strokeStyle = s.c.fillStyle = ink("--accent");
		s.c.lineWidth = 2;
		for (let i = 1; i < spans.length; i++) {
			const a = spans[i - 1], b = spans[i], s1 = tracks.of(a), s2 = tracks.of(b);
			if (!s1 || !s2 || (s1 === s2 && b.from < a.to)) continue;
			const p = place(a, v), q = place(b, v), nested = b.from < a.to, x1 = nested ? q.x : p.x + p.w, x2 = q.x;
			const y1 = s1.y + rowOf(a) * ROW + ROW / 2, y2 = s2.y + rowOf(b) * ROW + ROW / 2, bend = Math.max(12, Math.abs(x2 - x1) / 2);
			s.c.beginPath();
			s.c.moveTo(x1, y1);
			s.c.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
			s.c.stroke();
			s.c.beginPath();
			s.c.arc(x2, y2, 3.5, 0, 7);
			s.c.fill();
		}
		s.c.restore();
		for (const span of spans) this.outline(s, tracks, v, span, 2);
	}
}
