// SPDX-License-Identifier: BSD-2-Clause
// A file of -O flame or -O heatmap: its data, which are in it as text, and the views of the live page that draw them. The
// data are untrusted: they become names and numbers, never markup.
import { el, forgetInks } from "./dom";
import { FileSource } from "./flame/source";
import { heatmap, type About } from "./heatfile";
import { Model } from "./model";
import { aggViews, type View } from "./view";
import { Flame } from "./view/flame";

const shown: View[] = [];
const help = el("button", { type: "button", class: "help", "aria-expanded": "false", onclick: () => {
	const table = main.querySelector<HTMLElement>("table.keys")!;
	table.hidden = !table.hidden;
	help.setAttribute("aria-expanded", String(!table.hidden));
	table.scrollIntoView({ block: "nearest" });
} }, "? Keys");
const main = el("main", { class: "alone" });

/** The text of a block; in it % and < are escaped. null: there is none. */
function block(id: string): string | null {
	return document.getElementById(id)?.textContent?.replace(/%3C/g, "<").replace(/%25/g, "%") ?? null;
}

/** What the file is of: the machine, when (also in seconds since 1970), for how long, and the program. */
function about(): About {
	const [head, ...rest] = (block("about") ?? "").replace(/^\n/, "").split("\n\n"), said = new Map(head.split("\n").map((l) => l.split("\t") as [string, string]));
	const wall = Number(said.get("wall") ?? 0) / 1e6, took = Number(said.get("took") ?? 0) / 1e9;
	const time = wall > 0 ? new Date(wall).toLocaleString("sv") : "";
	return { wall: wall / 1000, where: [said.get("host"), time, took > 0 ? `${took.toFixed(1)} s` : ""].filter((x) => x).join(" \u00b7 "), program: rest.join("\n\n").trim() };
}

/** A title, where and when, and the program, of which the first line that is no comment is enough until it is opened. */
function headline(): void {
	const { where, program } = about(), lines = program.replace(/\/\*[^]*?\*\//g, "").split("\n");
	const first = lines.find((l) => /\S/.test(l) && !/^\s*(#|\/\/)/.test(l)) ?? "";
	document.title = [document.title, where].filter((x) => x).join(": ");
	if (where === "" && program === "") return;
	main.prepend(el("div", { class: "about" }, el("span", { class: "dim" }, where), program === "" ? null :
		el("details", {}, el("summary", {}, el("code", {}, first.trim())), el("pre", {}, program))));
}

/** What keys do, of the views that are here. */
function keys(): void {
	const rows = aggViews.filter((v) => now !== null ? v.name === "flame" : v.name !== "flame").flatMap((v) => v.keys ?? []);
	if (rows.length) main.append(help, el("table", { class: "keys", hidden: true }, ...rows.map(([k, what]) => el("tr", {}, el("th", {}, k), el("td", {}, what)))));
}

function show(title: string, view: View | null): void {
	main.append(el("section", { class: "card" }, el("header", {}, el("h2", {}, title)), el("div", { class: "body" }, view?.root ?? "")));
	if (view) shown.push(view);
}

// ---- stacks

function flame(now: string, before: string | null): void {
	const source = new FileSource(), s = source.stacks;
	source.add(now.replace(/^\n/, ""), false);
	source.order(block("times") ?? "");
	const own = s.sum(s.total);
	if (before !== null) source.add(before, true);
	const all = s.sum(s.total), view = new Flame({ model: new Model() }, source, null), differs = all > own;
	if (differs) view.compare({ before: "in the earlier file", since: "in this one" });
	const title = differs ? "Differential flame graph" : "Flame graph";
	document.title = title;
	show(all > 0 ? title : "No stacks: record stack() or ustack(), or use them as keys of an aggregation.", all > 0 ? view : null);
}

const now = block("now"), data = block("data");
document.body.append(main);
if (now !== null) flame(now, block("before"));
if (data !== null) heatmap(data, about(), show);
headline();
keys();
const draw = () => {
	forgetInks();
	for (const view of shown) view.update();
};
/** Keys work before anything has the focus. */
document.addEventListener("keydown", (e) => {
	if (e.key === "?" && !(e.target as HTMLElement).matches("input")) return help.click();
	const canvas = main.querySelector("canvas.flame, canvas.heat");
	if (e.target !== document.body || !canvas || e.ctrlKey || e.metaKey || e.altKey) return;
	if (!canvas.dispatchEvent(new KeyboardEvent("keydown", { key: e.key, shiftKey: e.shiftKey, cancelable: true }))) e.preventDefault();
});
new ResizeObserver(draw).observe(main);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
