// SPDX-License-Identifier: BSD-2-Clause
// Stacks as a tree of calls. A node is made once for each new path; later only the numbers along it change, so ten thousand
// stacks stay quick.
import type { Frame } from "./names";
import type { Stacks } from "./stacks";

export interface Node {
	frame: Frame | null;		// null: the root
	parent: Node | null;
	depth: number;
	kids: Map<Frame, Node> | null;
	total: number;
	before: number;			// as much of it as belongs to what is compared with
	self: number;			// of it, what no child has
	sorted: Node[];
	version: number;		// of the tree when it was sorted
	from: number;			// ms of the first and the last sample; only in the order of time
	to: number;
}

function node(frame: Frame | null, parent: Node | null): Node {
	return { frame, parent, depth: parent ? parent.depth + 1 : 0, kids: null, total: 0, before: 0, self: 0, sorted: [],
		version: -1, from: 0, to: 0 };
}

/** Which part of a path a tree shows, its outermost frame first; null: nothing of it. */
export type Cut = (path: Frame[]) => Frame[] | null;

export const whole: Cut = (path) => path;
export const inverted: Cut = (path) => [...path].reverse();
/** Who calls the function, from itself on outwards; of calls inside each other the outermost counts. */
export const callers = (f: Frame): Cut => (path) => {
	const at = path.indexOf(f);
	return at < 0 ? null : path.slice(0, at + 1).reverse();
};
export const callees = (f: Frame): Cut => (path) => {
	const at = path.indexOf(f);
	return at < 0 ? null : path.slice(at);
};

export class Tree {
	readonly root = node(null, null);
	version = 0;			// of the order of children
	heavy = true;			// heaviest first; else by name
	private leaves: (Node | null)[] = [];
	private counted: number[] = [];
	private countedBefore: number[] = [];

	constructor(protected stacks: Stacks, private cut: Cut = whole) {}

	/** Takes over what has changed. */
	update(): void {
		const { paths, total, before } = this.stacks;
		for (let i = 0; i < paths.length; i++) {
			const leaf = i < this.leaves.length ? this.leaves[i] : this.grow(i);
			const more = total[i] - this.counted[i], moreBefore = before[i] - this.countedBefore[i];
			if (!leaf || (more === 0 && moreBefore === 0)) continue;
			this.counted[i] = total[i];
			this.countedBefore[i] = before[i];
			leaf.self += more;
			for (let n: Node | null = leaf; n; n = n.parent) {
				n.total += more;
				n.before += moreBefore;
			}
		}
	}

	private grow(i: number): Node | null {
		const path = this.cut(this.stacks.paths[i]);
		let at: Node | null = path ? this.root : null;
		for (const frame of path ?? []) at = this.child(at!, frame);
		this.counted[i] = this.countedBefore[i] = 0;
		return this.leaves[i] = at;
	}

	private child(of: Node, frame: Frame): Node {
		let next = of.kids?.get(frame);
		if (!next) {
			(of.kids ??= new Map()).set(frame, next = node(frame, of));
			of.version = -1;
		}
		return next;
	}

	/** In the order in which they are drawn. `count` is what widths show. */
	children(of: Node, count: (n: Node) => number): Node[] {
		if (!of.kids || of.version === this.version) return of.sorted;
		of.version = this.version;
		of.sorted = [...of.kids.values()];
		if (this.heavy) of.sorted.sort((a, b) => count(b) - count(a) || byName(a, b));
		else of.sorted.sort(byName);
		return of.sorted;
	}
}

function byName(a: Node, b: Node): number {
	const x = a.frame!, y = b.frame!;
	return x.name < y.name ? -1 : x.name > y.name ? 1 : x.full < y.full ? -1 : 1;
}

/** Samples from left to right as they came; neighbours share the functions that both have. */
export class TimeTree extends Tree {
	private done = 0;
	private last: Node = this.root;

	/** `cpu`: only its samples; -1: all. */
	constructor(stacks: Stacks, private cpu: number) {
		super(stacks);
	}

	override update(): void {
		const { samples, paths } = this.stacks;
		for (; this.done < samples.length; this.done++) {
			const s = samples[this.done];
			if (this.cpu < 0 || s.cpu === this.cpu) this.sample(paths[s.stack], s.ms);
		}
	}

	private sample(path: Frame[], ms: number): void {
		const line: Node[] = [];
		for (let n: Node | null = this.last; n?.parent; n = n.parent) line.unshift(n);
		let at = this.root, shared = 0;
		while (shared < path.length && line[shared]?.frame === path[shared]) at = line[shared++];
		for (const frame of path.slice(shared)) {
			const next = node(frame, at);
			next.from = ms;
			at.sorted.push(next);
			at = next;
		}
		at.self++;
		this.last = at;
		for (let n: Node | null = at; n; n = n.parent) {
			n.total++;
			n.to = ms;
		}
		if (this.root.total === 1) this.root.from = ms;
	}

	override children(of: Node): Node[] {
		return of.sorted;
	}
}
