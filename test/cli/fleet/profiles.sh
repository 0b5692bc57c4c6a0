# SPDX-License-Identifier: BSD-2-Clause
# OTLP profiles of always-on programs, decoded by protobufjs with the schemas of 1.9 and 1.10: the sums over all requests are exactly
# those of the load, while the program calls clear() and trunc().
. test/cli/helpers.inc
known=knownprof	# scripts run beside each other
. test/trigger/always.sh
always_begin "profiles of programs that run always"
need_decoder
[ -n "$node" ] || always_skip "profiles of programs that run always" "npm cannot get protobufjs"

cat >"$tmp/calls.c" <<'C'
#include <stdlib.h>
#include <unistd.h>
#include <sys/syscall.h>
static int fd;
__attribute__((noinline)) void few(void) { syscall(SYS_write, fd, "xyz", 3); __asm__ volatile("" ::: "memory"); }
__attribute__((noinline)) void many(void) { syscall(SYS_write, fd, "x", 1); __asm__ volatile("" ::: "memory"); }
int main(int argc, char **argv)
{
	fd = argc > 3;
	for (int i = 0; i < atoi(argv[1]); i++) few();
	for (int i = 0; i < atoi(argv[2]); i++) many();
	return 0;
}
C
gcc -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -o "$tmp/$known" "$tmp/calls.c" 2>"$tmp/log" || always_skip "profiles" "no gcc"
load() { "$tmp/$known" "$1" "$2" >/dev/null; }

# The parts of the schemas that are used here: they differ in Sample.
proto() {
	cat <<-P
		syntax = "proto3";
		package t;
		message Any { string string_value = 1; int64 int_value = 3; }
		message KeyValue { string key = 1; Any value = 2; }
		message Resource { repeated KeyValue attributes = 1; }
		message Scope { string name = 1; string version = 2; }
		message Mapping { uint64 memory_start = 1; uint64 memory_limit = 2; uint64 file_offset = 3; int32 filename_strindex = 4; repeated int32 attribute_indices = 5; }
		message Line { int32 function_index = 1; int64 line = 2; int64 column = 3; }
		message Location { int32 mapping_index = 1; uint64 address = 2; repeated Line lines = 3; repeated int32 attribute_indices = 4; }
		message Function { int32 name_strindex = 1; int32 system_name_strindex = 2; int32 filename_strindex = 3; int64 start_line = 4; }
		message Link { bytes trace_id = 1; bytes span_id = 2; }
		message Attribute { int32 key_strindex = 1; Any value = 2; int32 unit_strindex = 3; }
		message Stack { repeated int32 location_indices = 1; }
		message Dictionary { repeated Mapping mapping_table = 1; repeated Location location_table = 2; repeated Function function_table = 3;
			repeated Link link_table = 4; repeated string string_table = 5; repeated Attribute attribute_table = 6; repeated Stack stack_table = 7; }
		message ValueType { int32 type_strindex = 1; int32 unit_strindex = 2; }
		message Sample { int32 stack_index = 1; $1 repeated fixed64 timestamps_unix_nano = 5; }
		message Profile { ValueType sample_type = 1; repeated Sample samples = 2; fixed64 time_unix_nano = 3; uint64 duration_nano = 4; }
		message ScopeProfiles { Scope scope = 1; repeated Profile profiles = 2; }
		message ResourceProfiles { Resource resource = 1; repeated ScopeProfiles scope_profiles = 2; }
		message Request { repeated ResourceProfiles resource_profiles = 1; Dictionary dictionary = 2; }
	P
}
proto 'repeated int64 values = 2; repeated int32 attribute_indices = 3; int32 link_index = 4;' >"$tmp/1.9.proto"
proto 'repeated int32 attribute_indices = 2; int32 link_index = 3; repeated int64 values = 4;' >"$tmp/1.10.proto"

cat >"$tmp/decode.js" <<'J'
// decode.js FOLDER MODULES PROTO: sums over all requests, "type unit key leaf…root-ward functions: sum"
const fs = require('fs'), path = require('path');
const [top, modules, proto] = process.argv.slice(2);
const protobuf = require(path.resolve(modules, 'node_modules/protobufjs'));
const Request = protobuf.parse(fs.readFileSync(proto, 'utf8'), { keepCase: true }).root.resolveAll().lookupType('t.Request');
const sums = {};
let end = 0n;
for (const file of fs.readdirSync(top).filter(f => f.endsWith('.profiles')).sort()) {
	const bytes = fs.readFileSync(path.join(top, file)), message = Request.decode(bytes), m = Request.toObject(message, { longs: String, bytes: String, arrays: true, defaults: true });
	// nothing that the schema does not know: what is decoded, encoded again, is as long
	if (Request.verify(message) !== null || Request.encode(message).finish().length !== bytes.length)
		throw new Error(file + ': ' + Request.verify(message));
	const d = m.dictionary, text = d.string_table;
	const zero = e => JSON.stringify(e).replace(/"[a-z_]+":|[{}[\]",0]|null/g, '') === '';
	for (const [table, entries] of Object.entries(d))
		if (entries.length === 0 || !zero(entries[0])) throw new Error(`${file}: ${table} begins with ${JSON.stringify(entries[0])}`);
	if (m.resource_profiles.length !== 1) throw new Error(file);
	const r = m.resource_profiles[0], a = Object.fromEntries(r.resource.attributes.map(k => [k.key, k.value.string_value]));
	if (a['service.name'] !== 'dtrace' || a['host.name'] !== 'here' || a['dtrace.program'] !== 'known') throw new Error(JSON.stringify(a));
	let from = 0n, until = 0n;
	for (const p of r.scope_profiles[0].profiles) {
		from = BigInt(p.time_unix_nano);
		until = from + BigInt(p.duration_nano);
		if (from < end || from < 1000000000000000000n || BigInt(p.duration_nano) <= 0n) throw new Error(`${file}: ${from} after ${end}`);
		for (const s of p.samples) {
			if (!(s.stack_index > 0) || s.values.length !== 1 || s.values[0] === '0') throw new Error(`${file}: ${JSON.stringify(s)}`);
			const frames = d.stack_table[s.stack_index].location_indices.map(i => {
				const l = d.location_table[i], f = d.function_table[l.lines[0].function_index], file = text[d.mapping_table[l.mapping_index].filename_strindex];
				if (!(i > 0)) throw new Error('a location');
				return [text[f.name_strindex], text[f.filename_strindex], file];
			});
			const ours = frames.filter(f => f[2] === 'knownprof' && /^(few|many)$/.test(f[0]) && f[1] === f[2]).map(f => f[0]);
			const root = frames[frames.length - 1][0], key = `${text[p.sample_type.type_strindex]} ${text[p.sample_type.unit_strindex]} ${root === 'a key' ? root : '-'} ${ours}`;
			sums[key] = (sums[key] || 0n) + BigInt(s.values[0]);
		}
	}
	end = until;
}
for (const key of Object.keys(sums).sort()) console.log(`${key} ${sums[key]}`);
J

# decodes VERSION: the sums so far, in $tmp/out
decodes() { "$node" "$tmp/decode.js" "$tmp/got" "$modules" "$tmp/$1.proto" >"$tmp/out" 2>"$tmp/err"; }
all_there() { decodes "$1" && grep -q "^n_$2 $3" "$tmp/out"; }
is_sum() { decodes "$1" && [ "$(grep -c . "$tmp/out")" -ge 1 ] && cmp -s "$tmp/expected" "$tmp/out"; }

expect() {	# expect FEW MANY
	cat <<-DONE
		bytes bytes - few $((3 * $1))
		bytes bytes - many $2
		n count a key few $1
		n count a key many $2
		samples count - few $1
	DONE
}
# @n is cleared and @bytes truncated to one element, repeatedly; firings of few() record their stack.
program() {
	cat <<-D
		syscall::write:entry /execname == "$known"/ { @n["a key", ustack()] = count(); @bytes[ustack()] = sum(arg2); @plain = count(); }
		syscall::write:entry /execname == "$known" && arg2 == 3/ { ustack(); }
		tick-70ms { clear(@n); }
		tick-110ms { trunc(@bytes, 1); }
	D
}

for version in 1.9 1.10; do
	rm -rf "$tmp/got" "$tmp/agents"
	answer 200
	start_collector 0
	mkdir -p "$tmp/p$version.d"
	program >"$tmp/p$version.d/known.d"
	start_agent "p$version" "memory=4000 cpu=100000 rate=10000000" "otlp http://127.0.0.1:$(cat "$tmp/port")/base/ every=1 profiles=$version"
	waits logged "p$version" "program known runs"
	check $? "$version: a program"
	few=0 many=0
	for round in 1 2 3 4; do
		load $((round * 3)) $((round * 50))
		few=$((few + round * 3)) many=$((many + round * 50))
		sleep 0.6
	done
	expect $few $many >"$tmp/expected"
	waits is_sum "$version"
	check $? "$version: profiles are those of the load: $(diff "$tmp/expected" "$tmp/out" | tr '\n' ' ') $(head -c 300 "$tmp/err")"
	same "$version: the request says which schema it is" "$(sed -n 's|^/base/v1development/profiles dtraced/[^ ]* ||p' "$tmp/agents" | sort -u)" "otlp-profiles/$version"
	# stacks without new counts are not sent again
	quiet() {
		ls "$tmp/got" | grep -c profiles >"$tmp/before"
		seen=$(ls "$tmp/got" | grep -c metrics)
		more() { [ "$(ls "$tmp/got" | grep -c metrics)" -ge $((seen + 3)) ]; }
		waits more
		ls "$tmp/got" | grep -c profiles | cmp -s - "$tmp/before"
	}
	quiet
	check $? "$version: nothing is sent when nothing was counted"
	is_sum "$version"
	check $? "$version: and nothing twice"
	load 5 7
	kill -TERM "$agent"
	wait "$agent"
	expect $((few + 5)) $((many + 7)) >"$tmp/expected"
	is_sum "$version"
	check $? "$version: what was counted before the agent ends is sent: $(diff "$tmp/expected" "$tmp/out" | tr '\n' ' ')"
	kill "$collector"
done

# no profiles by default
printf 'always %s/none.d\notlp http://127.0.0.1:1 profiles=1.7\n' "$tmp" >"$tmp/bad.conf"
"$build/dtraced" --config "$tmp/bad.conf" 2>"$tmp/err"
same "profiles=1.7 is refused" "$? $(grep -c otlp "$tmp/err")" "2 1"
