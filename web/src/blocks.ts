// SPDX-License-Identifier: BSD-2-Clause
// The bytes of a recording, in pieces of any size, as blocks (doc/RECORDING.md); and how the bytes of a block are read. They
// are untrusted: a length is compared with what is there before anything is read or kept.

/** The stream is not one, is damaged, or is of another version. */
export class StreamError extends Error {}

const MARK = "dtrace recording ", VERSION = "2\n";
const MAX_BLOCK = 256 << 20;
const HEAD = 5;				// letter and length

export function isRecording(bytes: Uint8Array): boolean {
	return [...MARK].every((c, i) => bytes[i] === c.charCodeAt(0));
}

export class Blocks {
	private buffer = new Uint8Array(1 << 16);
	private have = 0;
	private marked = false;

	/** `block` is the whole of it, with letter and length; it is only there during the call. */
	constructor(private take: (letter: string, block: Uint8Array) => void) {}

	/** Bytes of a block that has not come completely. */
	get rest(): number {
		return this.have;
	}

	push(piece: Uint8Array): void {
		if (this.have === 0) {
			this.keep(piece.subarray(this.parse(piece)));
			return;
		}
		this.keep(piece);
		const used = this.parse(this.buffer.subarray(0, this.have));
		this.buffer.copyWithin(0, used, this.have);
		this.have -= used;
	}

	private keep(piece: Uint8Array): void {
		if (this.have + piece.length > this.buffer.length) {
			const more = new Uint8Array(Math.max(this.buffer.length * 2, this.have + piece.length));
			more.set(this.buffer.subarray(0, this.have));
			this.buffer = more;
		}
		this.buffer.set(piece, this.have);
		this.have += piece.length;
	}

	/** Takes the blocks that are whole; returns how many bytes they have. */
	private parse(bytes: Uint8Array): number {
		let at = this.marked ? 0 : this.mark(bytes);
		const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		while (this.marked && bytes.length - at >= HEAD) {
			const len = view.getUint32(at + 1, true);
			if (len > MAX_BLOCK) throw new StreamError(`a block of ${len} bytes is longer than any can be`);
			if (bytes.length - at - HEAD < len) break;
			this.take(String.fromCharCode(bytes[at]), bytes.subarray(at, at + HEAD + len));
			at += HEAD + len;
		}
		return at;
	}

	private mark(bytes: Uint8Array): number {
		const whole = MARK + VERSION, n = Math.min(bytes.length, whole.length);
		for (let i = 0; i < n; i++)
			if (bytes[i] !== whole.charCodeAt(i))
				throw new StreamError(i < MARK.length ? "these bytes are not a recording of dtrace" :
					"this recording has another version: this page reads version 2");
		this.marked = n === whole.length;
		return this.marked ? n : 0;
	}
}

export function markOf(): Uint8Array {
	return new TextEncoder().encode(MARK + VERSION);
}

const utf8 = new TextDecoder();

/** The fields of a block, one after the other. */
export class Fields {
	private view: DataView;
	private at = 0;

	constructor(private bytes: Uint8Array) {
		this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	}

	/** Without letter and length. */
	static of(block: Uint8Array): Fields {
		return new Fields(block.subarray(HEAD));
	}

	private step(n: number): number {
		if (n > this.bytes.length - this.at) throw new StreamError("a block ends in the middle of a field");
		const at = this.at;
		this.at += n;
		return at;
	}

	get left(): number {
		return this.bytes.length - this.at;
	}
	u32(): number {
		return this.view.getUint32(this.step(4), true);
	}
	u64(): bigint {
		return this.view.getBigUint64(this.step(8), true);
	}
	i64(): bigint {
		return this.view.getBigInt64(this.step(8), true);
	}
	/** As a number: beyond 2^53 it is rounded. */
	number(): number {
		return Number(this.i64());
	}
	data(): Uint8Array {
		const n = this.u32(), at = this.step(n);
		return this.bytes.subarray(at, at + n);
	}
	text(): string {
		return utf8.decode(this.data());
	}
	rest(): Uint8Array {
		return this.bytes.subarray(this.at);
	}
	/** A count of things that have at least `size` bytes each, which must be there. */
	count(size: number): number {
		const n = this.u32();
		if (n * size > this.left) throw new StreamError("a block is shorter than it says");
		return n;
	}
	list<T>(size: number, one: () => T): T[] {
		return Array.from({ length: this.count(size) }, one);
	}
}
