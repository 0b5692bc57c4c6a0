// SPDX-License-Identifier: BSD-2-Clause
// node build.mjs FOLDER ESBUILD: the pages into FOLDER, each one file that loads nothing; ESBUILD is the command.
//   page.html        the live page: src/main.ts, src/page.css and every view of src/view/
//   standalone.html  the file that -O flame and -O heatmap write around their data: src/standalone.ts
// The policy of a page allows its script and its style alone, by their hashes.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [folder, esbuild] = process.argv.slice(2);
process.chdir(dirname(fileURLToPath(import.meta.url)));
const bundle = (loader, input) => {
	const made = execFileSync(esbuild, [`--loader=${loader}`, "--bundle", "--minify", "--target=es2022", "--charset=ascii",
		"--legal-comments=none", "--format=iife", "--log-level=warning"], { encoding: "utf8", input });
	return made.trim().replace(/<\/(script|style)/gi, "<\\/$1").replace(/<!--/g, "<\\!--");
};
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

function build(name, modules, css, connect) {
	const script = bundle("ts", modules.map((m) => `import "./src/${m}";`).join("\n")), style = bundle("css", `@import "./src/${css}";`);
	const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; ${connect}` +
		"img-src data:; base-uri 'none'; form-action 'none'";
	writeFileSync(join(folder, name), readFileSync(`src/${name}`, "utf8").replace("%POLICY%", policy)
		.replace("%STYLE%", () => style).replace("%SCRIPT%", () => script));
}

const views = readdirSync("src/view").filter((f) => f.endsWith(".ts")).sort().map((f) => `view/${f}`);
build("page.html", [...views, "main.ts"], "page.css", "connect-src 'self'; ");
build("standalone.html", ["standalone.ts"], "base.css", "");
