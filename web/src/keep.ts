// SPDX-License-Identifier: BSD-2-Clause
// The bytes of a trace that a saved page holds: all definitions, which other blocks refer to, and the newest of the rest.
// Together they are a recording (doc/RECORDING.md).
import { Blocks, markOf } from "./blocks";

const DEFINITIONS = "HWPQCSBNYGK";
const LIMIT = 24 << 20;			// bytes of other blocks

export class Keep {
	private blocks = new Blocks((letter, block) => this.add(letter, block.slice()));
	private defined: Uint8Array[] = [];
	private rest: Uint8Array[] = [];
	private first = 0;		// of `rest`: those before it are forgotten
	private bytes = 0;

	push(piece: Uint8Array): void {
		this.blocks.push(piece);
	}

	private add(letter: string, block: Uint8Array): void {
		if (DEFINITIONS.includes(letter)) {
			this.defined.push(block);
			return;
		}
		this.rest.push(block);
		this.bytes += block.length;
		while (this.bytes > LIMIT && this.first < this.rest.length) this.bytes -= this.rest[this.first++].length;
		if (this.first < 1000 || this.first * 2 < this.rest.length) return;
		this.rest.splice(0, this.first);
		this.first = 0;
	}

	/** A recording, in pieces; none: nothing was received. */
	pieces(): Uint8Array[] {
		return this.defined.length ? [markOf(), ...this.defined, ...this.rest.slice(this.first)] : [];
	}
}
