// SPDX-License-Identifier: BSD-2-Clause
// node readers.mjs MODULES VIEWER FOLDER [SHOTS]: the files of one trace in FOLDER, opened by readers of others: a JSON
// schema, the viewer of chrome://tracing (in the folder VIEWER, of Go's source), speedscope, and Chromium for the pages.
// FOLDER/want.json has what they must find: the name of the victim, a key with its number, spans by name, processes by
// name. Prints "ok - what" or "not ok - what". With SHOTS, pictures go to that folder.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [modules, viewer, folder, shots] = process.argv.slice(2);
const require = createRequire(modules + "/");
const here = dirname(fileURLToPath(import.meta.url));
const want = JSON.parse(readFileSync(join(folder, "want.json"), "utf8"));
const patience = Number(process.env.PATIENCE || 120000);

let failed = 0;
async function step(what, f) {
	try {
		await f();
		console.log(`ok - ${want.name}: ${what}`);
	} catch (e) {
		failed++;
		console.log(`not ok - ${want.name}: ${what}: ${String(e).split("\n")[0]}`);
	}
}
function same(got, expected, of = "") {
	if (JSON.stringify(got) !== JSON.stringify(expected))
		throw new Error(`${of} ${JSON.stringify(got)}, expected ${JSON.stringify(expected)}`);
}

await step("trace-event is of its JSON schema", () => {
	const Ajv = require("ajv");
	const ajv = new Ajv({ strict: false });
	const check = ajv.compile(JSON.parse(readFileSync(join(here, "trace-event.schema.json"), "utf8")));
	const events = JSON.parse(readFileSync(join(folder, "trace-event"), "utf8"));
	if (!check(events)) throw new Error(ajv.errorsText(check.errors));
	for (const [name, n] of Object.entries(want.spans))
		same(events.filter((e) => e.ph === "X" && e.name === name).length, n, name);
});

const { chromium } = require("playwright-core");
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
	args: ["--no-sandbox", "--disable-gpu"] });
const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true });
let file;		// what /file is
const types = { html: "text/html", js: "text/javascript", css: "text/css" };
await context.route("http://readers.test/**", (route) => {
	const path = new URL(route.request().url()).pathname;
	const at = path === "/" ? join(here, "viewer.html") : path.startsWith("/file") ? file :
		path.startsWith("/viewer/") ? join(viewer, path.slice(8)) :
		join(modules, "node_modules/speedscope/dist/release", path.slice(7));
	return route.fulfill({ body: readFileSync(at), contentType: types[at.split(".").pop()] ?? "application/octet-stream" });
});
async function open(url, name) {
	const page = await context.newPage();
	page.setDefaultTimeout(patience);
	page.broken = new Promise((_, reject) => {
		page.on("pageerror", reject);
		page.on("dialog", (d) => reject(new Error(d.message())));
	});
	page.broken.catch(() => {});
	await page.goto(url);
	page.shot = () => shots && page.waitForTimeout(1500).then(() => page.screenshot({ path: join(shots, `${want.name}-${name}.png`) }));
	return page;
}

await step("the viewer of chrome://tracing has its spans, processes and counters", async () => {
	file = join(folder, "trace-event");
	const page = await open("http://readers.test/", "tracing");
	await page.waitForFunction(() => window.found);
	const found = await page.evaluate(() => window.found);
	await page.shot();
	same([found.failure, found.warnings], [undefined, []]);
	for (const [name, n] of Object.entries(want.spans)) same(found.spans[name], n, name);
	for (const [name, n] of Object.entries(want.processes)) same(found.processes[name], n, name);
	same(found.counters[`@n[${want.key}]`], { count: want.n }, "@n");
	await page.close();
});

/** What speedscope understood of a file, as it saves it: for each profile its frames with all their weight. */
async function speedscope(name) {
	file = join(folder, name);
	const page = await open(`http://readers.test/speed/index.html#profileURL=${encodeURIComponent(`http://readers.test/file/${name}`)}`, `speedscope-${name}`);
	await Promise.race([page.locator("canvas").first().waitFor(), page.broken]);
	await page.shot();
	// the canvas may be there before the page listens to keys; writing a large profile takes a slow machine long
	let download;
	const saving = page.waitForEvent("download", { timeout: 5 * patience }).then((d) => download = d);
	while (!download) {
		await page.keyboard.press("Control+s");
		await Promise.race([saving, page.broken, page.waitForTimeout(20000)]);
	}
	const saved = JSON.parse(readFileSync(await download.path(), "utf8"));
	await page.close();
	return saved.profiles.map((p) => {
		const weight = {}, times = {}, since = [];
		for (const e of p.events) {
			const frame = saved.shared.frames[e.frame].name;
			if (e.type === "O") {
				since.push(e.at);
				times[frame] = (times[frame] ?? 0) + 1;
			} else {
				weight[frame] = (weight[frame] ?? 0) + e.at - since.pop();
			}
		}
		return { unit: p.unit, total: p.endValue - p.startValue, weight, times };
	});
}
await step("speedscope reads folded stacks, with their weights", async () => {
	const [profile] = await speedscope("folded");
	same(profile.weight["@calls"], want.calls, "@calls");
	same(profile.weight["@on"], want.on, "@on");
	same(profile.weight[want.key] >= want.n, true, want.key);
});
await step("speedscope reads pprof", async () => {
	const [profile] = await speedscope("pprof"), names = Object.keys(profile.weight);
	same(profile.total, want.on, "@on");
	same(names.filter((n) => /`|_\[k\]$/.test(n)), []);
});
await step("speedscope reads trace-event", async () => {
	const profiles = await speedscope("trace-event");
	const sum = (name) => profiles.reduce((n, p) => n + Object.entries(p.times).filter(([frame]) => frame === name ||
		frame.startsWith(name + " ")).reduce((m, [, k]) => m + k, 0), 0);
	same([...new Set(profiles.map((p) => p.unit))], ["microseconds"]);
	for (const [name, n] of Object.entries(want.spans)) same(sum(name), n, name);
});

const whole = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f");
await step("Chromium shows the flame graph", async () => {
	const page = await open(`file://${folder}/flame.html`, "flame");
	await page.locator(".note", { hasText: `all: ${whole(want.calls + want.on)} (100 % of ` }).waitFor();
	await page.locator('input[type="search"]').fill(want.key);
	await page.locator(".note", { hasText: /; found: [0-9.]*[1-9][0-9.]* %/ }).waitFor();
	await page.shot();
	await page.close();
});
await step("Chromium shows the heat map", async () => {
	const page = await open(`file://${folder}/heatmap.html`, "heatmap");
	await page.locator(".pinned h3", { hasText: `${whole(want.spans[want.timed])} in all` }).waitFor();
	await page.shot();
	await page.close();
});
await browser.close();
process.exit(failed ? 1 : 0);
