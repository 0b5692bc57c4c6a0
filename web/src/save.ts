// SPDX-License-Identifier: BSD-2-Clause
// A saved page is this page with what it was told: script, style and messages in one file that needs no server.

const OPEN = '<script type="application/json" id="saved">';
const SHUT = "</" + "script>";

/** `<` is escaped in what is told, so that nothing in it ends the element. */
export function pageOf(script: string, lines: string): string {
	const meta = document.querySelector<HTMLMetaElement>("meta[http-equiv]")!.content;
	const style = document.querySelector("style")!.textContent ?? "";
	return `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n` +
		`<meta http-equiv="Content-Security-Policy" content="${meta}">\n` +
		`<meta name="viewport" content="width=device-width,initial-scale=1">\n` +
		`<meta name="color-scheme" content="light dark">\n<title>DTrace, saved</title>\n<link rel="icon" href="data:,">\n` +
		`<style>${style}</style>\n<body>\n${OPEN}${lines.replace(/</g, "\\u003c")}${SHUT}\n` +
		`<script>${script}${SHUT}\n`;
}

/** The messages of a saved page; null: it is none. */
export function savedIn(html: string): string | null {
	const at = html.indexOf(OPEN), end = at < 0 ? -1 : html.indexOf(SHUT, at);
	return end < 0 ? null : html.slice(at + OPEN.length, end);
}
