// SPDX-License-Identifier: BSD-2-Clause
// A saved page is this page with its data: script, style, the recording of the trace and what the server said about it, in one
// file that needs no server.

const OPEN = (id: string) => `<script type="text/plain" id="${id}">`;
const SHUT = "</" + "script>";

export interface Saved { recording: Uint8Array; control: string }

/** `<` is escaped in what the server said, so that nothing in it ends the element. */
export function pageOf(script: string, recording: Uint8Array[], control: string): Blob {
	const meta = document.querySelector<HTMLMetaElement>("meta[http-equiv]")!.content;
	const style = document.querySelector("style")!.textContent ?? "";
	return new Blob([`<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n` +
		`<meta http-equiv="Content-Security-Policy" content="${meta}">\n` +
		`<meta name="viewport" content="width=device-width,initial-scale=1">\n` +
		`<meta name="color-scheme" content="light dark">\n<title>DTrace, saved</title>\n<link rel="icon" href="data:,">\n` +
		`<style>${style}</style>\n<body>\n${OPEN("control")}${control.replace(/</g, "\\u003c")}${SHUT}\n${OPEN("recording")}`,
		...base64(recording), `${SHUT}\n<script>${script}${SHUT}\n`], { type: "text/html" });
}

/** Each piece of the text is made of a multiple of three bytes, so that all of them together are one text. */
function base64(pieces: Uint8Array[]): string[] {
	const all = new Uint8Array(pieces.reduce((n, p) => n + p.length, 0)), out: string[] = [], STEP = 3 << 13;
	let at = 0;
	for (const p of pieces) {
		all.set(p, at);
		at += p.length;
	}
	for (at = 0; at < all.length; at += STEP) out.push(btoa(String.fromCharCode(...all.subarray(at, at + STEP))));
	return out;
}

/** The bytes of a recording in a saved page; throws if it is damaged. */
export function bytesOf(text: string): Uint8Array {
	return Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
}

/** What a saved page holds; null: it is none. Throws if it is damaged. */
export function savedIn(html: string): Saved | null {
	const part = (id: string) => {
		const at = html.indexOf(OPEN(id)), end = at < 0 ? -1 : html.indexOf(SHUT, at);
		return end < 0 ? null : html.slice(at + OPEN(id).length, end);
	};
	const recording = part("recording"), control = part("control");
	return recording === null || control === null ? null : { recording: bytesOf(recording), control };
}
