# SPDX-License-Identifier: BSD-2-Clause
# tools/link-check: circles of objects and of folders, in small trees of its own.
. test/cli/helpers.inc
ok() { if "$@"; then echo "ok - $what"; else echo "not ok - $what: $(cat "$tmp/log")"; fi; }
mkdir -p "$tmp/tools" "$tmp/src/lib"
cp tools/link-check "$tmp/tools"
printf 'DTRACE {\n\tdtrace_public;\n};\n' >"$tmp/src/lib/libdtrace.map"

part() {	# part FOLDER/NAME NEEDED…: an object that defines NAME and needs others
	file=$1 name=${1##*/}
	shift
	mkdir -p "$tmp/src/${file%/*}" "$tmp/build/obj/src/${file%/*}"
	{
		for needed; do echo "void $needed(void);"; done
		echo "void $name(void); void $name(void) {"
		for needed; do echo "$needed();"; done
		echo "}"
	} >"$tmp/src/$file.c"
	cc -c -o "$tmp/build/obj/src/$file.o" "$tmp/src/$file.c" || echo "not ok - cc"
}
ring() {	# ring FOLDER N: N objects, each of which needs the next
	for i in $(seq "$2"); do part "$1/$1$i" "$1$((i % $2 + 1))"; done
}
says() { "$tmp/tools/link-check" build >"$tmp/log" 2>&1; [ $? -eq "$1" ] && { [ -z "$2" ] || grep -q "$2" "$tmp/log"; }; }

ring a 12
what="12 objects may form a circle"
ok says 0
ring b 13
what="13 may not, and are named"
ok says 1 'circle of 13 objects.*src/b/b7'
what="so are the names that tie them"
ok says 1 'src/b/b13 -> src/b/b1: b1'
rm -r "$tmp/src/b"
what="objects of files that are gone do not count"
ok says 0
ring bpf 20
what="nor do links inside of src/bpf"
ok says 0
part builtin/row a1
part a/user row
what="nor those into src/builtin"
ok says 0
part c/up down
part d/down
part d/high
part c/low high
what="one folder may need another"
ok says 0
part d/high low
what="but not in a circle of objects"
ok says 1 'circle of 2 objects: src/[cd]'
part c/low
part d/high up
what="nor in one of folders"
ok says 1 'circle of 2 folders: src/[cd]'
part d/high
part d/dtrace_public
"$tmp/tools/link-check" -u build >"$tmp/log"
what="-u names a function that no other object uses, and no public one"
ok test "$(grep -c 'src/d/high.c: high' "$tmp/log").$(grep -c dtrace_public "$tmp/log").$(grep -c a3 "$tmp/log")" = 1.0.0
