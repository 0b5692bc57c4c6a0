// SPDX-License-Identifier: BSD-2-Clause
// Stacks and what was counted in each, whatever they come from: an aggregation, records, or the lines of a file. Trees
// (tree.ts) and tables are made of them.
import type { Part } from "../message";
import type { Model } from "../model";
import { Frames, type Frame } from "./names";

/** One stack that was recorded at a time; samples are in the order in which they came. */
export interface Sample { ms: number; cpu: number; stack: number }

export class Stacks {
	readonly frames = new Frames();
	readonly paths: Frame[][] = [];		// by the number of the stack; the outermost frame first
	readonly total: number[] = [];		// what was counted in it
	readonly before: number[] = [];		// as much of it as belongs to what is compared with
	samples: Sample[] = [];			// none: nothing is known about times
	epoch = 0;			// of the samples: it grows when the oldest are forgotten
	private numbers = new Map<string, number>();

	add(path: Frame[]): number {
		this.total.push(0);
		this.before.push(0);
		return this.paths.push(path) - 1;
	}

	/** The number of the same stack, if it was there before. */
	number(path: Frame[]): number {
		const text = path.map((f) => f.id).join();
		let n = this.numbers.get(text);
		if (n === undefined) this.numbers.set(text, n = this.add(path));
		return n;
	}

	sum(of: number[]): number {
		return of.reduce((a, b) => a + b, 0);
	}
}

export function isStack(p: Part): p is { st: number[]; pid: number } {
	return typeof p === "object" && p !== null && "st" in p;
}

/** From the outermost on: other values in their order, functions of the process, functions of the kernel. */
export function pathOf(model: Model, frames: Frames, parts: Part[]): Frame[] {
	const keys: Frame[] = [], user: Frame[] = [], kernel: Frame[] = [];
	for (const p of parts)
		if (!isStack(p)) keys.push(frames.key(model.partText(p)));
		else for (let i = p.st.length - 1; i >= 0; i--)
			(p.pid ? user : kernel).push(frames.of(model.name(p.st[i]), p.pid === 0));
	return [...keys, ...user, ...kernel];
}
