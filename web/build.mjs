// SPDX-License-Identifier: BSD-2-Clause
// node build.mjs OUT MODULES: src/main.ts and src/page.css to one page that loads nothing. Its policy allows this script and
// this style alone, by their hashes.
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

process.chdir(dirname(fileURLToPath(import.meta.url)));
const { build } = createRequire(process.argv[3] + "/")("esbuild");

const bundle = async (entry) => {
	const made = await build({ entryPoints: [entry], bundle: true, minify: true, write: false, target: "es2022",
		charset: "ascii", legalComments: "none", format: "iife" });
	return made.outputFiles[0].text.trim().replace(/<\/(script|style)/gi, "<\\/$1").replace(/<!--/g, "<\\!--");
};
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const script = await bundle("src/main.ts"), style = await bundle("src/page.css");
const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; connect-src 'self'; ` +
	"img-src data:; base-uri 'none'; form-action 'none'";
const html = readFileSync("src/page.html", "utf8").replace("%POLICY%", policy)
	.replace("%STYLE%", () => style).replace("%SCRIPT%", () => script);
writeFileSync(process.argv[2], html);
