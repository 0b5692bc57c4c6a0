// SPDX-License-Identifier: BSD-2-Clause
// node pictures.mjs MODULES BUILD ESBUILD [-u]: the page on traces made by hand (scenes.mjs), compared with the pictures that
// are kept in test/web/pictures. Layout is always checked: nothing overflows or overlaps, panels stand where they stood.
// Pixels are compared only where Chromium, the fonts and the kind of machine are those that the pictures were made with
// (made.json): other versions draw letters otherwise. -u makes pictures and made.json anew. Prints "ok - what" or "not ok - what".
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { same, step } from "./browse.mjs";
import { decode, encode } from "./png.mjs";
import { recording } from "./scenes.mjs";

const [modules, build, esbuild, update] = process.argv.slice(2);
const { chromium } = createRequire(modules + "/")("playwright-core");
const kept = "test/web/pictures", made = join(kept, "made.json"), wrong = join(build, "web-pictures");

// A channel of a pixel may be off by TOLERANCE: the kept files have 256 colours, and processors round the edges of letters
// differently. Beyond that FEW of the pixels may differ: an edge of a curve. A line of text that moves by a pixel is more than that.
const TOLERANCE = 24, FEW = 0.0002;
const NEAR = 2;				// pixels that a box may have moved
const AGAIN = 8;			// how often a picture is taken

/** `high`: 0 is as high as all panels, so that each of them is in the picture. */
const pictures = [
	{ name: "overview-1280-light", scene: "overview", width: 1280, high: 800 },
	{ name: "overview-1920-dark", scene: "overview", width: 1920, high: 1080, dark: true },
	{ name: "overview-390-light", scene: "overview", width: 390, high: 780 },
	{ name: "views-1280-light", scene: "views", width: 1280, high: 0 },
	{ name: "views-1280-dark", scene: "views", width: 1280, high: 0, dark: true },
	{ name: "views-390-dark", scene: "views", width: 390, high: 0, dark: true },
];

async function program() {
	const folder = mkdtempSync(join(tmpdir(), "pictures-")), file = join(folder, "dashboard.mjs");
	execFileSync(esbuild, ["web/src/dashboard.ts", "--bundle", "--format=esm", `--outfile=${file}`, "--log-level=warning"]);
	const { compose, parts } = await import(pathToFileURL(file));
	rmSync(folder, { recursive: true });
	return compose(parts);
}

/** What serves the page as dtrace-web does, with the data of a scene. */
async function serve() {
	const html = readFileSync(join(build, "gen/page.html")), scenes = { overview: recording("overview", await program()), views: recording("views") };
	const server = createServer((req, res) => {
		const path = req.url.split("?")[0], scene = scenes[/scene=(\w+)/.exec(req.headers.cookie ?? "")?.[1]];
		res.writeHead(200, { "Content-Type": { "/": "text/html", "/events": "text/event-stream", "/stream": "application/octet-stream" }[path] ?? "application/json" });
		if (path === "/events") res.write(['{"t":"reset","trace":1}', '{"t":"cost","cpu":0.0021,"probes":0.0043,"runs":5230,"rss":14336,"errors":0,"drops":0}']
			.map((m) => `data: ${m}\n\n`).join(""));
		else res.end(path === "/" ? html : path === "/stream" ? scene : "[]");
	});
	await new Promise((done) => server.listen(0, "127.0.0.1", done));
	return server;
}

const font = (family) => {
	try {
		const file = execFileSync("fc-match", ["-f", "%{file}", family], { encoding: "utf8" });
		return createHash("sha256").update(readFileSync(file)).digest("hex").slice(0, 16);
	} catch {
		return "not known";
	}
};

/** Boxes of what makes the layout, and what is wrong with it. Runs in the page. */
function layout() {
	const seen = (e) => e.checkVisibility() && e.getBoundingClientRect().width > 0, all = (css, of = document) => [...of.querySelectorAll(css)].filter(seen);
	const box = (e) => {
		const { x, y, width, height } = e.getBoundingClientRect();
		return [x, y, width, height].map(Math.round);
	};
	const name = (e) => `${e.closest(".card")?.getAttribute("aria-label") ?? ""} ${e.tagName.toLowerCase()}.${e.className} ${(e.textContent ?? "").slice(0, 20)}`.trim();
	const faults = [], cut = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
	const apart = (list) => list.forEach((a, i) => list.slice(0, i).forEach((b) => {
		if (cut(a.getBoundingClientRect(), b.getBoundingClientRect())) faults.push(`${name(a)} overlaps ${name(b)}`);
	}));
	if (document.documentElement.scrollWidth > innerWidth) faults.push(`the page is ${document.documentElement.scrollWidth} wide`);
	const cards = all(".card");
	apart(cards);
	for (const css of [".top", ".buttons", ".figures", ".card > header", ".tabs", ".tools"]) for (const e of all(css)) apart([...e.children].filter(seen));
	for (const card of cards) {
		const c = card.getBoundingClientRect();
		for (const e of all("button, canvas, h2, input, .note, .row, .scale", card)) {
			const r = e.getBoundingClientRect(), scroll = e.closest(".scroll, .spanbox, .flamebox");
			if (!scroll && (r.left < c.left - 1 || r.right > c.right + 1)) faults.push(`${name(e)} leaves its panel`);
		}
	}
	return { faults, boxes: Object.fromEntries([...all(".top"), ...cards, ...all(".card canvas")].map((e, i) => [`${i} ${e.className} ${e.closest(".card")?.getAttribute("aria-label") ?? ""}`.trim(), box(e)])) };
}

/** `good`: the picture is what it should be; until then it is taken again, because on a busy machine a panel may be drawn late. */
async function shows(browser, url, p, good) {
	const context = await browser.newContext({ viewport: { width: p.width, height: p.high || 800 }, colorScheme: p.dark ? "dark" : "light",
		timezoneId: "UTC", locale: "en-US", reducedMotion: "reduce", deviceScaleFactor: 1 });
	context.setDefaultTimeout(Number(process.env.PATIENCE || 60000));
	await context.addCookies([{ name: "scene", value: p.scene, url }]);
	const page = await context.newPage(), frames = () => page.evaluate(() => new Promise((done) =>
		requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))));
	page.on("pageerror", (e) => console.log(`not ok - the page has failed: ${e.message}`));
	await page.goto(`${url}/?token=x`);
	await page.locator(".figures .chip b", { hasText: /^ended$/ }).waitFor();
	await page.locator(p.scene === "views" ? "canvas.spans" : "canvas.heat").first().waitFor();
	if (!p.high) {
		// panels out of sight are drawn when they come into sight, which may make the page higher
		for (let had = 0, high = 800; had !== high;) {
			await page.setViewportSize({ width: p.width, height: high });
			await frames();
			[had, high] = [high, await page.evaluate(() => document.documentElement.scrollHeight)];
		}
	}
	await page.evaluate(() => document.fonts.ready);
	await frames();
	const take = async () => ({ ...await page.evaluate(layout), shot: decode(await page.screenshot({ animations: "disabled" })) });
	let found = await take();
	for (let n = 1; n < AGAIN && !good(found); n++) {
		await page.waitForTimeout(n * 200);
		found = await take();
	}
	await context.close();
	return found;
}

/** How many pixels differ, and the box around them. */
function difference(a, b) {
	let n = 0, box = [Infinity, Infinity, 0, 0];
	for (let i = 0; i < a.rgb.length; i += 3) {
		if (Math.max(Math.abs(a.rgb[i] - b.rgb[i]), Math.abs(a.rgb[i + 1] - b.rgb[i + 1]), Math.abs(a.rgb[i + 2] - b.rgb[i + 2])) <= TOLERANCE) continue;
		const x = i / 3 % a.width, y = Math.floor(i / 3 / a.width);
		n++;
		box = [Math.min(box[0], x), Math.min(box[1], y), Math.max(box[2], x), Math.max(box[3], y)];
	}
	return { n, box };
}

/** Where boxes have moved. Their heights depend on how fonts break lines: only the same fonts give the same. */
function moved(was, is, fonts) {
	const out = Object.keys({ ...was, ...is }).filter((k) => !was[k] || !is[k]).map((k) => `${k} ${was[k] ? "is gone" : "is new"}`);
	for (const [k, b] of Object.entries(is))
		if (was[k] && b.some((v, i) => (fonts || i % 2 === 0) && Math.abs(v - was[k][i]) > NEAR)) out.push(`${k} is at ${b}, was at ${was[k]}`);
	return out.join("; ");
}

const sized = (a, b) => a.width === b.width && a.height === b.height, few = (shot) => FEW * shot.width * shot.height;

function compare(p, shot) {
	const file = join(kept, `${p.name}.png`), old = decode(readFileSync(file));
	const save = () => {
		mkdirSync(wrong, { recursive: true });
		writeFileSync(join(wrong, `${p.name}.png`), encode(shot));
		return `compare ${join(wrong, `${p.name}.png`)} with ${file}; to keep it: sh test/cli/web/web_pictures.sh -u`;
	};
	if (!sized(old, shot))
		throw new Error(`it is ${shot.width} x ${shot.height}, was ${old.width} x ${old.height}; ${save()}`);
	const { n, box } = difference(old, shot);
	if (n > few(shot)) throw new Error(`${n} pixels differ, from ${box.slice(0, 2)} to ${box.slice(2)}; ${save()}`);
}

const server = await serve(), url = `http://127.0.0.1:${server.address().port}`;
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu",
	"--font-render-hinting=none", "--disable-lcd-text", "--force-color-profile=srgb", "--hide-scrollbars"] });
const here = { chromium: browser.version(), machine: process.arch, ...Object.fromEntries(["system-ui", "sans-serif", "ui-monospace", "monospace"].map((f) => [f, font(f)])) };
const notes = update ? { here, boxes: {} } : JSON.parse(readFileSync(made, "utf8"));
const other = Object.keys(here).filter((k) => here[k] !== notes.here[k] || here[k] === "not known");
for (const p of pictures) {
	let before = null;	// for -u: the picture stays as it is
	const { shot, boxes, faults } = await shows(browser, url, p, ({ shot: now, boxes: at }) => {
		const old = update ? before : other.length ? null : decode(readFileSync(join(kept, `${p.name}.png`)));
		before = now;
		return other.length && !update ? !moved(notes.boxes[p.name], at, false) : !!old && sized(old, now) && difference(old, now).n <= few(now);
	});
	await step(`${p.name}: nothing overflows or overlaps`, () => same(faults.join("; "), ""));
	if (update) {
		writeFileSync(join(kept, `${p.name}.png`), encode(shot, TOLERANCE - 4));
		notes.boxes[p.name] = boxes;
		continue;
	}
	await step(`${p.name}: panels and pictures are where they were`, () => same(moved(notes.boxes[p.name], boxes, other.length === 0), ""));
	if (other.length) console.log(`ok - ${p.name}: pixels # SKIP made with another ${other.map((k) => `${k} (${notes.here[k]}; here ${here[k]})`).join(", ")}`);
	else await step(`${p.name}: pixels`, () => compare(p, shot));
}
if (update) writeFileSync(made, `${JSON.stringify(notes, null, "\t").replace(/\[\s+(-?\d+),\s+(-?\d+),\s+(-?\d+),\s+(-?\d+)\s+\]/g, "[$1, $2, $3, $4]")}\n`);
await browser.close();
server.closeAllConnections();
server.close();
