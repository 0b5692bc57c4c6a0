// SPDX-License-Identifier: BSD-2-Clause
// What the numbers of an aggregation are, as far as its program says: times, bytes, shares of a CPU. Numbers in, text
// with three digits and a unit out. The rules by name are those of -x units (doc/LINUX.md).
import { clauses, type Clause, type Use } from "./dlang";
import { short, whole } from "./dom";

export interface Unit {
	kind: "" | "time" | "bytes" | "cpu";
	scale: number;			// of a value, to ns, bytes or CPUs
}

const NONE: Unit = { kind: "", scale: 1 };
const named: Record<string, Unit> = { ns: { kind: "time", scale: 1 }, us: { kind: "time", scale: 1e3 },
	ms: { kind: "time", scale: 1e6 }, s: { kind: "time", scale: 1e9 }, bytes: { kind: "bytes", scale: 1 } };
const SPACE = "\u202f";			// narrow, and does not break

/** The last part of a name: wait_ns is in ns. */
function byName(name: string): Unit | null {
	return named[/([a-z]+)$/.exec(name)?.[1] === name.split("_").pop() ? name.split("_").pop()! : ""] ?? null;
}

/** What `#pragma D option units=lat:ns,bytes` says. */
function byOption(text: string, name: string): Unit | null {
	let all: Unit | null = null;
	for (const m of text.matchAll(/^[ \t]*#[ \t]*pragma[ \t]+D[ \t]+option[ \t]+units=(\S+)/gm))
		for (const word of m[1].split(",")) {
			const [of, unit] = word.includes(":") ? word.replace(/^@/, "").split(":") : ["", word];
			if (of === name && named[unit]) return named[unit];
			if (of === "" && named[unit]) all = named[unit];
		}
	return all;
}

/** Differences of timestamps are times; what others count in bytes are bytes. */
function byExpression(expr: string, clause: Clause): Unit | null {
	const time = /\bv?timestamp\b[^,]*-|-\s*\bv?timestamp\b/.test(expr);
	if (time) {
		const by = /\/\s*(10+)\s*\)?$/.exec(expr.trim());
		return { kind: "time", scale: by ? Number(by[1]) : 1 };
	}
	if (/\b(ip_plength|b_bcount|b_resid|b_bufsize)\b/.test(expr)) return named.bytes;
	if (/^arg2$/.test(expr.trim()) && /\b(p?read|p?write|send|recv)\w*:entry/.test(clause.probes)) return named.bytes;
	return byName(/(\w+)\s*$/.exec(expr)?.[1] ?? "");
}

function find(text: string, name: string, fn: string): Unit {
	const at = clauses(text).flatMap((clause): { clause: Clause; use: Use }[] => clause.uses.filter((u) => u.name === name)
		.map((use) => ({ clause, use })))[0];
	if (fn === "count") {
		const rate = at && /^profile-(\d+)(hz)?$/.exec(at.clause.probes.trim());
		return rate ? { kind: "cpu", scale: 1 / Number(rate[1]) } : NONE;
	}
	return byOption(text, name) ?? byName(name) ?? (at ? byExpression(at.use.args[0] ?? "", at.clause) : null) ?? NONE;
}

const known = new Map<string, Unit>();

/** Asked for in every picture: the answer is kept. */
export function unitOf(agg: { name: string; fn: string }, program: string): Unit {
	const key = `${agg.fn} ${agg.name} ${program}`;
	let unit = known.get(key);
	if (!unit) {
		if (known.size > 500) known.clear();
		known.set(key, unit = find(program, agg.name, agg.fn));
	}
	return unit;
}

function digits(v: number): string {
	const a = Math.abs(v), text = a >= 99.95 ? v.toFixed(0) : a >= 9.995 ? v.toFixed(1) : v.toFixed(2);
	return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

function time(ns: number): string {
	const a = Math.abs(ns);
	if (a < 999.5) return `${digits(ns)}${SPACE}ns`;
	if (a < 999.5e3) return `${digits(ns / 1e3)}${SPACE}\u00b5s`;
	if (a < 999.5e6) return `${digits(ns / 1e6)}${SPACE}ms`;
	return a < 600e9 ? `${digits(ns / 1e9)}${SPACE}s` : `${digits(ns / 60e9)}${SPACE}min`;
}

const sizes = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

function bytes(n: number): string {
	let u = 0;
	for (; Math.abs(n) >= 1023.5 && u < sizes.length - 1; u++) n /= 1024;
	return `${digits(n)}${SPACE}${sizes[u]}`;
}

/** A value as text; one of a CPU is a number of samples. */
export function amount(v: number, unit: Unit): string {
	return unit.kind === "time" ? time(v * unit.scale) : unit.kind === "bytes" ? bytes(v * unit.scale) : short(v);
}

/** What comes in a second: of samples, the share of a CPU. */
export function rate(v: number, unit: Unit): string {
	return unit.kind === "cpu" ? `${digits(v * unit.scale * 100)}${SPACE}%` : unit.kind === "" ?
		`${v >= 100 ? short(Math.round(v)).replace(/\.0*(?=[kMGTPE])|(\.\d*?[1-9])0+(?=[kMGTPE])/, "$1") : digits(v)}/s` : `${amount(v, unit)}/s`;
}

/** The same as it is, for those who need each digit. */
export function exact(v: number, unit: Unit): string {
	const name = unit.kind === "bytes" ? " bytes" : unit.kind !== "time" ? "" :
		unit.scale === 1 ? " ns" : unit.scale === 1e3 ? " \u00b5s" : unit.scale === 1e6 ? " ms" : unit.scale === 1e9 ? " s" : "";
	return whole(v) + name;
}

/** A bucket. Its ends with a unit are rounded, without one they are exact. */
export function range(low: number | null, high: number | null, unit: Unit): string {
	const one = (v: number) => unit.kind ? amount(v, unit) : whole(v);
	if (low === null) return high === null ? "all" : `up to ${one(high)}`;
	if (high === null) return `from ${one(low)} on`;
	return low === high ? one(low) : `${one(low)} to ${one(unit.kind && high - low > 1 ? high + 1 : high)}`;
}

/** What the numbers are, for a head. */
export function unitName(unit: Unit): string {
	return unit.kind === "time" ? "time" : unit.kind === "bytes" ? "bytes" : unit.kind === "cpu" ? "% of a CPU" : "";
}
