// SPDX-License-Identifier: BSD-2-Clause
// node fleet.mjs MODULES DTRACE BUILD FOLDER NAMESPACES LOAD [SHOTS]: Chromium drives the page over the three hosts of
// test/trigger/fleet.sh, whose settings are in FOLDER; programs LOADweb1, LOADweb2 and LOADdb1 there are copies of dd, each of which
// is counted by the agent of its own host alone. Prints "ok - what" or "not ok - what". With SHOTS, pictures go to that folder.
import { execFileSync, spawn } from "node:child_process";
import { openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { browse, same, step } from "./browse.mjs";

const [modules, dtrace, build, folder, spaces, load, shots] = process.argv.slice(2);
const HOSTS = ["db1", "web1", "web2"];
const program = `syscall::write:entry\n/execname == strjoin("${load}", hostname)/\n{\n\t@calls[probefunc] = count();\n` +
	`\t@bytes[probefunc] = sum(arg2);\n\t@size = quantize(arg2);\n}\n`;
const b = await browse(modules, dtrace, ["--hosts", "web*,db1", "--bus-config", join(folder, "alice.conf"), "-n", program]);
const { page, trouble } = b, started = [];
/** What each of them, and all together, must have counted. */
const known = Object.fromEntries([...HOSTS, ""].map((name) => [name, { calls: 0, bytes: 0 }]));
function writes(host, size, n) {
	execFileSync(join(folder, load + host), ["if=/dev/zero", "of=/dev/null", `bs=${size}`, `count=${n}`, "status=none"]);
	for (const name of [host, ""]) {
		known[name].calls += n;
		known[name].bytes += n * size;
	}
}
const host = (name, state = "") => page.locator(`.host[data-host="${name}"]${state && `[data-state="${state}"]`}`);
const all = page.locator(".host", { hasText: "All hosts" });
const panels = (of) => page.locator(`main[aria-label="${of}"]:not([hidden])`);
const ALL = "panels";
/** The panels of a host alone, or of all, show exactly its calls, bytes and sizes. */
async function counted(name) {
	const of = name ? `${name} alone` : ALL, { calls, bytes } = known[name];
	const value = (agg, n) => panels(of).locator(`.card[aria-label="@${agg}"] .bars .row .value[data-value="${n}"]`).first().waitFor();
	await value("calls", calls);
	await value("bytes", bytes);
	const text = String(calls).replace(/\B(?=(\d{3})+$)/g, "\u202f");
	await panels(of).locator(".pinned h3 .dim", { hasText: new RegExp(`^\\s*${text} in all$`) }).waitFor();
}
async function picture(file, scheme) {
	if (!shots) return;
	await page.emulateMedia({ colorScheme: scheme });
	await page.waitForTimeout(1500);
	await page.screenshot({ path: join(shots, `${file}.png`) });
}

await step("the row has each host, by a word and a sign, and of how many hosts it is", async () => {
	await page.waitForFunction((want) => [...document.querySelectorAll(".host")].map((h) =>
		[...h.children].slice(0, 3).map((part) => part.textContent).join(" ")).join("; ") === want,
		"\u25cf All hosts 3 of 3 hosts; \u25cf db1 live; \u25cf web1 live; \u25cf web2 live");
	same(/clock is .* from that of this server/.test(await host("web1").getAttribute("title")), true);
});

await step("panels are the sum of all hosts, to the last call", async () => {
	await page.getByRole("button", { name: "Fold" }).click();
	writes("web1", 1, 100);
	writes("web2", 5, 50);
	writes("db1", 9, 25);
	await counted("");
	await panels(ALL).locator(".card header .from", { hasText: "3 of 3 hosts" }).first().waitFor();
	await panels(ALL).locator("canvas.heat").waitFor();
	for (let i = 0; shots && i < 20; i++) {
		for (const name of HOSTS) writes(name, 1 << (i * 7 % 13), 3 + (i * 5) % 11);
		await page.waitForTimeout(700);
	}
	await picture("fleet-light", "light");
	await picture("fleet-dark", "dark");
});

await step("a click on a host shows its own numbers, a second click those of all", async () => {
	await host("web1").click();
	await counted("web1");
	same(await host("web1").getAttribute("aria-pressed"), "true");
	same(await panels(ALL).count(), 0);
	await picture("fleet-one", "light");
	await host("web2").click();
	await counted("web2");
	same(await page.locator("main").count(), 2, "boards");
	await host("web2").click();
	await counted("");
	same(await all.getAttribute("aria-pressed"), "true");
});

await step("the same by keys", async () => {
	await all.focus();
	for (const key of ["ArrowRight", "ArrowRight", "ArrowLeft", "Enter"]) await page.keyboard.press(key);
	await counted("db1");
	await page.keyboard.press("a");
	await panels(ALL).waitFor();
	await host("web1").press("Enter");
	await counted("web1");
	await page.keyboard.press("Escape");
	await counted("");
});

await step("a host whose agent is killed is named with the reason, and what it had counted stays", async () => {
	process.kill(Number(readFileSync(join(folder, "web2.pid"), "utf8")), "SIGKILL");
	await host("web2", "lost").waitFor();
	await page.locator(".out li", { hasText: "web2: lost: it did not answer any more" }).waitFor();
	await all.locator(".state-word", { hasText: "2 of 3 hosts" }).waitFor();
	same(await host("web2").locator(".mark").textContent(), "\u2715");
	writes("web1", 1, 10);
	await counted("");
	await picture("fleet-lost", "dark");
});

await step("and when it is back it counts on, with its own numbers from then on", async () => {
	const log = openSync(join(folder, "web2.log"), "a");
	started.push(spawn("ip", ["netns", "exec", `${spaces}-web2`, join(build, "dtraced"), "--config", join(folder, "web2.conf"), "--name", "web2"],
		{ stdio: ["ignore", log, log] }));
	await host("web2", "live").waitFor();
	await page.locator(".out li", { hasText: "web2: came back once" }).waitFor();
	await host("web2").click();
	await panels("web2 alone").waitFor();
	known.web2 = { calls: 0, bytes: 0 };
	writes("web2", 5, 7);
	await counted("web2");
	await all.click();
	await counted("");
});

await step("a saved page has the row and the sum, and says what it lacks", async () => {
	const p = await b.open(`file://${await b.save()}`);
	await p.locator(`.bars .row .value[data-value="${known[""].calls}"]`).first().waitFor();
	same(await p.locator(".host").count(), 4);
	await p.locator('.host[data-host="web1"]').click();
	await p.locator(".note-host", { hasText: "A saved page has the numbers of all hosts together." }).waitFor();
	await p.close();
});

await step("what agents refuse is said with the reason", async () => {
	await page.getByRole("button", { name: "Edit" }).click();
	await b.editor.fill("#pragma D option cpp\nBEGIN\n{\n\t@never = count();\n}\n");
	await b.editor.press("Control+Enter");
	for (const name of HOSTS) await host(name, "refused").waitFor();
	await page.locator(".out li", { hasText: "db1, web1, web2: refused: agents do not take this option of programs: cpp" }).waitFor();
	await page.locator(".empty", { hasText: "No host has answered as it should" }).waitFor();
});

await step("numbers of one host need the token too", async () => {
	const address = page.url().replace(/token=.*/, "");
	for (const [query, status] of [["stream?trace=2&host=0", 403], [`stream?trace=2&host=x&${page.url().split("?")[1]}`, 404]])
		same((await page.request.get(address.replace("?", "") + query)).status(), status, query);
});

await step("the page has no trouble of its own", async () => same(trouble.join("; "), ""));

for (const p of started) p.kill();
await b.end();
