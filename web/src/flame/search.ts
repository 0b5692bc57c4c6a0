// SPDX-License-Identifier: BSD-2-Clause
// Finds functions by a part of their name, whatever its case: which frames, in how many functions and in what share of all,
// and the places of the tree from one to the next.
import { el, percent, setText } from "../dom";
import type { Frame } from "./names";
import type { Stacks } from "./stacks";
import type { Node, Tree } from "./tree";

export class Search {
	readonly input: HTMLInputElement;
	readonly root: HTMLElement;
	private count = el("span", { class: "dim found", role: "status" });
	private wanted = "";
	private hits = new Set<Frame>();
	private seen = 0;		// frames that were looked at
	share = 0;

	constructor(private stacks: Stacks, changed: () => void, step: (by: number) => void, leave: () => void) {
		this.input = el("input", { type: "search", placeholder: "find function", "aria-label": "find function", title: "key /",
			oninput: () => changed(), onkeydown: (e: KeyboardEvent) => {
				if (e.key === "Escape") leave();
				else if (e.key === "Enter") step(e.shiftKey ? -1 : 1);
			} });
		this.root = el("span", { class: "search" }, this.input, this.count);
	}

	get active(): boolean {
		return this.wanted !== "";
	}

	clear(): void {
		this.input.value = "";
	}

	has(f: Frame | null): boolean {
		return f !== null && this.wanted !== "" && this.hits.has(f);
	}

	/** `weight`: of a stack, by its number. */
	update(weight: (stack: number) => number): void {
		const wanted = this.input.value.trim().toLowerCase(), { frames, paths } = this.stacks;
		if (wanted !== this.wanted) {
			this.hits.clear();
			this.seen = 0;
		}
		this.wanted = wanted;
		if (wanted === "") return setText(this.count, "");
		for (; this.seen < frames.all.length; this.seen++)
			if (frames.all[this.seen].low.includes(wanted)) this.hits.add(frames.all[this.seen]);
		let all = 0, found = 0;
		paths.forEach((path, i) => {
			const w = weight(i);
			all += w;
			if (w !== 0 && path.some((f) => this.hits.has(f))) found += w;
		});
		this.share = all > 0 ? found / all : 0;
		setText(this.count, `${this.hits.size} ${this.hits.size === 1 ? "function" : "functions"}, ${percent(this.share)}`);
	}

	/** Where it is found, from left to right; of calls inside each other the outermost. */
	places(tree: Tree, count: (n: Node) => number): Node[] {
		const out: Node[] = [], look = (n: Node) => {
			if (this.has(n.frame)) out.push(n);
			else for (const k of tree.children(n, count)) if (count(k) > 0) look(k);
		};
		if (this.active) look(tree.root);
		return out;
	}
}
