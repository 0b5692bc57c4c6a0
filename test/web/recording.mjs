// SPDX-License-Identifier: BSD-2-Clause
// Recordings made by hand (doc/RECORDING.md), for what only another machine, an enemy or a benchmark makes.

let room = Buffer.alloc(1 << 20), used = 0;
function grow(n) {
	if (used + n <= room.length) return;
	const more = Buffer.alloc(Math.max(room.length * 2, used + n));
	room.copy(more, 0, 0, used);
	room = more;
}

/** A block: numbers are u32, bigints u64, strings texts, arrays bytes. */
export function block(letter, ...fields) {
	used = 5;
	for (const f of fields) {
		const bytes = typeof f === "string" ? Buffer.from(f) : Array.isArray(f) ? Buffer.from(f) : null;
		grow(8 + (bytes?.length ?? 0));
		if (typeof f === "bigint") used = room.writeBigUInt64LE(BigInt.asUintN(64, f), used);
		else used = room.writeUInt32LE(bytes ? bytes.length : f, used);
		if (bytes) used += bytes.copy(room, used);
	}
	room.write(letter, 0, "latin1");
	room.writeUInt32LE(used - 5, 1);
	return Buffer.from(room.subarray(0, used));
}

export const mark = Buffer.from("dtrace recording 2\n");
export const host = (order = 1) => ["H", order, 8, 4, 1000000n, 5000000000n, "host", "s390x", "6.1", "", "0.1"];
export const start = ["S", 1, 2000000n, 1, 0];

export function stream(...blocks) {
	return new Uint8Array(Buffer.concat([mark, ...blocks.map((b) => block(...b))]));
}
