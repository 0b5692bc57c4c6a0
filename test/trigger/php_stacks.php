<?php
// SPDX-License-Identifier: BSD-2-Clause
// Stacks that know themselves, as python_stacks.py: random ways through PHP and through C; at each end the frames that
// debug_backtrace() has are written, innermost first, before a system call with the number of the stack.
// usage: php php_stacks.php COUNT SEED DIRECTORY (which is as that of python_stacks.py)
const FIRST = 5000000, LAST = 4999999;
$serial = 0;

function name(array $entry): string
{
	if (in_array($entry['function'], ['include', 'require', 'eval', 'include_once', 'require_once']) && !isset($entry['class']))
		return '{main}';
	return (isset($entry['class']) ? $entry['class'] . '::' : '') . $entry['function'];
}

// An entry says where its function was called; one that was called by C has no place, and one in C no frame.
function frames(array $trace, string $file, int $line): array
{
	$frames = [];
	$place = "$file:$line";
	foreach ($trace as $entry) {
		if ($place !== null)
			$frames[] = name($entry) . " ($place)";
		$place = isset($entry['file']) ? $entry['file'] . ':' . $entry['line'] : null;
	}
	$frames[] = "{main} ($place)";
	return $frames;
}

function finish()
{
	global $serial, $out;
	$serial++;
	fwrite($out, "stack $serial\n" . implode("\n", frames(debug_backtrace(0), __FILE__, __LINE__ + 1)) . "\n");
	posix_getpgid(FIRST + $serial);
}

function plain($n) { go($n); }
function mapped($n) { array_map('go', [$n]); }
function arrow($n) { array_map(fn($x) => go($x), [$n]); }
function sorted($n)
{
	$a = [2, 1];
	$once = true;
	usort($a, function ($p, $q) use ($n, &$once) {
		if ($once) {
			$once = false;
			go($n);
		}
		return $p - $q;
	});
}
function reduced($n) { array_reduce([$n], function ($sum, $x) { return go($x); }); }
function replaced($n) { preg_replace_callback('/a/', function ($m) use ($n) { go($n); return 'b'; }, 'a'); }
function called($n) { call_user_func_array('go', [$n]); }
function evaluated($n)
{
	eval('
		go($n);');
}
function included($n)
{
	global $folder;
	include "$folder/included.php";
}
function values($n)
{
	yield 1;
	go($n);
	yield 2;
}
function generated($n)
{
	foreach (values($n) as $v)
		;
}
function caught($n)
{
	try {
		throw new Exception('x');
	} catch (Exception $e) {
		go($n);
	} finally {
		strlen('x');
	}
}
function several(
	$n
) {
	return [
		1,
		go(
			$n
		),
	];
}

class Base
{
	public $n;
	function __construct($n) { $this->n = $n; go($n); }
	function method($n) { go($n); }
	static function make($n) { return new static($n); }
	function __get($key) { go(0); return 1; }
	function __call($key, $args) { go($args[0]); }
	static function __callStatic($key, $args) { go($args[0]); }
	function __invoke($n) { go($n); }
	function __toString() { go($this->n); return ''; }
}

trait Worn
{
	function worn($n) { go($n); }
}

class Derived extends Base implements ArrayAccess, IteratorAggregate
{
	use Worn;
	function __construct($n) { $this->n = $n; }
	function offsetExists($n): bool { go($n); return true; }
	function offsetGet($n): mixed { go($n); return 1; }
	function offsetSet($n, $v): void { go($n); }
	function offsetUnset($n): void { go($n); }
	function getIterator(): Iterator { go($this->n); return new ArrayIterator([1]); }
}

function object($n)
{
	$d = new Derived($n);
	switch (mt_rand(0, 8)) {
	case 0: return new Base($n);
	case 1: return Base::make($n);
	case 2: return $d->method($n);
	case 3: return $d->missing;
	case 4: return $d->nothing($n);
	case 5: return Derived::nowhere($n);
	case 6: return $d[$n];
	case 7: return (string)$d;
	case 8: return $d->worn($n);
	}
}
function objects($n)
{
	$d = new Derived($n);
	switch (mt_rand(0, 3)) {
	case 0: return array_map($d, [$n]);
	case 1: return array_map([$d, 'method'], [$n]);
	case 2: return iterator_to_array($d);
	case 3: return isset($d[$n]);
	}
}

$ways = ['plain', 'mapped', 'arrow', 'sorted', 'reduced', 'replaced', 'called', 'evaluated', 'included', 'generated', 'caught',
	'several', 'object', 'objects'];

function go($n)
{
	global $ways;
	if ($n <= 0)
		finish();
	else
		$ways[mt_rand(0, count($ways) - 1)]($n - 1);
}

[, $count, $seed, $folder] = $argv;
mt_srand((int)$seed);
file_put_contents("$folder/included.php", "<?php\n\ngo(\$n);\n");
$out = fopen("$folder/frames", 'w');
touch("$folder/waits");
while (!file_exists("$folder/go")) {
	usleep(10000);
	clearstatcache();
}
for ($i = 0; $i < $count; $i++)
	go(mt_rand(0, 20));
fclose($out);
posix_getpgid(LAST);
while (!file_exists("$folder/end")) {
	usleep(10000);
	clearstatcache();
}
