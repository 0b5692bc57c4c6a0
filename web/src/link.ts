// SPDX-License-Identifier: BSD-2-Clause
// The server: what it says about the trace (/events: JSON), the recording of the trace (/stream), and requests. A saved
// page has no server and plays what it holds. Whatever comes in, messages go out (message.ts).
import { StreamError } from "./blocks";
import { Keep } from "./keep";
import type { Message } from "./message";
import { bytesOf, type Saved } from "./save";
import { Decoder } from "./stream";

export interface Word { kind: string; name: string; form: string; doc: string }
/** `why`: the user may not run it; `lacks`: the machine has not what it takes, or not now. */
export interface Tool { name: string; what: string; question: string; usage: string; needs: string; text: string; why: string; lacks: string }

const MAX_PENDING = 32 << 20;		// bytes that wait while the picture is held
const TOGETHER_MS = 100;		// blocks of one moment come within this time

const token = new URLSearchParams(location.search).get("token") ?? "";

type Json = Record<string, unknown>;
const number = (v: unknown) => typeof v === "number" ? v : 0;
const string = (v: unknown) => typeof v === "string" ? v : "";

/** What the server says beside the recording. A kind that this page does not know is an error. */
function control(text: string): Message {
	const j = JSON.parse(text) as Json, place = (v: unknown) => typeof v === "number" ? v : undefined;
	switch (j.t) {
	case "reset": return { t: "reset", trace: number(j.trace), hosts: string(j.hosts) };
	case "host": return { t: "host", i: number(j.i), name: string(j.name), state: string(j.state), why: string(j.why), via: string(j.via),
		restarts: number(j.restarts), again: number(j.again), doubled: number(j.doubled), offset: number(j.offset), bound: number(j.bound),
		own: j.own === true };
	case "start": return { t: "start", wall: number(j.wall), program: string(j.program) };
	case "live": return { t: "live" };
	case "fail": return { t: "fail", what: string(j.what), msg: string(j.msg), excerpt: string(j.excerpt), line: place(j.line),
		column: place(j.column), length: place(j.length) };
	case "notice": return { t: "notice", msg: string(j.msg) };
	case "cost": return { t: "cost", cpu: number(j.cpu), probes: number(j.probes), runs: number(j.runs), rss: number(j.rss),
		errors: number(j.errors), drops: number(j.drops) };
	case "end": case "ended": return { t: "end" };
	case "layout": return { t: "layout", order: Array.isArray(j.order) ? j.order.map(string) : [],
		span: Object.fromEntries(Object.entries(j.span ?? {}).map(([n, v]) => [n, number(v)])) };
	case "missed": return { t: "missed", n: 0 };	// figures of the cost that are not kept: no moments
	default: throw new StreamError(`the server sent a message of an unknown kind: ${text.slice(0, 80)}`);
	}
}

/** Another recording than the one that is shown, and what the server said about it. Throws if it is damaged. */
export function play(saved: { recording: Uint8Array[]; control: string }, take: (m: Message) => void): void {
	const decoder = new Decoder(take);
	take({ t: "reset", trace: -1, hosts: "" });
	for (const line of saved.control.split("\n")) if (line.startsWith("{")) take(control(line));
	for (const piece of saved.recording) decoder.push(piece);
	decoder.flush();
}

/** The bytes of a recording as they come, to its end. A server that is gone is said by /events. */
async function bytesFrom(query: string, signal: AbortSignal, take: (bytes: Uint8Array) => void): Promise<void> {
	let reader: ReadableStreamDefaultReader<Uint8Array> | null = null;
	const next = async () => {
		try {
			if (!reader) {
				const answer = await fetch(`/stream?${query}&token=${encodeURIComponent(token)}`, { signal });
				reader = answer.ok ? answer.body!.getReader() : null;
			}
			return await reader?.read();
		} catch (e) {
			if (!signal.aborted) console.warn(e);
			return undefined;
		}
	};
	for (let part = await next(); part && !part.done && !signal.aborted; part = await next()) take(part.value!);
}

export class Link {
	readonly saved = document.getElementById("recording");
	process = "";			// the number that $target is; "": as the command line says
	private keep = new Keep();
	private said: string[] = [];	// what the server has said about this trace
	private cost = "";		// the newest of that kind
	private hosts = new Map<number, string>();	// and of each host
	private decoder: Decoder;
	private pending: Uint8Array[] | null = null;	// while the picture is held
	private size = 0;
	private late = 0;
	private reading: AbortController | null = null;
	loaded = false;			// a file is shown: the trace of the server goes on without it

	constructor(private take: (m: Message) => void) {
		this.decoder = new Decoder(take);
	}

	get offline(): boolean {
		return this.saved !== null;
	}

	/** `reset` begins another trace. */
	listen(state: (connected: boolean) => void): void {
		if (this.saved) {
			this.load({ recording: bytesOf(this.saved.textContent ?? ""), control: document.getElementById("control")?.textContent ?? "" });
			return;
		}
		const stream = new EventSource("/events?token=" + encodeURIComponent(token));
		stream.onopen = () => state(true);
		stream.onerror = () => state(false);
		stream.onmessage = (e) => this.guard(() => this.heard(e.data));
	}

	/** What cannot be read is shown, never passed over. */
	private guard(f: () => void): void {
		try {
			f();
		} catch (e) {
			console.error(e);
			this.reading?.abort();
			this.take({ t: "notice", msg: `The trace cannot be shown any further: ${(e as Error).message}.` });
		}
	}

	private heard(text: string): void {
		const m = control(text);
		if (this.loaded && m.t !== "reset") return;
		if (m.t === "reset") {
			this.begin();
			this.take(m);
			if (m.trace) void this.read(m.trace);
			return;
		}
		if (m.t === "cost") this.cost = text;
		else if (m.t === "host") this.hosts.set(m.i, text);
		else this.said.push(text);
		this.take(m);
	}

	private begin(): void {
		this.reading?.abort();
		this.reading = null;
		this.keep = new Keep();
		this.said = [];
		this.cost = "";
		this.hosts.clear();
		this.decoder = new Decoder(this.take);
		this.pending = null;
		this.loaded = false;
	}

	/** The recording of the trace as it grows. Another trace, or another attempt to connect, ends it. */
	private async read(trace: number): Promise<void> {
		const mine = this.reading = new AbortController();
		await bytesFrom(`trace=${trace}`, mine.signal, (bytes) => this.reading === mine && this.guard(() => this.arrived(bytes)));
		if (this.reading === mine && !this.pending) this.guard(() => this.decoder.flush());
	}

	/** The recording of one host alone, as it grows, until the signal says that it is not wanted any more. */
	async host(trace: number, i: number, signal: AbortSignal, take: (m: Message) => void): Promise<void> {
		const decoder = new Decoder(take);
		let late = 0;
		try {
			await bytesFrom(`trace=${trace}&host=${i}`, signal, (bytes) => {
				decoder.push(bytes);
				clearTimeout(late);
				late = window.setTimeout(() => signal.aborted || decoder.flush(), TOGETHER_MS);
			});
			clearTimeout(late);
			if (!signal.aborted) decoder.flush();
		} catch (e) {		// what a host sends is untrusted: it ends alone
			clearTimeout(late);
			take({ t: "notice", msg: `The trace of this host cannot be shown any further: ${(e as Error).message}.` });
		}
	}

	private arrived(bytes: Uint8Array): void {
		this.keep.push(bytes);
		if (!this.pending) {
			this.decoder.push(bytes);
			clearTimeout(this.late);
			this.late = window.setTimeout(() => !this.pending && this.guard(() => this.decoder.flush()), TOGETHER_MS);
			return;
		}
		this.size += bytes.length;
		if (this.size <= MAX_PENDING) this.pending.push(bytes);
		else this.pending = [];		// resume() reads what is kept instead
	}

	/** Bytes that come are kept and not decoded until resume(). */
	hold(): void {
		this.pending = [];
		this.size = 0;
	}

	resume(): void {
		const pending = this.pending ?? [];
		this.pending = null;
		this.guard(() => {
			if (this.size > MAX_PENDING) this.again();
			else for (const p of pending) this.decoder.push(p);
			this.decoder.flush();
		});
	}

	/** The model anew, from what is kept. */
	private again(): void {
		this.decoder = new Decoder(this.take);
		this.take({ t: "reset", trace: -1, hosts: "" });
		for (const text of this.all) this.take(control(text));
		for (const piece of this.keep.pieces()) this.decoder.push(piece);
	}

	/** A saved page, or a recording. Throws if it is damaged; what of it could be read is shown. */
	load(saved: Saved): void {
		this.begin();
		this.loaded = true;
		this.take({ t: "reset", trace: -1, hosts: "" });
		this.keep.push(saved.recording);
		for (const line of saved.control.split("\n"))
			if (line.startsWith("{")) {
				this.take(control(line));
				this.said.push(line);
			}
		this.decoder.push(saved.recording);
		this.decoder.flush();
	}

	/** For a saved page: the recording, in pieces, and what the server said. */
	get kept(): { recording: Uint8Array[]; control: string } {
		return { recording: this.keep.pieces(), control: [...this.all, ...(this.cost ? [this.cost] : [])].join("\n") };
	}

	private get all(): string[] {
		return [...this.said, ...this.hosts.values()];
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
		return this.ask(this.process ? `${path}?pid=${encodeURIComponent(this.process)}` : path,
			{ method: "POST", body, headers: { "X-Token": token } }, none);
	}
}
