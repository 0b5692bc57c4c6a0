// SPDX-License-Identifier: BSD-2-Clause
// node page.mjs MODULES DTRACE CALLS [SHOTS]: Chromium drives the live page on live traces. Prints "ok - what" or
// "not ok - what" for each thing that somebody does with it. With SHOTS, pictures of each view go to that folder.
import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { browse, same, step } from "./browse.mjs";

const [modules, dtrace, calls, shots] = process.argv.slice(2);
const b = await browse(modules, dtrace, []);
const { page, folder, trouble, editor, state, begins, run, row, value } = b;
const name = `w${process.pid}`;		// of the program that is traced: nobody else's is called that
const load = join(folder, name);
copyFileSync(calls, load);

/** Exactly n calls of getppid(2); its status is 7. */
function work(n) {
	try {
		execFileSync(load, [String(n)]);
	} catch (e) {
		if (e.status !== 7) throw e;
	}
}

async function picture(file, options = {}) {
	if (!shots) return;
	if (options.dark !== undefined) await page.emulateMedia({ colorScheme: options.dark ? "dark" : "light" });
	if (options.phone !== undefined) await page.setViewportSize(options.phone ? { width: 390, height: 780 } : { width: 1280, height: 800 });
	await page.waitForTimeout(options.wait ?? 1500);
	await page.screenshot({ path: join(shots, `${file}.png`) });
}

await step("a tool of the gallery starts with one click", async () => {
	await page.getByRole("button", { name: "Gallery" }).click();
	await page.locator(".tool", { hasText: "syscount" }).waitFor();
	await picture("gallery", { wait: 200 });
	await begins(() => page.locator(".tool", { hasText: "syscount" }).click());
	await row("").first().waitFor();
	await page.locator(".fold", { hasText: "syscount - " }).waitFor();
	same(/^\s*#pragma D option/.test(await editor.inputValue()), true);
	await page.locator(".fold").click();
	same(/ \* syscount - /.test(await editor.inputValue()), true);
});

const counting = `syscall::getppid:entry\n/execname == "${name}"/\n{\n\t@n[probefunc] = count();\n}\n`;
await step("the bars are what the program did", async () => {
	await run(counting);
	work(1234);
	await value("getppid", 1234);
	work(766);
	await value("getppid", 2000);
});

await step("looking closer: only this key", async () => {
	await row("getppid").first().click();
	await page.locator(".proposals button", { hasText: 'only where probefunc == "getppid"' }).waitFor();
	await picture("closer", { wait: 300 });
	same(/\+ \/execname.*&& probefunc == "getppid"\//.test(await page.locator(".made").innerText()), true);
	await begins(() => page.locator(".proposals button", { hasText: 'only where probefunc == "getppid"' }).click());
	work(55);
	await value("getppid", 55);
});

await step("looking closer again: by one key more", async () => {
	await row("getppid").first().click();
	await begins(() => page.locator(".proposals button", { hasText: "by execname too" }).click());
	work(77);
	await value(`getppid · ${name}`, 77);
	same(/@n\[probefunc, execname\]/.test(await editor.inputValue()), true);
});

await step("the way back", async () => {
	await begins(() => page.locator(".trail button").click());
	await page.locator(".trail button", { hasText: "(1)" }).waitFor();
	same(/@n\[probefunc\]/.test(await editor.inputValue()), true);
});

await step("an error of the compiler is shown at its place", async () => {
	await editor.fill("BEGIN\n{\n\ttrace(exename);\n}\n");
	await page.locator(".back mark", { hasText: /^exename$/ }).waitFor();
	same((await page.locator(".gutter b").textContent()).trim(), "\u27173");
	same(/did you mean `execname`/.test(await page.locator(".editor .fault").innerText()), true);
	await picture("error", { wait: 300 });
});

await step("words that can follow", async () => {
	await editor.fill("BEGIN { trace(execn");
	await page.locator(".offer", { hasText: "execname" }).waitFor();
	await editor.press("Enter");
	same(await editor.inputValue(), "BEGIN { trace(execname");
	await editor.fill("");
	await editor.pressSequentially("syscall::getppid:");
	await page.locator(".offer", { hasText: "syscall:vmlinux:getppid:return" }).waitFor();
	await editor.press("Escape");
});

await step("a program that names $target asks which process that is", async () => {
	const field = page.locator(".target input");
	same(await field.isVisible(), false);
	await editor.fill("syscall:::entry\n/pid == $target/\n{\n\t@mine[pid] = count();\n}\n");
	await field.fill("nobody");
	await page.locator(".editor .fault", { hasText: "a process is given by its number" }).waitFor();
	await field.fill(String(process.pid));
	await begins(() => field.press("Control+Enter"));
	await row(String(process.pid)).first().waitFor();
	same(await row("").count(), 1);
	await field.fill("");
});

const dist = `int x;\ntick-50hz\n{\n\tx = (x * 1103515245 + 12345) & 0x7fffffff;\n\t@ns["w"] = quantize(x >> (x & 15));\n}\n`;
await step("a heat map: a range of it becomes a condition", async () => {
	await run(dist);
	const heat = page.locator("canvas.heat");
	await heat.waitFor();
	await page.getByRole("button", { name: "numbers" }).click();
	await page.waitForFunction(() => document.querySelectorAll(".pinned .row").length > 6);
	const box = await heat.boundingBox();
	await page.mouse.move(box.x + 80, box.y + 30);
	await page.mouse.down();
	await page.mouse.move(box.x + 90, box.y + 80, { steps: 4 });
	await page.mouse.up();
	await begins(() => page.locator(".proposals button", { hasText: "only where (x >> (x & 15)) >= " }).first().click());
	same(/if \(\(x >> \(x & 15\)\) >= \d+ && \(x >> \(x & 15\)\) <= \d+\) \{ @ns/.test(await editor.inputValue()), true);
	await heat.waitFor();
});

await step("stacks as a flame graph, and their difference", async () => {
	await run(`syscall::getppid:entry\n/execname == "${name}"/\n{\n\t@stacks[execname, ustack()] = count();\n}\n`);
	work(100);
	await page.locator("canvas.flame").waitFor();
	await page.locator(".flames .note", { hasText: "all: 100" }).waitFor();
	await page.getByRole("button", { name: "mark this moment" }).click();
	work(50);
	await page.locator(".flames .note", { hasText: "all: 150" }).waitFor();
	await page.locator(".flames .note", { hasText: "since the mark" }).waitFor();
});

await step("spans and records", async () => {
	await run(`syscall::getppid:\n/execname == "${name}"/\n{\n\ttrace(tid);\n}\n`);
	work(40);
	await page.locator("canvas.spans").waitFor();
	await page.locator(".dim", { hasText: "of 80 records" }).waitFor();
	await page.locator('input[aria-label="filter records"]').fill("getppid:entry");
	await page.locator(".dim", { hasText: "40 lines of 80 records" }).waitFor();
});

await step("pause holds the picture, resume catches up", async () => {
	await run(counting);
	work(10);
	await value("getppid", 10);
	await page.getByRole("button", { name: "Pause" }).click();
	await state("paused");
	work(5);
	await page.waitForTimeout(1500);
	await value("getppid", 10);
	await page.getByRole("button", { name: "Resume" }).click();
	await value("getppid", 15);
});

let file;
await step("save", async () => file = await b.save());

await step("stop", async () => {
	await page.getByRole("button", { name: "Stop" }).click();
	await state("ended");
});

await step("the saved file opens without the server", async () => {
	const saved = await b.open(`file://${file}`);
	await saved.locator('.bars .row:visible .value[data-value="15"]').waitFor();
	await saved.locator(".figures .chip b", { hasText: /^saved$/ }).waitFor();
	await saved.close();
});

await step("the page loads a saved file", async () => {
	await run(`BEGIN { @other = sum(1); }`);
	await page.locator(".card h2", { hasText: "@other" }).waitFor();
	await page.locator('input[type="file"]').setInputFiles(file);
	await value("getppid", 15);
});

/** A file of -O record. */
const record = (program) => {
	execFileSync(dtrace, ["-q", "-O", `record=${join(folder, "recording")}`, "-n", program], { stdio: "ignore" });
	return readFileSync(join(folder, "recording"));
};
const loadFile = (name, buffer) => page.locator('input[type="file"]').setInputFiles({ name, mimeType: "application/octet-stream", buffer });

await step("the page loads a recording, chosen or dropped", async () => {
	await loadFile("r", record(`BEGIN { @recorded["chosen"] = sum(4711); trace("a record"); exit(0); }`));
	await value("chosen", 4711);
	await page.locator(".records .line", { hasText: "a record" }).waitFor();
	await state("ended");
	same(/@recorded\["chosen"\]/.test(await editor.inputValue()), true);
	const bytes = [...record(`BEGIN { @recorded["dropped"] = sum(815); exit(0); }`)];
	await page.evaluate((bytes) => {
		const data = new DataTransfer();
		data.items.add(new File([new Uint8Array(bytes)], "r"));
		document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
	}, bytes);
	await value("dropped", 815);
});

await step("a stranger's file is text, or refused", async () => {
	const title = await page.title(), bad = "<script>document.title=1";
	const html = (control, recording) => Buffer.from(`<script type="text/plain" id="control">${control}</` +
		`script><script type="text/plain" id="recording">${recording}</` + "script>");
	const recording = record(`BEGIN { @["${bad}"] = sum(77); printf("<img src=x onerror=document.title=1>"); exit(0); }`);
	await loadFile("x.html", html('{"t":"notice","msg":"<img src=x>"}', recording.toString("base64")));
	await value(bad, 77);
	await page.locator(".notices", { hasText: "<img src=x>" }).waitFor();
	same(await page.title(), title);
	same(await page.locator("img").count(), 0);
	for (const [file, why] of [[html('{"t":"what"}', ""), "of an unknown kind"], [html("", "%%"), "damaged"], [html("{", ""), "damaged"],
		[Buffer.from("nothing"), "neither a recording nor a page"], [Buffer.from("dtrace recording 1\n"), "another version"],
		[recording.fill(0xff, 100), "damaged"]]) {
		await loadFile("x", file);
		await page.locator(".notices", { hasText: why }).waitFor();
	}
});

await step("the page has no troubles and asks nobody else", async () => same(trouble.join("; "), ""));

await step("a key for what has a button", async () => {
	await page.evaluate(() => document.activeElement.blur());
	await page.keyboard.press("?");
	await page.locator(".panel[open] h2", { hasText: "Keys" }).waitFor();
	await page.keyboard.press("Escape");
});

if (shots) {
	/** Folds the editor, or opens it. */
	const key = async (k) => {
		await page.evaluate(() => document.activeElement.blur());
		await page.keyboard.press(k);
	};
	await begins(() => key("o"));
	await page.waitForTimeout(20000);
	await picture("overview-light", { dark: false, phone: false });
	await picture("overview-phone-dark", { dark: true, phone: true });
	await page.setViewportSize({ width: 1920, height: 1080 });
	await page.waitForTimeout(1500);
	await page.screenshot({ path: join(shots, "overview-dark.png") });
	await page.setViewportSize({ width: 1280, height: 800 });
	await page.getByRole("button", { name: "Edit" }).click();
	await run(`syscall:::entry\n/execname == "chromium" || execname == "node"/\n{\n\t@calls[execname, probefunc] = count();\n}\n`);
	await key("f");
	await page.waitForTimeout(9000);
	await picture("bars-light", { dark: false, phone: false });
	await picture("bars-phone-dark", { dark: true, phone: true });
	await page.setViewportSize({ width: 1280, height: 800 });
	await page.getByRole("button", { name: "lines" }).click();
	await page.waitForTimeout(8000);
	await picture("lines-dark", { dark: true, phone: false });
	await key("e");
	await run(`syscall::read:entry\n{\n\tself->t = timestamp;\n}\n\nsyscall::read:return\n/self->t/\n{\n` +
		`\t@ns[execname] = quantize(timestamp - self->t);\n\tself->t = 0;\n}\n`);
	await key("f");
	await page.waitForTimeout(25000);
	await picture("heat-light", { dark: false, phone: false });
	await picture("heat-phone-dark", { dark: true, phone: true });
	const busy = spawn("sh", ["-c", `while :; do ${dtrace} -e -n 'BEGIN { trace(curthread->pid); }'; done`], { stdio: "ignore" });
	await page.setViewportSize({ width: 1280, height: 800 });
	await key("e");
	await run(`profile-997\n/execname == "dtrace"/\n{\n\t@on[ustack()] = count();\n}\n`);
	await page.waitForTimeout(6000);
	await picture("flame-dark", { dark: true, phone: false });
	await page.getByRole("button", { name: "mark this moment" }).click();
	await page.waitForTimeout(4000);
	await picture("flame-phone-light", { dark: false, phone: true });
	busy.kill();
	await page.setViewportSize({ width: 1280, height: 800 });
	await run(`syscall::read:entry,\nsyscall::write:entry,\nsyscall::futex:entry\n{\n\tself->t = timestamp;\n}\n\n` +
		`syscall::read:return,\nsyscall::write:return,\nsyscall::futex:return\n/self->t/\n{\n` +
		`\t@ns[probefunc] = percentiles(timestamp - self->t);\n\tself->t = 0;\n}\n`);
	await page.waitForTimeout(5000);
	await picture("ranges-light", { dark: false, phone: false });
	await run(`syscall:::\n/execname == "chromium"/\n{\n\ttrace(tid);\n}\n`);
	await page.waitForTimeout(5000);
	await picture("spans-dark", { dark: true, phone: false });
}
await b.end();
