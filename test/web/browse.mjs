// SPDX-License-Identifier: BSD-2-Clause
// What tests of the live page share: a server, Chromium with its page, and what somebody does with it. A step prints
// "ok - what" or "not ok - what".
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

let failed = 0;
export async function step(what, f) {
	try {
		const more = await f();
		console.log(`ok - ${what}${typeof more === "string" ? `: ${more}` : ""}`);
	} catch (e) {
		failed++;
		console.log(`not ok - ${what}: ${String(e).split("\n").map((l) => l.trim()).join(" ")}`);
	}
}

export function same(got, want, of = "") {
	if (got !== want) throw new Error(`${got}, expected ${want}${of && `: ${of}`}`);
}

/** `dtrace --web WORDS` and a page that looks at it. */
export async function browse(modules, dtrace, words) {
	const { chromium } = createRequire(modules + "/")("playwright-core");
	const folder = mkdtempSync(join(tmpdir(), "web-")), trouble = [];
	const server = spawn(dtrace, ["--web", ...words], { stdio: ["ignore", "pipe", "inherit"] });
	const url = (await new Promise((done) => server.stdout.once("data", (d) => done(String(d))))).trim();
	const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
		args: ["--no-sandbox", "--disable-gpu"] });
	const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: "light",
		acceptDownloads: true });
	context.setDefaultTimeout(Number(process.env.PATIENCE || 60000));
	/** A page whose troubles are remembered, such as what it asks of others. */
	const open = async (address) => {
		const p = await context.newPage();
		p.on("pageerror", (e) => trouble.push(e.message));
		p.on("console", (m) => m.type() === "error" && trouble.push(m.text()));
		p.on("request", (r) => !r.url().startsWith(url.split("/?")[0]) && !/^(data|blob|file):/.test(r.url()) &&
			trouble.push(r.url()));
		await p.goto(address);
		return p;
	};
	const page = await open(url), editor = page.locator(".editor textarea");
	const state = (s) => page.locator(".figures .chip b", { hasText: new RegExp(`^${s}$`) }).waitFor();
	/** Does something that begins a trace, and waits until it is live. */
	const begins = async (act) => {
		const before = await page.evaluate(() => document.body.dataset.trace);
		await act();
		await page.waitForFunction((t) => document.body.dataset.trace !== t, before);
		await state("live");
	};
	const run = (text) => begins(async () => {
		await editor.fill(text);
		await editor.press("Control+Enter");
	});
	const row = (text) => page.locator(".bars .row:visible", { hasText: text });
	const value = (text, n) => row(text).locator(`.value[data-value="${n}"]`).first().waitFor();
	/** The file that the button makes. */
	const save = async () => {
		const file = join(folder, "saved.html");
		const [download] = await Promise.all([page.waitForEvent("download"),
			page.getByRole("button", { name: "Save" }).click()]);
		await download.saveAs(file);
		return file;
	};
	const end = async () => {
		await browser.close();
		server.kill("SIGINT");
		await new Promise((done) => server.once("exit", done));
		rmSync(folder, { recursive: true });
		process.exit(failed ? 1 : 0);
	};
	// without a program it begins with the overview of the machine; the editor is folded
	await page.waitForFunction(() => Number(document.body.dataset.trace) > 0);
	await state("live");
	await page.getByRole("button", { name: "Edit" }).click();
	return { page, context, folder, trouble, editor, open, state, begins, run, row, value, save, end };
}
