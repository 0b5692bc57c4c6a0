// SPDX-License-Identifier: BSD-2-Clause
// node numbers.mjs ESBUILD: units, ticks, times and percentiles of the page (web/src/units.ts, axis.ts, grid.ts), its layout of
// programs (format.ts) on all tools, the limit on what the overview costs (dashboard.ts), and what is said of hosts (hosts.ts). No browser
// is needed.
import { execFileSync } from "node:child_process";
import { accessSync, constants, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { same, step } from "./browse.mjs";

const [esbuild] = process.argv.slice(2), folder = mkdtempSync(join(tmpdir(), "numbers-"));
async function module(name) {
	execFileSync(esbuild, [`web/src/${name}.ts`, "--bundle", "--format=esm", `--outfile=${join(folder, name)}.mjs`, "--log-level=warning"]);
	return await import(pathToFileURL(join(folder, `${name}.mjs`)));
}
const { amount, exact, range, rate, unitOf } = await module("units"), { linear, moment, powers, times } = await module("axis");
const { format } = await module("format"), { parts, partsOf, compose, Watch } = await module("dashboard"), { Rows, shade } = await module("grid");
const { answering, notAlone, reasons } = await module("hosts"), { Model } = await module("model");
const plain = (text) => text.replace(/\u202f/g, " ");
const ns = { kind: "time", scale: 1 }, none = { kind: "", scale: 1 }, bytes = { kind: "bytes", scale: 1 };

await step("three digits and a unit", () => {
	const all = [[1, ns], [999, ns], [1048576, ns], [17.2e9, ns], [1500, { kind: "time", scale: 1e3 }], [65536, bytes], [1000, bytes], [1.5e9, bytes], [589123, none]];
	same(all.map(([v, u]) => plain(amount(v, u))).join(", "), "1 ns, 999 ns, 1.05 ms, 17.2 s, 1.5 ms, 64 KiB, 1000 B, 1.4 GiB, 589k");
	same(plain(exact(1048576, ns)), "1 048 576 ns");
	same(plain(`${rate(310.4 * 1024, bytes)}, ${rate(97, { kind: "cpu", scale: 1 / 97 })}, ${rate(0.25, none)}, ${rate(4000, none)}, ${rate(1350, none)}`), "310 KiB/s, 100 %, 0.25/s, 4k/s, 1.35k/s");
	same(plain([range(536870912, 1073741823, ns), range(5, 9, none), range(null, 4, none), range(10, null, none)].join(", ")),
		"537 ms to 1.07 s, 5 to 9, up to 4, from 10 on");
});

await step("what a program says its numbers are", () => {
	const of = (text, name = "a", fn = "quantize") => {
		const u = unitOf({ name, fn }, text);
		return `${u.kind} ${Math.round(u.scale * 1e4) / 1e4}`;
	};
	same(of("x:::y { @a = quantize(timestamp - self->t); }"), "time 1");
	same(of("x:::y { @a = quantize((timestamp - self->t) / 1000); }"), "time 1000");
	same(of("x:::y { @a = quantize(this->wait_us); }"), "time 1000");
	same(of("x:::y { @read_bytes = sum(arg0); }", "read_bytes", "sum"), "bytes 1");
	same(of("syscall::read:entry { @a = quantize(arg2); }"), "bytes 1");
	same(of("syscall::openat:entry { @a = quantize(arg2); }"), " 1");
	same(of("tcp:::send { @a = sum(args[2]->ip_plength); }", "a", "sum"), "bytes 1");
	same(of("profile-97 { @a[execname] = count(); }", "a", "count"), `cpu ${Math.round(1e4 / 97) / 1e4}`);
	same(of("x:::y { @ns = count(); }", "ns", "count"), " 1");
	same(of("#pragma D option units=a:ms,bytes\nx:::y { @a = quantize(1); @b = quantize(1); }"), "time 1000000");
	same(of("#pragma D option units=a:ms,bytes\nx:::y { @a = quantize(1); @b = quantize(1); }", "b"), "bytes 1");
});

await step("ticks are 1, 2 and 5, of bytes powers of two", () => {
	same(linear(283000, 240, none).join(), "0,100000,200000,300000");
	for (let v = 1e-3; v < 1e15; v *= 3.7) {
		const t = linear(v, 240, none), step = t[1], lead = step / 10 ** Math.floor(Math.log10(step) + 1e-9);
		if (![1, 2, 5, 10].some((n) => Math.abs(lead - n) < 1e-6) || t[t.length - 1] < v * 0.999 || t.length > 8) throw new Error(`${v}: ${t}`);
	}
	same(linear(5 << 20, 240, bytes).join(), [0, 1, 2, 3, 4, 5].map((n) => n << 20).join());
	same(powers(1, 1e9, ns).filter((t) => !t.minor).map((t) => plain(t.label)).join(), "1 ns,10 ns,100 ns,1 µs,10 µs,100 µs,1 ms,10 ms,100 ms,1 s");
	same(powers(1, 65536, bytes).filter((t) => !t.minor).map((t) => plain(t.label)).join(), "1 B,16 B,256 B,4 KiB,64 KiB");
});

await step("times are whole times of day", () => {
	const offset = Date.UTC(2026, 0, 1, 12, 0, 7, 300), { ticks, step: every } = times(0, 60000, 480, offset);
	same(every, 15000);
	same(ticks.every((t) => (t + offset) % 15000 === 0), true);
	same(moment(ticks[0], offset).slice(-3), ":15");
	same(times(0, 2000, 480, 0).ticks.join(), "0,500,1000,1500,2000");
	same([moment(61000, 0), moment(3661000, 0), moment(1250, 0, 500)].join(), "1:01,1:01:01,0:01.250");
});

await step("percentiles lie where they are among the rows", () => {
	const agg = { fn: "quantize", order: [0, 1, 2], buckets: [{ low: 1, high: 1 }, { low: 2, high: 3 }, { low: 4, high: 7 }] }, r = new Rows(agg);
	same(r.percentile(new Map([[0, 10], [2, 10]]), 20, 0.5), 1);
	same(r.percentile(new Map([[0, 10], [2, 10]]), 20, 0.99), 2.98);
	same(r.at(4), 2);
	same(Math.round(r.at(Math.sqrt(32)) * 100), 250);
	same(Number.isNaN(r.at(9)), true);
	same(shade(1, 1000) > 20 && shade(1000, 1000) === 255 && shade(30, 1000) > 120 && shade(30, 1000) < 135, true);
});

await step("all tools are laid out, nothing but blanks changes, and a second time nothing at all", () => {
	let n = 0;
	for (const name of readdirSync("dtools")) {
		try {
			accessSync(join("dtools", name), constants.X_OK);
			const text = readFileSync(join("dtools", name), "utf8"), once = format(text), letters = (t) => t.replace(/\s+/g, "");
			if (!text.startsWith("#!")) continue;
			n++;
			if (format(once) !== once) throw new Error(`${name} changes a second time`);
			if (letters(once) !== letters(text)) throw new Error(`${name} is another program`);
		} catch (e) {
			if (e.code !== "EISDIR" && e.code !== "EACCES") throw e;
		}
	}
	same(n > 50, true);
	same(format("BEGIN,END/x/{a=1;if(a){@b=count();}else{@c=sum(2);}}"), "BEGIN,\nEND\n/x/\n{\n\ta=1;\n\tif(a) {\n\t\t@b=count();\n\t} else {\n\t\t@c=sum(2);\n\t}\n}\n");
	same(format("not a program"), "not a program");
	return `${n} tools`;
});

await step("the overview leaves out what costs most, one after the other, and only if it lasts", () => {
	same(partsOf(compose(parts)).length, 5);
	same(partsOf(compose(parts.slice(1, 3))).map((p) => p.agg).join(), "runq_ns,calls");
	same(partsOf(`${compose(parts)} BEGIN { x = 1; }`).length, 0);
	same(partsOf(parts[0].program).length, 0);
	const watch = new Watch(), cost = (v, n, running) => Array.from({ length: n }, () => watch.cost(v, running)).filter((p) => p).map((p) => p.agg).join();
	same(cost(0.02, 5, parts) + cost(0.005, 1, parts) + cost(0.02, 5, parts), "");
	same(cost(0.02, 1, parts), "calls");
	same(cost(0.03, 6, parts.filter((p) => p.agg !== "calls")), "runq_ns");
	same(cost(0.5, 20, parts.filter((p) => p.dear === 0)), "");
});

await step("what is said of hosts: of how many, why not, and which have numbers of their own", () => {
	const m = new Model(), tell = (i, name, state, more = {}) => m.take({ t: "host", i, name, state, why: "", via: "", restarts: 0, again: 0,
		doubled: 0, offset: 0, bound: 0, own: true, ...more });
	same(answering(m).text, "0 of 0 hosts");
	tell(0, "web1", "waiting");
	same(answering(m).text, "0 of 1 host");
	tell(0, "web1", "live");
	tell(1, "web2", "lost", { why: "it did not answer any more" });
	tell(2, "web3", "lost", { why: "it did not answer any more" });
	tell(3, "db1", "ended", { restarts: 2 });
	tell(4, "app1", "live", { own: false, via: "rack1" });
	tell(5, "app2", "refused", { own: false, why: "<b>no</b>" });
	tell(-2, "nope*", "missing", { own: false, why: "no host of that name" });
	same(answering(m).text, "3 of 7 hosts");
	same(reasons(m).join("; "), "app2: refused: <b>no</b>; db1: came back 2 times: its own numbers are those since then; " +
		"nope*: missing: no host of that name; web2, web3: lost: it did not answer any more");
	const why = (i) => notAlone(m.hosts.get(i), false);
	same([why(0), why(1), why(3)].join(), ",,");
	same(/^app1 is behind the relay rack1, .*make hostname a key/.test(why(4)), true);
	same(why(5), "app2 has sent nothing: <b>no</b>.");
	same(/^A saved page/.test(notAlone(m.hosts.get(0), true)), true);
	tell(-2, "nope*", "found");
	same(answering(m).text, "3 of 6 hosts");
	m.take({ t: "drop", n: 5, came: 5, msg: "web1: 5 drops on CPU 0\n" });
	m.take({ t: "drop", n: 7, came: 2, msg: "web1: 2 drops on CPU 1\n" });
	m.take({ t: "drop", n: 9, came: 2, msg: "2 drops: of no host" });
	same([...m.hostDrops].join(), "web1,7");
	m.take({ t: "start", wall: 1, program: "BEGIN" });
	m.take({ t: "start", wall: 2, program: "" });
	same(m.program, "BEGIN");
});
rmSync(folder, { recursive: true });
