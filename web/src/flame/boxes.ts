// SPDX-License-Identifier: BSD-2-Clause
// Where the nodes of a tree are drawn: boxes in arrays that are used again, level by level; those of level d are from[d] to
// from[d + 1]. A box that is thinner than a pixel is there if the middle of a pixel lies in it: however many
// there are, they cost what the pixels cost, and areas stay true.
import type { Node, Tree } from "./tree";

export class Boxes {
	n = 0;
	levels = 0;
	nodes: Node[] = [];
	x = new Float64Array(1024);
	w = new Float64Array(1024);
	from = new Int32Array(512);
	private width = 0;

	/** The part from `left` to `right` of all (0 to 1), on a width of so many pixels. */
	layout(tree: Tree, count: (n: Node) => number, left: number, right: number, width: number): void {
		const all = width / (right - left);
		this.n = this.levels = 0;
		this.from[0] = 0;
		this.width = width;
		this.add(tree.root, -left * all, all);
		this.endLevel();
		for (let i = 0, end = this.n; i < end; end = this.n) {
			for (; i < end; i++) this.children(tree, count, i);
			if (this.n > end) this.endLevel();
		}
	}

	private children(tree: Tree, count: (n: Node) => number, i: number): void {
		const of = this.nodes[i], all = count(of), scale = all > 0 ? this.w[i] / all : 0;
		let x = this.x[i];
		if (scale === 0) return;
		for (const k of tree.children(of, count)) {
			const w = count(k) * scale;
			if (x >= this.width) return;
			if (x + w > 0 && (w >= 1 || (w > 0 && Math.round(x + w) > Math.round(x)))) this.add(k, x, w);
			x += w;
		}
	}

	private add(node: Node, x: number, w: number): void {
		if (this.n === this.x.length) {
			this.x = grown(this.x, Float64Array);
			this.w = grown(this.w, Float64Array);
		}
		this.nodes[this.n] = node;
		this.x[this.n] = x;
		this.w[this.n++] = w;
	}

	private endLevel(): void {
		if (this.levels + 2 > this.from.length) this.from = grown(this.from, Int32Array);
		this.from[++this.levels] = this.n;
	}

	of(n: Node): number {
		for (let i = this.from[n.depth]; n.depth < this.levels && i < this.from[n.depth + 1]; i++)
			if (this.nodes[i] === n) return i;
		return -1;
	}

	at(level: number, x: number): Node | null {
		if (level < 0 || level >= this.levels) return null;
		let low = this.from[level], high = this.from[level + 1];
		while (low < high) {
			const middle = low + high >> 1;
			if (this.x[middle] <= x) low = middle + 1;
			else high = middle;
		}
		const i = low - 1;
		return i >= this.from[level] && x < this.x[i] + Math.max(1, this.w[i]) ? this.nodes[i] : null;
	}
}

function grown<T extends Float64Array | Int32Array>(old: T, kind: new (n: number) => T): T {
	const more = new kind(old.length * 2);
	more.set(old);
	return more;
}

/** Where a node lies in all, from 0 to 1. */
export function extent(tree: Tree, count: (n: Node) => number, n: Node): [number, number] {
	const line: Node[] = [];
	for (let up: Node | null = n; up; up = up.parent) line.unshift(up);
	let from = 0, width = 1;
	for (let i = 1; i < line.length; i++) {
		const all = count(line[i - 1]);
		let sum = 0;
		for (const k of tree.children(line[i - 1], count)) {
			if (k === line[i]) break;
			sum += count(k);
		}
		if (all <= 0) return [0, 1];
		from += width * sum / all;
		width *= count(line[i]) / all;
	}
	return width > 0 ? [from, from + width] : [0, 1];
}
