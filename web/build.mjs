// SPDX-License-Identifier: BSD-2-Clause
// node build.mjs OUT ESBUILD: src/main.ts and src/page.css to one page that loads nothing. Its policy allows this script and
// this style alone, by their hashes. ESBUILD is the command.
import { execFileSync } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

process.chdir(dirname(fileURLToPath(import.meta.url)));
const bundle = (entry) => {
	const made = execFileSync(process.argv[3], [entry, "--bundle", "--minify", "--target=es2022", "--charset=ascii",
		"--legal-comments=none", "--format=iife", "--log-level=warning"], { encoding: "utf8" });
	return made.trim().replace(/<\/(script|style)/gi, "<\\/$1").replace(/<!--/g, "<\\!--");
};
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const script = bundle("src/main.ts"), style = bundle("src/page.css");
const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; connect-src 'self'; ` +
	"img-src data:; base-uri 'none'; form-action 'none'";
const html = readFileSync("src/page.html", "utf8").replace("%POLICY%", policy)
	.replace("%STYLE%", () => style).replace("%SCRIPT%", () => script);
writeFileSync(process.argv[2], html);
