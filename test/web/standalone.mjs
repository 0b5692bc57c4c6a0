// SPDX-License-Identifier: BSD-2-Clause
// node standalone.mjs MODULES DTRACE: files of -O flame and -O heatmap in Chromium: what they show, searching, zooming, turning
// over, comparing, and names that try to be markup. Prints "ok - what" or "not ok - what".
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { same, step } from "./browse.mjs";

const [modules, dtrace] = process.argv.slice(2);
const { chromium } = createRequire(modules + "/")("playwright-core");
const folder = mkdtempSync(join(tmpdir(), "standalone-"));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
const context = await browser.newContext({ viewport: { width: 1000, height: 700 } }), trouble = [];
context.setDefaultTimeout(Number(process.env.PATIENCE || 60000));

async function open(name, format, program) {
	const file = join(folder, `${name}.html`);
	execFileSync(dtrace, ["-q", "-O", format, "-o", file, "-n", program], { stdio: ["ignore", "ignore", "ignore"] });
	const page = await context.newPage();
	page.on("pageerror", (e) => trouble.push(e.message));
	page.on("console", (m) => m.type() === "error" && trouble.push(m.text()));
	page.on("request", (r) => !/^(data|file):/.test(r.url()) && trouble.push(r.url()));
	await page.goto(`file://${file}`);
	return page;
}
const note = (page, text) => page.locator(".note", { hasText: text }).waitFor();
const bad = '"</script><img src=x onerror=document.title=1>%3C&"';

await step("a flame graph: all of it, a search, a zoom, upside down, and back", async () => {
	const page = await open("first", "flame", `BEGIN { @[${bad}, stack(1)] = sum(30); @["b", stack(1)] = sum(10); exit(0); }`);
	await note(page, "all: 40 (100 % of 40)");
	same(/^Flame graph: \S+ \u00b7 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d \u00b7 [\d.]+ s$/.test(await page.title()), true);
	same(await page.locator(".about summary").innerText(), `BEGIN { @[${bad}, stack(1)] = sum(30); @["b", stack(1)] = sum(10); exit(0); }`);
	same(await page.locator("img").count(), 0);
	await page.keyboard.press("/");
	await page.keyboard.type("IMG SRC=X");
	await note(page, "found: 75 %");
	await page.keyboard.press("Escape");
	await page.locator("canvas.flame").focus();
	await page.keyboard.press("ArrowDown");
	await note(page, `${bad.slice(1, -1)}: 30 (75 % of 40)`);
	await page.keyboard.press("Enter");
	await page.keyboard.press("ArrowRight");		// nothing is beside what is as wide as all
	await note(page, `${bad.slice(1, -1)}: 30 (75 % of 40)`);
	await page.keyboard.press("Escape");
	await page.keyboard.press("i");
	await page.keyboard.press("ArrowUp");
	await page.keyboard.press("ArrowRight");
	await note(page, "b: 10 (25 % of 40)");
	same(await page.getByRole("button", { name: "turn over" }).getAttribute("aria-pressed"), "true");
	await page.close();
});

await step("stacks of firings: also in the order of time", async () => {
	const page = await open("times", "flame", 'tick-100hz { i++; trace(i % 2 ? "odd" : "even"); stack(2); } tick-100hz /i == 6/ { exit(0); }');
	await note(page, "all: 6 (100 % of 6)");
	await page.keyboard.press("1");
	await page.locator("canvas.flame").focus();
	await page.keyboard.press("ArrowDown");
	await note(page, /^odd: 1 \(17 % of 6\); from 0\.\d+ s/);
	await page.keyboard.press("ArrowRight");
	await note(page, /^even: 1 \(17 % of 6\)/);
	await page.keyboard.press("2");
	await page.keyboard.press("ArrowDown");
	await note(page, /^(odd|even): 3 \(50 % of 6\)/);
	await page.keyboard.press("?");
	await page.locator(".keys td", { hasText: "callers and callees" }).waitFor();
	await page.close();
});

await step("a differential flame graph: widths of either file, the change in points", async () => {
	const page = await open("second", `flame=${join(folder, "first.html")}`, 'BEGIN { @["b", stack(1)] = sum(10); @["new", stack(1)] = sum(10); exit(0); }');
	await note(page, "all: 20 (100 % of 20); 40 in the earlier file, 20 in this one: ▲ +0.0 points");
	await page.locator("canvas.flame").focus();
	await page.keyboard.press("ArrowDown");
	await note(page, "b: 10 (50 % of 20); 10 in the earlier file, 10 in this one: ▲ +25.0 points");
	await page.keyboard.press("w");
	await note(page, "b: 10 (25 % of 40)");
	await page.getByRole("button", { name: "widths: in the earlier file" }).click();
	await page.getByRole("button", { name: "widths: in this one" }).waitFor();
	await page.close();
});

await step("a heat map: a card for each aggregation, keys, a cell, a pinned moment", async () => {
	const page = await open("heat", "heatmap", `BEGIN { @a[${bad}] = lquantize(3, 0, 10, 5); @a["k"] = lquantize(7, 0, 10, 5); @b = quantize(100); exit(0); }`);
	same(await page.locator(".card h2").allTextContents().then((all) => all.join()), "@a,@b");
	await page.locator("main > .about", { hasText: new RegExp(`${hostname()} \u00b7 20\\d\\d-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d`) }).waitFor();
	same(/^BEGIN \{ @a\[/.test(await page.locator(".about summary").innerText()), true);
	const card = page.locator(".card").first();
	await card.locator(".pinned h3", { hasText: "2 in all" }).waitFor();
	same(await card.locator("select option").allTextContents().then((all) => all.join("|")), `all 2 keys together|${bad.slice(1, -1)}|k`);
	await card.locator("select").selectOption({ label: "k" });
	await card.locator(".pinned h3", { hasText: "1 in all" }).waitFor();
	same(await page.locator("img").count(), 0);
	await card.locator("canvas.heat").focus();
	await page.keyboard.press("ArrowUp");
	await card.locator(".note", { hasText: "1 of 5 to 9" }).waitFor();
	await page.keyboard.press("Enter");
	await card.locator(".pinned h3", { hasText: /^at / }).waitFor();
	await page.close();
});

await step("a heat map: columns are the intervals of the data, values have units, percentiles lie where they are", async () => {
	const page = await open("columns", "heatmap", `#pragma D option aggrate=200ms
tick-200ms { @lat_ns = quantize(1500000); n++; } tick-200ms /n > 10/ { exit(0); }`);
	const note = page.locator(".note");
	await page.locator("canvas.heat").focus();
	await page.keyboard.press("ArrowLeft");
	await note.filter({ hasText: / of 1\.05\u202fms to 2\.1\u202fms; 1 in this moment, p50 \u2248\u202f1\.\d+\u202fms/ }).waitFor();
	const times = new Set();
	for (let i = 0; i < 12; i++) {
		times.add(/\d\d:\d\d:\d\d\.\d+/.exec(await note.innerText())[0]);
		await page.keyboard.press("ArrowLeft");
		await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
	}
	same(times.size >= 9, true);
	await page.close();
});

await step("nothing to draw is said", async () => {
	const page = await open("none", "flame", "BEGIN { exit(0); }");
	await page.locator("h2", { hasText: "No stacks" }).waitFor();
	await page.close();
	const other = await open("no", "heatmap", "BEGIN { exit(0); }");
	await other.locator("h2", { hasText: "No histograms" }).waitFor();
});
await step("the files have no troubles and ask nobody", async () => same(trouble.join("; "), ""));
await browser.close();
rmSync(folder, { recursive: true });
