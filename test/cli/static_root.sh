# SPDX-License-Identifier: BSD-2-Clause
# A static dtrace, BUILD/static/dtrace, traces in a root with nothing but it, /proc and /sys. test/vm/other builds one for the
# other architecture and runs this there; static.sh is for this one.
static=${BUILD:-build}/static/dtrace
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
if [ ! -x "$static" ]; then
	echo "ok - a static dtrace # SKIP none is built here"
	exit 0
fi
mkdir -p "$tmp/root/proc" "$tmp/root/sys"
cp "$static" "$tmp/root/dtrace"
unshare -m sh -c "mount -t proc proc $tmp/root/proc && mount --rbind /sys $tmp/root/sys &&
	exec chroot $tmp/root /dtrace -qn 'syscall:::entry { @ = count(); } tick-100ms { printa(\"%@d calls\n\", @); exit(0); }'" >"$tmp/log" 2>&1
if grep -q '^[1-9][0-9]* calls' "$tmp/log"; then
	echo "ok - a static dtrace in an empty root"
else
	echo "not ok - a static dtrace in an empty root"
	sed 's/^/  /' "$tmp/log"
fi
