// SPDX-License-Identifier: BSD-2-Clause
// What a trace reports, one kind after the other: the decoder of a stream makes these (stream.ts), the model takes them
// (model.ts), and tsc checks that it takes every kind.

/** A part of a key or a value: a stack and a symbol hold numbers of names, `b` is hexadecimal. */
export type Part = string | number | null | { st: number[]; pid: number } | { y: number } | { b: string };
/** Low and high of a bucket, then its count, again and again; null: the bucket is open at that side. */
export type Distribution = (number | null)[];
export type Statistics = Record<string, number>;
/** null: the key has gone. */
export type Value = number | Distribution | Statistics | null;

export interface Changed { id: number; more: number; v: [key: number, value: Value][] }
/** `names`: what the program calls each of the values; "": a constant. */
export interface Rec { ms: number; cpu: number; probe: string; flow: number; text: string; values: Part[]; names: string[] }
export interface Fail { what: string; msg: string; excerpt: string; line?: number; column?: number; length?: number }
export interface Cost { cpu: number; probes: number; runs: number; rss: number; errors: number; drops: number }

/** Of a trace over several hosts: what became of one. A number below 0: of a name that no host has answered to. */
export interface HostState { i: number; name: string; state: string; why: string; via: string; restarts: number; again: number; doubled: number;
	offset: number; bound: number; own: boolean }

export type Message =
	| { t: "reset"; trace: number; hosts: string }		// another trace begins; of which hosts, "": of this machine
	| { t: "host" } & HostState
	| { t: "start"; wall: number; program: string }
	| { t: "live" }						// probes fire from here on
	| { t: "end" }
	| { t: "fail" } & Fail
	| { t: "notice"; msg: string }
	| { t: "missed"; n: number }				// moments that the server does not keep any more
	| { t: "agg"; id: number; name: string; fn: string }
	| { t: "name"; i: number; s: string }
	| { t: "key"; a: number; i: number; k: Part[] }
	| { t: "snap"; ms: number; hidden: number; a: Changed[] }
	| { t: "recs"; lost: number; r: Rec[] }
	| { t: "drop"; n: number; came: number; msg: string }	// `n`: so far
	| { t: "err"; n: number; msg: string }
	| { t: "layout"; order: string[]; span: Record<string, number> }	// where panels stand, in a saved page
	| { t: "cost" } & Cost;
