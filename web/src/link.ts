// SPDX-License-Identifier: BSD-2-Clause
// The server: the stream of a trace, and requests. A saved page has none, and plays what it holds instead.
import type { Message } from "./model";

export interface Word { kind: string; name: string; form: string; doc: string }
export interface Probe { probe: string; args: string[] }
export interface Tool { name: string; what: string; question: string; usage: string; text: string }

const KEEP = 24 << 20;			// characters of moments that a saved page may have

const token = new URLSearchParams(location.search).get("token") ?? "";

export class Link {
	readonly saved = document.getElementById("saved");
	kept: string[] = [];
	moments: string[] = [];
	process = "";			// the number that $target is; "": as the command line says
	private bytes = 0;

	get offline(): boolean {
		return this.saved !== null;
	}

	/** Each message as it comes; `reset` begins another trace. */
	listen(take: (m: Message) => void, state: (connected: boolean) => void): void {
		if (this.saved) {
			this.play(this.saved.textContent ?? "", take);
			return;
		}
		const stream = new EventSource("/events?token=" + encodeURIComponent(token));
		stream.onopen = () => state(true);
		stream.onerror = () => state(false);
		stream.onmessage = (e) => this.heard(e.data, take);
	}

	private heard(text: string, take: (m: Message) => void): void {
		const m = JSON.parse(text) as Message;
		if (m.t === "reset") {
			this.kept = [];
			this.moments = [];
			this.bytes = 0;
		} else if (m.t === "snap" || m.t === "recs" || m.t === "cost" || m.t === "drop" || m.t === "err") {
			this.moments.push(text);
			this.bytes += text.length;
			let old = 0;
			while (this.bytes > KEEP && old < this.moments.length) this.bytes -= this.moments[old++].length;
			if (old) this.moments.splice(0, old);
		} else this.kept.push(text);
		take(m);
	}

	/** What a saved page holds: a line for each message. */
	play(lines: string, take: (m: Message) => void): void {
		this.heard('{"t":"reset"}', take);
		for (const line of lines.split("\n")) if (line.startsWith("{")) this.heard(line, take);
	}

	lines(): string {
		return [...this.kept, ...this.moments].join("\n");
	}

	private async ask<T>(path: string, init: RequestInit, none: T): Promise<T> {
		if (this.saved) return none;
		const answer = await fetch(path, init);
		if (!answer.ok) throw new Error(await answer.text());
		return await answer.json() as T;
	}

	get<T>(path: string, none: T): Promise<T> {
		return this.ask(path + "?token=" + encodeURIComponent(token), {}, none);
	}

	post<T>(path: string, body: string, none: T): Promise<T> {
		return this.ask(this.process ? `${path}?pid=${encodeURIComponent(this.process)}` : path, { method: "POST", body, headers: { "X-Token": token } }, none);
	}
}
