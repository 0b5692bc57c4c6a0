# SPDX-License-Identifier: BSD-2-Clause
# rbcalls, rbnew, rbgc: a Ruby program whose calls, objects and collections are known. nodehttp: requests of a program
# that has node's probes, as node itself has none any more.
. test/trigger/tools.sh
may_trace "tools for Ruby and node"
tool nodehttp -c "${BUILD:-build}/test/tools_node"
row "two requests" '^ *[0-9]+ +[0-9]+\.[0-9]{3} GET +10\.0\.0\.2 +/quick$' 2
row "another method" '^ *[0-9]+ +[0-9]+\.[0-9]{3} POST +10\.0\.0\.2 +/last$'
value "the slow one, which another connection has overtaken" "$(awk '$5 == "/slow?x=1" && $4 == "10.0.0.1" { print int($2) }' "$tmp/out")" 60 1000000
tool nodehttp -c "${BUILD:-build}/test/tools_node" 60
row "slow ones alone" 'GET +10\.0\.0\.1 +/slow'

ruby=/usr/bin/ruby
if [ ! -x $ruby ]; then
	ok "tools for Ruby # SKIP no Ruby"
	exit 0
fi
cat >"$tmp/program.rb" <<'DONE'
class Cart
  def add; 1; end
  def fill; 10.times { add }; end
end
def objects
  7.times { Object.new }
end
class Name < String; end; String.new  # the first one makes a second string
def built_in
  30.times { String.new }
  40.times { Array.new }
  50.times { Hash.new }
  60.times { Name.new }
  70.times { [Object.new, {}] }
end
TracePoint.new(:call) {}.enable
c = Cart.new
100.times { c.fill }
objects
built_in
5.times { GC.start }
DONE
program="$ruby --disable=gems $tmp/program.rb"
run -ln 'ruby*:::cmethod-entry' -c "$program"
if ! grep -q cmethod-entry "$tmp/out"; then
	ok "tools for Ruby # SKIP no Ruby with static probes: $(head -n 1 "$tmp/err")"
	exit 0
fi
tool rbcalls -c "$program" 100
row "1000 calls" "^ *1000 Cart#add +$tmp/program.rb$"
row "100 calls" "^ *100 Cart#fill +$tmp/program.rb$"
row "of methods in C too" "^ *108 Integer#times +$tmp/program.rb$"	# 100 in fill, and eight in the program itself
tool rbnew -c "$program" 1000
row "objects, and where" "^ *7 Object +6 $tmp/program.rb$"
row "one Cart" "^ *1 Cart +17 $tmp/program.rb$"
# N26: String.new fires two probes; Array.new and Hash.new too, and classes derived from them
row "a String is counted once" "^ *30 String +10 $tmp/program.rb$"
row "an Array" "^ *40 Array +11 $tmp/program.rb$"
row "a Hash" "^ *50 Hash +12 $tmp/program.rb$"
row "one derived from String, by its own class" "^ *60 Name +13 $tmp/program.rb$"
! grep -qE "String +13 $tmp/program.rb$" "$tmp/out"
check $? "… and not as a String too"
row "an object, an array and a hash" "^ *70 (Object|Array|Hash) +14 $tmp/program.rb$" 3
tool rbgc -c "$program"
value "each collection marks" "$(grep -c -E '^ *[0-9]+\.[0-9]{3} +[0-9]+ mark +[0-9]+\.[0-9]{3}$' "$tmp/out")" 5 100
value "as many are summed up" "$(awk '$2 == "mark" && $3 == "in" { print $6 }' "$tmp/out")" \
    "$(grep -c -E '^ *[0-9]+\.[0-9]{3} +[0-9]+ mark ' "$tmp/out")" "$(grep -c -E '^ *[0-9]+\.[0-9]{3} +[0-9]+ mark ' "$tmp/out")"
exit 0
