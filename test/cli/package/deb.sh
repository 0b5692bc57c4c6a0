# SPDX-License-Identifier: BSD-2-Clause
# make deb: the packages are built, lintian has no error to tell, and in a clean Debian they install and trace.
# slow: left out of `make check`
build=${BUILD:-build}
. test/cli/helpers.inc
root=$tmp/root
trap 'umount -l "$root/sys" "$root/proc" 2>/dev/null; rm -rf --one-file-system "$tmp"' EXIT
for need in dpkg-buildpackage dh dh_python3 esbuild; do
	command -v $need >/dev/null || { echo "ok - Debian packages # SKIP no $need"; exit 0; }
done
case $build in *asan*|*clang*) echo "ok - Debian packages # SKIP once is enough"; exit 0 ;; esac

make -s B="$build" deb >"$tmp/log" 2>&1
check $? "make deb"
for name in dtrace dtrace-tools libdtrace0 libdtrace-usdt0 libdtrace-dev python3-dtrace; do
	ls "$build/deb/${name}_"*.deb >"$tmp/log" 2>&1
	check $? "the package $name"
done
dpkg-deb -c "$build/deb/dtrace_"*.deb >"$tmp/log"
! grep -q '/usr/bin/dtrace\|man1/dtrace' "$tmp/log"
check $? "nothing that systemtap-sdt-dev has"
grep -q '/usr/sbin/dtrace-web$' "$tmp/log"
check $? "the live page"
if command -v lintian >/dev/null; then
	lintian --fail-on error "$build"/deb/*.deb >"$tmp/log" 2>&1
	check $? "lintian"
else
	echo "ok - lintian # SKIP it is not installed"
fi

if ! command -v debootstrap >/dev/null || [ "$(id -u)" -ne 0 ]; then
	echo "ok - a clean Debian # SKIP no debootstrap, or not root"
	exit 0
fi
needs=libbpf1,libelf1,liblzma5,zlib1g,libdw1,python3,man-db
if ! debootstrap --variant=minbase --include=$needs bookworm "$root" >"$tmp/log" 2>&1; then
	echo "ok - a clean Debian # SKIP debootstrap: $(tail -n 1 "$tmp/log")"
	exit 0
fi
cp "$build"/deb/*.deb "$root/tmp/"
rm -f "$root"/tmp/*-dev_* "$root"/tmp/*-dbgsym_*
mount -t proc proc "$root/proc" && mount --rbind /sys "$root/sys" 2>"$tmp/log"
chroot "$root" sh -c 'dpkg -i --force-depends /tmp/*.deb' >"$tmp/log" 2>&1
check $? "they install in a clean Debian 12"
chroot "$root" dtrace -qn 'syscall::getppid:entry /pid == $target/ { @ = count(); }' -c 'sh -c "echo $PPID"' >"$tmp/log" 2>&1
check $? "dtrace there"
chroot "$root" dtrace -qn 'BEGIN { printf("it is %s\n", execname); exit(0); }' >"$tmp/log" 2>&1
grep -q 'it is dtrace' "$tmp/log"
check $? "a line of output"
chroot "$root" lockstat -e 1 true >"$tmp/log" 2>&1
check $? "lockstat there"
chroot "$root" plockstat -A sleep 0 >"$tmp/log" 2>&1
check $? "plockstat there"
chroot "$root" python3 -c 'import dtrace' >"$tmp/log" 2>&1
check $? "python3-dtrace there"
# there NAME PATTERN COMMAND…: a command that prints it in the new Debian
there() {
	name=$1 pattern=$2
	shift 2
	chroot "$root" env PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C "$@" >"$tmp/log" 2>&1
	grep -q -e "$pattern" "$tmp/log"
	check $? "$name there"
}
there dtruss '^openat(.*"/etc/passwd", O_RDONLY' dtruss cat /etc/passwd
there execsnoop 'cat /etc/passwd' execsnoop -c 'sh -c "cat /etc/passwd; true"'
there opensnoop '/etc/passwd' opensnoop -c 'cat /etc/passwd'
there errinfo 'ENOENT' errinfo -c 'cat /nothing/of/this/name'
there exitsnoop 'cat' exitsnoop -c 'sh -c "cat /etc/passwd; true"'
there syscount 'openat' syscount -c 'cat /etc/passwd'
there procsystime 'openat' procsystime -c 'cat /etc/passwd'
there "man dtrace-options" 'bufsize' man dtrace-options
there "man execsnoop" 'execsnoop' man execsnoop
there "man d" 'quantize' man d
there completion 'complete.*dtrace' bash -c '. /usr/share/bash-completion/completions/dtrace; complete -p dtrace'
# The live page, with the tools in its gallery.
cat >"$root/tmp/page" <<'END'
dtrace -O web -n 'BEGIN { @there = sum(4711); }' >/tmp/url &
server=$!
until [ -s /tmp/url ] || ! kill -0 $server; do sleep 0.1; done
python3 -c 'import json, sys, urllib.request
page = open("/tmp/url").read().strip()
print(len(urllib.request.urlopen(page).read()))
tools = json.load(urllib.request.urlopen(page.replace("/?", "/gallery?")))
print("tools", len(tools), *(t["name"] for t in tools))
stream, seen = urllib.request.urlopen(page.replace("/?", "/stream?")), b""
while (4711).to_bytes(8, "little") not in seen:
	seen += stream.read1(4096) or sys.exit()
print("counted 4711")'
kill $server
wait $server
END
there "the live page" '^counted 4711' sh /tmp/page
grep -q '^tools.* execsnoop .*syscount' "$tmp/log"
check $? "the gallery there"
umount -l "$root/sys" "$root/proc"
