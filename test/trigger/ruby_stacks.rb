# SPDX-License-Identifier: BSD-2-Clause
# Stacks that know themselves, as python_stacks.py: random ways through Ruby and through C; at each end the frames that
# caller_locations() has are written, innermost first, before a system call with the number of the stack.
# usage: ruby ruby_stacks.rb COUNT SEED DIRECTORY (which is as that of python_stacks.py)
FIRST = 5000000
LAST = 4999999
$serial = 0

# Names of methods in C; which they are depends on the version.
IN_C = [Array, Hash, Integer, String, Range, Enumerable, Enumerator, Comparable, Kernel, Proc, Method, BasicObject, Module, Class,
	Fiber, Thread, Process.singleton_class, Kernel.singleton_class].flat_map { |c|
	(c.instance_methods + c.private_instance_methods).select { |m| c.instance_method(m).source_location.nil? }
}.map { |m| [m.to_s, true] }.to_h

# A method in C has the place of its caller. Those that a fiber begins with have none, and no loop of Ruby runs them.
def frames(trace)
	place = nil
	trace.reverse.reject { |l| l.path.nil? }.map { |l|
		label = l.label.sub(/\A(.* in )?[A-Z][\w:]*[#.]/, '\1')	# 3.4 has the class too
		in_c = IN_C[label] && place == [l.path, l.lineno]
		place = [l.path, l.lineno]
		in_c ? label : "#{label} (#{l.path}:#{l.lineno})"
	}.reverse
end

def finish
	$serial += 1
	begin; $out.puts("stack #{$serial}", 'getpgid', *frames(caller_locations(0))); Process.getpgid(FIRST + $serial); rescue Errno::ESRCH; end
end

def plain(n); go(n); end
def mapped(n); [1].map { go(n) }; end
def each_of(n); { a: 1 }.each { |_, _| go(n) }; end
def counted(n); 1.times { go(n) }; end
def sorted(n)
	once = true
	[2, 1].sort do |a, b|
		go(n) if once
		once = false
		a <=> b
	end
end
def keyed(n); [2].sort_by { |x| go(n); x }; end
def reduced(n); [1, 2].inject { |a, b| go(n); b }; end
def replaced(n); 'a'.gsub(/a/) { go(n); 'b' }; end
def matched(n)
	'abc' =~ /b/
	send(:go, n)
end
def called(n); proc { |x| go(x) }.call(n); end
def stabby(n); ->(x) { go(x) }.(n); end
def bound(n); [n].each(&method(:go)); end
def by_symbol(n); [Derived.new(n)].map(&:deeper); end
def evaluated(n); eval("\ngo(n)", binding, '(eval)', 7); end
def loaded(n)
	$n = n
	load "#{FOLDER}/loaded.rb"
end
def caught(n)
	raise 'x'
rescue RuntimeError
	go(n)
ensure
	''.length
end
def ensured(n)
	[1].each { return 1 }
ensure
	go(n)
end
def retried(n)
	tries ||= 0
	raise 'x' if (tries += 1) < 2
	go(n)
rescue RuntimeError
	retry
end
def yielding; yield; end
def blocks(n); yielding { yielding { go(n) } }; end
def tapped(n); n.tap { |x| go(x) }; end
def looped(n)
	loop do
		go(n)
		break
	end
end
def thrown(n); catch(:done) { go(n); throw :done }; end
def fiber(n); Fiber.new { go(n) }.resume; end
def threaded(n); Thread.new { go(n) }.join; end
def external(n)
	Enumerator.new { |y| go(n); y << 1 }.next
end
def lazily(n); (1..3).lazy.map { |x| go(n) if x == 1; x }.first(1); end
def classes(n)
	$n = n
	Class.new do
		go($n)
	end
end
def several(
	n
)
	[
		1,
		go(
			n
		),
	]
end

class Base
	include Comparable
	attr_reader :n
	def initialize(n); @n = n; end
	def deeper; go(@n); end
	def <=>(other)
		go(@n)
		1
	end
	def to_s
		go(@n)
		''
	end
	def each
		go(@n)
		yield 1
	end
	def method_missing(name, *args); name == :missing ? go(args[0]) : super; end
	def respond_to_missing?(name, all = false); false; end
	def coerce(x)
		go(@n)
		[1, 1]
	end
	define_method(:defined) { |n| go(n) }
	def hash
		go(@n)
		1
	end
	def self.make(n); go(n); end
	def [](n); go(n); end
	def +(other); go(other); end
end

class Derived < Base
	include Enumerable
	def deeper; super; end
end

class Starts
	def initialize(n); go(n); end
end

def object(n)
	d = Derived.new(n)
	case $rnd.rand(14)
	when 0 then d.deeper
	when 1 then d < d
	when 2 then "a#{d}"
	when 3 then d.map { |x| x }
	when 4 then d.missing(n)
	when 5 then 1 + d
	when 6 then d.defined(n)
	when 7 then { d => 1 }
	when 8 then Derived.make(n)
	when 9 then d[n]
	when 10 then d + n
	when 11 then d.instance_exec(n) { |x| go(x) }
	when 12 then d.public_send(:deeper)
	when 13 then Starts.new(n)
	end
end

WAYS = %i[plain mapped each_of counted sorted keyed reduced replaced matched called stabby bound by_symbol evaluated loaded caught
	ensured retried blocks tapped looped thrown fiber threaded external lazily classes several object object]
COUNT, SEED, FOLDER = ARGV[0].to_i, ARGV[1].to_i, ARGV[2]
$rnd = Random.new(SEED)

def go(n); n <= 0 ? finish : __send__(WAYS[$rnd.rand(WAYS.size)], n - 1); end

File.write("#{FOLDER}/loaded.rb", "\n\ngo($n)\n")
$out = File.open("#{FOLDER}/frames", 'w')
File.write("#{FOLDER}/waits", '')
sleep 0.01 until File.exist?("#{FOLDER}/go")
COUNT.times { go($rnd.rand(20)) }
$out.close
begin; Process.getpgid(LAST); rescue Errno::ESRCH; end
sleep 0.01 until File.exist?("#{FOLDER}/end")
