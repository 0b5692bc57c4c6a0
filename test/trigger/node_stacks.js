// SPDX-License-Identifier: BSD-2-Clause
// Stacks that know themselves, as python_stacks.py: random ways through JavaScript, builtins of V8 and C++ of Node; at the end of
// each the frames that V8 says it has are written, innermost first, before a system call with the number of the stack.
// usage: node node_stacks.js COUNT SEED DIRECTORY (which is as that of python_stacks.py) [warm: functions are compiled first]
'use strict';
const fs = require('fs');
const vm = require('vm');

const FIRST = 5000000, LAST = 4999999;
const [count, seed, dir, warm] = [Number(process.argv[2]), Number(process.argv[3]), process.argv[4], process.argv[5] === 'warm'];
let state = seed >>> 0, serial = 0, quiet = warm;
const said = [];

function random(n) {
	state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
	return Math.floor(state / 4294967296 * n);
}

// Frames of functions that have a script; callers across an await are not on the stack.
Error.stackTraceLimit = Infinity;
Error.prepareStackTrace = (error, sites) => sites.filter((s) => s.getFileName() !== undefined && s.getFileName() !== null && !s.isAsync())
	.map((s) => `${s.getFunctionName() || '<anonymous>'} (${s.getFileName()}:${s.getLineNumber()})`);
const close = (fd) => { try { fs.closeSync(fd); } catch { /* EBADF is what is wanted */ } };

function finish() {
	if (quiet) return;
	serial++;
	said.push(`stack ${serial}`, ...[new Error().stack, close(FIRST + serial)][0]);
}

function go(n) {
	if (n <= 0) return finish();
	ways[random(ways.length)](n - 1);
}

class Thing {
	constructor(n) {
		go(n);
	}
	get value() {
		go(this.n);
		return 1;
	}
	method(n) { go(n); }
	static fixed(n) { go(n); }
	*each(n) {
		go(n);
		yield 1;
	}
}
function recurse(n, depth) {
	if (depth > 0)
		return recurse(n, depth - 1);
	return go(n);
}
async function waits(n) {
	go(n);
	await null;
}
const scripted = vm.runInThisContext('(function scripted(go, n) {\n\n go(n); })', { filename: 'a script', lineOffset: 10 });
const wide = vm.runInThisContext('(function \u03b1\u03b2(go, n) {\r\n // \u4e2d\r go(n); })', { filename: 'wide' });
const object = { method(n) { go(n); }, arrow: (n) => go(n) };
const ways = [
	(n) => go(n),
	function plain(n) { go(n); },
	(n) => recurse(n, random(12)),
	(n) => new Thing(n),
	(n) => Thing.fixed(n),
	(n) => Thing.prototype.method.call(null, n),
	(n) => Object.create(Thing.prototype, { n: { value: n } }).value,
	(n) => [...Thing.prototype.each(n)],
	(n) => { [1].map(() => go(n)); },
	(n) => { [1].forEach((x) => {
		go(n);
	}); },
	function sorts(n) {
		let once = true;
		[2, 1].sort(function compare(a, b) {
			if (once) {
				once = false;
				go(n);
			}
			return a - b;
		});
	},
	(n) => { JSON.stringify({ a: 1 }, function replacer(key, value) {
		if (key === 'a') go(n);
		return value;
	}); },
	(n) => { JSON.parse('1', (key, value) => { go(n); return value; }); },
	(n) => { 'a'.replace(/a/, () => { go(n); return 'b'; }); },
	(n) => Reflect.apply(object.method, object, [n]),
	(n) => object.arrow.bind(null, n)(),
	(n) => { `${{ toString() { go(n); return ''; } }}`; },
	(n) => { waits(n); },
	(n) => { new Promise((resolve) => { go(n); resolve(); }); },
	(n) => { Array.from([1], () => go(n)); },
	(n) => { new Proxy({}, { get() { go(n); } }).x; },
	(n) => scripted(go, n),
	(n) => wide(go, n),
	(n) => { vm.runInThisContext('(f) => f()', { filename: 'in C++' })(() => go(n)); },
	(n) => { process.emit('way', n); },
	(n) => { eval('go(n)'); },
];
process.on('way', (n) => go(n));

function run() {
	for (let i = 0; i < count; i++) {
		state = (seed + 7919 * i) >>> 0;
		go(1 + random(random(2) ? 30 : 8));
	}
}

function main() {
	if (!fs.existsSync(`${dir}/go`))
		return setTimeout(main, 20);
	run();
	fs.writeFileSync(`${dir}/frames`, said.join('\n') + '\n');
	close(LAST);
	stay();
}
// Names are read while the program is there.
function stay() {
	if (!fs.existsSync(`${dir}/end`))
		setTimeout(stay, 20);
}

if (warm)
	for (let i = 0; i < 30; i++)
		run();
quiet = false;
fs.writeFileSync(`${dir}/waits`, '');
main();
