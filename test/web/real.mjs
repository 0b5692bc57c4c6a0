// SPDX-License-Identifier: BSD-2-Clause
// node real.mjs MODULES DTRACE postgres|nginx PID LOAD…: the live page on a real server, whose master has this pid. LOAD is
// a command that loads it and prints, as its last line, how much it has done: transactions, or requests.
import { spawnSync } from "node:child_process";
import { browse, same, step } from "./browse.mjs";

const [modules, dtrace, what, pid, ...load] = process.argv.slice(2);
const b = await browse(modules, dtrace, ["-x", "follow", "-p", pid]);
const { page, editor, state, begins, run } = b;

/** How much the load has done by its own count. */
function work() {
	const r = spawnSync(load[0], load.slice(1), { encoding: "utf8" }), n = Number(r.stdout.trim().split("\n").pop());
	if (r.status !== 0 || !(n > 0)) throw new Error(`the load failed: ${r.stdout} ${r.stderr}`);
	return n;
}
const card = (name) => page.locator(".card", { has: page.locator("h2", { hasText: new RegExp(`^${name}$`) }) });
const row = (name, key) => card(name).locator(".bars .row:visible", { has: page.locator(".key",
	{ hasText: typeof key === "string" ? new RegExp(`^${key}$`) : key }) });
const value = (name, key, n) => row(name, key).locator(`.value[data-value="${n}"]`).waitFor();
const choose = (title) => begins(() => page.locator(".proposals button", { hasText: title }).first().click());
/** Numbers of the bars from the first on. */
const numbers = (name) => card(name).locator(".bars .row:visible .value").evaluateAll((all) => all.map((v) =>
	Number(v.dataset.value)));
const sums = (name, n, bars) => page.waitForFunction(({ n, bars }) => {
	const all = [...document.querySelectorAll(".bars .row")].filter((r) => !r.hidden)
		.map((r) => Number(r.querySelector(".value").dataset.value));
	return all.length === bars && all.reduce((a, x) => a + x, 0) === n;
}, { n, bars });

/** From the gallery, and as many as the server did itself. */
async function gallery(call) {
	await page.getByRole("button", { name: "Gallery" }).click();
	await begins(() => page.locator(".tool", { hasText: "syscount" }).click());
	const n = work();
	if (call) await value("@call", call, n);
	else await row("@process", /postgres/).first().waitFor();
	return `${n}`;
}

async function postgres() {
	const counting = "pid$target:postgres:pg_parse_query:entry\n{\n\t@sql[substr(copyinstr(arg0), 0, 6)] = count();\n}\n";
	await step("PostgreSQL: a tool of the gallery shows its system calls", () => gallery(""));
	await step("PostgreSQL: statements are as many as pgbench made transactions of", async () => {
		await run(counting);
		const n = work();
		await value("@sql", "BEGIN;", n);
		await value("@sql", "UPDATE", 3 * n);
		await value("@sql", "INSERT", n);
		await value("@sql", "END;", n);
		return `${n} transactions`;
	});
	await step("PostgreSQL: looking closer: only the updates", async () => {
		await row("@sql", "UPDATE").click();
		await choose('only where substr(copyinstr(arg0), 0, 6) == "UPDATE"');
		const n = work();
		await value("@sql", "UPDATE", 3 * n);
		same((await numbers("@sql")).length, 1);
	});
	await step("PostgreSQL: looking closer again: by backend", async () => {
		await row("@sql", "UPDATE").click();
		await choose("by pid too");
		const n = work();
		await sums("@sql", 3 * n, 2);		// pgbench has two clients, with as much to do each
		same((await numbers("@sql")).join(), [1.5 * n, 1.5 * n].join());
	});
	return { text: counting.replace("copyinstr(arg0)", "copyinstr(argo)"), wrong: "argo", shown: "UPDATE", card: "@sql" };
}

async function nginx() {
	const request = "pid$target:a.out:ngx_http_process_request";
	const timed = `${request}:entry\n{\n\tself->t = timestamp;\n}\n\n${request}:return\n/self->t/\n{\n` +
		"\t@ns = quantize(timestamp - self->t);\n\tself->t = 0;\n}\n";
	await step("nginx: a tool of the gallery counts a write for each line of the log", () => gallery("write"));
	await step("nginx: how long requests take, as many as the log has lines", async () => {
		await run(timed);
		const n = work();
		await card("@ns").locator(".pinned h3", { hasText: new RegExp(`\\b${String(n).replace(/\B(?=(\d{3})+$)/g, ".")} in all`) }).waitFor();
		return `${n} requests`;
	});
	await step("nginx: looking closer: a range of the heat map", async () => {
		const box = await card("@ns").locator("canvas.heat").boundingBox();
		await page.mouse.move(box.x + 90, box.y + 2);
		await page.mouse.down();
		await page.mouse.move(box.x + 100, box.y + box.height - 24, { steps: 4 });
		await page.mouse.up();
		await choose("only where (timestamp - self->t) >= ");
		work();
		await card("@ns").locator("canvas.heat").waitFor();
	});
	await step("nginx: looking closer: by worker, then one worker alone", async () => {
		await run(`${request}:entry\n{\n\t@n[probefunc] = count();\n}\n`);
		let n = work();
		await value("@n", "ngx_http_process_request", n);
		await row("@n", /ngx/).click();
		await choose("by pid too");
		n = work();
		await sums("@n", n, 2);
		const first = row("@n", /ngx/).first(), worker = /\d+$/.exec(await first.locator(".key").innerText())[0];
		await first.click();
		await choose(`only where pid == ${worker}`);
		n = work();
		await row("@n", new RegExp(worker)).waitFor();
		const [one] = await numbers("@n");
		same(one > 0 && one < n, true);
	});
	return { text: `${request}:entry\n{\n\t@n[probefun] = count();\n}\n`, wrong: "probefun", shown: "ngx_http", card: "@n" };
}

const last = what === "nginx" ? await nginx() : await postgres();

await step(`${what}: an error of the compiler is shown at its place`, async () => {
	const before = await editor.inputValue();
	await editor.fill(last.text);
	await page.locator(".back mark", { hasText: new RegExp(`^${last.wrong}$`) }).waitFor();
	await page.locator(".gutter b", { hasText: "3" }).waitFor();
	await editor.fill(before);
	await page.locator(".gutter b").waitFor({ state: "detached" });
});

await step(`${what}: pause, save, and the saved file is what was held`, async () => {
	await page.evaluate(() => document.activeElement.blur());
	await page.waitForTimeout(1200);
	await page.getByRole("button", { name: "Pause" }).click();
	await state("paused");
	const held = (await numbers(last.card)).join();
	work();
	await page.waitForTimeout(1500);
	same((await numbers(last.card)).join(), held);
	await page.getByRole("button", { name: "Resume" }).click();
	await page.waitForFunction((was) => was !== [...document.querySelectorAll(".bars .row")].filter((r) => !r.hidden)
		.map((r) => r.querySelector(".value").dataset.value).join(), held);
	await page.getByRole("button", { name: "Stop" }).click();
	await state("ended");
	const shown = (await numbers(last.card)).join(), saved = await b.open(`file://${await b.save()}`);
	await saved.locator(".bars .row:visible", { hasText: last.shown }).first().waitFor();
	same(await saved.locator(".bars .row:visible .value").evaluateAll((all) => all.map((v) => v.dataset.value).join()), shown);
	await saved.close();
});

await step(`${what}: the page has no troubles and asks nobody else`, async () => same(b.trouble.join("; "), ""));
await b.end();
