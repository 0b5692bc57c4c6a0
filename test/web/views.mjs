// SPDX-License-Identifier: BSD-2-Clause
// node views.mjs MODULES DTRACE: flame graphs, spans and records in Chromium, on recordings made by hand, so that it is known what
// must be seen: orders, the sandwich, searches, comparisons, requests across threads, columns. Prints "ok - what" or "not ok - what".
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { browse, same, step } from "./browse.mjs";
import { block, host, mark } from "./recording.mjs";
import { recording } from "./scenes.mjs";

const [modules, dtrace] = process.argv.slice(2);
const b = await browse(modules, dtrace, []);
const { page, trouble, run } = b;
const MS = 1000000n, at = (ms) => 2000000n + BigInt(Math.round(ms * 1e6));
const word = (n) => {
	const w = Buffer.alloc(8);
	w.writeUInt32LE(n);
	return [...w];
};
const text = (s) => [...Buffer.from(`${s}\0`)];
const begun = ["S", 1, 2000000n, 1, 0];

async function load(...blocks) {
	await page.locator('input[type="file"]').setInputFiles({ name: "r", mimeType: "application/octet-stream",
		buffer: Buffer.concat([mark, ...[host(), ...blocks, ["X", 0n, 0, 0]].map((x) => block(...x))]) });
}
const card = (name) => page.locator(".card", { has: page.locator("h2", { hasText: new RegExp(`^${name}$`) }) });
const press = async (...keys) => {
	for (const k of keys) await page.keyboard.press(k);
};

// ---- flame graphs

const functions = ["prog`main", "prog`zeta(int)", "libc.so.6`read", "prog`alpha", "vmlinux`vfs_read", "loop (/srv/a.py:31)", "0x1234"];
const user = (...frames) => [4, 1, frames.reverse().flatMap((f) => word(f + 1))];
const kernel = (...frames) => [3, 0, frames.reverse().flatMap((f) => word(f + 1))];
const keyOf = (n, name, stack, under) => ["K", 1n, n, 3, 1, name, ...stack, ...under];
const values = (ms, ...v) => ["V", at(ms), 1n, 0, 0n, v.length, ...v.flatMap((n, k) => [k, 0n, BigInt(n), 1, 1, BigInt(n)]), 0];
const flames = [begun, ...functions.map((f, i) => ["Y", f.startsWith("vmlinux") ? 0 : 4, f.startsWith("vmlinux") ? 0 : 1, BigInt(i + 1), f]),
	["G", 1n, "on", "count", 0n, 1, 3, "execname", "", "", 1, "count", 0],
	keyOf(0, "web", user(0, 1, 2), kernel(4)), keyOf(1, "web", user(0, 3), kernel()), keyOf(2, "db", user(0, 3, 1), kernel()),
	keyOf(3, "db", user(0, 5, 6), kernel()), values(1000, 40, 10, 5, 5), values(2000, 60, 20, 10, 10), values(3000, 60, 40, 20, 10)];
const note = (what) => page.locator(".flames .note", { hasText: what }).waitFor();
const flame = page.locator("canvas.flame").first();

await step("a flame graph: heaviest first, A-Z, bottom up", async () => {
	await load(...flames);
	await note("all: 130 (100 % of 130)");
	await flame.focus();
	await press("ArrowDown");
	await note("web: 100 (77 % of 130)");
	await press("ArrowDown", "ArrowDown");
	await note("prog`zeta(int): 60 (46 % of 130)");
	await press("ArrowRight");
	await note("prog`alpha: 40 (31 % of 130); self 40 (31 %)");
	await press("5", "Escape", "ArrowDown");
	await note("db: 30 (23 % of 130)");
	await press("4", "Escape", "ArrowDown");
	await note("vmlinux`vfs_read: 60 (46 % of 130)");
	await press("2");
});

await step("labels begin with the function and end in their boxes", async () => {
	const drawn = await page.evaluate(() => new Promise((done) => {
		const p = CanvasRenderingContext2D.prototype, fill = p.fillText, seen = [];
		p.fillText = function (...words) {
			seen.push([words[0], words[3] - this.measureText(words[0]).width]);
			return fill.apply(this, words);
		};
		const c = document.querySelector("canvas.flame");
		c.dispatchEvent(new KeyboardEvent("keydown", { key: "+" }));
		requestAnimationFrame(() => requestAnimationFrame(() => {
			p.fillText = fill;
			c.dispatchEvent(new KeyboardEvent("keydown", { key: "0" }));
			done(seen);
		}));
	}));
	same(drawn.some(([t]) => t === "main") && drawn.some(([t]) => t === "vfs_read"), true);
	same(drawn.filter(([, room]) => room < -1).join(), "");
	same(drawn.filter(([t]) => /^(prog|vmlinux)\b/.test(t)).join(), "");
});

await step("colours have a key with shares; one of it fades the others", async () => {
	const legend = () => page.locator(".colourkey button").allTextContents().then((all) => all.sort().join());
	same(await legend(), "kernel46 %,program46 %,unknown7.7 %");
	await flame.focus();
	await press("c");
	await page.locator(".colourkey button", { hasText: /^vmlinux46 %$/ }).waitFor();
	await press("c");
	await page.locator(".colourkey button", { hasText: /^C\+\+15 %$/ }).waitFor();
	await press("c");
	await page.locator(".colourkey button", { hasText: "kernel" }).click();
	same(await page.locator('.colourkey button[aria-pressed="true"]').textContent(), "kernel46 %");
	await page.locator(".colourkey button", { hasText: "kernel" }).click();
});

await step("a search counts, and goes from place to place", async () => {
	await flame.focus();
	await press("/");
	await page.keyboard.type("ALPHA");
	await page.locator(".found", { hasText: "1 function, 46 %" }).waitFor();
	await press("Enter");
	await note("prog`alpha: 40 (31 % of 130)");
	await press("Enter");
	await note("prog`alpha: 20 (15 % of 130)");
	await press("Enter");
	await note("prog`alpha: 40 (31 % of 130)");
	await press("Escape");
	await note("all: 130");
});

await step("a sandwich: functions by self and total, callers and callees", async () => {
	await flame.focus();
	await press("3");
	const rows = page.locator(".sandwich .rows .line:visible"), first = (t) => rows.first().filter({ hasText: t }).waitFor();
	await first(/^6060vfs_readvmlinux$/);
	await page.locator(".sandwich .head button", { hasText: "total" }).click();
	await first(/^0130mainprog$/);
	await page.locator(".sandwich .head button", { hasText: "function" }).click();
	await first(/^10100x1234$/);
	await rows.filter({ hasText: "alpha" }).click();
	await page.locator(".sandwich h3", { hasText: "callers of alpha (46 % in all)" }).waitFor();
	await page.locator(".sandwich canvas.flame").last().focus();
	await press("ArrowDown", "ArrowDown");
	await note("prog`zeta(int): 20 (15 % of 130)");
	await page.locator(".sandwich canvas.flame").first().focus();
	await press("ArrowUp", "ArrowUp", "ArrowUp", "ArrowUp");
	await note(/^web: 40 /);
	await press("2");
});

await step("two keys, and two parts of the time, against each other", async () => {
	await page.getByRole("button", { name: "compare" }).click();
	await page.getByLabel("what A is").selectOption("web");
	await note("all: 100 (100 % of 100)");
	await page.getByLabel("what B is").selectOption("db");
	await note("all: 30 (100 % of 30); 100 in A, 30 in B");
	await flame.focus();
	await press("Escape", "/");
	await page.keyboard.type("alpha");
	await press("Enter");
	await press("Enter");
	await note(/prog`alpha: \d+ .* in A, \d+ in B: \u25b2 \+/);
	await press("Escape");
	await page.getByRole("button", { name: "clear" }).click();
	await note("all: 130 (100 % of 130)");
	const drag = async (from, to) => {
		const box = await page.locator(".compare canvas").boundingBox();
		await page.mouse.move(box.x + from * box.width, box.y + 20);
		await page.mouse.down();
		await page.mouse.move(box.x + to * box.width, box.y + 20, { steps: 3 });
		await page.mouse.up();
	};
	await drag(0.4, 0.7);		// the second moment: 20 + 10 + 5 + 5
	await note("all: 40 (100 % of 40)");
	await page.locator(".compare button", { hasText: "B" }).click();
	await drag(0.8, 1);		// the third: 0 + 20 + 10 + 0
	await note("all: 30 (100 % of 30); 40 in A, 30 in B");
	await flame.focus();
	await press("w");
	await note("all: 40 (100 % of 40)");
	await page.getByRole("button", { name: "compare" }).click();
	await note("all: 130 (100 % of 130)");
});

await step("a part of the time that another picture marks is what is counted", async () => {
	await page.getByRole("button", { name: "lines", exact: true }).first().click();
	const chart = page.locator("canvas.chart").first();
	await chart.focus();
	await press("End", "Shift+ArrowLeft");
	await page.getByRole("button", { name: "flame", exact: true }).first().click();
	await note(/all: (30|40|70) .*; in the marked part of the time/);
	await page.getByRole("button", { name: "lines", exact: true }).first().click();
	await chart.focus();
	await press("Escape");
	await page.getByRole("button", { name: "flame", exact: true }).first().click();
	await note("all: 130 (100 % of 130)");
});

await step("the minimap chooses a part, keys zoom and move", async () => {
	await flame.focus();
	const map = await page.locator(".minimap").first().boundingBox(), box = await flame.boundingBox();
	await page.mouse.move(map.x + map.width * 0.82, map.y + 10);
	await page.mouse.down();
	await page.mouse.move(map.x + map.width * 0.98, map.y + 10, { steps: 3 });
	await page.mouse.up();
	await page.mouse.move(box.x + 30, box.y + 30);
	await note("db: 30 ");
	await flame.focus();
	await press("[", "[", "[", "[");
	const there = await flame.boundingBox();
	await page.mouse.move(there.x + 31, there.y + 31);
	await page.mouse.move(there.x + 33, there.y + 32);
	await note("web: 100 ");
	await press("0");
	await note("all: 130");
});

// ---- records and spans

const spans = ["C", 0, 0, 3, 1, 0, "trace", "tid", 3, 1, "trace", "execname", 1, 2, "trace", "id"];
const probes = ["parse", "query", "encode"].flatMap((f, i) => [["N", 10 + i, "pid7", "prog", f, "entry"], ["N", 20 + i, "pid7", "prog", f, "return"]]);
const fires = (probe, ms, tid, id) => ["E", 0, 0, 1, probe, tid % 2, at(ms), 0, 2, 0, "", 3, word(tid), text("server"), word(id)];
const calls = [];
for (let i = 0; i < 40; i++) {
	const t = i * 10, id = 500 + i;
	calls.push(fires(10, t, 71, id), fires(20, t + 2, 71, id), fires(11, t + 3, 72 + i % 2, id), fires(12, t + 4, 72 + i % 2, id),
		fires(22, t + 4.000025, 72 + i % 2, id), fires(21, t + 6, 72 + i % 2, id));
}
const drawnIn = (css, key) => page.evaluate(([css, key]) => new Promise((done) => {
	const p = CanvasRenderingContext2D.prototype, fill = p.fillText, seen = [];
	p.fillText = function (...words) {
		seen.push(words[0].replace(/\u202f/g, " "));
		return fill.apply(this, words);
	};
	document.querySelector(css).dispatchEvent(new KeyboardEvent("keydown", { key }));
	requestAnimationFrame(() => requestAnimationFrame(() => {
		p.fillText = fill;
		done(seen);
	}));
}), [css, key]);

await step("records: a column for each value, sorted and filtered by it", async () => {
	await load(spans, begun, ...probes, ["N", 30, "proc", "vmlinux", "sched_process_exec", "exec-success"], ...calls, fires(30, 500, 9, 1));
	const table = page.locator(".records"), rows = table.locator(".rows .line:visible");
	await rows.filter({ hasText: "proc:::exec-success" }).filter({ hasText: /^0\.5000001proc:::exec-success9server1$/ }).waitFor();
	same(await table.locator(".head [role=columnheader]").allTextContents().then((all) => all.join()), "time,CPU,probe,tid,execname,id");
	const filter = table.getByLabel("filter records"), count = (t) => table.locator(".dim", { hasText: t }).waitFor();
	await filter.fill("id>536 -probe:return tid:72");
	await count("2 lines of 241 records");
	await filter.fill("tid=72 -id=500 encode:entry");
	await count("19 lines of 241 records");
	await table.getByRole("button", { name: "id", exact: true }).click();
	await rows.first().filter({ hasText: "538" }).waitFor();
	await table.getByRole("button", { name: "id", exact: true }).click();
	await rows.first().filter({ hasText: "502" }).waitFor();
	same(await table.locator('[aria-sort="ascending"]').textContent(), "id");
	await table.locator("[role=grid]").focus();
	await press("ArrowDown", "ArrowDown", "Enter");
	await table.locator(".record dd", { hasText: "pid7:prog:encode:entry" }).waitFor();
	await table.locator(".record button", { hasText: "without" }).last().click();
	await count("18 lines of 241 records");
	await filter.fill("(");
	same(await filter.evaluate((e) => e.validity.valid), false);
});

await step("spans: names and durations, a search, one request across threads", async () => {
	const box = card("spans"), said = (t) => box.locator(".note", { hasText: t }).waitFor(), canvas = box.locator("canvas.spans");
	await said("120 spans on 3 tracks");
	await canvas.focus();
	const all = await drawnIn("canvas.spans", "f");
	same(["server 71", "server 72", "server 73"].filter((t) => !all.includes(t)).join(), "");
	await press("]", "Enter");
	await said("parse on server 71: 2");
	const near = await drawnIn("canvas.spans", "+");
	same(near.includes("parse 2 ms"), true, near.join());
	await box.getByLabel("follow a request by").selectOption("id");
	await said(/request id 5\d\d has 3 spans on 2 tracks in 6/);
	await canvas.focus();
	await press("/");
	await page.keyboard.type("encode");
	await box.locator(".dim", { hasText: "40 of 120" }).waitFor();
	await press("Enter");
	await said(/encode on server 7[23]: 25.?ns/);
	await canvas.focus();
	await press("Enter");
	const close = await drawnIn("canvas.spans", "+");
	same(close.some((t) => /^\d+\.\d{3} \u00b5s$/.test(t)), true, close.join());
	await press("Escape");
});

await step("records with stacks: in the order of time", async () => {
	const stack = (...f) => [...word(1), ...f.reverse().flatMap((x) => word(x + 1))], taken = (ms, ...f) =>
		["E", 0, 0, 1, 40, 0, at(ms), 0, 2, 0, "", 1, stack(...f)];
	await load(["C", 0, 0, 1, 6, 0, "ustack", ""], begun, ["N", 40, "profile", "", "", "profile-97"],
		...functions.map((f, i) => ["Y", 4, 1, BigInt(i + 1), f]), taken(10, 0, 1), taken(20, 0, 1), taken(30, 0, 3), taken(40, 0, 1));
	const box = card("stacks");
	await box.locator(".note", { hasText: "all: 4 (100 % of 4)" }).waitFor();
	await box.getByRole("button", { name: "time order" }).click();
	await box.locator("canvas.flame").focus();
	await press("ArrowDown", "ArrowDown");
	await box.locator(".note", { hasText: "prog`zeta(int): 2 (50 % of 4); self 2 (50 %); from 0.010 s to 0.020 s" }).waitFor();
	await press("ArrowRight", "ArrowRight");
	await box.locator(".note", { hasText: "prog`zeta(int): 1 (25 % of 4); self 1 (25 %); from 0.040 s to 0.040 s" }).waitFor();
	await press("2", "ArrowDown", "ArrowDown");
	await box.locator(".note", { hasText: "prog`zeta(int): 3 (75 % of 4)" }).waitFor();
});

await step("a table that is read stays where it is while records come", async () => {
	await run("tick-200hz { trace(i++); trace(\"x\"); }");
	const grid = page.locator(".records [role=grid]"), chip = page.locator(".records .tools button");
	await page.locator(".records .dim", { hasText: /^[1-9]\d\d lines/ }).waitFor();
	const top = () => grid.evaluate((g) => [...g.querySelectorAll(".rows .line")].find((l) => Number(l.dataset.row) === Math.ceil(g.scrollTop / 24)).textContent);
	await grid.evaluate((g) => g.scrollTop = 480);
	await chip.filter({ hasText: "new" }).waitFor();
	const before = await top(), had = await chip.textContent();
	await page.waitForFunction((t) => document.querySelector(".records .tools button").textContent !== t, had);
	same(await top(), before);
	await chip.click();
	await chip.waitFor({ state: "hidden" });
	same(await grid.evaluate((g) => g.scrollHeight - g.scrollTop - g.clientHeight < 60), true);
});

await step("? lists the keys of pictures", async () => {
	await page.evaluate(() => document.activeElement.blur());
	await press("?");
	await page.locator(".panel[open] td", { hasText: "flame: callers and callees of the function" }).waitFor();
	await press("Escape");
});

// ---- one time, and examples

await step("a part of the time that is marked is what records, spans and ranges show", async () => {
	await page.locator('input[type="file"]').setInputFiles({ name: "r", mimeType: "application/octet-stream", buffer: recording("views") });
	const records = card("records"), took = card("@took_ns"), count = took.locator("tbody tr").first().locator("td").first();
	await records.locator(".dim", { hasText: /^720 lines of 720 records$/ }).waitFor();
	await card("spans").locator(".note", { hasText: /^360 spans on 5 tracks$/ }).waitFor();
	same(await count.getAttribute("data-value"), "24000");
	const heat = page.locator("canvas.heat");
	await heat.focus();
	await press("ArrowLeft", "Shift+ArrowLeft");	// from 57 s to 59 s: half of the requests began then
	await records.locator(".dim", { hasText: /^37\d lines of 720 records, in the marked part of the time$/ }).waitFor();
	await card("spans").locator(".note", { hasText: /^360 spans on 5 tracks, 18\d of them here$/ }).waitFor();
	await took.locator("tbody td[data-value=\"800\"]").first().waitFor();
	await took.locator(".note", { hasText: "counts are of the marked part of the time" }).waitFor();
	await press("Enter");
	await records.locator(".dim", { hasText: "in the shown part of the time" }).waitFor();
	await press("Escape");
	await records.locator(".dim", { hasText: /^720 lines of 720 records$/ }).waitFor();
	await card("spans").locator(".note", { hasText: /^360 spans on 5 tracks$/ }).waitFor();
	same(await count.getAttribute("data-value"), "24000");
});

await step("pointing at spans points at the same moment in other panels", async () => {
	await card("@calls").getByRole("button", { name: "lines" }).click();
	await page.locator("canvas.spans").scrollIntoViewIfNeeded();
	const box = await page.locator("canvas.spans").boundingBox(), pointed = card("@calls").locator("th", { hasText: "at 1" });
	await page.locator("canvas.spans").hover({ position: { x: box.width - 20, y: 60 } });
	await pointed.filter({ hasText: /at 1\d:\d\d:00/ }).waitFor();	// the last of the two seconds that spans show
	await page.mouse.move(1, 1);
	await pointed.waitFor({ state: "hidden" });
});

const heats = (program, records) => [["Q", 0, "", program], ["C", 0, 0, 2, 3, 0, "trace", "execname", 1, 1, "trace", "arg0 + 1"], begun,
	["N", 50, "x", "", "", "y"], ["G", 1n, "ns", "quantize", 0n, 3, 1, "execname", 0, 3, 3, 1n, 1n, 3, 2n, 3n, 3, 4n, 7n], ["K", 1n, 0, 1, 1, "web"], ["K", 1n, 1, 1, 1, "db"],
	...records, ["V", at(1000), 1n, 0, 0n, 2, 0, 0n, 3, 3, 1n, 0n, 2n, 1, 0n, 3, 3, 0n, 0n, 1n, 0],
	["V", at(2000), 1n, 0, 0n, 2, 0, 0n, 3, 3, 1n, 2n, 2n, 1, 0n, 3, 3, 0n, 1n, 1n, 0]];
const fired = (ms, name, v) => ["E", 0, 0, 1, 50, 0, at(ms), 0, 2, 0, "", 2, text(name), word(v)];
const examples = page.locator(".examples");

await step("a cell of a heat map shows its records: of its time, its values, its key", async () => {
	await load(...heats("x:::y { @ns[execname] = quantize(arg0+1); trace(execname); trace(arg0 + 1); }",
		[fired(100, "web", 1), fired(300, "web", 5), fired(500, "db", 6), fired(700, "web", 7), fired(1300, "web", 3), fired(1400, "web", 2), fired(1500, "db", 3)]));
	const heat = page.locator("canvas.heat"), cells = () => examples.locator("tbody tr").allTextContents().then((all) => all.join("|").replace(/\u202f/g, " "));
	await heat.focus();
	await press("ArrowLeft", "ArrowUp", "Enter");
	await examples.locator("p", { hasText: "3 records of this cell" }).waitFor();
	same(await cells(), "0.3000000yweb5 ns|0.5000000ydb6 ns|0.7000000yweb7 ns");
	await card("@ns").locator("select").selectOption({ label: "db" });
	await examples.locator("p", { hasText: "1 record of this cell" }).waitFor();
	same(await cells(), "0.5000000ydb6 ns");
	await card("@ns").locator("select").selectOption({ index: 0 });
	const box = await heat.boundingBox(), wide = box.width - 64 - 14 - 96, high = (box.height - 22 - 28 - 2) / 3;
	await heat.click({ position: { x: 64 + wide * 0.75, y: 2 + high * 1.5 } });
	await examples.locator("p", { hasText: "3 records of this cell" }).waitFor();
	same(await cells(), "1.3000000yweb3 ns|1.4000000yweb2 ns|1.5000000ydb3 ns");
	await page.evaluate(readFileSync(join(modules, "node_modules/axe-core/axe.min.js"), "utf8"));
	const r = await page.evaluate(() => axe.run(".examples", { resultTypes: ["violations"] }));
	same(r.violations.map((v) => `${v.id}: ${v.nodes[0].html}`).join("; "), "");
	await examples.getByRole("button", { name: "mark its time" }).click();
	await page.locator(".records .dim", { hasText: "3 lines of 7 records, in the marked part of the time" }).waitFor();
	await heat.click({ position: { x: 64 + wide * 0.75, y: 2 + high * 1.5 } });
	await examples.waitFor({ state: "hidden" });
});

await step("without records it has its keys, and the line that keeps some", async () => {
	await load(...heats("x:::y { @ns[execname] = quantize(arg0); }", []));
	await page.locator("canvas.heat").focus();
	await press("ArrowLeft", "ArrowUp", "Enter");
	await examples.locator(".keys-of button").first().waitFor();
	same(await examples.locator(".keys-of button").allTextContents().then((all) => all.join("|")), "web 2|db 1");
	same(await examples.locator("pre").textContent(), "if (arg0 >= 4 && arg0 <= 7) { trace(execname); trace(pid); trace(arg0); }");
	await press("Escape");
	await examples.waitFor({ state: "hidden" });
});

await step("that line keeps examples in a live trace", async () => {
	await run("int x;\ntick-50hz\n{\n\tx = (x + 7) % 64;\n\t@v[execname] = quantize(x);\n}\n");
	const heat = page.locator("canvas.heat"), kept = page.getByRole("button", { name: "Keep examples" });
	/** From the least values up, moment by moment, until a cell shows it. */
	const example = async (of) => {
		await heat.focus();
		for (let moment = 0; moment < 20; moment++) {
			await press(...new Array(9).fill("ArrowDown"));
			for (let row = 0; row < 9; row++) {
				await press("Enter");
				if (await of.isVisible()) return;
				await press("ArrowUp");
			}
			await press("ArrowRight");
		}
	};
	await page.locator(".pinned h3", { hasText: /[1-9]\d in all/ }).waitFor();
	await example(kept);
	await kept.click();
	const shown = await page.locator(".made ins").innerText();
	same(/^\+ +if \(x [>=]= \d+.*\) \{ trace\(execname\); trace\(pid\); trace\(x\); \}$/.test(shown.trim().replace(/\s+/g, " ")), true, shown);
	await b.begins(() => page.locator(".proposals button", { hasText: "keep examples" }).click());
	await page.locator(".records .dim", { hasText: /^[1-9]\d lines/ }).waitFor();
	await example(examples.locator("tbody tr").first());
	const names = await examples.locator("th").allTextContents(), cells = await examples.locator("tbody tr").first().locator("td").allTextContents();
	same(Number(cells[names.indexOf("x")]) > 0, true, cells.join());
});

// ---- colours

await step("colours differ for eyes that lack one kind of cones", () => {
	const css = readFileSync("web/src/flame/palette.ts", "utf8"), named = (part, name) => new RegExp(`--${name}: (#[0-9a-f]{6})`).exec(part)[1];
	const line = (v) => v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4;
	// Machado, Oliveira, Fernandes 2009, severity 1
	const eyes = [[1, 0, 0, 0, 1, 0, 0, 0, 1], [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
		[0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
		[1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039]];
	const oklab = ([r, g, b]) => {
		const [l, m, s] = [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566], [0.0883024619, 0.2817188376, 0.6299787005]]
			.map((k) => Math.cbrt(k[0] * r + k[1] * g + k[2] * b));
		return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
			0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s];
	};
	const seen = (hex, e) => {
		const c = [1, 3, 5].map((i) => line(parseInt(hex.slice(i, i + 2), 16)));
		return oklab([0, 3, 6].map((i) => Math.max(0, Math.min(1, e[i] * c[0] + e[i + 1] * c[1] + e[i + 2] * c[2]))));
	};
	const near = [];
	for (const part of css.match(/`--k-program[^`]*`/g))
		for (const set of [["program", "library", "kernel", "interpreted", "unknown"].map((k) => `k-${k}`), [0, 1, 2, 3, 4, 5, 6, 7].map((i) => `m${i}`)])
			for (const e of eyes)
				set.forEach((x, i) => set.slice(0, i).forEach((y) => {
					const [p, q] = [seen(named(part, x), e), seen(named(part, y), e)], d = 100 * Math.hypot(...p.map((v, j) => v - q[j]));
					if (d < 9.5) near.push(`${x} ${y} ${d.toFixed(1)}`);
				}));
	same(near.join("; "), "");
});

await step("no troubles", async () => same(trouble.join("; "), ""));
await b.end();
