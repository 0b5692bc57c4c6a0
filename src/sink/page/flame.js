'use strict';
// Folded stacks of this page, and where there are any of an earlier one, as a graph: a row for each depth, the width of a
// frame is what was counted in it. Names are only ever drawn or put into text nodes.
const $ = id => document.getElementById(id);
const canvas = $('graph'), pen = canvas.getContext('2d'), HIGH = 19, LEAST = 0.4;
const make = (name, up) => ({ name, up, depth: up ? up.depth + 1 : 0, now: 0, old: 0, kids: new Map(), list: null });
const root = make('all', null);
let zoom = root, at = root, found = null, turned = false, side = 'now', boxes = [], rows = 0;

function read(id) {
	const e = $(id);
	return e ? e.textContent.replace(/%3C/g, '<').replace(/%25/g, '%') : '';
}
function grow(text, member) {
	for (const line of text.split('\n')) {
		const end = line.lastIndexOf(' '), n = end > 0 ? Number(line.slice(end + 1)) : 0;
		if (!(n > 0) || !isFinite(n))
			continue;
		let node = root;
		root[member] += n;
		for (const name of line.slice(0, end).split(';')) {
			let kid = node.kids.get(name);
			if (!kid)
				node.kids.set(name, kid = make(name, node));
			kid[member] += n;
			node = kid;
		}
	}
}
grow(read('now'), 'now');
grow(read('before'), 'old');
const differs = root.old > 0;

const kids = node => node.list || (node.list = [...node.kids.values()].sort((a, b) => a.name < b.name ? -1 : 1));
const share = (n, all) => all > 0 ? n / all : 0;
const percent = x => (100 * x).toFixed(2) + ' %';
const change = node => share(node.now, root.now) - share(node.old, root.old);
const matches = node => found !== null && node.name.toLowerCase().includes(found);

// One hue for each name, so that a frame keeps its colour; the kernel's are orange. With an earlier file red is more
// than before and blue is less, and the text says + or - too.
function colour(node) {
	if (differs) {
		const d = Math.max(-1, Math.min(1, change(node) * 8));
		return `hsl(${d > 0 ? 8 : 215} ${Math.abs(d) < 0.004 ? 0 : 85}% ${88 - 33 * Math.abs(d)}%)`;
	}
	let h = 0;
	for (let i = 0; i < node.name.length; i++)
		h = (h * 31 + node.name.charCodeAt(i)) | 0;
	h = Math.abs(h) % 60;
	return node.name.endsWith('_[k]') ? `hsl(${20 + h / 4} 80% 66%)` : `hsl(${90 + h * 2} 50% 70%)`;
}

// Where each frame stands. The frames above the one that is zoomed have the whole width.
function place(width) {
	boxes = [];
	rows = 0;
	for (let up = zoom.up; up; up = up.up)
		boxes.push({ node: up, x: 0, w: width });
	const total = zoom[side] || zoom.now || zoom.old || 1, todo = [[zoom, 0, width]];
	while (todo.length) {
		const [node, x, w] = todo.pop();
		boxes.push({ node, x, w });
		rows = Math.max(rows, node.depth + 1);
		let left = x;
		for (const kid of kids(node)) {
			const wide = kid[side] / total * width;
			if (wide >= LEAST)
				todo.push([kid, left, wide]);
			left += wide;
		}
	}
}
const top_of = node => (turned ? rows - 1 - node.depth : node.depth) * HIGH;
function draw() {
	const width = canvas.clientWidth || 300, scale = window.devicePixelRatio || 1;
	place(width);
	canvas.style.height = rows * HIGH + 'px';
	canvas.width = width * scale;
	canvas.height = Math.min(32000, rows * HIGH * scale);
	pen.scale(scale, scale);
	pen.font = '12px system-ui, sans-serif';
	pen.textBaseline = 'middle';
	for (const b of boxes) {
		const y = top_of(b.node), hit = matches(b.node);
		pen.fillStyle = hit ? '#e040fb' : colour(b.node);
		pen.globalAlpha = b.node.depth < zoom.depth ? 0.6 : 1;
		pen.fillRect(b.x, y, Math.max(b.w - 0.6, LEAST), HIGH - 1);
		if (b.node === at) {
			pen.lineWidth = 3;
			pen.strokeStyle = getComputedStyle(document.body).color;
			pen.strokeRect(b.x + 1.5, y + 1.5, Math.max(b.w - 3.6, 1), HIGH - 4);
		}
		if (b.w > 24)
			write(b, y, hit);
	}
	pen.globalAlpha = 1;
	describe(at);
}
function write(b, y, hit) {
	const sign = !differs || Math.abs(change(b.node)) < 0.0005 ? '' : change(b.node) > 0 ? '+ ' : '- ';
	let text = (hit ? '▸ ' : '') + sign + b.node.name;
	const room = Math.floor((b.w - 6) / 6.2);
	if (text.length > room)
		text = room > 3 ? text.slice(0, room - 1) + '…' : '';
	pen.fillStyle = '#111';
	pen.fillText(text, b.x + 3, y + HIGH / 2);
}
function describe(node) {
	let text = `${node.name}\n${node.now.toLocaleString()} of ${root.now.toLocaleString()}, ${percent(share(node.now, root.now))}`;
	if (differs)
		text += `; before ${node.old.toLocaleString()}, ${percent(share(node.old, root.old))}: ${change(node) < 0 ? '' : '+'}${percent(change(node))}`;
	if (found !== null)
		text += `; ${percent(share(matched(root), root[side]))} match the search`;
	$('tell').textContent = text;
}
// What the search finds, each stack once however many of its frames match.
function matched(node) {
	if (matches(node))
		return node[side];
	let sum = 0;
	for (const kid of kids(node))
		sum += matched(kid);
	return sum;
}

const under = e => {
	const box = canvas.getBoundingClientRect(), x = e.clientX - box.left, y = e.clientY - box.top;
	const b = boxes.find(c => x >= c.x && x < c.x + c.w && y >= top_of(c.node) && y < top_of(c.node) + HIGH);
	return b ? b.node : null;
};
function enter(node) {
	zoom = at = node;
	draw();
}
function move(key) {
	const list = kids(at).filter(k => k[side] > 0), near = at.up ? kids(at.up).filter(k => k[side] > 0) : [at];
	const down = turned ? 'ArrowUp' : 'ArrowDown', up = turned ? 'ArrowDown' : 'ArrowUp';
	if (key === down && list.length)
		at = list.reduce((a, b) => b[side] > a[side] ? b : a);
	else if (key === up && at.up)
		at = at.up;
	else if (key === 'ArrowLeft' || key === 'ArrowRight')
		at = near[Math.max(0, Math.min(near.length - 1, near.indexOf(at) + (key === 'ArrowLeft' ? -1 : 1)))];
	for (let up_ = at; up_ !== zoom; up_ = up_.up)
		if (!up_) {
			zoom = at;
			break;
		}
	draw();
}
function turn() {
	turned = !turned;
	$('turn').setAttribute('aria-pressed', turned);
	draw();
}
function other() {
	side = side === 'now' && differs ? 'old' : 'now';
	$('side').setAttribute('aria-pressed', side === 'old');
	draw();
}
canvas.addEventListener('mousemove', e => describe(under(e) || at));
canvas.addEventListener('mouseleave', () => describe(at));
canvas.addEventListener('click', e => { const node = under(e); if (node) enter(node); });
canvas.addEventListener('keydown', e => {
	if (e.key === 'Enter' || e.key === ' ')
		enter(at);
	else if (e.key.startsWith('Arrow'))
		move(e.key);
	else
		return;
	e.preventDefault();
});
document.addEventListener('keydown', e => {
	const typing = e.target === $('find');
	if (e.key === 'Escape') {
		$('find').value = '';
		found = null;
		enter(root);
		canvas.focus();
	} else if (!typing && e.key === '/') {
		$('find').focus();
		e.preventDefault();
	} else if (!typing && !e.ctrlKey && !e.metaKey && e.key === 'i')
		turn();
	else if (!typing && !e.ctrlKey && !e.metaKey && e.key === 'b')
		other();
});
$('find').addEventListener('input', () => {
	const text = $('find').value.toLowerCase();
	found = text === '' ? null : text;
	draw();
});
$('bar').addEventListener('submit', e => e.preventDefault());
$('reset').addEventListener('click', () => enter(root));
$('turn').addEventListener('click', turn);
$('side').addEventListener('click', other);
window.addEventListener('resize', draw);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
$('side').hidden = !differs;
if (differs)
	$('title').textContent = document.title = 'Differential flame graph';
if (root.now === 0)
	$('title').textContent = 'No stacks: record stack() or ustack(), or use them as keys of an aggregation.';
draw();
