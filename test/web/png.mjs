// SPDX-License-Identifier: BSD-2-Clause
// Pictures as PNG, as much of the format as Chromium and this file write: 8 bits a sample, no interlacing. Pixels are
// { width, height, rgb }, three bytes each.
import { deflateSync, inflateSync } from "node:zlib";

const MAGIC = Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]);
const SAMPLES = { 0: 1, 2: 3, 3: 1, 6: 4 };	// by kind of colour: grey, RGB, palette, RGBA

function* chunks(file) {
	if (!file.subarray(0, 8).equals(MAGIC)) throw new Error("this is no PNG");
	for (let at = 8; at < file.length;) {
		const n = file.readUInt32BE(at);
		yield [file.toString("latin1", at + 4, at + 8), file.subarray(at + 8, at + 8 + n)];
		at += 12 + n;
	}
}

/** Each line is the difference to its left neighbour, the line above, or both (PNG specification, 9.2). */
function unfilter(raw, height, stride, bpp) {
	const out = Buffer.alloc(height * stride);
	for (let y = 0; y < height; y++) {
		const kind = raw[y * (stride + 1)], from = y * (stride + 1) + 1, to = y * stride;
		for (let x = 0; x < stride; x++) {
			const a = x >= bpp ? out[to + x - bpp] : 0, b = y ? out[to + x - stride] : 0, c = x >= bpp && y ? out[to + x - stride - bpp] : 0;
			const p = a + b - c, pa = Math.abs(p - a), pb = Math.abs(p - b), pc = Math.abs(p - c);
			const paeth = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
			out[to + x] = raw[from + x] + [0, a, b, (a + b) >> 1, paeth][kind];
		}
	}
	return out;
}

export function decode(file) {
	let head, palette, data = [];
	for (const [kind, bytes] of chunks(file)) {
		if (kind === "IHDR") head = bytes;
		else if (kind === "PLTE") palette = bytes;
		else if (kind === "IDAT") data.push(bytes);
	}
	const width = head.readUInt32BE(0), height = head.readUInt32BE(4), bpp = SAMPLES[head[9]];
	if (head[8] !== 8 || head[12] !== 0 || !bpp) throw new Error("this kind of PNG is not read here");
	const samples = unfilter(inflateSync(Buffer.concat(data)), height, width * bpp, bpp), rgb = Buffer.alloc(width * height * 3);
	for (let i = 0; i < width * height; i++)
		for (let c = 0; c < 3; c++) rgb[i * 3 + c] = palette ? palette[samples[i] * 3 + c] : samples[i * bpp + (bpp < 3 ? 0 : c)];
	return { width, height, rgb };
}

const COMMON = 64, COLOURS = 256;

/** How far two colours are apart, in the channel where they differ most. */
const apart = (a, b) => Math.max(Math.abs((a >> 16) - (b >> 16)), Math.abs((a >> 8 & 255) - (b >> 8 & 255)), Math.abs((a & 255) - (b & 255)));

/** The most frequent colours, then each time the one that is farthest from all before; and for each other one the nearest of them. */
function reduce(rgb) {
	const counts = new Map();
	for (let i = 0; i < rgb.length; i += 3) {
		const c = rgb.readUIntBE(i, 3);
		counts.set(c, (counts.get(c) ?? 0) + 1);
	}
	const all = [...counts].sort((a, b) => b[1] - a[1]).map(([c]) => c), palette = [], nearest = new Uint8Array(all.length), off = new Uint16Array(all.length).fill(1000);
	while (palette.length < Math.min(COLOURS, all.length)) {
		const next = palette.length < COMMON ? all[palette.length] : all[off.indexOf(off.reduce((most, o) => Math.max(most, o), 0))];
		palette.push(next);
		all.forEach((c, i) => {
			const d = apart(c, next);
			if (d < off[i]) [off[i], nearest[i]] = [d, palette.length - 1];
		});
	}
	return { palette, place: new Map(all.map((c, i) => [c, nearest[i]])), off: Math.max(...off) };
}

const CRC = Array.from({ length: 256 }, (_, n) => {
	for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ n >>> 1 : n >>> 1;
	return n >>> 0;
});
const crc32 = (bytes) => ~bytes.reduce((c, b) => CRC[(c ^ b) & 255] ^ c >>> 8, -1) >>> 0;

function chunk(kind, bytes) {
	const out = Buffer.alloc(bytes.length + 12);
	out.writeUInt32BE(bytes.length, 0);
	out.write(kind, 4, "latin1");
	bytes.copy(out, 8);
	out.writeUInt32BE(crc32(out.subarray(4, -4)), out.length - 4);
	return out;
}

/** With a palette: a third of the size, and colours that are rare are a little off: at most `limit`, or it throws. */
export function encode({ width, height, rgb }, limit = 255) {
	const { palette, place, off } = reduce(rgb), head = Buffer.alloc(13), table = Buffer.alloc(palette.length * 3);
	const lines = Buffer.alloc(height * (width + 1));
	if (off > limit) throw new Error(`a colour is ${off} off`);
	head.writeUInt32BE(width, 0);
	head.writeUInt32BE(height, 4);
	head.set([8, 3, 0, 0, 0], 8);
	palette.forEach((c, i) => table.writeUIntBE(c, i * 3, 3));
	for (let y = 0, i = 0; y < height; y++)
		for (let x = 0; x < width; x++, i += 3) lines[y * (width + 1) + 1 + x] = place.get(rgb.readUIntBE(i, 3));
	return Buffer.concat([MAGIC, chunk("IHDR", head), chunk("PLTE", table), chunk("IDAT", deflateSync(lines, { level: 9 })), chunk("IEND", Buffer.alloc(0))]);
}
