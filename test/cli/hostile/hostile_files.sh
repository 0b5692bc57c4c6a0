# SPDX-License-Identifier: BSD-2-Clause
# Files that processes map to harm who reads them (H 1a, 1b, 1c, 3a, 3b, 3d): the trace ends, its counts are right, what is not
# hostile has its names, and the tracer stays small. The files are sparse; nothing of this needs more than the limits say.
. test/trigger/bounded.sh
. test/cli/helpers.inc
may_trace "hostile files"
build=${BUILD:-build}
tick=$(printf '\140')
most=$(((256 + 64) * 1024))		# KB

# made NAME KIND ARGS…: such a file, which belongs to nobody
made() {
	name=$1 kind=$2
	shift 2
	"$build/test/hostile_elf" "$kind" "$tmp/$name" "$@" && chown 65534 "$tmp/$name"* 2>/dev/null || true
}

# mapped FILES…: $victim has mapped them, and waits for a line in $tmp/go
mapped() {
	exec 9>&-
	rm -f "$tmp/mapped" "$tmp/go"
	mkfifo "$tmp/go"
	exec 9<>"$tmp/go"
	"$build/test/hostile_map" 2 "$@" <"$tmp/go" >"$tmp/mapped" &
	victim=$!
	waits grep -qs mapped "$tmp/mapped"
}

# traced WHAT FILES…: each is run through twice, and seen so; the program itself has its names; the memory is bounded
traced() {
	what=$1
	shift
	mapped "$@"
	run -qw -p $victim -n "syscall::getppid:entry /pid == \$target/ { @s[ustack()] = count(); @n = count(); }
		BEGIN { system(\"echo go >$tmp/go\"); }
		END { printa(\"calls %@d\\n\", @n); printa(@s); system(\"grep VmHWM /proc/%d/status\", \$pid); }"
	kill $victim 2>/dev/null
	wait $victim 2>/dev/null
	if [ "$status" -ne 0 ]; then
		bad "$what: status $status"
	elif ! grep -q "^calls $((2 * $#))\$" "$tmp/out"; then
		bad "$what: not $((2 * $#)) calls"
	elif ! grep -q "hostile_map${tick}main+" "$tmp/out"; then
		bad "$what: the program itself has no names"
	elif [ "$(awk '/VmHWM/ { print $2 }' "$tmp/out")" -gt "$most" ]; then
		bad "$what: $(grep VmHWM "$tmp/out")"
	else
		ok "$what"
	fi
}

mkdir "$tmp/files"
made files/notes notes 4 200
traced "800 MB of notes (H 1a)" "$tmp/files/notes"

set --
for i in $(seq 40); do
	made "files/sections$i" sections
	set -- "$@" "$tmp/files/sections$i"
done
traced "10 million sections (H 1b)" "$@"
rm -f "$tmp/files"/*

if command -v xz >/dev/null 2>&1; then
	cp "$build/test/hostile_map" "$tmp/large"
	truncate -s 70M "$tmp/large"
	xz -1 -c "$tmp/large" >"$tmp/large.xz"
	set --
	for i in $(seq 8); do
		made "files/packed$i" packed "$tmp/large.xz"
		set -- "$@" "$tmp/files/packed$i"
	done
	traced "560 MB in 8 small files (H 1c)" "$@"
	rm -f "$tmp/files"/* "$tmp/large"
else
	echo "ok - packed symbols # SKIP no xz"
fi

set --
for i in $(seq 8); do
	made "files/frames$i" frames 200 240
	set -- "$@" "$tmp/files/frames$i"
done
traced "2 GB of descriptions that are read again and again (H 3a)" "$@"
rm -f "$tmp/files"/*

set --
made files/link1 link 1 900
for i in $(seq 50); do
	[ "$i" -eq 1 ] || made "files/link$i" link 1 0
	[ "$i" -eq 1 ] || ln -f "$tmp/files/link1.debug" "$tmp/files/link$i.debug"
	set -- "$@" "$tmp/files/link$i"
done
traced "45 GB to make checksums of (H 3b)" "$@"
rm -f "$tmp/files"/*

# all functions are searched for calls of each stub: once for all of them
made files/stubs stubs 4000 16
mapped "$tmp/files/stubs"
run -ln "plug$victim:::"
grep -q "plug$victim .* p\$" "$tmp/out"
check $? "4000 static probes and 64 GB of functions (H 3d)"
kill $victim
