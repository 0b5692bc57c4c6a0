// SPDX-License-Identifier: BSD-2-Clause
// Probes of a Node program, made while it runs: one fires for each line of the input (usdt_node.c says how to build).
//   dtrace -n 'lines*:::line { printf("%d %s", arg1, copyinstr(arg0)); }'
const { provider } = require(process.env.USDT_NODE || './usdt_node.node');
const lines = provider('lines', { line: ['string', 'int32'] });
let n = 0;
require('readline').createInterface({ input: process.stdin }).on('line', (text) => lines.line(text, ++n));
