// SPDX-License-Identifier: BSD-2-Clause
// node stream.mjs ESBUILD DTRACE: the page's decoder of recordings (web/src/stream.ts) on recordings that dtrace makes, whole, in
// pieces, cut off and damaged, and on streams that only another machine or an enemy makes. No browser is needed. Prints "ok
// - what" or "not ok - what".
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { same, step } from "./browse.mjs";
import { host, start, stream } from "./recording.mjs";

const [esbuild, dtrace] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "stream-"));
for (const name of ["stream", "blocks"])
	execFileSync(esbuild, [`web/src/${name}.ts`, "--bundle", "--format=esm", `--outfile=${join(folder, name)}.mjs`, "--log-level=warning"]);
const { Decoder } = await import(pathToFileURL(join(folder, "stream.mjs")));
const { isRecording } = await import(pathToFileURL(join(folder, "blocks.mjs")));

function record(program, ...words) {
	const file = join(folder, "recording");
	execFileSync(dtrace, ["-q", "-O", `record=${file}`, ...words, "-n", program], { stdio: ["ignore", "ignore", "ignore"] });
	return new Uint8Array(readFileSync(file));
}

/** The messages of a stream that comes in pieces of n bytes. */
function decode(bytes, n = bytes.length) {
	const out = [], d = new Decoder((m) => out.push(m));
	for (let at = 0; at < bytes.length; at += n) d.push(bytes.slice(at, at + n));
	d.flush();
	return { out, cut: d.cut, of: (t) => out.filter((m) => m.t === t) };
}
/** Records may come in more messages when they come in more pieces. */
function joined(out) {
	const recs = out.filter((m) => m.t === "recs");
	return JSON.stringify([out.filter((m) => m.t !== "recs"), recs.flatMap((m) => m.r), recs.reduce((n, m) => n + m.lost, 0)]);
}
function refused(bytes, why) {
	try {
		decode(bytes);
	} catch (e) {
		if (e.constructor.name === "StreamError" && why.test(e.message)) return;
		throw new Error(`${e.constructor.name}: ${e.message}, expected ${why}`);
	}
	throw new Error(`not refused, expected ${why}`);
}
const json = (got, want) => same(JSON.stringify(got), JSON.stringify(want));

const program = `BEGIN { trace(42); trace((int8_t)-3); trace("text"); printf("%s %d", "with", 7); tracemem(curthread, 8);
	@count["key", -5, stack(2)] = sum(9); @q = quantize(100); @q = quantize(100); @l["x"] = lquantize(3, 0, 10, 5);
	@ll = llquantize(80, 10, 0, 3, 10);
	@p = percentiles(12); @avg = avg(4); @sym[func((uint64_t)curthread)] = min(3); @n = sum(100); normalize(@n, 7); }
	BEGIN { trace(*(int *)0); } END { trace("end"); } tick-1s { exit(0); }`;
const real = record(program);

await step("a recording of dtrace: program, keys, every kind of aggregation, records, an error, the end", async () => {
	const d = decode(real);
	same(isRecording(real), true);
	same(d.cut, false);
	same(d.of("start")[0].program, program);
	same(Math.abs(d.of("start")[0].wall - Date.now() / 1000) < 600, true);
	const id = (name) => d.of("agg").find((a) => a.name === name).id;
	json(d.of("agg").map((a) => [a.name, a.fn]).sort(), [["avg", "avg"], ["count", "sum"], ["l", "lquantize"], ["ll", "llquantize"], ["n", "sum"], ["p", "percentiles"],
		["q", "quantize"], ["sym", "min"]]);
	const key = d.of("key").find((k) => k.a === id("count")).k;
	json(key.slice(0, 2), ["key", -5]);
	same(key[2].pid === 0 && key[2].st.length === 2, true);
	same(/^vmlinux`/.test(d.of("name").find((n) => n.i === key[2].st[0]).s), true);
	const last = (name) => d.of("snap").flatMap((s) => s.a).filter((a) => a.id === id(name) && a.v.length).pop().v[0][1];
	same(last("count"), 9);
	same(last("avg"), 4);
	same(last("sym"), 3);
	same(last("n"), 14);
	json(last("q"), [64, 127, 2]);
	json(last("l"), [0, 4, 1]);
	json(last("ll"), [80, 89, 1]);
	json([last("p").count, last("p").p50, last("p").max], [1, 12, 12]);
	const recs = d.of("recs").flatMap((m) => m.r);
	json(recs[0].values.slice(0, 3), [42, -3, "text"]);
	same(recs[0].probe, "dtrace:::BEGIN");
	json(recs[0].values.slice(3, 5), ["with", 7]);
	same(/^[0-9a-f]{16}$/.test(recs[0].values[5].b), true);
	json(recs[recs.length - 1].values, ["end"]);
	same(d.of("err").length, 1);
	same(/invalid address/.test(d.of("err")[0].msg), true);
	same(d.out[d.out.length - 1].t, "end");
});

await step("a frame that stands for several calls is several", async () => {
	const d = decode(record("syscall::getppid:entry /pid == $target/ { ustack(); }", "-x", "inlines", "-x", "lines", "-c", join(dirname(dtrace), "test/inlines")));
	const names = d.of("name").map((m) => m.s);
	same(["leaf", "middle"].every((f) => names.some((s) => s.startsWith(`inlines\`${f} [inlined] (`))), true);
	same(names.some((s) => s.includes("\n")), false);
});

await step("the same in pieces of 1, 2, 3, 7, 64 and 4096 bytes", async () => {
	const whole = joined(decode(real).out);
	for (const n of [1, 2, 3, 7, 64, 4096]) same(joined(decode(real, n).out) === whole, true);
});

await step("cut off anywhere it shows what is complete", async () => {
	const all = decode(real).out.length;
	for (let n = 0; n < real.length; n++) same(decode(real.subarray(0, n)).out.length <= all, true);
	same(decode(real.subarray(0, real.length - 1)).cut, true);
	return `${real.length} places`;
});

await step("marks: no recording, another version, another byte order", async () => {
	const text = (s) => new TextEncoder().encode(s);
	refused(text("<!doctype html>"), /not a recording/);
	refused(text("dtrace recording 1\n"), /another version/);
	refused(text("dtrace recording 22\n"), /another version/);
	const order = real.slice();
	order[19 + 5] = 3;
	refused(order, /byte order/);
	const first = real.slice();
	first[19] = 0x53;
	refused(first, /begins with its host/);
});

const clause = ["C", 0, 0, 2, 2, 0, "trace", "", 5, 1, "stack", ""], probe = ["N", 7, "a", "b", "c", "entry"];
const firing = (...records) => ["E", 0, 0, 1, 7, 3, 5000000n, 0, 2, 0, "", records.length, ...records];
const count = ["G", 1n, "n", "count", 0n, 1, 1, "", 1, "count", 0];

await step("records of a big-endian machine", async () => {
	const d = decode(stream(host(2), clause, start, probe, ["Y", 0, 0, 0x1122n, "vmlinux`f"],
		firing([255, 254], [0, 0, 0, 0, 0, 0, 0x11, 0x22, 0, 0, 0, 0, 0, 0, 0, 0])));
	const rec = d.of("recs")[0].r[0];
	json(rec, { ms: 3, cpu: 3, probe: "a:b:c:entry", flow: 1, text: "", values: [-2, { st: [0], pid: 0 }], names: ["", "stack"] });
	same(d.of("name")[0].s, "vmlinux`f");
	json(decode(stream(host(1), clause, start, probe, firing([254, 255], []))).of("recs")[0].r[0].values, [-2]);
});

await step("text of firings, what was left out, drops, kinds that may be skipped", async () => {
	const d = decode(stream(host(1), clause, start, probe, firing([], []), ["T", 1], ["T", 0], ["z"], ["q", 1, 2], ["M", 1n, 0, 5n], ["M", 1n, 1, 6n],
		["D", 1n, 0, 0, 3n, 3n, "dynamic", "3 drops"], ["D", 1n, 0, 1, 2n, 2n, "spec", "2 drops"], ["X", 0, 1, 9n]));
	same(d.of("recs").reduce((n, m) => n + m.lost, 0), 5);
	same(d.of("missed")[0].n, 6);
	json(d.of("drop").map((m) => m.n), [3, 5]);
	same(d.of("end").length, 1);
	refused(stream(host(1), ["Z"]), /does not know blocks of the kind "Z"/);
});

await step("snapshots: a key that is gone, a complete one, a key that came before, two at one moment", async () => {
	const v = (time, flags, elements, ...gone) => ["V", time, 1n, flags, 0n, elements.length, ...elements.flatMap(([k, n]) => [k, 0n, BigInt(n), 1, 1, BigInt(n)]),
		gone.length, ...gone];
	const key = (n, text) => ["K", 1n, n, 1, 1, text];
	const d = decode(stream(host(1), start, count, key(5, "a"), key(9, "b"), v(3000000n, 0, [[5, 1], [9, 2], [77, 3]]), v(1003000000n, 0, [], 5),
		v(2003000000n, 1, []), ["X", 0, 0, 1n]));
	json(d.of("key").map((k) => [k.i, k.k]), [[0, ["a"]], [1, ["b"]]]);
	json(d.of("snap").map((s) => [s.ms, s.a[0].v]), [[1, [[0, 1], [1, 2]]], [1001, [[0, null]]], [2001, [[1, null]]]]);
	const other = ["G", 2n, "m", "count", 0n, 1, 0, 1, "count", 0], w = ["V", 4000000n, 2n, 0, 0n, 0, 0];
	same(decode(stream(host(1), start, count, other, v(3000000n, 0, []), w)).of("snap").length, 1);
	same(decode(stream(host(1), start, count, other, v(3000000n, 0, []), w)).of("snap")[0].a.length, 2);
});

await step("what refers to nothing, and lengths that lie, are refused", async () => {
	refused(stream(host(1), start, firing([1], [])), /does not define/);
	refused(stream(host(1), clause, start, probe, firing([1])), /another number of records/);
	refused(stream(host(1), clause, start, probe, firing([1, 2, 3], [])), /an integer has 3 bytes/);
	refused(stream(host(1), ["V", 1n, 1n, 0, 0n, 0, 0]), /does not define the aggregation/);
	refused(stream(host(1), start, start), /starts twice/);
	refused(stream(host(1), count, ["K", 1n, 0, 0]), /another number of values/);
	refused(stream(host(1), count, ["K", 1n, 0, 1, 99]), /shorter|middle|unknown kind/);
	refused(stream(host(1), count, ["V", 1n, 1n, 0, 0n, 0xffffffff]), /shorter than it says/);
	refused(stream(host(1), ["C", 0, 0, 0x7fffffff]), /shorter than it says/);
	refused(stream(host(1), ["N", 7, [1, 2]]), /middle of a field/);
	const long = stream(host(1), ["T", 1]);
	refused(long.fill(0xff, long.length - 8, long.length - 4), /longer than any can be/);
});

await step("damaged bytes are refused or decoded, and nothing else happens", async () => {
	let seed = 7, bad = 0;
	const next = (n) => (seed = Math.imul(seed, 1103515245) + 12345 >>> 0) % n;
	for (let round = 0; round < 3000; round++) {
		const bytes = real.slice();
		for (let i = next(4); i >= 0; i--) bytes[19 + next(bytes.length - 19)] = next(256);
		try {
			decode(bytes, 1 + next(bytes.length));
		} catch (e) {
			if (e.constructor.name !== "StreamError") throw e;
			bad++;
		}
	}
	same(bad > 100, true);
	return `${bad} of 3000 refused`;
});
rmSync(folder, { recursive: true });
