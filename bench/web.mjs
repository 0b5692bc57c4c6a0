// SPDX-License-Identifier: BSD-2-Clause
// node web.mjs MODULES DTRACE [NAME…]: what the live page costs and how quick it is. Prints a line for each figure, or for those named:
//   first     ms from the click on Start to the first bar, of live traces
//   keys      frames of a page with 1,000 keys and 3,600 moments, while it is scrolled and new moments come
//   memory    the heap with 1,000 keys after one hour and after two
//   stacks    frames of a flame graph of 10,000 distinct stacks, while the pointer moves, it is zoomed and moments come
//   records   frames of a table that 5,000 records a second come into, following them and while it is scrolled elsewhere
//   heat      the same of a heat map of 3,600 moments
//   cost      CPU of server and tracer for a live page, and memory, with about 1,000 keys that all change
import { spawn } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { Readable } from "node:stream";
import { block, host, mark, start as begun } from "../test/web/recording.mjs";

const [modules, dtrace, ...only] = process.argv.slice(2);
const { chromium } = createRequire(modules + "/")("playwright-core");
const KEYS = 1000, SECONDS = 3600, STACKS = 10000;

/** A figure that is no number is not printed: something before it has failed. */
function refuse(why) {
	console.error(`bench/web.sh: ${why}`);
	process.exitCode = 1;
}
function report(line) {
	if (/NaN|Infinity|undefined/.test(line)) refuse(`not measured: ${line}`);
	else console.log(line);
}

function start(...words) {
	const server = spawn(dtrace, ["--web", ...words], { stdio: ["ignore", "pipe", "inherit"] });
	return new Promise((done) => server.stdout.once("data", (d) => done({ server, url: String(d).trim() })));
}
/** Seconds of CPU of a process and its children so far, and their resident memory in MB. */
function used(pid) {
	const one = (p) => {
		const f = readFileSync(`/proc/${p}/stat`, "utf8").replace(/^.*\) /, "").split(" ");
		return { cpu: (Number(f[11]) + Number(f[12])) / 100, rss: Number(f[21]) * 4096 / 1e6, parent: Number(f[1]) };
	};
	let cpu = 0, rss = 0;
	for (const p of readdirSync("/proc").filter((n) => /^\d+$/.test(n))) {
		try {
			const u = one(p);
			if (Number(p) !== pid && u.parent !== pid) continue;
			cpu += u.cpu;
			rss += u.rss;
		} catch { /* it has ended */ }
	}
	return { cpu, rss };
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
	args: ["--no-sandbox", "--disable-gpu", "--enable-precise-memory-info", "--js-flags=--expose-gc"] });
const open = async (url) => {
	const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
	page.on("pageerror", (e) => refuse(`the page has failed: ${e.message}`));
	await page.goto(url);
	return page;
};

/**
 * Seconds of CPU of the page so far, as the kernel counts them (others use this machine too: its clock would count them):
 * of the main thread, which runs the script, and of all threads, which also raster and compress without a graphics card.
 * Of the main thread's time, the shares of the script and of style and layout are Chromium's.
 */
async function spent(page) {
	const cdp = page.cdp ??= await page.context().newCDPSession(page);
	await cdp.send("Performance.enable");
	const all = Object.fromEntries((await cdp.send("Performance.getMetrics")).metrics.map((m) => [m.name, m.value]));
	const on = (path) => Number(readFileSync(path, "utf8").split(" ")[0]) / 1e9;
	const { processInfo } = await (await browser.newBrowserCDPSession()).send("SystemInfo.getProcessInfo");
	let main = 0, threads = 0;
	for (const { id } of processInfo.filter((p) => p.type === "renderer")) {	// all but one are idle
		main += on(`/proc/${id}/task/${id}/schedstat`);
		for (const t of readdirSync(`/proc/${id}/task`)) threads += on(`/proc/${id}/task/${t}/schedstat`);
	}
	return { main, threads, script: all.ScriptDuration, layout: all.LayoutDuration + all.RecalcStyleDuration, task: all.TaskDuration };
}

/** Does `act` in each frame for some seconds: what a frame costs, and how many there were a second. */
async function frames(page, name, act) {
	const from = await spent(page);
	const took = await page.evaluate(`new Promise((done) => {
		const act = ${act}, took = [];
		let n = 0, last = 0, began = 0;
		const frame = (now) => {
			if (last) took.push(now - last);
			began ||= now;
			last = now;
			act(n++);
			if (now - began < 4000) requestAnimationFrame(frame);
			else done(took);
		};
		requestAnimationFrame(frame);
	})`);
	const to = await spent(page), d = (what) => to[what] - from[what], each = (s) => (s / took.length * 1000).toFixed(2);
	report(`${name}: ${each(d("main"))} ms of CPU a frame in the main thread (script ` +
		`${each(d("main") * d("script") / d("task"))}, style and layout ${each(d("main") * d("layout") / d("task"))}), ` +
		`${each(d("threads"))} ms in all threads; ${(1000 * took.length / took.reduce((a, b) => a + b)).toFixed(1)} frames a second`);
	await heap(page, name);
}

async function heap(page, name) {
	const bytes = await page.evaluate(() => (window.gc?.(), performance.memory.usedJSHeapSize));
	report(`${name}: heap ${(bytes / 1e6).toFixed(0)} MB`);
}

const SECOND = 1000000000n;
const count = (name, keys = 1) => block("G", 1n, name, "count", 0n, 1, keys, ...new Array(keys).fill(""), 1, "count", 0);
/** A snapshot of second s: every key has the value v[key]. */
const counted = (s, v) => block("V", BigInt(s) * SECOND + 2000000n, 1n, 0, 0n, v.length,
	...v.flatMap((n, k) => [k, 0n, BigInt(n), 1, 1, BigInt(n)]), 0);

function* keysFor(seconds) {
	yield count("n", 2);
	for (let k = 0; k < KEYS; k++) yield block("K", 1n, k, 2, 1, `program${k % 40}`, 1, `call${k}`);
	const v = new Array(KEYS).fill(0);
	for (let s = 0; s < seconds; s++) {
		for (let k = 0; k < KEYS; k++) v[k] += (k * 7 + s * 13) % (k + 3);
		yield counted(s, v);
	}
}

/** A page that reads these blocks as those of a live trace. */
async function streamed(blocks, clauses = []) {
	const real = await start(), html = await (await fetch(real.url)).text();
	real.server.kill("SIGINT");
	const fake = createServer((req, res) => {
		const path = req.url.split("?")[0], kind = { "/": "text/html", "/events": "text/event-stream", "/stream": "application/octet-stream" };
		res.writeHead(200, { "Content-Type": kind[path] ?? "application/json" });
		if (path === "/events") res.write('data: {"t":"reset","trace":1}\n\n');
		else if (path === "/stream") Readable.from((async function* () {
			yield Buffer.concat([mark, block(...host()), ...clauses, block(...begun)]);
			yield* blocks;
		})()).pipe(res);
		else res.end(path === "/" ? html : "[]");
	});
	await new Promise((done) => fake.listen(0, "127.0.0.1", done));
	const page = await open(`http://127.0.0.1:${fake.address().port}/?token=x`);
	page.end = async () => {
		await page.close();
		fake.closeAllConnections();
		fake.close();
	};
	return page;
}

async function manyKeys() {
	const from = performance.now(), page = await streamed(keysFor(SECONDS));
	await page.locator(".chip b", { hasText: /^59:59$/ }).waitFor({ timeout: 120000 });
	report(`keys: ${KEYS} keys with ${SECONDS} moments are read and shown in ${((performance.now() - from) / 1000).toFixed(1)} s`);
	await frames(page, "keys, scrolling", "(n) => document.querySelector('.bars .scroll').scrollTop = n * 37 % 29000");
	await page.getByRole("button", { name: "lines" }).click();
	await frames(page, "keys as lines, pointing", `(n) => document.querySelector('canvas.chart').dispatchEvent(
		new PointerEvent('pointermove', { clientX: 600 + n % 400, clientY: 200 }))`);
	await page.end();
}

/** Twice as long takes no more: what is older than an hour is forgotten. */
async function memory() {
	for (const hours of [1, 2]) {
		const page = await streamed(keysFor(hours * SECONDS));
		await page.locator(".chip b", { hasText: hours === 1 ? /^59:59$/ : /^1:59:59$/ }).waitFor({ timeout: 120000 });
		await heap(page, `memory: ${KEYS} keys after ${hours} h`);
		await page.end();
	}
}

function* stacks() {
	yield count("s");
	for (let i = 0; i < 3000; i++) yield block("Y", 4, 1, BigInt(i + 1), `program\`function_${i}+0x10`);
	let seed = 1;
	const random = (n) => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % n;
	for (let k = 0; k < STACKS; k++) {
		const frames = [], bytes = [];
		for (let d = 0, depth = 10 + random(25); d < depth; d++) frames.unshift(Math.min(2999, d * 60 + random(d < 4 ? 2 : 1 + d)));
		for (const f of frames) bytes.push(f + 1 & 255, f + 1 >> 8, 0, 0, 0, 0, 0, 0);
		yield block("K", 1n, k, 1, 4, 1, bytes);
	}
	const v = new Array(STACKS).fill(0);
	for (let s = 0; s < 60; s++) {
		for (let k = 0; k < STACKS; k++) v[k] += random(9);
		yield counted(s, v);
	}
}

async function manyStacks() {
	const page = await streamed(stacks());
	await page.locator(".chip b", { hasText: /^0:59$/ }).waitFor({ timeout: 120000 });
	await page.locator("canvas.flame").waitFor();
	await frames(page, "stacks, pointing", `(n) => document.querySelector('canvas.flame').dispatchEvent(
		new PointerEvent('pointermove', { clientX: 520 + n * 7 % 700, clientY: 200 + n % 200 }))`);
	await frames(page, "stacks, zooming", `(n) => { const c = document.querySelector('canvas.flame'), b = c.getBoundingClientRect();
		c.dispatchEvent(new MouseEvent('click', { clientX: b.left + n * 7 % 700, clientY: b.top + (n % 2 ? 5 : 90) })); }`);
	await page.end();
}

/** 5,000 records a second, in real time: each piece of the stream is sent when its time has come. */
async function* recordsFor(seconds) {
	yield block("N", 7, "syscall", "vmlinux", "read", "entry");
	for (let i = 0, from = performance.now(); i < seconds * 50; i++) {
		const piece = [];
		for (let k = 0; k < 100; k++) {
			const n = i * 100 + k, word = Buffer.alloc(8);
			word.writeUInt32LE(n);
			piece.push(block("E", 0, 0, 1, 7, n % 4, BigInt(n) * 200000n + 2000000n, 0, 2, 0, "", 3, [...word], [...Buffer.from(`program${n % 40}\0`)],
				[n & 255, n >> 8 & 255, 0, 0]));
		}
		yield Buffer.concat(piece);
		await new Promise((done) => setTimeout(done, from + (i + 1) * 20 - performance.now()));
	}
}

async function manyRecords() {
	const page = await streamed(recordsFor(30), [block("C", 0, 0, 3, 1, 0, "trace", "arg0", 3, 1, "trace", "execname", 2, 2, "trace", "arg2")]);
	await page.locator(".records .line").nth(10).waitFor();
	await frames(page, "records, following", "() => {}");
	const top = () => page.evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
		const g = document.querySelector('.records .datagrid'), at = Math.ceil(g.scrollTop / 24);
		done([...g.querySelectorAll('.rows .line')].find((l) => l.dataset.row === String(at)).textContent);
	})))`);
	await page.evaluate("(() => { const g = document.querySelector('.records .datagrid'); g.scrollTop = g.scrollHeight / 2; })()");
	const before = await top();
	await frames(page, "records, held", "() => {}");
	if (before !== await top()) refuse("the table has moved while it was read");
	await frames(page, "records, scrolling", "(n) => document.querySelector('.records .datagrid').scrollTop = n * 937 % 200000");
	await page.end();
}

function* heats() {
	const counts = new Array(30).fill(0);
	yield block("G", 1n, "h", "quantize", 0n, 30, 1, "", 0, 30, ...counts.flatMap((_, b) => [3, 1n << BigInt(b), (2n << BigInt(b)) - 1n]));
	yield block("K", 1n, 0, 1, 1, "w");
	for (let s = 0; s < SECONDS; s++) {
		counts.forEach((_, b) => counts[b] += Math.floor(500 * Math.exp(-((b - 15 + 6 * Math.sin(s / 200)) ** 2) / 12)));
		yield block("V", BigInt(s) * SECOND + 2000000n, 1n, 0, 0n, 1, 0, 0n, 30, 30, ...counts.map(BigInt), 0);
	}
}

async function longHeat() {
	const page = await streamed(heats());
	await page.locator(".chip b", { hasText: /^59:59$/ }).waitFor({ timeout: 120000 });
	await page.locator("canvas.heat").waitFor();
	await frames(page, "heat, pointing", `(n) => document.querySelector('canvas.heat').dispatchEvent(
		new PointerEvent('pointermove', { clientX: 600 + n * 3 % 600, clientY: 200 + n % 300 }))`);
	await page.end();
}

async function firstPicture() {
	const { server, url } = await start(), page = await open(url), took = [];
	for (let i = 0; i < 5; i++) {
		took.push(await page.evaluate(() => new Promise((done) => {
			const from = performance.now(), trace = document.body.dataset.trace;
			const look = () => document.body.dataset.trace !== trace && document.querySelector(".bars .row") ?
				done(performance.now() - from) : requestAnimationFrame(look);
			document.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true }));
			look();
		})));
		await page.waitForTimeout(300);
	}
	report(`first: ${took.map((t) => t.toFixed(0)).join(", ")} ms from start to picture`);
	await page.close();
	server.kill("SIGINT");
	await new Promise((done) => server.once("exit", done));
}

async function cost() {
	const { server, url } = await start("-n", "profile-997 { @n[timestamp / 1003009 % 1000] = count(); }");
	const page = await open(url);
	await page.waitForTimeout(3000);
	const from = used(server.pid), began = performance.now();
	const before = await spent(page);
	await page.waitForTimeout(20000);
	const to = used(server.pid), wall = (performance.now() - began) / 1000, after = await spent(page);
	const share = (seconds) => (seconds / wall * 100).toFixed(2), d = (what) => after[what] - before[what];
	report(`cost: server and tracer ${share(to.cpu - from.cpu)} % of a core, ${to.rss.toFixed(0)} MB; the page's main ` +
		`thread ${share(d("main"))} % (script ${share(d("main") * d("script") / d("task"))} %), all its threads ${share(d("threads"))} %`);
	await page.close();
	server.kill("SIGINT");
	await new Promise((done) => server.once("exit", done));
}

const all = { first: firstPicture, keys: manyKeys, memory, stacks: manyStacks, records: manyRecords, heat: longHeat, cost };
for (const [name, f] of Object.entries(all)) if (!only.length || only.includes(name)) await f();
await browser.close();
