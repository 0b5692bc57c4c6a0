'use strict';
// Histograms over time as a heat map: a column for each span of time, a row for each bucket. The data are lines (doc/FORMATS.md);
// names are only ever drawn or put into text nodes.
const $ = id => document.getElementById(id);
const canvas = $('graph'), pen = canvas.getContext('2d'), LEFT = 70, BELOW = 22, HIGH = 20;
const aggs = new Map(), series = [];
let cells = new Map(), rows = [], columns = 0, span = 1, most = 1, at = null, pinned = false, wide = 1;

for (const line of $('data').textContent.replace(/%3C/g, '<').replace(/%25/g, '%').split('\n')) {
	const word = line.split('\t');
	if (word[0] === 'series') {
		if (!aggs.has(word[2]))
			aggs.set(word[2], { series: [], buckets: new Map() });
		aggs.get(word[2]).series.push(series[Number(word[1])] = { agg: aggs.get(word[2]), key: word[3], seen: [] });
	} else if (word[0] === 'bucket' && series[word[1]])
		series[word[1]].agg.buckets.set(Number(word[2]), [word[3], word[4]]);
	else if (word[0] === 'at' && series[word[2]])
		series[word[2]].seen.push([Number(word[1]) / 1e9, word.slice(3).map(pair => pair.split(':').map(Number))]);
}

const short = text => {
	const n = Number(text), a = Math.abs(n);
	for (const [most_, unit] of [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e4, 'k']])
		if (a >= most_)
			return +(n / most_ * (unit === 'k' ? 10 : 1)).toPrecision(3) + unit;
	return text;
};
const bounds = ([low, high]) => low === '' ? `at most ${high}` : high === '' ? `at least ${low}` : low === high ? low : `${low} to ${high}`;
const time = s => +s.toFixed(s < 10 ? 3 : 1) + ' s';

// The shown series together: which columns there are, and what each cell counts.
function gather() {
	const agg = aggs.get($('agg').value), chosen = agg ? agg.series.filter((s, i) => $('key').value === 'all' || i === Number($('key').value)) : [];
	const times = [...new Set(chosen.flatMap(s => s.seen.map(x => x[0])))].sort((a, b) => a - b);
	const gaps = times.map((t, i) => i > 0 ? t - times[i - 1] : t).filter(g => g > 0).sort((a, b) => a - b);
	const end = times.length ? times[times.length - 1] : 0;
	const room = Math.max(40, Math.floor(((canvas.clientWidth || 320) - LEFT) / 5));
	// Most snapshots have a column of their own, late ones too; there are some columns whatever the gaps are.
	const usual = gaps.length ? gaps[gaps.length >> 1] : 1, late = gaps.length ? gaps[Math.floor(gaps.length * 0.97)] : 1;
	span = Math.max(Math.min(late, Math.max(usual, end / 10)), end / room, 1e-3);
	const power = Math.pow(10, Math.floor(Math.log10(span)));
	span = [1, 2, 5, 10].map(n => n * power).find(n => n >= span * 0.999);
	columns = Math.max(1, Math.ceil(end / span - 1e-6));
	cells = new Map();
	most = 1;
	let low = Infinity, high = -Infinity;
	for (const s of chosen)
		for (const [t, counts] of s.seen)
			for (const [bucket, n] of counts) {
				const where = Math.max(0, Math.min(columns - 1, Math.ceil(t / span - 1e-6) - 1)) + ' ' + bucket;
				cells.set(where, (cells.get(where) || 0) + n);
				most = Math.max(most, cells.get(where));
				low = Math.min(low, bucket);
				high = Math.max(high, bucket);
			}
	rows = [];
	for (let b = low; b <= high; b++)
		rows.push(b);
	return agg;
}
// From dark blue to yellow in the dark, from pale to dark red on light ground: more is always further from the ground.
function colour(n, dark) {
	const x = Math.sqrt(n / most);
	return dark ? `hsl(${260 - 210 * x} 75% ${18 + 52 * x}%)` : `hsl(${55 - 50 * x} 90% ${88 - 52 * x}%)`;
}
function draw() {
	const agg = gather(), width = canvas.clientWidth || 320, scale = window.devicePixelRatio || 1;
	const dark = matchMedia('(prefers-color-scheme: dark)').matches, text = getComputedStyle(document.body).color;
	canvas.style.height = rows.length * HIGH + BELOW + 'px';
	canvas.width = width * scale;
	canvas.height = (rows.length * HIGH + BELOW) * scale;
	pen.scale(scale, scale);
	pen.font = '12px system-ui, sans-serif';
	pen.textBaseline = 'middle';
	wide = (width - LEFT) / columns;
	rows.forEach((bucket, i) => {
		const y = (rows.length - 1 - i) * HIGH, edge = agg.buckets.get(bucket);
		pen.fillStyle = text;
		pen.textAlign = 'right';
		pen.fillText(!edge ? '' : edge[0] === '' ? '≤ ' + short(edge[1]) : (edge[1] === '' ? '≥ ' : '') + short(edge[0]), LEFT - 5, y + HIGH / 2);
		for (let c = 0; c < columns; c++)
			cell(c, bucket, y, dark);
	});
	pen.fillStyle = text;
	const parts = width < 500 ? 2 : 4;
	for (let i = 0; i <= parts; i++) {
		pen.textAlign = i === 0 ? 'left' : i === parts ? 'right' : 'center';
		pen.fillText(time(columns * span * i / parts), LEFT + (width - LEFT - 2) * i / parts, rows.length * HIGH + BELOW / 2);
	}
	if (at)
		mark(text);
	describe(agg);
}
function cell(c, bucket, y, dark) {
	const n = cells.get(c + ' ' + bucket), x = LEFT + c * wide;
	if (!n)
		return;
	pen.fillStyle = colour(n, dark);
	pen.fillRect(x, y, Math.max(wide - 0.5, 0.5), HIGH - 0.5);
	const label = short(String(n));
	if (wide < label.length * 7 + 4)
		return;
	pen.fillStyle = (n / most > 0.3) === dark ? '#000' : dark || n / most > 0.3 ? '#fff' : '#000';
	pen.textAlign = 'center';
	pen.fillText(label, x + wide / 2, y + HIGH / 2);
}
function mark(text) {
	pen.strokeStyle = text;
	pen.lineWidth = 2;
	pen.strokeRect(LEFT + at[0] * wide, (rows.length - 1 - at[1]) * HIGH, wide, HIGH);
}
function describe(agg) {
	if (!at || !agg || at[1] >= rows.length) {
		const all = [...cells.values()].reduce((s, n) => s + n, 0);
		$('tell').textContent = `${all.toLocaleString()} values in ${columns} columns of ${time(span)}; up to ${most.toLocaleString()} in a cell`;
		return;
	}
	const n = cells.get(at[0] + ' ' + rows[at[1]]) || 0;
	const sum = rows.reduce((s, b) => s + (cells.get(at[0] + ' ' + b) || 0), 0);
	$('tell').textContent = `${bounds(agg.buckets.get(rows[at[1]]) || ['', ''])}\n${time(at[0] * span)} to ${time((at[0] + 1) * span)}: ` +
	    `${n.toLocaleString()} of ${sum.toLocaleString()}${sum ? ' (' + (100 * n / sum).toFixed(1) + ' %)' : ''}${pinned ? '; pinned' : ''}`;
}
function under(e) {
	const box = canvas.getBoundingClientRect();
	const c = Math.floor((e.clientX - box.left - LEFT) / wide), r = rows.length - 1 - Math.floor((e.clientY - box.top) / HIGH);
	return c >= 0 && c < columns && r >= 0 && r < rows.length ? [c, r] : null;
}
function keys() {
	const agg = aggs.get($('agg').value);
	const list = agg ? agg.series : [];
	$('key').replaceChildren(...list.map((s, i) => new Option(s.key || 'no key', i)));
	if (list.length > 1)
		$('key').prepend(new Option(`all ${list.length} keys together`, 'all'));
	$('key').selectedIndex = 0;
	$('key').hidden = list.length < 2;
	at = null;
	draw();
}
canvas.addEventListener('mousemove', e => { if (!pinned) { at = under(e); draw(); } });
canvas.addEventListener('mouseleave', () => { if (!pinned) { at = null; draw(); } });
canvas.addEventListener('click', e => { pinned = !pinned || !under(e); at = under(e); pinned = pinned && at !== null; draw(); });
canvas.addEventListener('keydown', e => {
	const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key];
	if (step) {
		const from = at || [0, 0];
		at = [Math.max(0, Math.min(columns - 1, from[0] + step[0])), Math.max(0, Math.min(rows.length - 1, from[1] + step[1]))];
		pinned = true;
	} else if (e.key === 'Escape') {
		at = null;
		pinned = false;
	} else
		return;
	e.preventDefault();
	draw();
});
$('bar').addEventListener('submit', e => e.preventDefault());
$('agg').addEventListener('change', keys);
$('key').addEventListener('change', () => { at = null; draw(); });
window.addEventListener('resize', draw);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
$('agg').replaceChildren(...[...aggs.keys()].map(name => new Option(name, name)));
$('agg').hidden = aggs.size < 2;
if (aggs.size === 0)
	$('title').textContent = 'No histograms: use quantize(), lquantize() or llquantize().';
else if (aggs.size === 1)
	$('title').textContent = [...aggs.keys()][0];
keys();
