// SPDX-License-Identifier: BSD-2-Clause
// node overview.mjs MODULES DTRACE CALLS: the overview of the machine, the gallery, panels that are arranged, time that is
// shared, runs that are compared, what the editor knows; and axe-core finds nothing, in both themes, wide and narrow.
import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { browse, same, step } from "./browse.mjs";

const [modules, dtrace, calls] = process.argv.slice(2);
const b = await browse(modules, dtrace, []);
const { page, editor, run, begins, state, row, value } = b;
const name = `v${process.pid}`, load = join(b.folder, name);
copyFileSync(calls, load);
const work = (n) => {
	try {
		execFileSync(load, [String(n)]);
	} catch (e) {
		if (e.status !== 7) throw e;
	}
};
const card = (title) => page.locator(`.card[aria-label="${title}"]`);
const button = (name) => page.getByRole("button", { name, exact: true });
const key = async (k) => {
	await page.evaluate(() => document.activeElement.blur());
	await page.keyboard.press(k);
};

const axe = readFileSync(join(modules, "node_modules/axe-core/axe.min.js"), "utf8");
/** What axe-core finds wrong in the page as it is, in both themes. */
async function faults(what) {
	const found = [];
	for (const colorScheme of ["light", "dark"]) {
		await page.emulateMedia({ colorScheme });
		await page.evaluate(axe);
		const r = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
		for (const v of r.violations) found.push(`${what}, ${colorScheme}: ${v.id} ${v.nodes.length} × ${v.nodes[0].html.slice(0, 90)}`);
	}
	await page.emulateMedia({ colorScheme: "light" });
	return found.join("; ");
}

const questions = ["Who uses the CPUs?", "How long do threads wait for a CPU?", "Who makes system calls?", "How fast are the disks?", "Who talks over TCP?"];
await step("the page begins with an overview: five questions, each with data, or why there is none", async () => {
	for (const q of questions) {
		await card(q).waitFor();
		await page.waitForFunction((q) => {
			const c = document.querySelector(`.card[aria-label="${q}"]`), said = c.querySelector(".state");
			return c.querySelector(".body canvas, .body .row") || /^(Not on this machine: .{20}|Left out: |Nothing was counted)/.test(said.textContent);
		}, q);
	}
	await card(questions[0]).locator(".bars .row .rate", { hasText: "%" }).first().waitFor();
});

await step("axe-core: the overview", async () => same(await faults("overview"), ""));

await step("from a panel: a closer look, the program alone, the tool", async () => {
	await card(questions[0]).locator(".bars .row").first().click();
	await page.locator(".made", { hasText: /^ {2}profile-97/ }).waitFor();
	await page.locator(".proposals button", { hasText: /^only where execname == "/ }).waitFor();
	await page.keyboard.press("Escape");
	await begins(() => card(questions[0]).getByRole("button", { name: "program alone" }).click());
	same(/^profile-97\n\/pid && pid != \$ppid\/\n\{\n\t@cpu/.test(await editor.inputValue()), true);
	await page.locator(".card h2", { hasText: /^@cpu$/ }).waitFor();
	await begins(() => key("o"));
	await begins(() => card(questions[1]).getByRole("button", { name: "tool runqlat" }).click());
	await page.locator(".fold", { hasText: "runqlat - " }).waitFor();
});

await step("the gallery: a sketch for each tool, a search, marks with their reason, keys", async () => {
	await key("g");
	await page.locator(".tool").first().waitFor();
	const all = await page.locator(".tool").count();
	same(await page.locator(".tool .sketch").count(), all);
	same(await page.locator(".tool.cannot").evaluateAll((v) => v.every((t) => /^⊘ .{10}/.test(t.querySelector("i").textContent))), true);
	same(await faults("gallery"), "");
	const search = page.locator('input[aria-label="search tools"]');
	await search.fill("tcp connect");
	await page.locator(".find .dim", { hasText: /^[1-9]\d? of \d+ tools$/ }).waitFor();
	same(await page.locator(".tool:visible b").allTextContents().then((v) => v.includes("tcpconnect")), true);
	await search.fill("zzzz");
	await page.locator(".find .dim", { hasText: "No tool has these words" }).waitFor();
	await search.fill("statsnoop");
	await begins(() => search.press("Enter"));
	await page.locator(".fold", { hasText: "statsnoop - " }).waitFor();
	return `${all} tools`;
});

const two = `int n;\n\ntick-50hz\n{\n\t@n[n & 1 ? "odd" : "even"] = count();\n\t@lat_ns = quantize((n & 0xff) * 1000000);\n\tn++;\n}\n`;
const heat = page.locator("canvas.heat"), range = page.locator("main > .range"), count = page.locator(".bars .tools .dim");
await step("units, and a table of values at the pointer", async () => {
	await run(two);
	await page.locator(".sub", { hasText: "quantize · time" }).waitFor();
	await page.waitForFunction(() => Number(document.querySelector('.bars .value')?.dataset.value) > 100);
	const box = await heat.boundingBox();
	await page.mouse.move(box.x + box.width - 18, box.y + 40);
	await page.locator(".heatmap .note", { hasText: / of [\d.]+\u202f(m|µ)?s to [\d.]+\u202fm?s.*p50 ≈\u202f[\d.]+\u202fms, p99/ }).waitFor();
	await card("@n").getByRole("button", { name: "lines" }).click();
	await page.mouse.move(box.x + box.width - 18, box.y + 40);
	await page.locator(".keytable th", { hasText: /^at \d\d:\d\d:\d\d/ }).waitFor();		// where the pointer is in the other panel
	same(await page.locator(".keytable tr:visible td:nth-child(2)").evaluateAll((v) => v.every((c) => /\/s$/.test(c.textContent))), true);
});

await step("time is marked in one panel for all, by the mouse and by keys", async () => {
	await card("@n").getByRole("button", { name: "bars" }).click();
	const box = await heat.boundingBox(), y = box.y + 60;
	await page.mouse.move(box.x + box.width - 60, y);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width - 17, y + 4, { steps: 6 });
	await page.mouse.up();
	await range.filter({ hasText: /^marked \d\d:\d\d:\d\d/ }).waitFor();
	await count.filter({ hasText: /^[12] keys?, \d\d:\d\d:\d\d/ }).waitFor();
	await page.getByRole("button", { name: "show only this" }).click();
	await range.filter({ hasText: /^shown / }).waitFor();
	await page.getByRole("button", { name: "all again" }).click();
	await range.waitFor({ state: "hidden" });
	await card("@n").getByRole("button", { name: "lines" }).click();
	await page.locator("canvas.chart").focus();
	for (const k of ["ArrowLeft", "Shift+ArrowLeft", "Shift+ArrowLeft"]) await page.keyboard.press(k);
	await range.filter({ hasText: /^marked / }).waitFor();
	await page.locator(".lines .note", { hasText: /^marked: / }).waitFor();
	await page.keyboard.press("Escape");
	await range.waitFor({ state: "hidden" });
});

let saved;
await step("panels are moved, made wider and enlarged; a saved file has them where they were", async () => {
	const order = (p) => p.locator(".panels > .card").evaluateAll((v) => v.map((c) => [Number(c.style.order), c.querySelector("h2").textContent])
		.sort(([a], [b]) => a - b).map(([, t]) => t).join());
	const before = await order(page), [first] = before.split(",");
	await card(first).locator("summary").click();
	await card(first).getByRole("button", { name: "Move back" }).click();
	same(await order(page), before.split(",").reverse().join());
	await card(first).locator("summary").click();
	await card(first).getByRole("button", { name: "Wider" }).click();
	same(await card(first).getAttribute("data-span"), "8");
	await card(first).getByRole("button", { name: "enlarge" }).click();
	same(await card(first).evaluate((c) => c.clientWidth > innerWidth - 40), true);
	await page.keyboard.press("Escape");
	same(await page.locator(".card.full").count(), 0);
	saved = await b.open(`file://${await b.save()}`);
	await saved.locator(".panels > .card").nth(1).waitFor();
	same(await order(saved), before.split(",").reverse().join());
	await saved.close();
});

await step("axe-core: panels, the editor, a phone", async () => {
	const found = [await faults("panels")];
	await key("f");
	found.push(await faults("folded"));
	await page.setViewportSize({ width: 390, height: 780 });
	found.push(await faults("phone"));
	await page.setViewportSize({ width: 1920, height: 1080 });
	found.push(await faults("wide"));
	await page.setViewportSize({ width: 1280, height: 800 });
	await key("e");
	same(found.filter((f) => f).join("; "), "");
});

await step("two runs side by side, and a program that is kept", async () => {
	const counting = (n) => `syscall::getppid:entry\n/execname == "${name}"/\n{\n\t@n[probefunc] = sum(${n});\n}\n`;
	await run(counting(1));
	work(100);
	await value("getppid", 100);
	await run(counting(2));
	work(100);
	await value("getppid", 200);
	await key("h");
	same(await faults("programs"), "");
	await page.getByRole("button", { name: "Compare" }).first().click();
	const sides = page.locator(".boards > main");
	await sides.nth(1).locator('.bars .value[data-value="100"]').waitFor();
	await sides.nth(0).locator('.bars .value[data-value="200"]').waitFor();
	await button("Close").click();
	same(await sides.count(), 1);
	await key("h");
	await page.locator('input[aria-label="name of this program"]').fill("my calls");
	await button("Keep").click();
	await page.locator(".runs th", { hasText: "my calls" }).waitFor();
	await page.reload();
	await state("live");
	await page.evaluate(() => document.activeElement.blur());
	await key("h");
	await page.locator(".runs tr", { hasText: "my calls" }).getByRole("button", { name: "Open" }).click();
	same(await editor.inputValue(), counting(2));
});

await step("the editor: colours at once, words with their documentation, what a word is, layout", async () => {
	await page.locator(".back .k-functions, .back .k-variables, .back .k-aggregations").first().waitFor();
	same(await page.locator(".fold:visible").count(), 0);	// the comment of the tool went with its program
	await editor.fill("BEGIN { self->began = timestamp; trace(execn");
	await page.locator(".offer", { hasText: "string execname" }).locator("i", { hasText: "The name of the thread" }).waitFor();
	await editor.press("Escape");
	await editor.fill("BEGIN { self->began = timestamp; trace(self->be");
	await page.locator(".offer b", { hasText: /^self->began$/ }).waitFor();
	await editor.press("Escape");
	await editor.fill("BEGIN { trace(execname); }");
	await editor.press("Home");
	for (let i = 0; i < 16; i++) await editor.press("ArrowRight");
	await editor.press("F1");
	await page.locator(".tip:visible", { hasText: "string execname" }).waitFor();
	await editor.fill("BEGIN { trace(execname); }");
	await button("Format").click();
	same(await editor.inputValue(), "BEGIN\n{\n\ttrace(execname);\n}\n");
});

await step("an error is said once, with its hint, and leads to its line", async () => {
	const before = await page.evaluate(() => document.body.dataset.trace);
	await editor.fill("BEGIN\n{\n\ttrace(exename);\n}\n");
	await editor.press("Control+Enter");
	await page.waitForFunction((t) => document.body.dataset.trace !== t, before);
	await state("failed");
	await page.locator(".fault", { hasText: "did you mean" }).waitFor();
	same(await page.evaluate(() => document.body.innerText.split("failed to resolve exename").length), 2);
	await page.locator(".empty", { hasText: "The program has an error in line 3." }).waitFor();
	same(await faults("an error"), "");
	await page.getByRole("button", { name: "Go to line 3" }).click();
	same(await page.evaluate(() => document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)), "exename");
});

await step("no troubles", async () => same(b.trouble.join("; "), ""));
await b.end();
