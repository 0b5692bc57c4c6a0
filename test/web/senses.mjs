// SPDX-License-Identifier: BSD-2-Clause
// node senses.mjs MODULES DTRACE CALLS: the live page for those who have no mouse, see no colours, or have a phone; and
// that every kind of record and aggregation is there.
import { execFileSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { browse, same, step } from "./browse.mjs";

const [modules, dtrace, calls] = process.argv.slice(2);
const b = await browse(modules, dtrace, []);
const { page, editor, run, begins, row, state } = b;
const name = `s${process.pid}`, load = join(b.folder, name);
copyFileSync(calls, load);
const work = (n) => {
	try {
		execFileSync(load, [String(n)]);
	} catch (e) {
		if (e.status !== 7) throw e;
	}
};

const mine = `/execname == "${name}"/`;
const kinds = `BEGIN { trace("traced"); printf(" printed %d", 42); tracemem(curthread, 16); stack(1); print((int)4711); }
BEGIN { trace(*(int *)0); }
dtrace:::ERROR { printf("an ERROR clause"); }
syscall::getppid:entry ${mine} {
	ustack(2); jstack(2);
	@count[probefunc] = count(); @sum = sum(3); @min = min(cpu + 7); @max = max(9); @avg = avg(5); @stddev = stddev(6);
	@quantize = quantize(8); @lquantize = lquantize(8, 0, 10, 1); @llquantize = llquantize(80, 10, 0, 3, 10);
	@percentiles["key"] = percentiles(12); @flame[ustack()] = count();
	printa("printa %@d", @max);
}
`;
await step("every kind of aggregation has its picture", async () => {
	await run(kinds);
	work(7);
	for (const fn of ["count", "sum", "min", "max", "avg", "stddev", "quantize", "lquantize", "llquantize", "percentiles", "flame"])
		await page.locator(".card h2", { hasText: new RegExp(`^@${fn}$`) }).waitFor();
	const card = (fn) => page.locator(".card", { has: page.locator("h2", { hasText: new RegExp(`^@${fn}$`) }) });
	for (const [fn, n] of [["count", 7], ["sum", 21], ["max", 9], ["avg", 5], ["stddev", 0]]) {
		await card(fn).scrollIntoViewIfNeeded();
		await card(fn).locator(`.bars .value[data-value="${n}"]`).waitFor();
	}
	for (const fn of ["quantize", "lquantize", "llquantize"]) {
		await card(fn).scrollIntoViewIfNeeded();
		await card(fn).locator("canvas.heat").waitFor();
		await card(fn).locator(".pinned h3", { hasText: "7 in all" }).waitFor();
	}
	await card("percentiles").scrollIntoViewIfNeeded();
	same(await card("percentiles").locator("td[data-value]").evaluateAll((all) => all.map((c) => c.dataset.value).join()),
		"7,12,12,12,12,12,12,12");
	await card("percentiles").getByRole("button", { name: "lines" }).click();
	await card("percentiles").locator("canvas.chart").waitFor();
	await card("flame").scrollIntoViewIfNeeded();
	await card("flame").locator(".note", { hasText: "all: 7" }).waitFor();
});

await step("every kind of record is told: trace, printf, tracemem, stacks, print, printa, ERROR, errors", async () => {
	await page.locator(".figures .chip.bad", { hasText: "errors 1" }).waitFor();
	await page.locator(".notices", { hasText: "invalid address (0x0)" }).waitFor();
	const filter = page.locator('input[aria-label="filter records"]'), found = page.locator(".records .rows .line:visible");
	for (const what of ["traced printed 42", "0123456789abcdef", "0x1267", "an ERROR clause", "printa 9", "libc", "vmlinux|`"]) {
		await filter.fill(what);
		await found.filter({ hasText: new RegExp(what) }).first().waitFor();
	}
});

/** Tabs until the focus is where it should be; each place it comes to must show that it has it. */
async function tabTo(wanted) {
	for (let i = 0; i < 150; i++) {
		await page.keyboard.press("Tab");
		const at = await page.evaluate((w) => {
			const e = document.activeElement, s = getComputedStyle(e);
			return { is: e.matches(w.css) && (!w.text || e.textContent.includes(w.text)), area: e.matches("textarea"),
				seen: e === document.body || (s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2), what: e.outerHTML.slice(0, 90) };
		}, wanted);
		if (!at.seen) throw new Error(`focus is not visible on ${at.what}`);
		if (at.is) return;
		if (at.area) await page.keyboard.press("Escape");
	}
	throw new Error(`Tab does not come to ${wanted.css} ${wanted.text ?? ""}`);
}
const blur = () => page.evaluate(() => document.activeElement.blur());

await step("by keys alone: the gallery, the editor, a key, a proposal", async () => {
	await blur();
	await page.keyboard.press("g");
	await page.locator(".tool").first().waitFor();
	await tabTo({ css: ".tool", text: "syscount" });
	await begins(() => page.keyboard.press("Enter"));
	await blur();
	await page.keyboard.press("e");
	await page.keyboard.press("Control+a");
	await begins(async () => {
		await page.keyboard.insertText(`syscall::getppid:entry ${mine} { @n[probefunc] = count(); @q = quantize(arg0 & 0xff); }`);
		await page.keyboard.press("Escape");
		await page.keyboard.press("Control+Enter");
	});
	work(11);
	await row("getppid").locator('.value[data-value="11"]').waitFor();
	await tabTo({ css: ".bars .row", text: "getppid" });
	await page.keyboard.press("Enter");
	await page.locator(".panel[open] .proposals").waitFor();
	await page.keyboard.press("Escape");
	same(await page.locator(".panel[open]").count(), 0);
	await page.keyboard.press("Enter");		// the focus is where it was
	await tabTo({ css: ".proposals button", text: "by execname too" });
	await begins(() => page.keyboard.press("Enter"));
	work(3);
	await row(`getppid · ${name}`).locator('.value[data-value="3"]').waitFor();
});

await step("by keys alone: a heat map is read, marked and looked into", async () => {
	const note = page.locator(".heatmap .note");
	await page.locator("canvas.heat").waitFor();
	await tabTo({ css: "canvas.heat" });
	await page.keyboard.press("ArrowUp");
	await note.filter({ hasText: /\d+:\d\d: .* of / }).waitFor();
	await page.keyboard.press("Shift+ArrowDown");
	await note.filter({ hasText: "marked: " }).waitFor();
	await page.keyboard.press("Enter");
	await page.locator(".proposals button", { hasText: "only where (arg0 & 0xff)" }).first().waitFor();
	await page.keyboard.press("Escape");
	for (const key of ["t", "t", "?"]) await page.keyboard.press(key);
	await page.locator(".panel[open] h2", { hasText: "Keys" }).waitFor();
	await page.keyboard.press("Escape");
});

await step("by keys alone: the focus comes to all that can be used", async () => {
	const all = await page.evaluate(() => {
		const v = [...document.querySelectorAll("button, input, select, textarea, [tabindex='0']")].filter((e) =>
			!e.disabled && e.checkVisibility());
		v.forEach((e, i) => e.dataset.n = i);
		return v.length;
	});
	const seen = new Set();
	await blur();
	for (let i = 0; i < all * 3 && seen.size < all; i++) {
		await page.keyboard.press("Tab");
		const [n, area] = await page.evaluate(() => [document.activeElement.dataset.n, document.activeElement.matches("textarea")]);
		if (n !== undefined) seen.add(n);
		if (area) await page.keyboard.press("Escape");
	}
	// a trace goes on: what was replaced since is another one
	same(await page.evaluate((met) => [...document.querySelectorAll("[data-n]")].filter((e) => e.checkVisibility() && !e.disabled &&
		!met.includes(e.dataset.n)).map((e) => e.outerHTML.slice(0, 80)).join(), [...seen]), "");
	same(seen.size >= 10, true);
	same(await page.evaluate(() => [...document.querySelectorAll("canvas:not([aria-hidden]), button, input, select, textarea, [role='img']")]
		.filter((e) => e.checkVisibility() && !(e.ariaLabel || e.getAttribute("aria-label") || e.textContent.trim() || e.labels?.length))
		.map((e) => e.outerHTML.slice(0, 80)).join()), "");
	return `${all} places`;
});

/** Texts that are hard to read: their contrast with what is behind them, in this theme. */
const faint = () => page.evaluate(() => {
	const css = getComputedStyle(document.documentElement), probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
	const rgb = (colour) => {
		probe.clearRect(0, 0, 1, 1);
		probe.fillStyle = colour;
		probe.fillRect(0, 0, 1, 1);
		return [...probe.getImageData(0, 0, 1, 1).data];
	};
	const light = (c) => c.slice(0, 3).map((v) => v / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
		.reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
	const ratio = (a, b) => {
		const [x, y] = [light(rgb(a)), light(rgb(b))].sort((p, q) => q - p);
		return (x + 0.05) / (y + 0.05);
	};
	const bad = [], ink = (name) => css.getPropertyValue(name).trim();
	const test = (what, a, b) => ratio(a, b) < 4.5 && bad.push(`${what} ${ratio(a, b).toFixed(2)}`);
	const behind = (e) => {
		for (; e; e = e.parentElement) if (rgb(getComputedStyle(e).backgroundColor)[3] === 255) return getComputedStyle(e).backgroundColor;
		return "white";
	};
	for (const e of document.querySelectorAll("body *")) {
		const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.nodeValue.trim());
		if (!own || !e.checkVisibility() || e.disabled) continue;
		const s = getComputedStyle(e);
		if (rgb(s.color)[3] === 255) test(`${e.className || e.tagName}: ${e.textContent.slice(0, 20)}`, s.color, behind(e));
	}
	for (const n of ["--fg", "--dim"]) test(`${n} on a bar`, ink(n), ink("--bar"));
	for (const n of ["--fg", "--dim", "--k0", "--k1", "--k2", "--k3", "--k4", "--k5", "--k6", "--warn", "--good"]) test(`${n} on a card`, ink(n), ink("--card"));
	for (const n of ["--c0", "--c1", "--c2", "--c3", "--c4", "--c5", "--c6", "--c7", "--mark", "--control"])	// lines and edges, not text
		if (ratio(ink(n), ink("--card")) < 3) bad.push(`${n} on a card ${ratio(ink(n), ink("--card")).toFixed(2)}`);
	const best = (fill) => [ink("--d-dark"), ink("--d-light")].sort((a, b) => ratio(b, fill) - ratio(a, fill))[0];
	for (const n of ["program", "library", "kernel", "interpreted", "unknown", "key"]) test(`text on ${n}`, best(ink(`--k-${n}`)), ink(`--k-${n}`));
	for (let i = 0; i < 8; i++) test(`text on --m${i}`, best(ink(`--m${i}`)), ink(`--m${i}`));
	for (let i = 0; i < 7; i++) test(`text on --d${i}`, best(ink(`--d${i}`)), ink(`--d${i}`));
	test("text on --grid", ink("--fg"), ink("--grid"));
	return [...new Set(bad)].join("; ");
});

await step("text can be read: a contrast of 4.5 and more, dark and light", async () => {
	await editor.fill('BEGIN { trace(exename); } /* remark */ tick-1s { self->x = "text"; @n = count(); }');
	await page.locator(".gutter b").waitFor();
	for (const colorScheme of ["light", "dark"]) {
		await page.evaluate(() => delete document.documentElement.dataset.theme);
		await page.emulateMedia({ colorScheme });
		same(await faint(), "");
	}
	await page.keyboard.press("Escape");
	await page.getByRole("button", { name: "Gallery" }).click();
	await page.locator(".tool").first().waitFor();
	same(await faint(), "");
	await page.keyboard.press("Escape");
});

await step("without colours: lines differ in dashes, shades in light, what is bad has a sign", async () => {
	const cdp = await page.context().newCDPSession(page);
	await cdp.send("Emulation.setEmulatedVisionDeficiency", { type: "achromatopsia" });
	await run(`tick-50hz { i++; @n[i % 9] = sum(i % 9 + 1); @q = quantize(i & 0xff); } BEGIN { trace(*(int *)0); }`);
	await page.locator(".card", { hasText: "@n" }).getByRole("button", { name: "lines" }).click();
	const dashes = await page.evaluate(() => new Promise((done) => {
		const p = CanvasRenderingContext2D.prototype, set = p.setLineDash, seen = new Set();
		p.setLineDash = function (d) {
			seen.add(d.join());
			return set.call(this, d);
		};
		setTimeout(function look() {
			if (seen.size < 8) return setTimeout(look, 100);
			p.setLineDash = set;
			done(seen.size);
		}, 100);
	}));
	same(dashes, 8);
	await page.locator("canvas.heat").waitFor();
	const shades = await page.locator(".scale i").evaluateAll((all) => all.map((e) => {
		const c = document.createElement("canvas").getContext("2d");
		c.fillStyle = getComputedStyle(e).backgroundColor;
		c.fillRect(0, 0, 1, 1);
		const [r, g, b] = c.getImageData(0, 0, 1, 1).data;
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	}));
	const steps = shades.slice(1).map((s, i) => s - shades[i]);
	same(steps.every((s) => Math.abs(s) > 8 && Math.sign(s) === Math.sign(steps[0])), true);
	await page.locator(".chip.bad", { hasText: "\u26a0 errors" }).waitFor();
	await cdp.send("Emulation.setEmulatedVisionDeficiency", { type: "none" });
});

await step("a phone: nothing is cut, nothing scrolls sideways", async () => {
	await page.setViewportSize({ width: 390, height: 780 });
	const wide = () => page.evaluate(() => {
		const out = [...document.querySelectorAll("body *")].filter((e) => e.checkVisibility() && !e.closest(".scroll, .code, .made"))
			.filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && e.getBoundingClientRect().width > 0);
		return `${document.documentElement.scrollWidth} ${out.slice(0, 3).map((e) => e.className || e.tagName)}`;
	});
	same(await wide(), "390 ");
	await page.getByRole("button", { name: "Gallery" }).click();
	await page.locator(".tool").first().waitFor();
	same(await wide(), "390 ");
	await page.keyboard.press("Escape");
	await run(kinds);
	work(2);
	await page.locator(".ranges td").first().waitFor();
	await page.locator(".notices", { hasText: "invalid address" }).waitFor();
	same(await wide(), "390 ");
});

await step("no troubles", async () => same(b.trouble.join("; "), ""));
await b.end();
